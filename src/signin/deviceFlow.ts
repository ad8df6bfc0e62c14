import { abortedAt, sleepUntil, untilAborted, type Clock } from '../clock';
import type { AuthorizationRequest, DeviceAuthorization, OAuthClient, TokenResponse } from '../oauth/client';
import { NetworkError, OAuthError, ServiceError } from '../oauth/errors';
import { classifySignInError } from './classifyError';
import type { PendingSignIn } from './pendingSignIn';

/** While the service doesn't respond, no pause grows beyond this: a person who is back online shouldn't wait long. */
const LONGEST_PAUSE_SECONDS = 30;

/** How much longer the interval becomes if the service wants fewer polls (RFC 8628, section 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** There is a code, and the person hasn't confirmed it yet. The page has the origin that is set, if any. */
export interface WaitingForUser extends Pick<
  DeviceAuthorization,
  'userCode' | 'verificationUri' | 'verificationUriComplete'
> {
  readonly kind: 'waiting';
  /** When the code expires, in milliseconds of the monotonic clock. */
  readonly expiresAt: number;
  /** Why the last poll had no response; `undefined` while the service responds. */
  readonly unreachable: NetworkError | undefined;
}

/**
 * How a sign-in ends. It fails if the service refuses, or if there is no code to wait for. A verification page with a
 * different origin than the settings allow is neither opened nor shown.
 */
export type SignInEnd =
  | { readonly kind: 'signedIn'; readonly tokens: TokenResponse }
  | { readonly kind: 'expired' | 'canceled' | 'foreign page' }
  | { readonly kind: 'failed'; readonly error: OAuthError };

/** The state of a sign-in. It requests a code, may wait for the person, and ends. */
export type SignInState = { readonly kind: 'requesting' } | WaitingForUser | SignInEnd;

/** What a sign-in is for. */
export interface DeviceFlowRequest {
  readonly credentials: AuthorizationRequest;
  /** The only origin that the verification page may have, such as `https://example.com`; `undefined` accepts any. */
  readonly verificationOrigin: string | undefined;
  /** Has the device code of an earlier window, if there is one, and saves a new one for the next window. */
  readonly pending: Pick<PendingSignIn, 'authorization' | 'save'>;
}

/**
 * One sign-in by the device flow (specification 4.1, 4.2 and 5): requests a code, then polls until the person has
 * confirmed, the code has expired, the service refuses or `signal` cancels.
 *
 * Yields each state as it's entered, and waiting again whenever something changed; the last one is the end. A poll is
 * sent no sooner than one interval after the previous response arrived. Polling continues only after
 * `authorization_pending` or a missing response. Canceling and the expiry of the code take effect at once: a request in
 * flight is aborted, and none is sent afterwards.
 *
 * @throws only if there's a defect here: faults of the service and the network are states.
 */
export async function* deviceFlow(
  deps: { readonly clock: Clock; readonly client: Pick<OAuthClient, 'requestDeviceAuthorization' | 'poll'> },
  { credentials, verificationOrigin, pending }: DeviceFlowRequest,
  signal: AbortSignal,
): AsyncGenerator<SignInState, void, undefined> {
  const { clock, client } = deps;
  const over = new AbortController();
  let stop = signal;
  try {
    yield { kind: 'requesting' };
    let authorization = pending.authorization;
    if (authorization === undefined) {
      authorization = await untilAborted(signal, (inner) => client.requestDeviceAuthorization(credentials, inner));
      pending.save(authorization);
    }
    const { deviceCode, scopes = credentials.scopes, userCode, verificationUri } = authorization;
    // The page has the origin that is set, if one is (specification 2.1).
    if (verificationOrigin !== undefined && new URL(verificationUri).origin !== verificationOrigin) {
      yield { kind: 'foreign page' };
      return;
    }
    const { expiresIn, verificationUriComplete } = authorization;
    const expiresAt = clock.monotonic() + expiresIn * 1000;
    stop = AbortSignal.any([signal, abortedAt(clock, expiresAt, over.signal)]);
    const page = { verificationUri, ...(verificationUriComplete && { verificationUriComplete }) };
    let waiting: WaitingForUser = { kind: 'waiting', userCode, ...page, expiresAt, unreachable: undefined };
    let { authentication, interval } = authorization;
    let nextPoll = clock.monotonic() + pollDelay(interval, 0);
    let failures = 0;
    yield waiting;
    for (;;) {
      let unreachable: NetworkError | undefined;
      await sleepUntil(clock, nextPoll, stop);
      try {
        const request = { ...credentials, ...(scopes && { scopes }), authentication };
        const result = await untilAborted(stop, (inner) => client.poll(request, deviceCode, inner));
        if (result.kind === 'tokens') {
          yield { kind: 'signedIn', tokens: result.tokens };
          return;
        }
        authentication ??= result.authentication;
        if (result.slowDown !== undefined) {
          interval = Math.max(interval + SLOW_DOWN_SECONDS, result.slowDown);
        }
      } catch (error) {
        if (stop.aborted || !(error instanceof NetworkError)) {
          throw error;
        }
        unreachable = error;
      }
      failures = unreachable === undefined ? 0 : failures + 1;
      nextPoll = clock.monotonic() + pollDelay(interval, failures);
      if (unreachable?.reason !== waiting.unreachable?.reason) {
        waiting = { ...waiting, unreachable };
        yield waiting;
      }
    }
  } catch (error) {
    yield stop.aborted ? { kind: signal.aborted ? 'canceled' : 'expired' } : endFor(error);
  } finally {
    over.abort();
  }
}

/**
 * Milliseconds from a response, or from its loss, to the next poll: one polling interval (specification 4.2 and 8)
 * while the service responds. With each poll in a row without a response, it doubles up to half a minute, and is never
 * less than the interval.
 *
 * @param interval the service's polling interval, in seconds
 * @param failures how many polls in a row had no response
 */
function pollDelay(interval: number, failures: number): number {
  return Math.max(interval, Math.min(interval * 2 ** failures, LONGEST_PAUSE_SECONDS)) * 1000;
}

/** The end that an error means. An error that isn't the service's or the network's is thrown again. */
function endFor(error: unknown): SignInEnd {
  if (error instanceof ServiceError && error.operation === 'poll' && classifySignInError(error) === 'expired') {
    return { kind: 'expired' };
  }
  if (error instanceof OAuthError) {
    return { kind: 'failed', error };
  }
  throw error;
}
