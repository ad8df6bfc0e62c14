import assert from 'node:assert/strict';
import type { AccountInfo, DeviceAuthorization, PollResult, TokenResponse } from '../../../src/oauth/types';
import { InvalidResponseError, MetadataError, NetworkError, OAuthError, ServiceError } from '../../../src/oauth/errors';
import { type FuzzCase, SENT } from './cases';

/** How a request ended. */
export type Ending = { readonly value: unknown } | { readonly error: unknown };

const REASONS =
  /^(?:aborted|timeout|host not found|connection (?:refused|lost)|unreachable|overloaded|too many requests|TLS|proxy|unknown)$/;
const FIELDS = [
  'code',
  'device_code',
  'user_code',
  'verification_uri',
  'access_token',
  'token_type',
  'id_token',
  'name',
];
const THIRTY_DAYS = 2_592_000;
const TEN_YEARS = 315_360_000;
/** What's read of a response that may have tokens. */
const LIMIT = 1_048_576;

/**
 * Holds an ending against what's promised of every ending: a value that can be used, or one of the client's errors.
 * @returns the kind of ending, for counting
 */
export function checkEnding({ operation }: FuzzCase, ending: Ending): string {
  return `${operation}: ${'error' in ending ? checkError(ending.error) : checkValue(operation, ending.value)}`;
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
  if (error.problem === 'token type') {
    assert.match(error.field ?? '', /^[A-Za-z_-]{1,16}$/);
    return 'invalid, token type';
  }
  const isOfField = ['missing field', 'bad field', 'page not secure'].includes(error.problem);
  assert.ok(
    isOfField ||
      ['redirect', 'too large', 'tokens lost', 'not JSON', 'not an object', 'no tokens'].includes(error.problem),
  );
  assert.equal(isOfField, error.field !== undefined);
  assert.ok(error.field === undefined || FIELDS.includes(error.field));
  return `invalid, ${error.problem}`;
}

function checkValue(operation: FuzzCase['operation'], value: unknown): string {
  switch (operation) {
    case 'device authorization':
      return checkDeviceCode(value as DeviceAuthorization);
    case 'poll':
      return checkPoll(value as PollResult);
    case 'refresh':
      return checkTokens(value as TokenResponse);
    case 'account':
      return checkAccount(value as AccountInfo | string | undefined);
    case 'metadata':
      return 'found';
    case 'notification':
    case 'revocation':
      assert.equal(value, undefined);
      return 'done';
  }
}

function checkSeconds(seconds: number, most: number): void {
  assert.ok(seconds >= 1 && seconds <= most, `${seconds} s`);
}

function checkDeviceCode(answer: DeviceAuthorization): string {
  assert.match(answer.deviceCode, /^\P{Cc}+$/u);
  assert.match(answer.userCode, /^[A-Za-z0-9 -]{1,64}$/);
  checkPage(answer.verificationUri);
  const { verificationUriComplete: complete } = answer;
  if (complete !== undefined) {
    checkPage(complete);
    assert.equal(new URL(complete).origin, new URL(answer.verificationUri).origin);
  }
  checkSeconds(answer.expiresIn, THIRTY_DAYS);
  checkSeconds(answer.interval, THIRTY_DAYS);
  return 'device code';
}

function checkPage(address: string): void {
  assert.match(address, /^https?:\/\/[\x21-\x7e]+$/i);
  const uri = new URL(address);
  assert.ok(uri.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(uri.hostname));
  assert.equal(uri.username + uri.password, '');
}

function checkPoll(answer: PollResult): string {
  if (answer.kind === 'pending') return 'pending';
  if (answer.kind === 'no answer') return `no answer, ${checkError(answer.error)}`;
  return checkTokens(answer.tokens);
}

/** The name is made fit to be shown elsewhere. */
function checkAccount(account: AccountInfo | string | undefined): string {
  if (typeof account !== 'object') return typeof account;
  const { name, id } = account;
  assert.ok(name !== undefined || id !== undefined);
  assert.ok([name, id].every((text) => text?.trim() !== ''));
  assert.ok(id === undefined || id.length <= 255);
  return name === undefined ? 'ID' : id === undefined ? 'name' : 'name and ID';
}

function checkTokens({ accessToken, refreshToken, expiresIn = 1 }: TokenResponse): string {
  assert.ok(accessToken !== undefined || refreshToken !== undefined);
  assert.match(accessToken ?? 'none', /^[\x21-\x7e]+$/);
  assert.match(refreshToken ?? 'none', /^\P{Cc}+$/u);
  if (expiresIn !== 0 && expiresIn !== Number.POSITIVE_INFINITY) checkSeconds(expiresIn, TEN_YEARS);
  return accessToken === undefined || refreshToken === undefined ? 'some of the tokens' : 'tokens';
}

/**
 * A refresh token in a success is never lost, whatever is beside it: nobody else has it.
 * @param sentLater what was sent after the response
 */
export function checkTokenKept(answer: FuzzCase, ending: Ending, sentLater: string): void {
  const token = refreshTokenIn(answer);
  if (token === undefined) return;
  const value = 'value' in ending ? (ending.value as Partial<TokenResponse> & { tokens?: TokenResponse }) : {};
  const kept = (value.tokens ?? value).refreshToken;
  assert.ok(kept === token || sentLater.includes(encodeURIComponent(token)), 'the refresh token was lost');
}

/** The refresh token that a response must bring; `undefined` if there's none, or the response isn't one that brings tokens. */
function refreshTokenIn({ behind = 0, body, operation, status }: FuzzCase): string | undefined {
  const bringsTokens = operation === 'refresh' ? status >= 200 && status < 300 : operation === 'poll' && status === 200;
  if (!bringsTokens || body.length > LIMIT) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8', 0, body.length - behind).replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
  const token: unknown =
    typeof json === 'object' && json !== null && !Array.isArray(json) ? Reflect.get(json, 'refresh_token') : undefined;
  const isUsable = typeof token === 'string' && /^[^\p{Cc}\p{Cs}\ufffd]+$/u.test(token) && token.trim() !== '';
  return isUsable ? token : undefined;
}

/** What each operation sends that nobody may see. */
const SECRETS: Readonly<Record<FuzzCase['operation'], readonly string[]>> = {
  'device authorization': [SENT.clientSecret],
  poll: [SENT.clientSecret, SENT.deviceCode],
  refresh: [SENT.clientSecret, SENT.refreshToken],
  notification: [SENT.accessToken],
  account: [SENT.accessToken],
  revocation: [SENT.clientSecret, SENT.refreshToken],
  metadata: [],
};

/** Nothing that the operation sent may be in what a person or a log gets to see, if the service repeats it. */
export function checkSecrecy({ operation }: FuzzCase, shown: string): void {
  for (const secret of SECRETS[operation]) {
    assert.ok(!shown.includes(secret), 'a secret was shown');
  }
}
