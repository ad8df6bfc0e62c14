import type { Protocol, ServiceId } from './service';

// `rfc8628` is the standard. `draft` goes back to an early draft of the OAuth 2.0 device flow: docs/draft-dialect.md describes it.

/** What differs between dialects. Everything outside of this folder asks for one of these, never for the dialect. */
export interface Dialect {
  /** Every client has a secret. Otherwise, a client may have none. */
  readonly clientsNeedSecrets: boolean;
  /** The service publishes its endpoints, or they are set. Otherwise, the dialect fixes their paths. */
  readonly endpointsAreDiscovered: boolean;
  /** A session has the scopes that were granted. Otherwise, there are no scopes, and a session answers any. */
  readonly sessionsHaveScopes: boolean;
  /** A token response may say who signed in. Otherwise, only `account` can tell. */
  readonly tokensIdentifyUsers: boolean;
  /** The service may answer a refresh request that is sent again. Otherwise, the token in it is dead after the first. */
  readonly repeatsAreAnswered: boolean;
  /** The error codes with which a service rejects a refresh token itself. */
  readonly badTokenCodes: readonly string[];
  /** How long a refresh token is valid if the response doesn't say it, in milliseconds; infinite if that's unknown. */
  readonly refreshTokenLifetime: number;
}

const DIALECTS = {
  draft: {
    clientsNeedSecrets: true,
    endpointsAreDiscovered: false,
    sessionsHaveScopes: false,
    tokensIdentifyUsers: false,
    repeatsAreAnswered: false,
    badTokenCodes: ['invalid_grant', 'invalid_refresh_token'],
    refreshTokenLifetime: 30 * 24 * 60 * 60 * 1000,
  },
  rfc8628: {
    clientsNeedSecrets: false,
    endpointsAreDiscovered: true,
    sessionsHaveScopes: true,
    tokensIdentifyUsers: true,
    repeatsAreAnswered: true,
    badTokenCodes: ['invalid_grant'],
    refreshTokenLifetime: Number.POSITIVE_INFINITY,
  },
} satisfies Record<Protocol, Dialect>;

/** The dialect that this service speaks. */
export function dialectOf({ protocol }: Pick<ServiceId, 'protocol'>): Dialect {
  return DIALECTS[protocol];
}
