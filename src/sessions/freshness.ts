import type { Clock } from '../clock';
import type { JournalEntry } from '../storage/record';

/** A token is due for refreshing after this part of its life: early enough for several tries before it ends. */
const DUE_AFTER = 0.75;
/** Each window moves its own due moment by up to this part of the life, so that they do not all begin at once. */
const JITTER = 0.05;
/** Close to its end a token is of little use to a caller, so callers wait for the next one. */
const NEAR_END = 0.1;
const NEAR_END_AT_MOST = 30_000;
/** A difference that two windows may see between dates without the clock having been set. */
const CLOCK_TOLERANCE = 2_000;

/** A session as this window holds it, with the moment at which it learned of this token. */
export interface CachedSession {
  readonly entry: JournalEntry;
  /** How old the access token was then, in milliseconds. */
  readonly ageThen: number;
  /** That moment on the monotonic clock. */
  readonly since: number;
}

/**
 * - `fresh`: serve it.
 * - `due`: serve it, and refresh it in the background.
 * - `near its end`: wait a while for a refresh, then serve it all the same.
 * - `expired`: not to be served.
 */
export type Freshness = 'fresh' | 'due' | 'near its end' | 'expired';

/** Tells how fresh tokens are, whatever the clocks do. */
export class FreshnessPolicy {
  /** @param jitter a number from 0 up to 1, another one in each window */
  constructor(
    private readonly clock: Clock,
    private readonly jitter: number,
  ) {}

  /** Holds an entry that was just read or written. `before` is what was held of the session until now. */
  hold(entry: JournalEntry, before: CachedSession | undefined): CachedSession {
    if (before?.entry.generation === entry.generation) {
      return { ...before, entry };
    }
    const age = this.clock.now() - entry.record.tokenFrom;
    return {
      entry,
      // A token from the future means that the clock was set back. How old it is nobody knows: refresh it soon.
      ageThen: age < -CLOCK_TOLERANCE ? entry.record.lifetime * DUE_AFTER : Math.max(0, age),
      since: this.clock.monotonic(),
    };
  }

  /** How fresh the access token is now. */
  of(held: CachedSession): Freshness {
    const { accessToken, lifetime } = held.entry.record;
    const age = this.#age(held);
    if (accessToken === undefined || age >= lifetime) {
      return 'expired';
    }
    if (age >= lifetime - Math.min(NEAR_END_AT_MOST, lifetime * NEAR_END)) {
      return 'near its end';
    }
    return age >= this.#dueAge(held) ? 'due' : 'fresh';
  }

  /** Milliseconds until the token is due; not positive where it is. */
  untilDue(held: CachedSession): number {
    return held.entry.record.accessToken === undefined ? 0 : this.#dueAge(held) - this.#age(held);
  }

  /**
   * The greater of the ages by the two clocks: the monotonic one misses the time asleep, the other may be set back.
   */
  #age(held: CachedSession): number {
    const lived = held.ageThen + (this.clock.monotonic() - held.since);
    return Math.max(lived, this.clock.now() - held.entry.record.tokenFrom);
  }

  #dueAge(held: CachedSession): number {
    return held.entry.record.lifetime * (DUE_AFTER - JITTER * this.jitter);
  }
}
