import assert from 'node:assert/strict';
import type { AccountInfo, DeviceAuthorization, PollResult, TokenResponse } from '../../../src/oauth/client';
import { InvalidResponseError, MetadataError, NetworkError, OAuthError, ServiceError } from '../../../src/oauth/errors';
import type { Operation } from '../../../src/oauth/errors';
import { type DraftCase, type FuzzCase, SENT } from './cases';

/** How a request ended. */
export type Ending = { readonly value: unknown } | { readonly error: unknown };

const REASONS =
  /^(?:aborted|timeout|host not found|connection (?:refused|lost)|unreachable|overloaded|too many requests|TLS|proxy|unknown)$/;
const FIELDS = ['code', 'device_code', 'user_code', 'verification_uri', 'access_token', 'id_token', 'name'];
const THIRTY_DAYS = 2_592_000;
const TEN_YEARS = 315_360_000;
const LIMIT = 65_536;

/**
 * Holds an ending against what the protocol promises of every ending.
 * @returns the kind of ending, for counting.
 */
export function classify({ operation }: DraftCase, ending: Ending): string {
  return `${operation}: ${'error' in ending ? checkError(ending.error) : CHECKS[operation](ending.value as never)}`;
}

/** What is promised of each success; they return its kind. */
const CHECKS: Readonly<Record<DraftCase['operation'], (value: never) => string>> = {
  'device authorization': checkDeviceCode,
  poll: checkPoll,
  refresh: checkTokens,
  notification: (value: unknown) => {
    assert.equal(value, undefined);
    return 'done';
  },
  account: checkAccount,
};

/** The same, of a standard service; what a success means is held against its fields elsewhere. */
export function classifyStandard({ operation }: FuzzCase, ending: Ending): string {
  if ('error' in ending) return `standard ${operation}: ${checkError(ending.error)}`;
  const { kind = 'done' } = (typeof ending.value === 'object' ? ending.value : {}) as { readonly kind?: string };
  return `standard ${operation}: ${kind}`;
}

function checkError(error: unknown): string {
  assert.ok(error instanceof OAuthError, `not an error of the protocol: ${String(error)}`);
  assert.equal(error.cause, undefined);
  assert.match(error.message, /^[\x20-\x7e]{1,160}$/);
  if (error instanceof ServiceError) {
    assert.match(error.code ?? 'none', /^[A-Za-z0-9_.-]{1,64}$/);
    return `error ${error.code === undefined ? 'without a code' : 'with a code'}`;
  }
  if (error instanceof NetworkError) {
    assert.match(error.reason, REASONS);
    assert.match(error.systemCode ?? 'NONE', /^[A-Z0-9_]{2,64}$/);
    return `no response, ${error.reason}`;
  }
  if (error instanceof MetadataError) return `${error.problem} ${error.endpoint ?? ''}`;
  assert.ok(error instanceof InvalidResponseError);
  const isOfField = ['missing field', 'bad field'].includes(error.problem);
  assert.ok(isOfField || ['redirect', 'too large', 'not JSON', 'not an object'].includes(error.problem));
  assert.equal(isOfField, error.field !== undefined);
  assert.ok(error.field === undefined || FIELDS.includes(error.field));
  return `invalid, ${error.problem}`;
}

function checkSeconds(seconds: number, most: number): void {
  assert.ok(seconds >= 1 && seconds <= most, `${seconds} s`);
}

function checkDeviceCode(answer: DeviceAuthorization): string {
  assert.match(answer.deviceCode, /^\P{Cc}{1,4096}$/u);
  assert.match(answer.userCode, /^[A-Za-z0-9 -]{1,64}$/);
  assert.match(answer.verificationUri, /^https?:\/\/[\x21-\x7e]+$/i);
  const uri = new URL(answer.verificationUri);
  assert.ok(uri.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(uri.hostname));
  assert.equal(uri.username + uri.password, '');
  checkSeconds(answer.expiresIn, THIRTY_DAYS);
  checkSeconds(answer.interval, THIRTY_DAYS);
  return 'device code';
}

function checkPoll(answer: PollResult): string {
  if (answer.kind === 'pending') return 'pending';
  assert.equal(answer.kind, 'tokens');
  return checkTokens(answer.tokens);
}

/** The name is made fit to be shown elsewhere. */
function checkAccount({ name, id }: AccountInfo): string {
  assert.ok(name !== undefined || id !== undefined);
  assert.ok([name, id].every((text) => text?.trim() !== ''));
  assert.ok(id === undefined || id.length <= 255);
  return name === undefined ? 'ID' : id === undefined ? 'name' : 'name and ID';
}

function checkTokens({ accessToken, refreshToken, expiresIn }: TokenResponse): string {
  assert.ok(accessToken !== undefined || refreshToken !== undefined);
  assert.match(accessToken ?? 'none', /^[\x21-\x7e]{1,16384}$/);
  assert.match(refreshToken ?? 'none', /^\P{Cc}+$/u);
  checkSeconds(expiresIn ?? 1, TEN_YEARS);
  return [accessToken, refreshToken, expiresIn].includes(undefined) ? 'some of the tokens' : 'tokens';
}

const SECRETS: Readonly<Record<Exclude<Operation, 'probe'>, readonly string[]>> = {
  'device authorization': [SENT.clientSecret],
  poll: [SENT.clientSecret, SENT.deviceCode],
  refresh: [SENT.clientSecret, SENT.refreshToken],
  notification: [SENT.accessToken],
  account: [SENT.accessToken],
  revocation: [SENT.clientSecret, SENT.refreshToken],
  metadata: [SENT.clientSecret],
};

/** Nothing that the operation sent may be in what a person or a log gets to see, however the service repeats it. */
export function checkSecrecy({ operation }: FuzzCase, shown: string): void {
  for (const secret of SECRETS[operation]) {
    assert.ok(!shown.includes(secret), 'a secret was shown');
  }
}

/** What a request must end with. */
type Expected =
  | { readonly kind: 'anything' | 'success' | 'lost' | 'proxy' }
  | { readonly kind: 'invalid'; readonly problem: string }
  /** `isForeign`: its code can't be the service's. */
  | { readonly kind: 'service error'; readonly isForeign: boolean }
  /** The tokens that it brings, as far as they're known. */
  | { readonly kind: 'tokens'; readonly tokens: Partial<TokenResponse> };

/**
 * Holds the ending against the response: what had to be read must have been read, in the way that's meant for it.
 *
 * @param ended whether the response's end arrived, too
 */
export function checkMeaning(answer: FuzzCase, ending: Ending, ended: boolean): void {
  assertEnding(expectedOf(answer, ended), ending);
}

function expectedOf({ operation, status, body, mustKeep }: FuzzCase, ended: boolean): Expected {
  const { json, problem } = parsed(body);
  const isSuccess = ['account', 'notification', 'refresh'].includes(operation) ? status < 300 : status === 200;
  if (mustKeep !== undefined) return { kind: 'tokens', tokens: { refreshToken: mustKeep } };
  if (status >= 300 && status < 400) return { kind: 'invalid', problem: 'redirect' };
  if (operation === 'notification' && isSuccess) return { kind: 'success' };
  if (problem === 'too large' && status < 300) return { kind: 'invalid', problem };
  if (problem !== undefined && problem !== 'too large' && !ended) return { kind: 'lost' };
  if (status === 407) return { kind: 'proxy' };
  const isPending = status >= 400 && status < 500 && json?.['error'] === 'authorization_pending';
  if (operation === 'poll' && isPending) return { kind: 'success' };
  if (!isSuccess) return { kind: 'service error', isForeign: status < 300 || problem !== undefined };
  if (problem !== undefined) return { kind: 'invalid', problem };
  if (operation !== 'poll' && operation !== 'refresh') return { kind: 'anything' };
  return { kind: 'tokens', tokens: goodTokens(json ?? {}) };
}

/** A good token is never lost, whatever is beside it. */
function goodTokens(json: Readonly<Record<string, unknown>>): Partial<TokenResponse> {
  const good = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);
  const { access_token: accessToken, refresh_token: refreshToken } = json;
  return { ...(good(accessToken) && { accessToken }), ...(good(refreshToken) && { refreshToken }) };
}

function assertEnding(expected: Expected, ending: Ending): void {
  const error = 'error' in ending ? ending.error : undefined;
  switch (expected.kind) {
    case 'anything':
      return;
    case 'success':
      assert.equal(error, undefined);
      return;
    case 'lost':
      assert.ok(error instanceof NetworkError);
      return;
    case 'proxy':
      assert.ok(error instanceof NetworkError && error.reason === 'proxy' && !error.maybeSent, 'it’s a proxy’s word');
      return;
    case 'invalid':
      assert.ok(error instanceof InvalidResponseError && error.problem === expected.problem);
      return;
    case 'service error':
      assert.ok(error instanceof ServiceError);
      if (expected.isForeign) assert.equal(error.code, undefined, 'it isn’t from the service');
      return;
    case 'tokens':
      for (const [name, token] of Object.entries(expected.tokens)) {
        assert.equal(tokensOf(ending)[name as keyof TokenResponse], token);
      }
  }
}

/** The tokens that a poll or a refresh brought, if it did. */
function tokensOf(ending: Ending): Partial<TokenResponse> {
  const value =
    'value' in ending ? (ending.value as (Partial<TokenResponse> & { tokens?: TokenResponse }) | undefined) : {};
  return value?.tokens ?? value ?? {};
}

/** What a body says, or why it says nothing. */
function parsed(body: Buffer): { readonly json?: Readonly<Record<string, unknown>>; readonly problem?: string } {
  if (body.length > LIMIT) return { problem: 'too large' };
  let value: unknown;
  try {
    value = JSON.parse(body.toString().replace(/^\ufeff/, ''));
  } catch {
    return { problem: 'not JSON' };
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { json: value as Readonly<Record<string, unknown>> }
    : { problem: 'not an object' };
}
