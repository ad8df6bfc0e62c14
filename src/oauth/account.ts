import { operationAddress } from './address';
import { readBody, type Fields } from './responseBody';
import { NetworkError, ServiceError, InvalidResponseError } from './errors';
import { createTransport, type TransportParts } from './http';

/** Somebody waits for the end of their sign-in, and the name is only a name. Milliseconds. */
const TIME_LIMIT = 5_000;

/** From this length on, a piece of the token within the name is no coincidence. */
const TELLING_LENGTH = 8;

/** How the service is asked who is signed in. The specification has no such operation, so it is settings. */
export interface AccountOptions {
  /** Path below the base URL. */
  readonly path: string;
  /** The field of the answer that names the account, such as `name`; or `user.name` for one within another. */
  readonly field: string;
  readonly accessTokenIn: 'header' | 'query';
}

/**
 * Asks once, by GET, who the access token speaks for.
 * @returns the name as the service sent it: not yet fit to be shown
 * @throws OAuthError, and nothing else
 */
export type AskAccount = (
  baseUrl: string,
  shape: AccountOptions,
  accessToken: string,
  signal: AbortSignal,
) => Promise<string>;

/** The question for the account, over HTTP. */
export function createAskAccount(parts: TransportParts): AskAccount {
  const transport = createTransport(parts);
  return async (baseUrl, { path, field, accessTokenIn }, accessToken, signal) => {
    const inHeader = accessTokenIn === 'header';
    const url = operationAddress(baseUrl, path, inHeader ? [] : [['access_token', accessToken]]);
    if (url === undefined) {
      throw new NetworkError('account', 'unknown', false, 'ERR_INVALID_URL');
    }
    const answer = await transport({
      operation: 'account',
      method: 'GET',
      url,
      headers: inHeader ? { Authorization: `Bearer ${accessToken}` } : {},
      body: null,
      timeLimit: TIME_LIMIT,
      wantsBody: isSuccess,
      signal,
    });
    const { status, cutBy } = answer;
    if (!isSuccess(status)) {
      throw new ServiceError('account', status, undefined);
    }
    const { fields, problem } = readBody(answer);
    if (problem !== undefined) {
      // Whatever of it did not come would have made it no smaller.
      const cut = problem === 'too large' ? undefined : cutBy;
      throw cut ?? new InvalidResponseError('account', status, problem, undefined);
    }
    const name = valueAt(fields, field.split('.'));
    if (typeof name !== 'string' || name.trim() === '' || tells(name, accessToken)) {
      throw new InvalidResponseError('account', status, 'bad field', field);
    }
    return name;
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function valueAt(fields: Fields, [first = '', ...rest]: readonly string[]): unknown {
  const value = fields.get(first);
  if (rest.length === 0) {
    return typeof value === 'number' ? value.toString() : value;
  }
  return typeof value === 'object' && value !== null ? valueAt(new Map(Object.entries(value)), rest) : undefined;
}

function tells(name: string, accessToken: string): boolean {
  return name.includes(accessToken) || (name.length >= TELLING_LENGTH && accessToken.includes(name));
}
