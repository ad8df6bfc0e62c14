import { abortedAfter, abortedAt, sleepUntil, sleepWhileRunning, untilAborted, type Clock } from '../clock';
import { LoggableError } from '../log';
import type { AuthorizationRequest, OAuthClient, PollResult, TokenResponse, UnconfirmedPoll } from '../oauth/types';
import { NetworkError, ServiceError } from '../oauth/errors';
import { classifySignInError } from './classifySignInError';
import { type Interruption, interruptionIn, PollingPace } from './pollingPace';
import { type ReceivedCode, receivedNow } from './receivedCode';

/**
 * The response to a poll may be the only copy of the tokens, and the code is used up. So if the window closes, one in flight may
 * still respond for this long. Editors hardly wait longer. Milliseconds.
 */
const LAST_POLL_PATIENCE = 2_000;

/** A person is told of a poll that has no response by then. Milliseconds. */
const SLOW_AFTER = 15_000;

/** What the device flow works with. */
interface DeviceFlowDependencies {
  readonly clock: Clock;
  readonly client: OAuthClient;
}

/**
 * - `expired`: the person didn't confirm the code in time.
 * - `foreign page`: the service wants the code on another site than the settings allow. It's neither opened nor shown.
 */
type DeviceCodeProblem = 'expired' | 'foreign page';

/** The code can't be used, or not anymore, so the sign-in ends without tokens. */
export class DeviceCodeError extends LoggableError {
  override readonly name = 'DeviceCodeError';

  /** @param interruption why the last poll before the end decided nothing, if it didn't */
  constructor(
    readonly problem: DeviceCodeProblem,
    readonly interruption?: Interruption,
  ) {
    super(`The device flow ended: ${problem}.`);
  }
}

/**
 * Requests a device code (docs/draft-dialect.md#ask-for-a-code). Canceling takes effect at once, even if the request ignores it.
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

/**
 * Checks where the person is to enter the code (docs/draft-dialect.md#a-code).
 * @param origin the only one that the verification page may have, such as `https://example.com`; `undefined` accepts any
 * @throws DeviceCodeError `foreign page`
 */
export function checkVerificationPage({ authorization }: ReceivedCode, origin: string | undefined): void {
  if (origin !== undefined && new URL(authorization.verificationUri).origin !== origin) {
    throw new DeviceCodeError('foreign page');
  }
}

/** How long polling goes on, and who is told of it. */
interface PollingOptions {
  /**
   * Called whenever it changes why the last poll decided nothing: it had no response, or not for a while yet, or one that says nothing
   * of the code. `undefined` after any other.
   */
  readonly onInterruption: (interruption: Interruption | undefined) => void;
  /** Cancels the sign-in. */
  readonly signal: AbortSignal;
  /** Aborted if the window closes: then a poll in flight may take another two seconds. */
  readonly closing: AbortSignal;
}

/**
 * Polls until the person has confirmed the code (docs/draft-dialect.md#when-to-poll). A poll is sent no sooner than one interval
 * after the previous response arrived, and only after `authorization_pending`, `slow_down`, no response, or one that says nothing
 * of the code.
 * After it's canceled, or the code has expired, none is sent, but one in flight may still bring tokens.
 *
 * @throws DeviceCodeError `expired`; OAuthError if the service refuses; or the signal's reason
 */
export async function waitForTokens(
  { client, clock }: DeviceFlowDependencies,
  requested: AuthorizationRequest,
  code: ReceivedCode,
  { onInterruption, signal, closing }: PollingOptions,
): Promise<TokenResponse> {
  const { accepted, deviceCode } = code.authorization;
  let request = { ...requested, ...accepted };
  // `stopPolling` ends the polling, and `giveUpPoll` the poll that's in flight then. `ended` ends the timers.
  const ended = new AbortController();
  const expired = abortedAt(clock, code.expiresAt, ended.signal);
  const stopPolling = AbortSignal.any([signal, closing, expired]);
  const giveUpPoll = abortedAfter(clock, closing, LAST_POLL_PATIENCE, ended.signal);
  const pace = new PollingPace(code);
  let told: Interruption | undefined;
  const tellIfChanged = (interruption: Interruption | undefined): void => {
    if (interruption?.message !== told?.message) {
      told = interruption;
      onInterruption(interruption);
    }
  };
  try {
    for (;;) {
      await sleepUntil(clock, pace.nextPollAt, stopPolling);
      // The poll may be due at the very end of the code, whose timer hasn't ended yet.
      if (clock.monotonic() >= code.expiresAt) {
        throw new DeviceCodeError('expired', told);
      }
      const poll = untilAborted(giveUpPoll, (inner) => pollOnce(client, request, deviceCode, inner));
      const isSlow = (): void => {
        tellIfChanged(new NetworkError('poll', 'timeout', true));
      };
      const result = await whileSlow(clock, SLOW_AFTER, poll, isSlow, stopPolling);
      if (result.kind === 'tokens') {
        return result.tokens;
      }
      stopPolling.throwIfAborted();
      pace.pollEnded(result, clock.monotonic());
      const interruption = interruptionIn(result);
      if (interruption !== undefined && pace.isAtWrongEndpoint) {
        throw interruption;
      }
      request = requestAfter(result, request);
      tellIfChanged(interruption);
    }
  } catch (error) {
    // If the caller has canceled as well, that counts.
    AbortSignal.any([signal, closing]).throwIfAborted();
    if (expired.aborted) {
      throw new DeviceCodeError('expired', told);
    }
    const isExpired = error instanceof ServiceError && classifySignInError(error) === 'expired';
    throw isExpired ? new DeviceCodeError('expired') : error;
  } finally {
    ended.abort();
  }
}

/** What the next poll sends, by what this one found out. */
function requestAfter(result: UnconfirmedPoll, request: AuthorizationRequest): AuthorizationRequest {
  const { authentication = request.authentication } = result;
  const isVerifierRefused = result.kind === 'pending' && result.refusesVerifier === true;
  return { ...request, authentication, codeVerifier: isVerifierRefused ? undefined : request.codeVerifier };
}

/**
 * The result of `call`. Tells if it takes longer than so many milliseconds in which this process ran.
 * @param stopped aborted when nobody wants to know anymore
 */
async function whileSlow<T>(
  clock: Clock,
  milliseconds: number,
  call: Promise<T>,
  onSlow: () => void,
  stopped: AbortSignal,
): Promise<T> {
  const over = new AbortController();
  sleepWhileRunning(clock, milliseconds, AbortSignal.any([over.signal, stopped])).then(onSlow, () => undefined);
  return await call.finally(() => {
    over.abort();
  });
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
