import type { CurrentSession } from '../../../src/sessions/currentSession';
import type { Notice } from '../../../src/sessions/notice';
import type { SessionsChange } from '../../../src/sessions/sharedSessions';
import { sessionLock } from '../../../src/storage/journal';
import { familyNumber, tokenName, type RefreshRequest, type PairName } from '../model/service';
import type { Process } from '../model/steps';
import { FORGOTTEN, TAMPERED, type Account, type Written } from './ledger';
import { Patience } from './patience';
import type { ModelWindow } from './window';
import type { World } from './world';

/** What the referee looks at. */
type Watched = Pick<World, 'harm' | 'ledger' | 'steps' | 'locks' | 'policy' | 'timeline' | 'service' | 'windows'>;

/** The earliest part of a token's life at which a refresh may begin: three quarters. */
const EARLIEST_PART = 0.75;
/** How long a sign-in has to give its session an account before a window lists it without. Milliseconds. */
const TO_ASSIGN = 60_000;
/** If nobody gets on for longer, the pause of a restored token may be over before every window has looked. Milliseconds. */
const LONGEST_STALL = 5_000;

/** The properties that hold whatever happens: nothing is sent twice, served although it's superseded, or mixed up. */
const ALWAYS: readonly string[] = ['1', '3', '9'];

/** What a window has told of a session last. */
interface Told {
  /** `replaced`: removed because another session of the account takes its place, as long as that one lasts. */
  readonly kind: 'known' | 'added' | 'changed' | 'removed' | 'replaced';
  readonly accessToken: string;
  readonly label: string;
  /** Whether only its person can bring another token. */
  readonly needsUser: boolean;
  /** Whose it is, even if it has no access token left. */
  readonly grant: number | undefined;
}

/**
 * Watches everything that can be seen from outside, and holds it against what must hold. The numbers in the messages
 * are those of the properties in `docs/rotation.md`.
 */
export class Referee {
  readonly #told = new Map<string, Told>();
  /** What people are told, and how often the service is asked. */
  readonly patience = new Patience();
  readonly #open = new Set<ModelWindow>();
  /** What was found wrong first. */
  violation: string | undefined;
  /** Whether a sign-in may be lost, because rare faults of two kinds came together. */
  isLenient = false;
  /** The step since which the disk can be read; infinite while it can't. */
  readableSince = 0;
  /** What a process learns of right now that took place earlier, if it's so. */
  learned: { readonly process: Process; readonly performedAt: number } | undefined;
  /** How often the wall clock was set. */
  clockMoves = 0;
  /** False once a window was stopped, the machine slept, or the disk misbehaved. */
  undisturbed = true;
  /** How long time passed while no window got on. Milliseconds. */
  stalled = 0;
  /** The same when the journal of each session was restored from a recovery copy. */
  readonly #stalledBefore = new Map<string, number>();
  /** How often something happened that may make a window late, or end it. */
  delays = 0;
  /** How often that had happened when each request was sent. */
  readonly #delaysBefore = new Map<RefreshRequest, number>();
  /** Whether the disk ever refused: a name that one window has given may be in its memory only, or unreadable for others. */
  everRefused = false;
  #readOnly = false;
  readonly #onlyInMemory = new Set<string>();
  #everReadOnly = false;

  constructor(
    private readonly world: Watched,
    private readonly trace?: (line: string) => void,
  ) {}

  /** While the disk takes nothing, windows can't tell each other what became of a sending. */
  set readOnly(on: boolean) {
    this.#readOnly = on;
    this.#everReadOnly ||= on;
    if (on) this.mayHideOutcomes();
  }

  /** The disk may refuse what becomes of the requests that are under way: then only the windows that sent them know it. */
  mayHideOutcomes(): void {
    for (const account of this.world.ledger.accounts) {
      const written = this.world.ledger.writtenOf(account);
      if (written?.entry.state === 'sending') account.unanswered.add(written.pair);
    }
  }

  /** Notes what must not be. */
  fail(property: string, message: string): void {
    if (this.isLenient && !ALWAYS.includes(property)) return;
    this.violation ??= `property ${property}: ${message}`;
    this.trace?.(`VIOLATION of ${property}: ${message}`);
  }

  /** Property 1: a token is sent when its turn has come, and not while an earlier sending may be answered. */
  sent(request: RefreshRequest): void {
    const { token, process } = request;
    const { ledger, locks, policy, steps } = this.world;
    this.#delaysBefore.set(request, this.delays);
    const account = ledger.ofGrant(token.grant);
    if (account === undefined) {
      this.fail('1', 'a token was sent that nobody was given');
      return;
    }
    const name = `pair ${token.pair} of account ${token.grant}`;
    const earlier = this.#sendingsOf(token).filter((one) => one !== request);
    if (earlier.some((one) => one.process.alive && (one.state === 'on the way' || one.state === 'unread'))) {
      this.fail('1', `${process.name} sends ${name} while an earlier sending may still be answered`);
    }
    // While no tombstone can be read, a window doesn't know that a further sign-in has replaced its session.
    const isBlind = this.readableSince > steps.count && ledger.sessionWith(token) === undefined;
    if (account.isHarmed || (isBlind && ledger.hasEnded(account))) return;
    if (policy.refreshTokens === 'new' && ledger.safePair(account, familyNumber(token.pair)) > token.pair) {
      this.fail('1', `${process.name} sends ${name}, and its successor is known`);
    }
    const id = ledger.sessionOf(token) ?? account.sessionId ?? '';
    const isReplaced = id !== account.sessionId && ledger.tombstones.has(id);
    // A power cut in the middle of a sign-out may leave the recovery copy alone: that must be replaced before it serves.
    // A session that was replaced while its window was about to send has no journal anymore.
    if (!account.signOutAsked && !isReplaced) {
      if (earlier.length === 0) this.#checkReason(token, account, name);
      this.#checkJournal(token, name);
    }
    const lock = locks.holder(sessionLock(id));
    if (lock?.process !== process) {
      this.fail('1', `${process.name} sends ${name} without the lock`);
    } else if ((ledger.tombstones.get(id) ?? Infinity) < lock.since) {
      this.fail('7', `${process.name} sends ${name}, and the session was over before it took the lock`);
    }
  }

  #sendingsOf({ grant, pair }: PairName): readonly RefreshRequest[] {
    return this.world.service.requests.filter(({ token }) => token.grant === grant && token.pair === pair);
  }

  #checkReason(token: PairName, account: Account, name: string): void {
    const { ledger, service, timeline } = this.world;
    const family = service.family(token);
    if (family === undefined || account.mayReplace.has(token.pair) || account.asking > 0) return;
    const written = ledger.written.get(ledger.sessionWith(token) ?? '');
    // A pair that came back from its recovery copy has no access token that could be served.
    const isRestored = written !== undefined && written.entry.record.accessToken === undefined;
    // Others have such a session from its recovery copy until the disk takes what the first window knows.
    if (isRestored || this.#onlyInMemory.has(account.sessionId ?? '')) return;
    const age = timeline.real - family.requestedAt;
    if (age < family.lifetime * 1000 * EARLIEST_PART) {
      this.fail('1', `${name} is replaced ${age} ms after it was requested, and nobody asked for that`);
    }
  }

  /** The journal says what is under way before it is. */
  #checkJournal(token: PairName, name: string): void {
    const { ledger } = this.world;
    const written = ledger.written.get(ledger.sessionWith(token) ?? '');
    if (written?.entry.state !== 'sending') {
      this.fail('8', `${name} is sent, and the journal does not say so`);
    }
  }

  /** Property 2: a response that lies there is read before its time limit ends, however long its window stood still. */
  gaveUp({ process, token }: RefreshRequest): void {
    this.fail('2', `${process.name} gives up on the response to pair ${token.pair}, which has arrived`);
  }

  /** The service's response, or that there is none, reached the sender. */
  answered(request: RefreshRequest): void {
    const account = this.world.ledger.ofGrant(request.token.grant);
    if (account === undefined) return;
    account.answeredAt = this.world.steps.count;
    if ((request.state === 'lost' && request.response !== 'not sent') || this.#readOnly) {
      account.unanswered.add(request.token.pair);
    }
    if (request.response !== 'tokens') {
      if (request.response !== 'not sent') this.#check('5', this.patience.failed(request, this.world.timeline.real));
      return;
    }
    this.patience.succeeded(this.world.ledger.sessionOf(request.token) ?? account.sessionId ?? '');
    account.received.set(request.brings, request.process);
    if (request.incomplete) account.mayReplace.add(request.brings);
    // The session of a further sign-in that wasn't finished by then stays.
    const session = this.world.ledger.sessionWith(request.token);
    const isOver = session === undefined || this.world.ledger.tombstones.has(session);
    const isSignedOut = account.signedOutAt !== undefined && isOver;
    if (isSignedOut && this.mayRevoke) {
      const pair = this.world.policy.refreshTokens === 'new' ? request.brings : request.token.pair;
      account.mustRevoke.push({ process: request.process, pair });
    }
  }

  /** Whether what revoking takes can be read from the disk. */
  get mayRevoke(): boolean {
    return this.readableSince <= this.world.steps.count;
  }

  /** Whether the window has told of the session of an account that isn't over, and of no other of that account. */
  knowsOnly(window: ModelWindow, account: Account): boolean {
    const { ledger } = this.world;
    const id = account.sessionId ?? '';
    const sessions = [...ledger.written.values()].filter((written) => written.account === account);
    const isKnown = this.shown(window, id) !== undefined;
    const canRevoke = this.mayRevoke && sessions.length === 1 && sessions[0]?.sends !== 0;
    return isKnown && canRevoke && !account.isHarmed && !ledger.tombstones.has(id);
  }

  /** Property 1: nobody gets the token of another service. */
  misdirected(process: Process, { grant, pair }: PairName): void {
    this.fail('1', `${process.name} sends pair ${pair} of account ${grant} to another service`);
  }

  /** Property 6: nobody but a person ends a grant at the service. */
  revoked(process: Process, token: PairName): void {
    const account = this.world.ledger.ofGrant(token.grant);
    account?.revoked.push({ process, pair: token.pair });
    // Who can't read the session that took the place of another one takes its end for a sign-out.
    if (account?.signOutAsked !== true && account?.harmed.has(TAMPERED) !== true) {
      this.fail('6', `${process.name} revokes pair ${token.pair} of account ${token.grant}, and nobody signed out`);
    }
  }

  /** Property 7: what a person signed out of, and what came for it later, was revoked. */
  checkRevoked(account: Account): void {
    const { grant, hasReturned, isHarmed, mustRevoke, revoked } = account;
    const { ledger, policy } = this.world;
    if (policy.protocol === 'draft' || isHarmed) return;
    const isListed = [...ledger.written].some(
      ([id, { account: owner, entry }]) => owner === account && entry.record.listed && !ledger.tombstones.has(id),
    );
    for (const { process, pair } of mustRevoke) {
      // Revoking what came for the earlier session could end that of the further sign-in, too.
      const isWaived = (isListed || hasReturned) && pair !== undefined;
      const isDone = isWaived || revoked.some((one) => one.process === process && (pair ?? one.pair) === one.pair);
      if (process.alive && !isDone) {
        this.fail('7', `${process.name} doesn't revoke pair ${pair ?? 'n'} of account ${grant}, which is signed out`);
      }
    }
  }

  refreshed(window: ModelWindow, sessionId: string): void {
    const { ledger } = this.world;
    const account = ledger.ofSession(sessionId);
    // If no tombstone can be read, the new pair is kept: it may be all that's left of a session that isn't over.
    const isBlind = account !== undefined && account.answeredAt < this.readableSince;
    if (account !== undefined && ledger.signedOutSince(account) < account.answeredAt && !isBlind) {
      this.fail('7', `${window.name} publishes a session that was signed out before its response came`);
    }
  }

  /** Fails if something is wrong. */
  #check(property: string, wrong: string | undefined): void {
    if (wrong !== undefined) this.fail(property, wrong);
  }

  told(window: ModelWindow, notice: Notice): void {
    const again = this.patience.toldOf(notice);
    // While the disk refuses, or after the journal was set back, windows can't know what others have told.
    const isHarmed = 'sessionId' in notice && this.world.ledger.everWritten.get(notice.sessionId)?.isHarmed === true;
    if (!this.everRefused && !isHarmed) this.#check('8', again);
    if (notice.kind === 'ended') this.#ended(window, notice.sessionId, notice.responseLost);
    else if (notice.kind === 'not stored') this.#notStored(window, notice.sessionId);
    else if (notice.kind === 'key not stored') this.world.harm(window.shelf, 'a window has a key of its own');
  }

  #ended(window: ModelWindow, sessionId: string, responseLost: boolean): void {
    const account = this.world.ledger.ofSession(sessionId);
    const owner = this.world.ledger.everWritten.get(sessionId);
    // What's left of the account may be a session with fewer scopes.
    if (owner !== undefined) owner.scopes = 0;
    if (account === undefined || account.isHarmed) return;
    account.reason = responseLost ? 'response lost' : 'refused';
    const refused = this.world.service.requests.findLast(
      ({ process, token, response }) => token.grant === account.grant && process === window && response === 'bad token',
    );
    const pair = refused?.token.pair ?? 0;
    const sendings = this.#sendingsOf({ grant: account.grant, pair });
    const lost = sendings.some((one) => one.carriedOut && (one.state === 'lost' || one.response === 'tokens'));
    const orphaned = sendings.some(({ process }) => !process.alive);
    if (responseLost && !account.unanswered.has(pair) && !orphaned) {
      this.fail('8', `${window.name} says that a response was lost, and every sending of the token was answered`);
    }
    // After a power cut in the middle of a sign-out an older pair may be what is left; the person wanted it to end.
    if (!responseLost && lost && !account.signOutAsked) {
      this.fail('8', `${window.name} does not say that a response was lost`);
    }
    this.#checkLoss(account, sendings, window);
  }

  /** If the old token works for a while, a repeated request that nothing delayed arrives in time. */
  #checkLoss({ grant, signOutAsked }: Account, sendings: readonly RefreshRequest[], window: ModelWindow): void {
    const [lost, refused, ...more] = sendings;
    if (this.world.policy.graceTime === 0 || lost === undefined || signOutAsked) return;
    const isDelayed = !this.undisturbed || this.#delaysBefore.get(lost) !== this.delays || more.length > 0;
    if (refused !== undefined && lost.carriedOut && lost.state === 'lost' && !isDelayed) {
      this.fail('2', `${window.name} repeats a lost request of account ${grant} too late`);
    }
  }

  #notStored(window: ModelWindow, sessionId: string): void {
    const account = this.world.ledger.ofSession(sessionId);
    // Nobody reserves room for what a sign-in brings.
    if (account === undefined) this.#onlyInMemory.add(sessionId);
    // A sign-out takes the room away, and a window that can't read its tombstone can't tell.
    else if (!this.#everReadOnly && !account.signOutAsked) {
      this.fail('2', `${window.name} says that the disk does not take the tokens, and they had room on it`);
    }
  }

  /**
   * What a journal must not say. Property 1: the token of another session as well. Property 2: that its access token is gone.
   * Property 9: the name of another account, or any while the person has time to say it.
   */
  journal(sessionId: string, before: Written | undefined): void {
    const { tombstones, written } = this.world.ledger;
    const { account, entry } = written.get(sessionId) ?? {};
    if (account === undefined || entry === undefined) return;
    const { accessToken, account: named, listed, refreshToken } = entry.record;
    this.#check('5', Patience.pauseIn(entry));
    // It's written once more to make room for a response.
    const isNew = before?.entry.time !== entry.time;
    if (entry.state === 'stable' && entry.record.refreshState.kind === 'restored' && isNew) {
      this.#stalledBefore.set(sessionId, this.stalled);
      // Whoever asks a window that knows no more than this has it replaced, even if another one knows its access token.
      account.mayReplace.add(written.get(sessionId)?.pair ?? 0);
    }
    const had = before?.entry.generation === entry.generation ? before.entry.record.accessToken : undefined;
    if (had !== undefined && accessToken === undefined && !account.isHarmed) {
      this.fail('2', `the access token of account ${account.grant} is thrown away`);
    }
    if (listed && this.#mayStillBeNamed(account) && !account.isHarmed) {
      this.fail('9', `account ${account.grant} is listed, and its sign-in has not named it`);
    }
    for (const [id, { account: owner, entry: other }] of written) {
      if (id === sessionId || tombstones.has(id)) continue;
      if (refreshToken !== '' && other.record.refreshToken === refreshToken) {
        this.fail('1', `two sessions of account ${account.grant} have one token`);
      }
      const isOther = other.record.account.id !== named.id && other.record.listed && listed;
      const isSameStore = owner?.shelf === account.shelf && !account.isHarmed && !owner.isHarmed;
      if (isOther && isSameStore && !this.everRefused && other.record.account.label === named.label) {
        this.fail('9', `two accounts are called ${named.label}`);
      }
    }
  }

  /** Whether the sign-in that's about to name the account has some of its time left, as far as all clocks show. */
  #mayStillBeNamed({ naming }: Account): boolean {
    const { clockMoves, since = 0, window } = naming ?? {};
    const isInTime = this.world.timeline.real - since < TO_ASSIGN && clockMoves === this.clockMoves;
    return window?.alive === true && isInTime;
  }

  /** Property 6: only the service's word about the current token, or the person, ends a session. */
  tombstone(sessionId: string): void {
    const account = this.world.ledger.ofSession(sessionId);
    if (account === undefined || account.signOutAsked) return;
    const last = this.world.service.requests.findLast(
      ({ state, token: { grant, pair } }) =>
        state === 'answered' && grant === account.grant && familyNumber(pair) === familyNumber(account.pair),
    );
    if (last?.response !== 'bad token') {
      const successor = this.#successorOf(account);
      if (successor === undefined) {
        this.fail('6', `account ${account.grant} is ended, and the service did not name its token bad`);
      } else {
        [account.sessionId, account.pair] = [successor.id, successor.pair];
      }
    } else if (
      this.world.ledger.safePair(account) > last.token.pair &&
      (!account.isHarmed || this.#wasRestored(account, last))
    ) {
      this.fail('6', `account ${account.grant} is ended for pair ${last.token.pair}, and a later one is known`);
    }
  }

  /** The session that a further sign-in for the account has brought, and its pair. */
  #successorOf(account: Account): { readonly id: string; readonly pair: number } | undefined {
    const family = familyNumber(account.pair);
    for (const [id, { account: owner, pair }] of this.world.ledger.written) {
      if (owner === account && id !== account.sessionId && familyNumber(pair) > family) return { id, pair };
    }
    return undefined;
  }

  /**
   * Whether the token came from the recovery copy, in a world in which every other window could look at the restored journal and
   * write what it knows: before that it isn't sent. What a window remembers, it may send at once, such as a pair that came
   * without an access token.
   */
  #wasRestored({ harmed, sessionId }: Account, { process, token }: RefreshRequest): boolean {
    const told = this.#told.get(`${process.name} ${sessionId ?? ''}`);
    const isStalled = this.stalled - (this.#stalledBefore.get(sessionId ?? '') ?? 0) > LONGEST_STALL;
    const isUndisturbed = this.undisturbed && !isStalled && this.clockMoves === 0;
    const couldMend = isUndisturbed && [...harmed].every((how) => how === TAMPERED);
    const cameWithout = this.world.service.requests.some(
      ({ brings, incomplete, token: { grant } }) => incomplete && grant === token.grant && brings === token.pair,
    );
    return couldMend && told?.accessToken === '' && !cameWithout;
  }

  /** The window found these sessions when it opened: they are known without having been told. */
  opened(window: ModelWindow, sessions: readonly CurrentSession[]): void {
    this.#open.add(window);
    for (const { id, account, accessToken, needsUser } of sessions) {
      const key = `${window.name} ${id}`;
      this.#told.set(
        key,
        this.#told.get(key) ?? {
          kind: 'known',
          accessToken,
          label: account.label,
          needsUser,
          grant: this.#grantOf(id, accessToken),
        },
      );
    }
  }

  /** Properties 4 and 7: each window tells each change once, and what is over does not come back. */
  changed(window: ModelWindow, change: SessionsChange): void {
    for (const kind of ['added', 'changed', 'removed'] as const) {
      for (const session of change[kind]) this.#changed(window, kind, session);
    }
  }

  #changed(window: ModelWindow, kind: keyof SessionsChange, session: CurrentSession): void {
    const { id, accessToken, account, needsUser } = session;
    this.trace?.(`      ${window.name} tells: ${kind} ${id}, ${accessToken}, ${account.label}`);
    const key = `${window.name} ${id}`;
    const before = this.#told.get(key);
    // That a token can't be served anymore is told as well, which may be a while after its person was needed.
    // Whether one without a successor can be, depends on the clock.
    const isByClock = this.clockMoves > 0 && this.world.policy.refreshTokens === 'none';
    const isServed = before?.needsUser === false && !needsUser && !isByClock;
    const same = accessToken !== '' && isServed && before.accessToken === accessToken && before.label === account.label;
    const state = before?.kind ?? (this.#open.has(window) ? 'nothing' : 'known');
    const fitting = kind === 'added' ? ['nothing', 'known', 'replaced'] : ['known', 'added', 'changed'];
    const wasForgotten = kind === 'added' && this.world.ledger.everWritten.get(id)?.harmed.has(FORGOTTEN) === true;
    const fits = wasForgotten || fitting.includes(state);
    if (!fits || (kind === 'changed' && same)) {
      this.fail('4', `${window.name} tells "${kind}" after "${state}"${same ? ', same token' : ''}`);
    }
    const isReplaced = kind === 'removed' && !this.isOver(id);
    if (isReplaced) this.#replaced(window, session);
    else if (kind === 'removed') {
      // That's what should come of it.
    } else if (this.#isEarlier(tokenName(accessToken), before)) {
      this.fail('3', `${window.name} goes back from ${before?.accessToken ?? ''} to ${accessToken}`);
    } else if (before?.accessToken !== accessToken && !this.#isStored(id, accessToken) && !this.isOver(id)) {
      this.fail('2', `${window.name} gives out ${accessToken}, which is not on the disk yet`);
    }
    const grant = this.#grantOf(id, accessToken) ?? before?.grant;
    // It may come back if it has no tombstone, as after a sign-out that failed: the session that replaced it may end first.
    const mayReturn = kind === 'removed' && !this.world.ledger.tombstones.has(id);
    this.#told.set(key, { kind: mayReturn ? 'replaced' : kind, accessToken, label: account.label, needsUser, grant });
  }

  #grantOf(sessionId: string, accessToken: string): number | undefined {
    return tokenName(accessToken).grant || this.world.ledger.everWritten.get(sessionId)?.grant;
  }

  /** A window forgets a session as soon as it knows the one that replaces it: the tombstone comes a little later. */
  #replaced(window: ModelWindow, { accessToken, account, id }: CurrentSession): void {
    const grant = this.lastTold(window, id)?.grant ?? this.#grantOf(id, accessToken);
    const isKnown = [...this.#told].some(
      ([key, other]) =>
        key.startsWith(`${window.name} `) &&
        !key.endsWith(id) &&
        other.kind !== 'removed' &&
        // Of a session that has no token, and that no journal ever had, only the name tells whose it is.
        (grant === undefined ? other.label === account.label : other.grant === grant),
    );
    // A restored session isn't told of before a refresh has brought its access token.
    const isRestored = [...this.world.ledger.written].some(
      ([other, { account: owner, entry }]) =>
        other !== id &&
        owner?.grant === grant &&
        entry.record.listed &&
        entry.record.accessToken === undefined &&
        entry.record.refreshToken !== '' &&
        !this.isOver(other),
    );
    if (!isKnown && !isRestored) this.fail('6', `${window.name} drops a session that is not over`);
  }

  /** Whether a window goes back. A damaged journal is repaired by whoever knows most, which may be tokens that still work. */
  #isEarlier({ grant, pair }: PairName, before: Told | undefined): boolean {
    if (before === undefined || before.accessToken === '') return false;
    const { ledger, policy } = this.world;
    const last = tokenName(before.accessToken).pair;
    const isHarmed = ledger.ofGrant(grant)?.isHarmed === true;
    return pair < last && !(isHarmed && policy.graceTime > 0);
  }

  /** What this window has told of the session, if that's still there for whoever listens. */
  shown(window: ModelWindow, sessionId: string): Told | undefined {
    const told = this.lastTold(window, sessionId);
    return told?.kind === 'removed' || told?.kind === 'replaced' ? undefined : told;
  }

  /** What this window has told of the session last. */
  lastTold(window: ModelWindow, sessionId: string): Told | undefined {
    return this.#told.get(`${window.name} ${sessionId}`);
  }

  /** Whether the disk has this token or a later one, or can't be held to it. */
  #isStored(sessionId: string, accessToken: string): boolean {
    const account = this.world.ledger.ofSession(sessionId);
    if (account === undefined || this.#everReadOnly || account.isHarmed || account.signOutAsked) return true;
    return accessToken === '' || this.world.ledger.storedPair(sessionId) >= tokenName(accessToken).pair;
  }

  /** Whether the session is over, or somebody asked for that. */
  isOver(sessionId: string): boolean {
    const { ledger } = this.world;
    const isAsked = ledger.ofSession(sessionId)?.signOutAsked === true;
    return ledger.tombstones.has(sessionId) || isAsked;
  }
}
