import type { DialectClient } from './types';
import type { Credentials } from './service';
import { InvalidResponseError, saysPending, ServiceError } from './errors';
import { readDraftDeviceAuthorization, readDraftTokens } from './readResponses';
import { POLL_TIME_LIMIT, type OAuthDependencies, type ServiceRequest } from './exchange';
import { sendRequest } from './sendRequest';

/**
 * When the service responds, it has replaced the tokens, and the response holds the only copy. So this limit is as
 * long as proxies and gateways keep a slow request alive. People wait for it less long. Milliseconds.
 */
const REFRESH_TIME_LIMIT = 5 * 60_000;

/** Statuses that say nothing of what's there: it's busy, or doesn't work right now. */
const SAYING_NOTHING: readonly number[] = [429, 500, 502, 503, 504];

/** Statuses of whatever has nothing at this path, or a guard before it, even with an error code in the response. */
const SAYING_NO: readonly number[] = [403, 404, 405];
/** How a service of this kind spells error codes (docs/draft-dialect.md#errors). Frameworks send words such as `Forbidden`. */
const DRAFT_CODE = /^[a-z][a-z_]*$/;

/** The operations of the draft dialect (docs/draft-dialect.md#requests). */
const OPERATIONS = {
  'device authorization': { path: '/oauth2/device', grantType: 'device_code', success: '200' },
  poll: { path: '/oauth2/device', grantType: 'device_token', success: '200', timeLimit: POLL_TIME_LIMIT },
  // Any success may hold the only token that still works, so none is discarded.
  refresh: { path: '/oauth2/token', grantType: 'refresh_token', success: '2xx', timeLimit: REFRESH_TIME_LIMIT },
} as const;

/** The service's operations in the draft dialect, as docs/draft-dialect.md describes it. */
export function createDraftClient(dependencies: OAuthDependencies): DialectClient {
  return {
    async recognize({ baseUrl }) {
      const { grantType, ...operation } = OPERATIONS['device authorization'];
      const request = { ...operation, operation: 'probe', address: baseUrl, signal: undefined } as const;
      try {
        const { fields } = await sendRequest(dependencies, { ...request, parameters: { grant_type: grantType } });
        return fields.has('user_code');
      } catch (error) {
        if (error instanceof ServiceError && DRAFT_CODE.test(error.code ?? '')) {
          return !SAYING_NO.includes(error.status);
        }
        if (error instanceof ServiceError && !SAYING_NOTHING.includes(error.status)) {
          return false;
        }
        if (error instanceof InvalidResponseError) {
          return false;
        }
        throw error;
      }
    },

    async requestDeviceAuthorization(credentials, signal) {
      const request = draftRequest('device authorization', credentials, signal);
      return readDraftDeviceAuthorization(await sendRequest(dependencies, request), dependencies.log);
    },

    async poll(credentials, deviceCode, signal) {
      try {
        const request = draftRequest('poll', credentials, signal, { code: deviceCode });
        return { kind: 'tokens', tokens: readDraftTokens(await sendRequest(dependencies, request), dependencies.log) };
      } catch (error) {
        // With any 4xx status, because the code decides (docs/draft-dialect.md#settled-by-us).
        if (saysPending(error) && error.status >= 400 && error.status < 500) {
          return { kind: 'pending' };
        }
        throw error;
      }
    },

    async refresh(credentials, refreshToken) {
      const request = draftRequest('refresh', credentials, undefined, { refresh_token: refreshToken });
      return readDraftTokens(await sendRequest(dependencies, request), dependencies.log);
    },
  };
}

/**
 * A POST with all parameters in the query string.
 * @param further those that only this operation has
 */
function draftRequest(
  operation: keyof typeof OPERATIONS,
  { baseUrl, clientId, clientSecret }: Credentials,
  signal: AbortSignal | undefined,
  further: Readonly<Record<string, string>> = {},
): ServiceRequest {
  const { grantType, ...request } = OPERATIONS[operation];
  return {
    ...request,
    operation,
    address: baseUrl,
    signal,
    parameters: { grant_type: grantType, client_id: clientId, client_secret: clientSecret, ...further },
  };
}
