import { needsUserReason } from '../../../src/sessions/refreshState';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import type { JournalEntry } from '../../../src/storage/record';
import type { SecretShelf } from '../model/secretShelf';
import { tokenName } from '../model/service';
import type { Account } from './ledger';
import type { Referee } from './referee';
import type { ModelWindow } from './window';
import type { World } from './world';

/** From the making of a key until all windows of its store can have it. Milliseconds. */
const KEY_SPREAD = 500;

/** A pair that the window must know, the session that has it, and whether the window has told nothing of that yet. */
interface Known {
  readonly pair: number;
  readonly id: string;
  readonly isUntold: boolean;
  /** What its journal said. */
  readonly entry: JournalEntry;
}

/** What was there when a caller asked for sessions. */
export interface Asked {
  readonly window: ModelWindow;
  readonly step: number;
  readonly known: ReadonlyMap<Account, Known>;
  /** Access tokens that had expired then, by their dates and the wall clock, or at the service. */
  readonly expired: ReadonlySet<string>;
  /** How often the clocks had been moved. */
  readonly clockMoves: number;
}

/** Holds what callers get for their requests against what was known when they asked. */
export class Callers {
  readonly #keyKnownAt = new Map<SecretShelf, number>();

  constructor(
    private readonly world: Pick<World, 'ledger' | 'policy' | 'service' | 'steps' | 'timeline'>,
    private readonly referee: Referee,
  ) {}

  /** A window has the key of its store. */
  keyKnown(window: ModelWindow): void {
    const { timeline } = this.world;
    this.#keyKnownAt.set(window.shelf, this.#keyKnownAt.get(window.shelf) ?? timeline.elapsed);
  }

  /** A new key reaches other windows a little later than what's protected with it; then each must have it. */
  #mayKnowKey(window: ModelWindow): boolean {
    return window.isOpen || this.world.timeline.elapsed - (this.#keyKnownAt.get(window.shelf) ?? 0) > KEY_SPREAD;
  }

  /** A caller asks for the sessions. */
  asked(window: ModelWindow): Asked {
    const known = new Map<Account, Known>();
    const expired = new Set<string>();
    const { ledger, steps, timeline } = this.world;
    for (const account of ledger.accounts) {
      const written = ledger.writtenOf(account);
      const mustKnow = account.shelf === window.shelf && this.#mayKnowKey(window) && !this.#isSpent(account);
      if (mustKnow && account.promised && written?.entry.record.listed === true && !account.isHarmed) {
        const { sessionId: id = '' } = account;
        const isUntold = this.referee.lastTold(window, id) === undefined;
        known.set(account, { pair: written.pair, id, isUntold, entry: written.entry });
      }
      const { accessToken = '', obtainedAt = 0, lifetime = Infinity } = written?.entry.record ?? {};
      const age = Math.max(timeline.now - obtainedAt, this.#ageAtService(accessToken));
      if (age >= lifetime) expired.add(accessToken);
    }
    return { window, step: steps.count, known, expired, clockMoves: this.referee.clockMoves };
  }

  /** How long the service has taken this token, in milliseconds; 0 if the clocks were moved, because then no window can tell. */
  #ageAtService(accessToken: string): number {
    const { issuedAt = Infinity } = this.world.service.family(tokenName(accessToken)) ?? {};
    return this.referee.clockMoves === 0 ? this.world.timeline.real - issuedAt : 0;
  }

  /**
   * Property 3: at the moment in which a caller gets a token, no journal has its successor, however long the caller waited. What's
   * committed between a look and the moment in which its window learns of it, nobody can know.
   */
  returned(window: ModelWindow, sessions: readonly CurrentSession[]): void {
    const { ledger } = this.world;
    // What can't be read reaches nobody.
    const isBlind = this.referee.readableSince === Number.POSITIVE_INFINITY;
    const { learned } = this.referee;
    const lookedAt = learned?.process === window ? learned.performedAt : Number.POSITIVE_INFINITY;
    for (const { id, accessToken } of sessions) {
      const written = ledger.written.get(id);
      const { pair } = tokenName(accessToken);
      const isKnown = written !== undefined && written.since < lookedAt && !isBlind && !ledger.tombstones.has(id);
      if (isKnown && written.account?.isHarmed === false && pair < written.pair) {
        this.referee.fail('3', `${window.name} serves pair ${pair}, and pair ${written.pair} is in the journal`);
      }
    }
  }

  /** Property 3: what a caller gets was not known to be superseded, or over, when it asked. */
  served(asked: Asked, sessions: readonly CurrentSession[]): void {
    const { window } = asked;
    // While the disk can't be read, windows serve what they know: what others did meanwhile can't reach them.
    const blind = asked.step < this.referee.readableSince;
    for (const { id, accessToken } of sessions) {
      const account = this.world.ledger.ofSession(id);
      const { pair } = tokenName(accessToken);
      // Pairs of different sign-ins can't be compared: one that was begun before may end last.
      const before = account && asked.known.get(account);
      const known = before?.id === id && account?.isHarmed === false ? before.pair : undefined;
      if (account !== undefined && this.world.ledger.signedOutSince(account) < asked.step && !blind) {
        this.referee.fail('7', `${window.name} serves a session that was signed out before it was asked for`);
      }
      if (asked.expired.has(accessToken) && asked.clockMoves === this.referee.clockMoves) {
        this.referee.fail('3', `${window.name} serves a token that had expired when it was asked`);
      }
      if (accessToken === '' || (known !== undefined && pair < known && !blind)) {
        this.referee.fail(
          '3',
          `${window.name} serves pair ${pair}, and pair ${known ?? 0} was in the journal when asked`,
        );
      }
    }
    for (const [account, { entry, id, isUntold }] of asked.known) {
      // An empty list would say that nobody is signed in: that must be known.
      const unknown = blind && sessions.length > 0 && isUntold;
      const isServed = sessions.some((one) => one.id === id || tokenName(one.accessToken).grant === account.grant);
      // A token may expire while somebody asks, just before a refresh that a person asked for brings the next one.
      // Or it has expired meanwhile, and what the person's refresh has brought is on the disk but not in the window yet.
      const isSpentHere = this.referee.lastTold(window, id)?.needsUser === true;
      // Or it has needed its person for a moment meanwhile.
      const neededUser = account.neededUserAt >= asked.step;
      const isSpent = isSpentHere || this.#isSpent(account) || this.#isSpent(account, entry, neededUser);
      if (!isServed && !isSpent && !this.referee.isOver(id) && !account.isHarmed && !unknown) {
        this.referee.fail('6', `${window.name} serves nothing for account ${account.grant}, which is not over`);
      }
    }
  }

  /** Whether the token of an account that can't get another without its person has expired by now, or was rejected. */
  #isSpent(account: Account, entry = this.world.ledger.writtenOf(account)?.entry, neededUser = false): boolean {
    const { policy, service, timeline } = this.world;
    const { accessToken, lifetime = 0, obtainedAt = 0 } = entry?.record ?? {};
    const reason = entry && needsUserReason(entry.record);
    const last = service.requests.findLast(({ state, token }) => state === 'answered' && token.grant === account.grant);
    // While the disk refuses the outcome of a refresh, only its window knows whether that needs the person.
    const mayNeedUser = entry?.state === 'sending' && last?.response === 'error';
    const isOld = this.referee.clockMoves > 0 || timeline.now - obtainedAt >= lifetime;
    const isUnusable = accessToken === undefined || reason === 'rejected' || isOld;
    return isUnusable && (reason !== undefined || neededUser || mayNeedUser || policy.refreshTokens === 'none');
  }
}
