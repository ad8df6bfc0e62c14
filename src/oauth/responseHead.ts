/** What's read of the head of `node-fetch`'s response. */
export interface FetchedHead {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** What the head of a response says. */
export interface ResponseHead {
  readonly status: number;
  /** When the service sent it by its own clock, in wall-clock milliseconds; `undefined` if it doesn't say it. */
  readonly sentAt: number | undefined;
  /** After how many seconds the service wants to be asked again, if it says so. */
  readonly retryAfter: number | undefined;
}

/** Nobody needs longer to enter a code, and dates and timers can express it. Seconds. */
export const LONGEST_WAIT = 30 * 24 * 60 * 60;

/** @param now when the head came, in wall-clock milliseconds */
export function readHead({ headers, status }: FetchedHead, now: number): ResponseHead {
  const sentAt = parseDate(headers.get('date') ?? '');
  return { status, sentAt, retryAfter: secondsToWait(headers.get('retry-after') ?? '', sentAt ?? now) };
}

/**
 * The seconds of a `Retry-After` header, which has a number or a date; `undefined` if it has neither, or a time that's over.
 * @param sentAt when the response was sent, by the clock of whoever sent it if that's known
 */
function secondsToWait(header: string, sentAt: number): number | undefined {
  const seconds = /^\s*\d{1,15}\s*$/.test(header) ? Number(header) : (Date.parse(header) - sentAt) / 1000;
  return seconds > 0 ? Math.min(seconds, LONGEST_WAIT) : undefined;
}

/** The date of a header, in wall-clock milliseconds; `undefined` if it can't be read. */
function parseDate(header: string): number | undefined {
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : date;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}
