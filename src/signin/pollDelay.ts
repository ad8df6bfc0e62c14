/** While the service does not answer, no pause grows beyond this: a person who is back online should not wait long. */
const LONGEST_PAUSE_SECONDS = 30;

/**
 * Milliseconds from the arrival of an answer, or from the loss of one, to the next poll.
 *
 * One polling interval (specification 4.2 and 8) while the service answers; twice as long with each poll in a row that
 * had no answer, up to half a minute, and never less than the interval.
 *
 * @param interval the service's polling interval, in seconds
 * @param unanswered how many polls in a row had no answer
 */
export function pollDelay(interval: number, unanswered: number): number {
  const grown = Math.min(interval * 2 ** unanswered, LONGEST_PAUSE_SECONDS);
  return Math.max(interval, grown) * 1000;
}
