import type { Log } from '../log';
import { isLoopback } from './address';
import type { DeviceAuthorization, TokenResponse } from './client';
import {
  isPlainVerificationUri,
  LONGEST_TOKEN_LIFETIME,
  readDeviceAuthorization,
  readTokens,
  unusableResponse,
} from './readResponses';
import { positiveSeconds, type Fields } from './responseBody';
import { addressContainsSecret } from './secrecy';
import type { ServiceResponse } from './sendRequest';

/** Reads a device authorization response of the standard (RFC 8628, section 3.2). @throws OAuthError */
export function readStandardAuthorization(response: ServiceResponse, issuer: string, log: Log): DeviceAuthorization {
  const { secrets } = response;
  const fields = new Map(response.fields);
  // Google's name for it.
  fields.set('verification_uri', fields.get('verification_uri') ?? fields.get('verification_url'));
  const authorization = readDeviceAuthorization({ ...response, fields }, 'device_code', log);
  const page = new URL(authorization.verificationUri);
  if (isLoopback(page) && !isLoopback(new URL(issuer))) {
    throw unusableResponse(response, 'verification_uri');
  }
  const complete = fields.get('verification_uri_complete');
  const isUsable =
    typeof complete === 'string' &&
    isPlainVerificationUri(complete) &&
    new URL(complete).origin === page.origin &&
    ![...secrets, authorization.deviceCode].some((secret) => addressContainsSecret(complete, secret));
  return isUsable ? { ...authorization, verificationUriComplete: complete } : authorization;
}

/**
 * Reads a token response of the standard (RFC 6749, section 5.1), keeping whatever can be used: a refresh token also if
 * the access token is of another type than bearer.
 * @throws OAuthError if neither token can be used
 */
export function readStandardTokens(response: ServiceResponse, log: Log): TokenResponse {
  const fields = new Map(response.fields);
  const type = fields.get('token_type') ?? 'bearer';
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    fields.delete('access_token');
  }
  const tokens = readTokens({ ...response, fields }, log);
  const isGiven = (name: string): boolean => (fields.get(name) ?? undefined) !== undefined;
  const canRefresh = response.operation === 'refresh' || tokens.refreshToken !== undefined;
  const knowsExpiry = isGiven('expires_in') && (tokens.expiresIn !== undefined || canRefresh);
  const refreshExpiresIn = ['refresh_expires_in', 'refresh_token_expires_in']
    .map((name) => positiveSeconds(fields, name, LONGEST_TOKEN_LIFETIME))
    .find((seconds) => seconds !== undefined);
  const scopes = scopesIn(fields);
  return {
    ...tokens,
    expiresIn: knowsExpiry ? tokens.expiresIn : Number.POSITIVE_INFINITY,
    // Both may be left out.
    defects: tokens.defects.filter((name) => !['expires_in', 'refresh_token'].includes(name) || isGiven(name)),
    ...(refreshExpiresIn === undefined ? {} : { refreshExpiresIn }),
    ...(scopes === undefined ? {} : { scopes }),
  };
}

/** The scopes that a response lists, with spaces between them, or commas as GitHub does; `undefined` if it lists none. */
function scopesIn(fields: Fields): readonly string[] | undefined {
  const text = fields.get('scope');
  const scopes = typeof text === 'string' ? text.split(/[ ,]+/).filter((scope) => /^[\x21-\x7e]+$/.test(scope)) : [];
  return scopes.length === 0 ? undefined : scopes;
}
