import { abortedAfter, abortedAt, sleepUntil, untilAborted, type Clock } from '../clock';
import type {
  AuthorizationRequest,
  DeviceAuthorization,
  OAuthClient,
  PollResult,
  TokenResponse,
} from '../oauth/client';
import { NetworkError, ServiceError, troubleOf } from '../oauth/errors';
import { classifySignInError } from './classifySignInError';

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

/**
 * The response to a poll may be the only copy of the tokens, and the code is used up. So when polling stops, one in flight may
 * still respond for this long. Editors wait hardly longer for a window that closes. Milliseconds.
 */
const LAST_POLL_PATIENCE = 2_000;

/** What the device flow works with. */
export interface DeviceFlowDependencies {
  readonly clock: Clock;
  readonly client: OAuthClient;
}

/** A device authorization in this window. Times are milliseconds of the monotonic clock. */
export interface ReceivedCode {
  readonly authorization: DeviceAuthorization;
  readonly receivedAt: number;
  readonly expiresAt: number;
  /** The service wants no poll before, if it has said so, and that's later than the interval says. */
  readonly noPollBefore?: number | undefined;
}

/** A poll after which polling continues. */
type Undecided = Exclude<PollResult, { readonly kind: 'tokens' }>;

/** Why a poll brought no answer. */
export type Interruption = Extract<PollResult, { readonly kind: 'no answer' }>['error'];

/** There is a code, and the person hasn't confirmed it yet. */
export interface WaitingForUser {
  /** The code, with the interval and the time of the next poll that the service wants by now. */
  readonly code: ReceivedCode;
  /** Why the last poll decided nothing: it had no response, or one that says nothing of the code. `undefined` after any other. */
  readonly interruption: Interruption | undefined;
}

/**
 * - `expired`: the person didn't confirm the code in time.
 * - `foreign page`: the service wants the code on another site than the settings allow. It's neither opened nor shown.
 */
export type DeviceFlowProblem = 'expired' | 'foreign page';

/** Why a sign-in ended without tokens, if neither the service nor the network is to blame. */
export class DeviceFlowError extends Error {
  override readonly name = 'DeviceFlowError';

  /** @param interruption why the last poll before the end decided nothing, if it didn't */
  constructor(
    readonly problem: DeviceFlowProblem,
    readonly interruption?: Interruption,
  ) {
    super(`The device flow ended: ${problem}.`);
  }
}

/**
 * Requests a device code (specification 4.1). Canceling takes effect at once, even if the request ignores it.
 * @throws OAuthError, or the signal's reason
 */
export async function requestCode(
  { client, clock }: DeviceFlowDependencies,
  request: AuthorizationRequest,
  signal: AbortSignal,
): Promise<ReceivedCode> {
  const authorization = await untilAborted(signal, (inner) => client.requestDeviceAuthorization(request, inner));
  return receivedNow(clock, authorization);
}

/** A device authorization that has just arrived, or was taken over from another window with the lifetime that is left. */
export function receivedNow(clock: Clock, authorization: DeviceAuthorization): ReceivedCode {
  const receivedAt = clock.monotonic();
  return { authorization, receivedAt, expiresAt: receivedAt + authorization.expiresIn * 1000 };
}

/**
 * Checks where the person is to enter the code (specification 2.1).
 * @param origin the only one that the verification page may have, such as `https://example.com`; `undefined` accepts any
 * @throws DeviceFlowError `foreign page`
 */
export function checkVerificationPage({ authorization }: ReceivedCode, origin: string | undefined): void {
  if (origin !== undefined && new URL(authorization.verificationUri).origin !== origin) {
    throw new DeviceFlowError('foreign page');
  }
}

/**
 * Polls until the person has confirmed the code (specification 4.2 and 5). A poll is sent no sooner than one interval
 * after the previous response arrived, and only after `authorization_pending`, `slow_down`, no response, or one that says nothing
 * of the code.
 * After it's canceled, or the code has expired, none is sent, and one in flight may bring tokens for another two seconds.
 *
 * @param onWaiting called at once, and again whenever the service stops or begins to respond, or wants fewer or later polls
 * @throws DeviceFlowError `expired`; OAuthError if the service refuses; or the signal's reason
 */
export async function waitForTokens(
  { client, clock }: DeviceFlowDependencies,
  requested: AuthorizationRequest,
  code: ReceivedCode,
  onWaiting: (waiting: WaitingForUser) => void,
  signal: AbortSignal,
): Promise<TokenResponse> {
  const { accepted, deviceCode } = code.authorization;
  let request = { ...requested, ...accepted };
  // `stopPolling` ends the polling, and `giveUpPoll` the poll that's in flight then. `ended` ends the timers of both.
  const ended = new AbortController();
  const expired = abortedAt(clock, code.expiresAt, ended.signal);
  const stopPolling = AbortSignal.any([signal, expired]);
  const giveUpPoll = abortedAfter(clock, stopPolling, LAST_POLL_PATIENCE, ended.signal);
  const pace = new PollingPace(code);
  let waiting: WaitingForUser = { code, interruption: undefined };
  onWaiting(waiting);
  try {
    for (;;) {
      await sleepUntil(clock, pace.nextPollAt, stopPolling);
      const result = await untilAborted(giveUpPoll, (inner) => pollOnce(client, request, deviceCode, inner));
      if (result.kind === 'tokens') {
        return result.tokens;
      }
      stopPolling.throwIfAborted();
      pace.note(result, clock.monotonic());
      const interruption = interruptionIn(result);
      if (interruption !== undefined && pace.isAtWrongEndpoint) {
        throw interruption;
      }
      if (result.kind === 'pending') {
        request = { ...request, authentication: result.authentication };
      }
      if (pace.code !== waiting.code || interruption?.message !== waiting.interruption?.message) {
        waiting = { code: pace.code, interruption };
        onWaiting(waiting);
      }
    }
  } catch (error) {
    // If the caller has canceled as well, that counts.
    signal.throwIfAborted();
    if (expired.aborted) {
      throw new DeviceFlowError('expired', waiting.interruption);
    }
    const isExpired = error instanceof ServiceError && classifySignInError(error) === 'expired';
    throw isExpired ? new DeviceFlowError('expired') : error;
  } finally {
    ended.abort();
  }
}

/** When to poll: as often as the service allows, and less often while it doesn't respond. */
class PollingPace {
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

  get code(): ReceivedCode {
    return this.#code;
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

  /** Notes how a poll ended just now. */
  note(poll: Undecided, now: number): void {
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
function intervalAfter(poll: Undecided, { expiresIn, interval }: DeviceAuthorization): number {
  if (poll.kind !== 'pending' || poll.slowDown === undefined) {
    return interval;
  }
  // A service may mean milliseconds: then nobody would poll again before the code expires.
  const wanted = poll.slowDown < expiresIn ? poll.slowDown : 0;
  return Math.max(interval + SLOW_DOWN_SECONDS, wanted);
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
function retryAfterOf(poll: Undecided): number {
  if (poll.kind === 'pending') {
    return poll.retryAfter ?? 0;
  }
  return poll.error instanceof ServiceError ? (poll.error.retryAfter ?? 0) : 0;
}

function interruptionIn(poll: Undecided): Interruption | undefined {
  return poll.kind === 'no answer' ? poll.error : undefined;
}

/** Whether something other than the service responded. */
function isForeign(interruption: Interruption | undefined): boolean {
  const isResponse = interruption !== undefined && !(interruption instanceof NetworkError);
  return isResponse && troubleOf(interruption) === undefined;
}

/** Polls once. Without a response, nothing is decided either. @throws OAuthError if the service refuses */
async function pollOnce(
  client: OAuthClient,
  request: AuthorizationRequest,
  deviceCode: string,
  signal: AbortSignal,
): Promise<PollResult> {
  try {
    return await client.poll(request, deviceCode, signal);
  } catch (error) {
    if (error instanceof NetworkError) {
      return { kind: 'no answer', error };
    }
    throw error;
  }
}

/**
 * Seconds from a response, or from its loss, to the next poll: one polling interval (specification 4.2 and 8) while the service
 * responds. With each interrupted poll in a row, it doubles up to half a minute, or once if the interval is longer than half of
 * that (RFC 8628, section 3.5).
 */
function pollDelaySeconds(intervalSeconds: number, interruptions: number): number {
  const longest = Math.max(LONGEST_PAUSE_SECONDS, 2 * intervalSeconds);
  return Math.min(intervalSeconds * 2 ** interruptions, longest);
}
