import { failedOutcome, untilRetry } from '../../../src/sessions/refreshState';
import type { Notice } from '../../../src/sessions/notice';
import type { JournalEntry } from '../../../src/storage/record';
import type { RefreshRequest } from '../model/service';

/** The longest pause after each outcome, as docs/rotation.md has it. Milliseconds. */
const LONGEST_PAUSES = {
  'not sent': 30 * 60_000,
  'no response': 60_000,
  refused: 5 * 60_000,
  'invalid response': 5 * 60_000,
  incomplete: 5 * 60_000,
  'tokens lost': Infinity,
} as const;

const HOUR = 3_600_000;
/** More failed requests for one session within an hour are a storm, if nobody asks. */
const MOST_IN_AN_HOUR = 150;

/**
 * Watches that people are told of each thing once, and that the service isn't asked more often than the table of pauses says, over
 * all windows.
 */
export class Patience {
  /** How often a person asked for a refresh of each session since its last success. */
  readonly #asked = new Map<string, number>();
  /** How often people were told of each thing about each session since its last success. */
  readonly #told = new Map<string, Map<string, number>>();
  /** When requests with each grant's tokens failed. */
  readonly #failedAt = new Map<number, number[]>();
  /** How often anybody asked for anything that may send a request. */
  #calls = 0;

  /** A caller, a report, or a focus may make a window send a request. */
  called(): void {
    this.#calls++;
  }

  /** A person asks for a refresh: they're told again of what's wrong. */
  personAsked(sessionId: string): void {
    this.#calls++;
    this.#asked.set(sessionId, (this.#asked.get(sessionId) ?? 0) + 1);
  }

  /** A refresh has brought tokens. */
  succeeded(sessionId: string): void {
    this.#asked.delete(sessionId);
    this.#told.delete(sessionId);
  }

  /** Returns what's wrong with a notice, if anything. */
  toldOf(notice: Notice): string | undefined {
    if (notice.kind !== 'needs user' && notice.kind !== 'trouble' && notice.kind !== 'credentials refused')
      return undefined;
    const { kind, sessionId } = notice;
    const what = kind === 'needs user' ? notice.reason : kind;
    const told = this.#told.get(sessionId) ?? new Map<string, number>();
    this.#told.set(sessionId, told);
    const times = (told.get(what) ?? 0) + 1;
    told.set(what, times);
    return times > 1 + (this.#asked.get(sessionId) ?? 0) ? `"${what}" is told again` : undefined;
  }

  /** Returns what's wrong with a request that brought no tokens, if anything. @param now on a clock that's never set */
  failed({ token: { grant } }: RefreshRequest, now: number): string | undefined {
    const recent = [...(this.#failedAt.get(grant) ?? []), now].filter((at) => now - at < HOUR);
    this.#failedAt.set(grant, recent);
    const isStorm = recent.length > MOST_IN_AN_HOUR + this.#calls;
    return isStorm ? `${recent.length} requests within an hour have failed` : undefined;
  }

  /** Returns what's wrong with the pause that a journal says, if anything. */
  static pauseIn({ record }: JournalEntry): string | undefined {
    const outcome = failedOutcome(record);
    const failedAt = record.lastRefresh?.at;
    if (outcome === undefined || failedAt === undefined) return undefined;
    const pause = untilRetry(record, 'nobody yet', failedAt);
    return pause > LONGEST_PAUSES[outcome] ? `a pause of ${pause} ms follows: ${outcome}` : undefined;
  }
}
