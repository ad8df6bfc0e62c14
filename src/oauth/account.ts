import { attachToken, operationUrl } from './address';
import type { AccountInfo, AccountOptions } from './client';
import { property } from './fetch';
import { unusableResponse } from './readResponses';
import { containsSecret, repeats } from './secrecy';
import { sendRequest, type OAuthDependencies, type ServiceResponse } from './sendRequest';

/** A person is waiting for the end of the sign-in, which doesn't depend on this response. Milliseconds. */
const TIME_LIMIT = 5_000;

/** What OpenID Connect allows for the identifier of a user. */
const LONGEST_USER_ID = 255;

/** Asks whose access token this is, by GET. */
export async function fetchAccount(
  deps: OAuthDependencies,
  baseUrl: string,
  options: AccountOptions,
  accessToken: string,
  signal: AbortSignal | undefined,
): Promise<AccountInfo> {
  const operation = 'account';
  const { headers, parameters } = attachToken(accessToken, options.accessTokenIn);
  const url = operationUrl(operation, baseUrl, options.path, parameters);
  const secrets = [accessToken];
  const request = { operation, method: 'GET', url, headers, timeLimit: TIME_LIMIT, signal, secrets } as const;
  return readAccount(await sendRequest(deps, { ...request, success: '2xx' }), options, accessToken);
}

/** Who is signed in. A field that repeats the access token isn't passed on. */
function readAccount(response: ServiceResponse, { field, idField }: AccountOptions, accessToken: string): AccountInfo {
  const name = textAt(response, field);
  const id = idField === undefined ? undefined : textAt(response, idField);
  const info = {
    name: name === undefined || repeats(name, accessToken) ? undefined : name,
    // A token may well contain the ID of its user.
    id: id === undefined || id.length > LONGEST_USER_ID || containsSecret(id, accessToken) ? undefined : id,
  };
  if (info.name === undefined && info.id === undefined) {
    throw unusableResponse(response, field);
  }
  return info;
}

/** The text at a path such as `user.name`, or the whole number; `undefined` if there is none, or a blank one. */
function textAt({ fields }: ServiceResponse, path: string): string | undefined {
  let value: unknown = Object.fromEntries(fields);
  for (const name of path.split('.')) {
    value = Object.hasOwn(Object(value) as object, name) ? property(value, name) : undefined;
  }
  // JSON numbers with more digits are rounded, which would make one user of two.
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}
