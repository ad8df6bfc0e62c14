import type { Log } from '../../../src/log';
import { ModelLocks } from '../model/locks';
import { POLICIES, type Policy } from '../model/policies';
import type { Chance } from '../model/random';
import { SecretShelf } from '../model/secretShelf';
import { ModelService } from '../model/service';
import { drain, Steps, type Step } from '../model/steps';
import { ModelStore, type StoreFaults } from '../model/store';
import { Timeline } from '../model/timeline';
import { Callers } from './callers';
import { FORGOTTEN, Ledger, type Account } from './ledger';
import { NewerVersion } from './newerVersion';
import { Referee } from './referee';
import type { Schedule } from './schedules';
import { SharedReading } from './sharedReading';
import { ModelWindow } from './window';
import { sessionLock } from '../../../src/storage/journal';

/** More steps than this without time passing are a storm: eight windows that finish six sign-ins at once take 3,500. */
const STORM = 10_000;

/** Something that somebody asked a window for and that must come to an end. */
export interface Call {
  readonly window: ModelWindow;
  readonly what: string;
  settled: boolean;
}

/** One machine with its windows, the network and the service, and the referee who watches them. */
export class World {
  readonly steps = new Steps();
  readonly timeline = new Timeline(this.steps);
  readonly locks = new ModelLocks(this.steps, this.timeline);
  readonly ledger = new Ledger();
  readonly policy: Policy;
  readonly store: ModelStore;
  readonly service: ModelService;
  readonly referee: Referee;
  readonly callers: Callers;
  readonly newer: NewerVersion;
  readonly shelves: readonly SecretShelf[];
  readonly calls = new Set<Call>();
  /** Stores whose key was lost by what was done to them from outside. */
  readonly #harmed = new Set<SecretShelf>();
  readonly #windows: ModelWindow[] = [];
  /** Windows whose key is not known yet. */
  readonly #unopened = new Set<ModelWindow>();
  readonly #sharedReading = new SharedReading();
  readonly log: Log;

  /**
   * @param log hears every message, so that it can be searched for secrets
   * @param trace hears of every step
   */
  constructor(
    readonly setting: Pick<Schedule, 'shelves' | 'lifetime' | 'policy' | 'hasTwoServices'>,
    log: (message: string) => void,
    private readonly trace?: (line: string) => void,
  ) {
    this.log = { error: log, warn: log, info: log, debug: log, trace: log };
    this.shelves = setting.shelves.map((kind, number) => new SecretShelf(kind, this.steps, this.timeline, number));
    this.store = new ModelStore(this.steps, this.timeline, (names) => {
      this.#noteChanges(names);
    });
    this.policy = POLICIES[setting.policy ?? 'draft'];
    this.referee = new Referee(this, trace);
    this.service = new ModelService(this.steps, this.timeline, this.policy, this.referee);
    this.callers = new Callers(this, this.referee);
    this.newer = new NewerVersion(this);
  }

  /** The windows that live. */
  get windows(): readonly ModelWindow[] {
    return this.#windows.filter(({ alive }) => alive);
  }

  /** Opens a window, as a person does. */
  open(shelf: SecretShelf): ModelWindow {
    const window = new ModelWindow(this.#windows.length + 1, shelf, this);
    this.#windows.push(window);
    this.#unopened.add(window);
    this.#call(window, 'run', window.sessions.run());
    // The editor asks for its menus as soon as a window opens.
    const listed = window.sessions.list().then((sessions) => {
      this.referee.opened(window, sessions);
    });
    this.#call(window, 'list', listed);
    return window;
  }

  /**
   * The window's process is killed.
   * @param chance decides which of its unfinished operations still took place
   */
  kill(window: ModelWindow, chance: Chance): void {
    for (const lock of this.locks.heldBy(window)) this.#maybeUnanswered(lock);
    this.#noteOpening(window);
    this.#unopened.delete(window);
    const { shelf } = window;
    const before = shelf.stored;
    this.steps.bury(window, () => chance() < 0.5);
    if (shelf.kind === 'browser' && before === undefined && shelf.stored !== undefined) {
      // Windows that are open never see it, and if its note is old, they take it for one that was never stored.
      this.harm(shelf, 'the key was stored, and never noted');
    }
    window.alive = false;
    this.#noteForgotten();
    this.timeline.bury(window);
    this.store.bury(window);
    this.locks.bury(window);
    this.service.bury(window);
    if (window.shelf.bury(window)) this.harm(window.shelf, 'the key was not stored yet');
  }

  /** Somebody emptied the database, or set it back: who knows of a sign-out tells of it again, unless they die before. */
  storeTampered(): void {
    for (const account of this.ledger.accounts) {
      const { sessionId = '' } = account;
      account.witnesses = this.windows.filter((window) => this.referee.lastTold(window, sessionId)?.kind === 'removed');
    }
    this.#noteForgotten();
    // The first windows of a browser may be about to make its key: without its note, each makes one.
    for (const { shelf } of this.#unopened) {
      if (shelf.kind === 'browser') this.harm(shelf, 'its database was emptied while a key was made');
    }
  }

  /** If a tombstone is gone, and nobody is left who knows of it, the session may come back for good. */
  #noteForgotten(): void {
    for (const account of this.ledger.accounts) {
      const hasWitness = account.witnesses?.some(({ alive }) => alive) !== false;
      if (account.signOutAsked && !hasWitness && this.ledger.isTombstoneGone(account)) account.harmed.add(FORGOTTEN);
    }
  }

  /** Something was done to a store that can cost it its key. */
  harm(shelf: SecretShelf, how: string): void {
    this.#harmed.add(shelf);
    this.ledger.accounts.filter((account) => account.shelf === shelf).forEach(({ harmed }) => harmed.add(how));
  }

  /** All windows end at once, and the machine goes on. */
  quit(chance: Chance): void {
    for (const window of this.windows) this.kill(window, chance);
  }

  /** The power fails: all windows die, and SecretStorage may lose what it was given last. */
  crash(chance: Chance): void {
    this.quit(chance);
    for (const shelf of this.shelves) if (shelf.crash(chance)) this.harm(shelf, 'the key was not stored yet');
  }

  /**
   * A person finishes a sign-in in this window.
   * @param label what they call the account; a name of its own if left out
   * @param pause how long it takes until the account is named, in milliseconds
   * @param isIdentified whether the service says who they are
   */
  signIn(window: ModelWindow, label?: string, pause = 0, isIdentified = false): void {
    // Who enters a client secret asks for a refresh of whatever has failed.
    const secretEntered = (): void => {
      for (const sessionId of this.ledger.everWritten.keys()) this.referee.patience.personAsked(sessionId);
    };
    const signedIn = window.configure(secretEntered).then(async () => {
      const tokens = this.service.grant(this.setting.lifetime);
      const account = this.ledger.open(window.shelf);
      account.received.set(1, window);
      if (this.#harmed.has(window.shelf)) account.harmed.add('the store was harmed before');
      const name = label ?? `account ${account.grant}`;
      account.user = isIdentified ? { id: `user ${account.grant}`, name } : undefined;
      account.naming = { window, since: this.timeline.real, clockMoves: this.referee.clockMoves };
      const id = await window.store(tokens, name, account.grant);
      await window.hesitate(pause);
      account.naming = undefined;
      await window.nameAccount(id, name, account);
      account.sessionId = id;
      account.promised = this.ledger.written.get(id)?.entry.record.listed === true;
    });
    this.#call(window, pause === 0 ? 'sign-in' : 'slow sign-in', signedIn);
  }

  /** A person signs in once more for an account, for more scopes. */
  widen(window: ModelWindow, account: Account): void {
    const { grant, promised, signOutAsked } = account;
    if (!promised || signOutAsked || !window.isOpen) return;
    const accountId = this.ledger.writtenOf(account)?.entry.record.account.id;
    const tokens = this.service.widen(grant, this.setting.lifetime);
    account.received.set(this.service.latest(grant)?.pair ?? 0, window);
    const widened = window.store(tokens, `wider ${grant}`, grant).then(async (id) => {
      await window.nameAccount(id, `wider ${grant}`, account, accountId);
      const written = this.ledger.written.get(id);
      if (account.signOutAsked || written === undefined) return;
      account.sessionId = id;
      account.pair = written.pair;
      account.reason = undefined;
    });
    this.#call(window, 'widening', widened);
  }

  /** A person signs out. */
  signOut(window: ModelWindow, account: Account): void {
    const { sessionId } = account;
    if (sessionId !== undefined && window.isOpen) {
      account.signOutAsked = true;
      const mustRevoke = this.referee.knowsOnly(window, account);
      const removed = window.sessions.remove(sessionId).then(() => {
        account.signedOutAt ??= this.steps.count;
        if (mustRevoke && this.referee.mayRevoke) account.mustRevoke.push({ process: window, pair: undefined });
      });
      this.#call(window, 'sign-out', removed);
    }
  }

  /** An extension asks for the sessions. */
  getSessions(window: ModelWindow): void {
    this.referee.patience.called();
    const asked = this.callers.asked(window);
    const served = window.serve().then((sessions) => {
      this.callers.served(asked, sessions);
    });
    this.#call(window, 'getSession', served);
  }

  /** A person asks for a refresh. */
  refreshNow(window: ModelWindow, account: Account): void {
    if (account.sessionId !== undefined) {
      this.referee.patience.personAsked(account.sessionId);
      this.#callForNew(window, account, 'refresh now', window.sessions.refreshNow(account.sessionId));
    }
  }

  /** An extension says that the service rejected the latest token. */
  reportRejected(window: ModelWindow, account: Account): void {
    this.referee.patience.called();
    const pair = this.ledger.safePair(account);
    this.#callForNew(window, account, 'report', window.sessions.reportRejected(`access.${account.grant}.${pair}`));
  }

  /** A person renames an account. */
  rename(window: ModelWindow, account: Account): void {
    if (account.sessionId !== undefined) {
      this.#call(window, 'rename', window.sessions.rename(account.sessionId, `name ${this.steps.count}`));
    }
  }

  /** SecretStorage misbehaves for one window. */
  spoilSecrets(window: ModelWindow, fault: 'hangs' | 'throws'): void {
    window.shelf.setFault(window, fault);
    if (!window.isOpen) this.harm(window.shelf, 'the key could not be kept');
  }

  /** What SecretStorage has stored is gone, or damaged. */
  loseSecrets(shelf: SecretShelf, replacement: string | undefined): void {
    shelf.lose(replacement);
    this.harm(shelf, 'its secrets were lost');
  }

  /** The editor closes a window and gives it a moment. */
  close(window: ModelWindow): void {
    this.#call(window, 'close', window.sessions.close());
  }

  /** The store misbehaves in this way from now on, or no longer does. */
  setStore(fault: keyof StoreFaults, on: boolean): void {
    this.store.faults[fault] = on;
    this.referee.undisturbed &&= !on;
    this.referee.everRefused ||= on && fault !== 'unwatched';
    if (fault !== 'unwatched' && fault !== 'full') this.referee.readOnly = this.#refusesAll;
    if (fault === 'unreadable' || fault === 'busy') {
      if (on) this.#forgetRevoking();
      this.referee.readableSince = this.#isUnreadable ? Number.POSITIVE_INFINITY : this.steps.count;
    }
  }

  get #isUnreadable(): boolean {
    const { busy, unreadable } = this.store.faults;
    return busy || unreadable;
  }

  get #refusesAll(): boolean {
    return this.#isUnreadable || this.store.faults.readOnly;
  }

  /** Client secrets can't be read, so what was just signed out of may not be revoked. */
  #forgetRevoking(): void {
    for (const { mustRevoke } of this.ledger.accounts) mustRevoke.length = 0;
  }

  /** The clocks no longer show how old the tokens are. */
  clocksMoved(): void {
    this.referee.clockMoves++;
    for (const account of this.ledger.accounts) this.#mayReplace(account, [...account.received.keys()]);
  }

  /** Lets one step go on, and everything that follows from it at once. */
  async release(step: Step, performOnly = false): Promise<void> {
    const told = performOnly ? ' (not told yet)' : '';
    this.trace?.(`   ${this.timeline.elapsed} ${step.process.name}: ${step.label}${told}`);
    const { performedAt, process } = step;
    this.referee.learned = performedAt === undefined ? undefined : { process, performedAt };
    this.steps.release(step, performOnly);
    await drain();
    for (const window of this.#unopened) this.#noteOpening(window);
  }

  /** Lets everything go on promptly while time passes. */
  async live(milliseconds: number): Promise<void> {
    const end = this.timeline.elapsed + milliseconds;
    await drain();
    for (;;) {
      let released = 0;
      for (let step = this.steps.first(); step !== undefined; step = this.steps.first()) {
        if (this.referee.violation !== undefined) break;
        await this.release(step);
        if (++released > STORM) {
          this.referee.fail('5', 'a storm of steps without time passing');
        }
      }
      const left = end - this.timeline.elapsed;
      if (left <= 0 || this.referee.violation !== undefined) return;
      const due = this.timeline.nextDue;
      this.timeline.advance(Math.max(0, Math.min(left, due === undefined ? left : due - this.timeline.elapsed)));
    }
  }

  #callForNew(window: ModelWindow, account: Account, what: string, work: Promise<unknown>): void {
    account.asking++;
    this.#mayReplace(account);
    this.#call(
      window,
      what,
      work.finally(() => account.asking--),
    );
  }

  #call(window: ModelWindow, what: string, work: Promise<unknown>): void {
    const call: Call = { window, what, settled: false };
    this.calls.add(call);
    work
      .catch((error: unknown) => {
        this.log.debug(`${window.name}: ${what}: ${error instanceof Error ? error.message : 'unknown'}`);
      })
      .finally(() => (call.settled = true));
  }

  /** Notes all that a transaction has changed before the referee looks at any of it. */
  #noteChanges(names: readonly string[]): void {
    const changes = names.map((name) => {
      this.newer.rowChanged(name);
      return this.ledger.noteChange(this.store, name, this.steps.count);
    });
    for (const { before, journal, tombstone } of changes) {
      if (journal !== undefined) this.referee.journal(journal, before);
      if (tombstone !== undefined) this.referee.tombstone(tombstone);
    }
  }

  #noteOpening(window: ModelWindow): void {
    const sealing = window.opener.current?.sealing;
    if (sealing !== undefined && this.#unopened.delete(window)) {
      this.#sharedReading.join(sealing);
      this.ledger.addReader(sealing);
      this.callers.keyKnown(window);
    }
  }

  /** The latest pairs, and those that may be on their way, may be replaced now. */
  #mayReplace(account: Account, others: readonly number[] = []): void {
    const { ledger, service } = this;
    for (const pair of [ledger.safePair(account), service.latest(account.grant)?.pair ?? 0, ...others]) {
      account.mayReplace.add(pair).add(pair + 1);
    }
  }

  #maybeUnanswered(lock: string): void {
    for (const [sessionId, { account, sends }] of this.ledger.written) {
      if (sessionLock(sessionId) === lock) account?.unanswered.add(sends);
    }
  }
}
