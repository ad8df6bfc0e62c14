import type { DeviceAuthorization, UnconfirmedPoll } from '../oauth/types';
import { NetworkError, ServiceError, troubleOf } from '../oauth/errors';
import type { ReceivedCode } from './receivedCode';

/**
 * While the service doesn't respond, no pause grows beyond this, or twice the interval if that's longer: a person who is back online
 * shouldn't wait long.
 */
const LONGEST_PAUSE_SECONDS = 30;

/** A service that wants no poll before the code has expired is asked again after this long, because it may only be busy. */
const LONGEST_RETRY_AFTER_SECONDS = 5 * 60;

/** After so many responses of something other than the service in a row, and none of its own, the endpoint is taken for a wrong one. */
const FOREIGN_RESPONSES = 3;

/** How much longer the interval becomes if the service wants fewer polls (RFC 8628, section 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** Why a poll brought no answer. */
export type Interruption = Extract<UnconfirmedPoll, { readonly kind: 'no answer' }>['error'];

/** When to poll: as often as the service allows, and less often while it doesn't respond. */
export class PollingPace {
  /** A new one whenever the service changes what it wants. */
  #code: ReceivedCode;
  /** How many polls in a row were interrupted. */
  #interruptions = 0;
  /** When the last response arrived, or was lost. */
  #previousResponseAt: number;
  /** Whether the service has ever said anything of the code. */
  #hasAnswered = false;
  /** How many polls in a row got a response of something other than the service. */
  #foreignResponses = 0;

  constructor(code: ReceivedCode) {
    this.#code = code;
    this.#previousResponseAt = code.receivedAt;
  }

  /** When the next poll is due, in milliseconds of the monotonic clock: the service's interval after the last response, or later. */
  get nextPollAt(): number {
    const { authorization, noPollBefore = 0 } = this.#code;
    const delay = pollDelaySeconds(authorization.interval, this.#interruptions);
    return Math.max(this.#previousResponseAt + delay * 1000, noPollBefore);
  }

  /** Whether nothing that responded was the service: its endpoint is another one. */
  get isAtWrongEndpoint(): boolean {
    return !this.#hasAnswered && this.#foreignResponses >= FOREIGN_RESPONSES;
  }

  /** A poll ended just now. */
  pollEnded(poll: UnconfirmedPoll, now: number): void {
    this.#previousResponseAt = now;
    const interruption = interruptionIn(poll);
    this.#interruptions = interruption === undefined ? 0 : this.#interruptions + 1;
    this.#hasAnswered ||= interruption === undefined;
    this.#foreignResponses = isForeign(interruption) ? this.#foreignResponses + 1 : 0;
    const { authorization, expiresAt, noPollBefore: before } = this.#code;
    const interval = intervalAfter(poll, authorization);
    const noPollBefore = nextPollWanted(now, retryAfterOf(poll), interval, expiresAt);
    if (interval !== authorization.interval || noPollBefore !== before) {
      this.#code = { ...this.#code, authorization: { ...authorization, interval }, noPollBefore };
    }
  }
}

/** The interval that the service wants from now on, in seconds. */
function intervalAfter(poll: UnconfirmedPoll, { expiresIn, interval }: DeviceAuthorization): number {
  if (poll.kind !== 'pending' || poll.slowDown === undefined) {
    return interval;
  }
  const slower = interval + SLOW_DOWN_SECONDS;
  const { interval: named } = poll.slowDown;
  // A service may mean milliseconds: then nobody would poll again before the code expires.
  const isUsable = named !== undefined && named < expiresIn;
  return isUsable ? Math.max(slower, named) : slower;
}

/**
 * When the service wants the next poll, but not so late that there would be none before the code expires.
 * @returns `undefined` if that's no later than its interval says
 */
function nextPollWanted(now: number, retryAfter: number, interval: number, expiresAt: number): number | undefined {
  const wantedAt = now + retryAfter * 1000;
  const lastAt = Math.min(now + LONGEST_RETRY_AFTER_SECONDS * 1000, expiresAt - interval * 1000);
  const boundedAt = wantedAt < expiresAt ? wantedAt : lastAt;
  return boundedAt > now + interval * 1000 ? boundedAt : undefined;
}

/** For how many seconds the service wants no poll after this one. */
function retryAfterOf(poll: UnconfirmedPoll): number {
  if (poll.kind === 'pending') {
    return poll.retryAfter ?? 0;
  }
  return poll.error instanceof ServiceError ? (poll.error.retryAfter ?? 0) : 0;
}

/** Why a poll brought no answer, if it brought none. */
export function interruptionIn(poll: UnconfirmedPoll): Interruption | undefined {
  return poll.kind === 'no answer' ? poll.error : undefined;
}

/** Whether something other than the service responded. */
function isForeign(interruption: Interruption | undefined): boolean {
  const isResponse = interruption !== undefined && !(interruption instanceof NetworkError);
  return isResponse && troubleOf(interruption) === undefined;
}

/**
 * Seconds from a response, or from its loss, to the next poll: one polling interval (docs/draft-dialect.md#when-to-poll) while the service
 * responds. With each interrupted poll in a row, it doubles up to half a minute, or once if the interval is longer than half of
 * that (RFC 8628, section 3.5).
 */
function pollDelaySeconds(intervalSeconds: number, interruptions: number): number {
  const longest = Math.max(LONGEST_PAUSE_SECONDS, 2 * intervalSeconds);
  return Math.min(intervalSeconds * 2 ** interruptions, longest);
}
