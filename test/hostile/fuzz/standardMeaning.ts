import assert from 'node:assert/strict';
import type { TokenResponse } from '../../../src/oauth/client';
import { InvalidResponseError, MetadataError, NetworkError, ServiceError } from '../../../src/oauth/errors';
import { endpointsAt } from '../../unit/oauth/standardHarness';
import type { Ending } from './outcomes';
import { ISSUER, SCOPES, type StandardCase } from './standardCases';

const THIRTY_DAYS = 2_592_000;
const TEN_YEARS = 315_360_000;
/** Operations that read nothing but JSON. */
const STRICT: readonly string[] = ['metadata', 'account'];
/** Statuses with which a server says that there are no metadata at this address, or lets nobody see them. */
const REFUSED: readonly number[] = [400, 401, 403, 404, 405];
/** Operations for which any success is one. */
const ANY_SUCCESS: readonly string[] = ['refresh', 'account', 'revocation'];

/** Holds the ending against the response, if its end arrived: it must mean exactly what its fields mean. */
export function checkStandardMeaning(answer: StandardCase, ending: Ending, ended: boolean): void {
  if (answer.fields === undefined || !ended) return;
  const meaning = meaningOf(answer, answer.fields);
  assert.deepEqual('error' in ending ? described(ending.error) : { value: withoutIdToken(ending.value) }, meaning);
}

/** A value without its ID token, which it has if it says who signed in, and only then. */
function withoutIdToken(value: unknown): unknown {
  const result = value as { readonly tokens?: TokenResponse } | undefined;
  const tokens = result?.tokens ?? (value as TokenResponse | undefined);
  if (typeof tokens !== 'object' || !('accessToken' in tokens)) return value;
  const { idToken, ...others } = tokens;
  assert.equal(typeof idToken, others.user === undefined ? 'undefined' : 'string');
  return tokens === value ? others : { ...(value as object), tokens: others };
}

/** An error as these tests compare it. */
function described(error: unknown): unknown {
  if (error instanceof ServiceError) return service(error.status, error.code, error.interval);
  if (error instanceof InvalidResponseError) {
    // Here, a field that can't be used is as good as missing.
    return invalid(error.problem === 'missing field' ? 'bad field' : error.problem, error.field);
  }
  if (error instanceof NetworkError) return network(error.reason, error.maybeSent);
  if (error instanceof MetadataError) return metadata(error.problem, error.endpoint, error.isFound);
  return error;
}

const service = (status: number, code: unknown, interval: unknown): unknown => ({ service: [status, code, interval] });
const invalid = (problem: string, field?: string): unknown => ({ invalid: [problem, field] });
const network = (reason: string, maybeSent: boolean): unknown => ({ network: [reason, maybeSent] });
const metadata = (...what: readonly unknown[]): unknown => ({ metadata: what });

type Fields = ReadonlyMap<string, unknown>;

function meaningOf({ body, isForm, operation, status }: StandardCase, fields: Fields): unknown {
  const isStrict = STRICT.includes(operation);
  const isRead = !isForm || (!isStrict && body.length > 0);
  const isSuccess = status < 300;
  const isRedirect = !isSuccess && status < 400;
  // Only the first address has this answer. At the second one, there's no document.
  const isLookedForElsewhere = operation === 'metadata' && (isRedirect || REFUSED.includes(status));
  if (isLookedForElsewhere) return metadata('missing endpoint', 'deviceAuthorization', false);
  if (isRedirect) return invalid('redirect');
  if (operation === 'revocation' && isSuccess) return { value: undefined };
  if (status === 407) return network('proxy', false);
  if (ANY_SUCCESS.includes(operation) ? !isSuccess : status !== 200) {
    const code = isRead && !isSuccess ? fields.get('error') : undefined;
    const isEmpty = !isStrict && body.length === 0 && status === 400;
    const interval = isRead && !isSuccess ? seconds(fields, 'interval', THIRTY_DAYS) : undefined;
    return refused(operation, status, isEmpty ? 'empty_response' : code, interval);
  }
  if (!isRead) {
    return operation === 'metadata' ? metadata('missing endpoint', 'deviceAuthorization', false) : invalid('not JSON');
  }
  switch (operation) {
    case 'metadata':
      return metadataOf(fields);
    case 'device authorization':
      return authorizationOf(fields);
    case 'account': {
      const name = ['preferred_username', 'email'].map((one) => fields.get(one)).find((one) => one !== undefined);
      return { value: fields.get('sub') === 'user-1' ? name : undefined };
    }
    default:
      return tokensOf(operation, status, fields);
  }
}

function refused(operation: string, status: number, code: unknown, interval: unknown): unknown {
  if (operation !== 'poll') return service(status, code, interval);
  if (code === 'slow_down') return { value: { kind: 'pending', slowDown: interval ?? 0 } };
  if (code === 'authorization_pending' && status < 500) {
    return { value: { kind: 'pending', authentication: 'basic' } };
  }
  const isTrouble = code === undefined && (status >= 500 || status === 429);
  if (!isTrouble) return service(status, code, interval);
  return network(status === 429 ? 'too many requests' : 'overloaded', true);
}

function seconds(fields: Fields, name: string, most: number): number | undefined {
  const value = fields.get(name);
  return typeof value === 'number' ? Math.min(value, most) : undefined;
}

/** A success without what it must have is an error with the wrong status, if it says so. */
function unusable(operation: string, status: number, fields: Fields, field: string): unknown {
  return fields.has('error')
    ? refused(operation, status, fields.get('error'), seconds(fields, 'interval', THIRTY_DAYS))
    : invalid('bad field', field);
}

function authorizationOf(fields: Fields): unknown {
  const uri = fields.get('verification_uri') ?? fields.get('verification_url');
  const deviceCode = fields.get('device_code');
  // It's shown, and the device code is a secret. Short fields of forms may be the same by chance.
  const userCode = fields.get('user_code') === deviceCode ? undefined : fields.get('user_code');
  const missing = Object.entries({ device_code: deviceCode, user_code: userCode, verification_uri: uri }).find(
    ([, value]) => value === undefined,
  );
  if (missing !== undefined) return unusable('device authorization', 200, fields, missing[0]);
  const complete = fields.get('verification_uri_complete');
  const isSame = typeof complete === 'string' && new URL(complete).origin === new URL(String(uri)).origin;
  return {
    value: {
      deviceCode,
      userCode,
      verificationUri: uri,
      authentication: 'basic',
      expiresIn: seconds(fields, 'expires_in', THIRTY_DAYS) ?? 900,
      interval: seconds(fields, 'interval', THIRTY_DAYS) ?? 5,
      ...(isSame && { verificationUriComplete: complete }),
    },
  };
}

function tokensOf(operation: 'poll' | 'refresh' | 'revocation', status: number, fields: Fields): unknown {
  const isBearer = fields.get('token_type') !== false;
  const accessToken = isBearer ? fields.get('access_token') : undefined;
  const refreshToken = fields.get('refresh_token');
  const isOtherType = operation === 'poll' && !isBearer;
  if (isOtherType || (accessToken === undefined && refreshToken === undefined))
    return unusable(operation, status, fields, 'access_token');
  const expiry = seconds(fields, 'expires_in', TEN_YEARS);
  const isUnusable = fields.has('expires_in') && expiry === undefined;
  const canRefresh = operation === 'refresh' || refreshToken !== undefined;
  const refreshExpiresIn = seconds(fields, 'refresh_expires_in', TEN_YEARS);
  // A scope that repeats a token isn't one. Short fields of forms may be the same by chance.
  const inResponse = ((fields.get('scope') ?? []) as readonly string[]).filter(
    (scope) => scope !== accessToken && scope !== refreshToken,
  );
  const listed = inResponse.length === 0 ? undefined : inResponse;
  const { named, signedIn } = (fields.get('id_token') ?? {}) as {
    readonly named?: unknown;
    readonly signedIn?: unknown;
  };
  const user = operation === 'poll' ? signedIn : named;
  if (operation === 'poll' && fields.has('id_token') && user === undefined) return invalid('bad field', 'id_token');
  const scopes = operation === 'poll' ? [...new Set([...SCOPES, ...(listed ?? [])])] : listed;
  const tokens = {
    accessToken,
    refreshToken,
    expiresIn: expiry ?? (isUnusable && canRefresh ? undefined : Number.POSITIVE_INFINITY),
    ...(refreshExpiresIn !== undefined && { refreshExpiresIn }),
    ...(scopes !== undefined && { scopes }),
    ...(user !== undefined && { user }),
  };
  return {
    value: operation === 'poll' ? { kind: 'tokens', tokens: { ...tokens, endpoints: endpointsAt(ISSUER) } } : tokens,
  };
}

function metadataOf(fields: Fields): unknown {
  const names = {
    deviceAuthorization: 'device_authorization_endpoint',
    token: 'token_endpoint',
    revocation: 'revocation_endpoint',
    userInfo: 'userinfo_endpoint',
  };
  if (!fields.has('issuer') && !fields.has(names.deviceAuthorization)) {
    return metadata('missing endpoint', 'deviceAuthorization', false);
  }
  const issuer = fields.get('issuer');
  if (issuer === undefined) return metadata('other issuer', undefined, true);
  for (const name of ['deviceAuthorization', 'token'] as const) {
    if (fields.get(names[name]) === undefined) {
      return metadata(fields.has(names[name]) ? 'unsafe endpoint' : 'missing endpoint', name, true);
    }
  }
  const known = Object.entries(names).flatMap(([name, field]) => {
    const address = fields.get(field);
    return address === undefined ? [] : [[name, address] as const];
  });
  const scopesSupported = fields.get('scopes_supported') ?? [];
  return { value: { endpoints: { ...Object.fromEntries(known), issuer, authentication: 'basic' }, scopesSupported } };
}
