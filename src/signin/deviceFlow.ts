import { type Clock, abortedAt, sleepUntil, untilAborted } from '../clock';
import type { Credentials, OAuthClient, DeviceAuthorization } from '../oauth/client';
import { NetworkError, OAuthError, ServiceError } from '../oauth/errors';
import { signInRefusal } from './errorCodes';
import { pollDelay } from './pollDelay';
import type { SignInEnd, SignInState, WaitingForUser } from './states';
import { ForeignPageError, isExpectedPage } from './verificationPage';

/** What a sign-in works with. */
export interface DeviceFlowParts {
  readonly clock: Clock;
  readonly protocol: Pick<OAuthClient, 'requestDeviceAuthorization' | 'poll'>;
}

/** What a sign-in is for. */
export interface DeviceFlowRequest {
  readonly credentials: Credentials;
  /** The only origin that the verification page may have; `undefined` accepts any. */
  readonly verificationOrigin: string | undefined;
}

/**
 * One sign-in by the device flow (specification 4.1, 4.2 and 5): asks for a code, then polls until the person has
 * confirmed, the code has ended, the service refuses or `signal` calls it off.
 *
 * Yields each state as it is entered; the last one is the end. A poll is sent no sooner than one interval after the
 * answer before it arrived. Only `authorization_pending` and a missing answer keep it going. Calling off and the end of
 * the code take effect at once: a request in flight is aborted, and none is sent afterwards.
 *
 * @throws only what is no fault of the service or the network, and so a defect here.
 */
export async function* deviceFlow(
  parts: DeviceFlowParts,
  { credentials, verificationOrigin }: DeviceFlowRequest,
  signal: AbortSignal,
): AsyncGenerator<SignInState, void, undefined> {
  const { clock, protocol } = parts;
  const over = new AbortController();
  try {
    yield { kind: 'asking' };
    const code = await untilAborted(signal, (inner) => protocol.requestDeviceAuthorization(credentials, inner));
    const arrived = clock.monotonic();
    if (!isExpectedPage(code.verificationUri, verificationOrigin)) {
      throw new ForeignPageError();
    }
    const codeEnds = abortedAt(clock, arrived + code.expiresIn * 1000, over.signal);
    yield* waitForUser(parts, credentials, code, arrived, { signal, codeEnds });
  } catch (error) {
    yield endBy(error, signal);
  } finally {
    over.abort();
  }
}

/** What stops the polling. */
interface Stops {
  /** Calls the sign-in off. */
  readonly signal: AbortSignal;
  /** The end of the device code. */
  readonly codeEnds: AbortSignal;
}

/**
 * Polls, and yields each state: waiting, as often as something changed, and the end.
 * @param arrived when the code arrived, in milliseconds of the monotonic clock
 */
async function* waitForUser(
  { clock, protocol }: DeviceFlowParts,
  credentials: Credentials,
  code: DeviceAuthorization,
  arrived: number,
  { signal, codeEnds }: Stops,
): AsyncGenerator<SignInState, void, undefined> {
  const stop = AbortSignal.any([signal, codeEnds]);
  let waiting: WaitingForUser = {
    kind: 'waiting',
    userCode: code.userCode,
    verificationUri: code.verificationUri,
    expiresAt: arrived + code.expiresIn * 1000,
    unreachable: undefined,
  };
  let nextPoll = arrived + pollDelay(code.interval, 0);
  let unanswered = 0;
  yield waiting;
  for (;;) {
    let unreachable: NetworkError | undefined;
    try {
      await sleepUntil(clock, nextPoll, stop);
      const answer = await untilAborted(stop, (inner) => protocol.poll(credentials, code.deviceCode, inner));
      if (answer.kind === 'tokens') {
        yield { kind: 'signedIn', tokens: answer.tokens };
        return;
      }
    } catch (error) {
      if (stop.aborted) {
        yield { kind: signal.aborted ? 'cancelled' : 'expired' };
        return;
      }
      if (!(error instanceof NetworkError)) {
        throw error;
      }
      unreachable = error;
    }
    unanswered = unreachable === undefined ? 0 : unanswered + 1;
    nextPoll = clock.monotonic() + pollDelay(code.interval, unanswered);
    if (unreachable?.reason !== waiting.unreachable?.reason) {
      waiting = { ...waiting, unreachable };
      yield waiting;
    }
  }
}

/** The end that an error means. An error that is no fault of the service is thrown on. */
function endBy(error: unknown, signal: AbortSignal): SignInEnd {
  if (signal.aborted) {
    return { kind: 'cancelled' };
  }
  if (error instanceof ServiceError && error.operation === 'poll' && signInRefusal(error) === 'expired') {
    return { kind: 'expired' };
  }
  if (error instanceof OAuthError || error instanceof ForeignPageError) {
    return { kind: 'failed', error };
  }
  throw error;
}
