import { type Clock, CLOCK_TOLERANCE } from '../clock';
import { dialectOf } from '../oauth/dialect';
import { canRefresh, type JournalEntry } from '../storage/record';
import { needsUserReason } from './refreshState';

/** A token is due for a refresh after this part of its life: early enough for several attempts before it expires. */
const DUE_AFTER = 0.75;
/** A token that lives for a shorter time is refreshed when a caller needs it, because more refreshes are a burden. Milliseconds. */
const DUE_AFTER_AT_LEAST = 10_000;
/** Near its expiry, a token is of little use to a caller, so callers wait for the next one. */
const NEAR_EXPIRY = 0.1;
const NEAR_EXPIRY_AT_MOST = 30_000;

/**
 * - `fresh`: serve it.
 * - `due`: serve it, and refresh it in the background.
 * - `near expiry`: wait a while for a refresh, then serve it anyway.
 * - `expired`: not to be served.
 */
type Freshness = 'fresh' | 'due' | 'near expiry' | 'expired';

/** Knows how fresh tokens are, even if clocks are set or the machine sleeps. */
export class FreshnessPolicy {
  /** Which pair of each session was seen last, and when it was new, on the monotonic clock. */
  readonly #seen = new Map<string, { readonly pair: string; readonly bornAt: number }>();

  constructor(private readonly clock: Clock) {}

  /** Remembers when the token of an entry was new. Called when the entry was just read or written. */
  see(entry: JournalEntry): void {
    const pair = `${entry.generation} ${entry.record.obtainedAt}`;
    if (this.#seen.get(entry.sessionId)?.pair === pair) {
      return;
    }
    this.#seen.set(entry.sessionId, { pair, bornAt: this.clock.monotonic() - this.#ageWhenSeen(entry) });
  }

  /** The age of a token that this window sees for the first time, as far as the wall clock tells. */
  #ageWhenSeen(entry: JournalEntry): number {
    if (!canRefresh(entry)) {
      // There's no way to another token, so from now on the wall clock alone decides: it may be wrong only for a while.
      return 0;
    }
    const age = this.clock.now() - entry.record.obtainedAt;
    const dueAge = this.#dueAge(entry);
    if (age < -CLOCK_TOLERANCE && Number.isFinite(dueAge)) {
      // The token seems to come from the future, so the clock was set back. Refresh it soon, because its age is unknown.
      return dueAge;
    }
    return Math.max(0, age);
  }

  /** How fresh the access token is now. */
  of(entry: JournalEntry): Freshness {
    const { accessToken, lifetime = Number.POSITIVE_INFINITY } = entry.record;
    const age = this.#age(entry);
    const isRejected = needsUserReason(entry.record) === 'rejected';
    if (accessToken === undefined || isRejected || age >= lifetime) {
      return 'expired';
    }
    if (!canRefresh(entry)) {
      return 'fresh';
    }
    if (age >= lifetime - Math.min(NEAR_EXPIRY_AT_MOST, lifetime * NEAR_EXPIRY)) {
      return 'near expiry';
    }
    return age >= this.#dueAge(entry) ? 'due' : 'fresh';
  }

  /** Milliseconds until the token is due; not positive if it is, and infinite if it never is. */
  untilDue(entry: JournalEntry): number {
    return entry.record.accessToken === undefined ? 0 : this.#dueAge(entry) - this.#age(entry);
  }

  /** The greater age by the two clocks: the monotonic one misses time asleep, and the wall clock may be set back. */
  #age({ record, sessionId }: JournalEntry): number {
    const bornAt = this.#seen.get(sessionId)?.bornAt ?? Number.POSITIVE_INFINITY;
    return Math.max(this.clock.monotonic() - bornAt, this.clock.now() - record.obtainedAt);
  }

  /**
   * The age at which the access token is due. One that outlives its refresh token is refreshed while that one still works. Infinite if
   * neither is known to expire.
   */
  #dueAge(entry: JournalEntry): number {
    const { lifetime = Number.POSITIVE_INFINITY, refreshLifetime, service } = entry.record;
    if (!canRefresh(entry)) {
      return lifetime;
    }
    const longest = refreshLifetime ?? dialectOf(service).refreshTokenLifetime;
    return Math.max(DUE_AFTER_AT_LEAST, Math.min(lifetime, longest) * DUE_AFTER);
  }
}
