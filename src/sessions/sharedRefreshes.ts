import { withTimeLimit } from '../clock';
import { bestEffort, loggedAs } from '../log';
import type { ServiceId } from '../oauth/service';
import type { JournalEntry } from '../storage/record';
import type { ListedSessions } from './listedSessions';
import type { Refresher } from './refresher';
import { isToldOfCredentials, type WantedBy } from './refreshState';
import { SessionError } from './sessionError';
import type { SessionParts } from './sessionParts';
import { standingOf } from './standing';

/** How long a caller waits for the next token at most: for a refresh, wherever it runs, and whoever asked for it. Milliseconds. */
const CALLER_PATIENCE = 10_000;

/** A refresh that's under way in this window. */
interface RefreshUnderWay {
  /** On the monotonic clock. */
  readonly since: number;
  readonly refreshed: Promise<void>;
}

/**
 * Who waits for which refresh of this window. A session has at most one at a time, which all who want one meanwhile share.
 */
export class SharedRefreshes {
  /** By session ID. */
  readonly #underWay = new Map<string, RefreshUnderWay>();
  /** The refreshes that follow those under way, because people asked for them or came back. By who wants it, and session ID. */
  readonly #next = new Map<string, Promise<void>>();

  constructor(
    private readonly parts: SessionParts,
    private readonly listed: ListedSessions,
    private readonly refresher: Refresher,
  ) {}

  /** Refreshes a session while nobody waits. If it fails, the session's record says so, and the next tick tries again. */
  async refreshInBackground(entry: JournalEntry, wantedBy: 'nobody yet' | 'focus'): Promise<void> {
    try {
      await this.#joinOrBegin(entry, wantedBy);
    } catch (error) {
      this.parts.log.debug(`Session ${entry.sessionId}: ${loggedAs(error)}`);
    }
  }

  /**
   * Refreshes a session for a caller, who waits until `CALLER_PATIENCE` after the refresh began, and no longer: VS Code makes the
   * callers of a provider wait for one another, so they share that time.
   * @throws SessionError if there's no later token pair: `busy` or `no response` if it takes longer. Then it goes on
   */
  async refreshForCaller(entry: JournalEntry): Promise<void> {
    const { sessionId } = entry;
    const now = this.parts.clock.monotonic();
    const since = this.#underWay.get(sessionId)?.since ?? now;
    // While the request is on its way, callers wait for the service rather than for another window.
    const takesLonger = (): Error =>
      new SessionError(this.parts.cache.get(sessionId)?.state === 'sending' ? 'no response' : 'busy');
    const timeLeft = Math.max(0, since + CALLER_PATIENCE - now);
    await withTimeLimit(this.parts.clock, timeLeft, this.#joinOrBegin(entry, 'caller'), takesLonger);
  }

  /** Refreshes a session of a configured service for a person, due or not. @throws SessionError if there's no later token pair */
  async refreshForPerson(sessionId: string): Promise<void> {
    await this.parts.cache.update();
    await this.#joinOrBegin(this.listed.get(sessionId), 'person');
  }

  /**
   * A service has a new client secret: tries again at once whatever has failed. One session goes first: if the service refuses this
   * secret, too, it would refuse it for all of them.
   */
  async retryProblems(service: ServiceId): Promise<void> {
    const failed = this.listed
      .configuredOf(service)
      .filter((entry) => standingOf(entry, this.parts.freshness) !== 'fine');
    const [first, ...others] = failed;
    if (first === undefined) {
      return;
    }
    await this.#retry(first);
    const tried = this.parts.cache.get(first.sessionId);
    if (tried === undefined || !isToldOfCredentials(tried.record)) {
      await Promise.all(others.map((entry) => this.#retry(entry)));
    }
  }

  async #retry({ sessionId }: JournalEntry): Promise<void> {
    await bestEffort(this.parts.log, 'debug', `Session ${sessionId} isn't refreshed`, () =>
      this.refreshForPerson(sessionId),
    );
  }

  /** Resolves when no refresh is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#underWay.values()].map(({ refreshed }) => refreshed));
  }

  /** Shares the refresh that's under way, or begins one. @throws SessionError if there's no later token pair than `entry` then */
  #joinOrBegin(entry: JournalEntry, wantedBy: WantedBy): Promise<void> {
    const underWay = this.#underWay.get(entry.sessionId);
    if (underWay === undefined) {
      return this.#begin(entry, wantedBy);
    }
    if (wantedBy === 'person' || wantedBy === 'focus') {
      return this.#joinOrPlanNext(underWay, entry, wantedBy);
    }
    return underWay.refreshed;
  }

  #begin(entry: JournalEntry, wantedBy: WantedBy): Promise<void> {
    const { sessionId } = entry;
    const refreshed = this.refresher.refresh(entry, wantedBy).finally(() => this.#underWay.delete(sessionId));
    this.#underWay.set(sessionId, { since: this.parts.clock.monotonic(), refreshed });
    return refreshed;
  }

  /**
   * The refresh under way may have begun before the person changed something, or came back, so one more follows it for them. However
   * often people ask meanwhile, it's one, and it sends nothing if the one under way succeeds.
   */
  #joinOrPlanNext(underWay: RefreshUnderWay, entry: JournalEntry, wantedBy: 'person' | 'focus'): Promise<void> {
    const key = `${wantedBy} ${entry.sessionId}`;
    const planned = this.#next.get(key);
    if (planned !== undefined) {
      return planned;
    }
    const beginAfterIt = async (): Promise<void> => {
      await underWay.refreshed.catch(() => undefined);
      this.#next.delete(key);
      await this.#joinOrBegin(entry, wantedBy);
    };
    const next = beginAfterIt();
    this.#next.set(key, next);
    return next;
  }
}
