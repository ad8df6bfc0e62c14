import type { NotificationOptions } from './client';
import { NetworkError, type Operation } from './errors';
import type { FetchInit } from './fetch';

/** The domain name system allows no longer ones. */
export const LONGEST_HOST = 253;

/** Where a request goes and what it carries, not yet encoded. */
export interface RequestOptions extends Partial<NotificationOptions> {
  readonly operation: Operation;
  /** The base URL of the service if there's a path, or else an endpoint. */
  readonly address: string;
  readonly accessToken?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const CONTENT_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' };

/**
 * The names of this machine for which VS Code never uses a proxy. It would send requests to any other name, even
 * 127.0.0.2, through a proxy unencrypted.
 */
const THIS_MACHINE: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether requests to this address stay on this machine. */
export function isThisMachine(url: URL): boolean {
  return THIS_MACHINE.includes(url.hostname);
}

/** Whether secrets may travel to this address: https, or http that doesn't leave the machine. */
export function isSafeOrigin(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url));
}

/**
 * A request as it's sent: to an endpoint as it is, or to the path appended to the base URL's own path, with exactly these
 * parameters. The specification (section 5) leaves open what carries an access token: a header, unless the options say
 * otherwise.
 *
 * @throws NetworkError with Node's own code if no request can be sent to the address (not an address, credentials in
 *   it, or http to another machine), or if a parameter can't be encoded.
 */
export function encodeRequest(request: RequestOptions): Omit<FetchInit, 'redirect' | 'signal'> & { readonly url: URL } {
  const { operation, address, path, parameters = {}, accessToken = '', accessTokenIn = 'header' } = request;
  const { method = 'POST' } = request;
  // GET has no body.
  const parametersIn = method === 'GET' ? 'query' : (request.parametersIn ?? 'query');
  const url = safeUrl(address);
  if (url === undefined) {
    throw notSendable(operation);
  }
  const token = accessTokenIn === 'query' && { access_token: accessToken };
  const query = encodeParameters(operation, { ...(parametersIn === 'query' && parameters), ...token });
  if (path !== undefined) {
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
    url.hash = '';
  }
  if (path !== undefined || query !== '') {
    url.search = query;
  }
  const headers = {
    ...(accessToken !== '' && accessTokenIn === 'header' && { Authorization: `Bearer ${accessToken}` }),
    ...(parametersIn !== 'query' && { 'Content-Type': CONTENT_TYPES[parametersIn] }),
    ...request.headers,
  };
  const body = parametersIn === 'json' ? JSON.stringify(parameters) : encodeParameters(operation, parameters);
  return { method, url, headers, body: parametersIn === 'query' ? null : body };
}

/**
 * An address to which secrets may travel, without a user name or password in it; `undefined` for anything else.
 * @param issuer that of a standard service, which has nothing on this machine unless it's there itself
 */
export function safeUrl(address: string, issuer?: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !isSafeOrigin(url) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  const isMisplaced = issuer !== undefined && isLoopback(url) && !isLoopback(new URL(issuer));
  return isMisplaced ? undefined : url;
}

/** Whether an address leads to this machine under any of its names, even those to which no secret is sent. */
function isLoopback({ hostname }: URL): boolean {
  return /^(?:(?:.*\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::(?:1|ffff:0:0|(?:ffff:)?7f[0-9a-f]{2}:[0-9a-f]+)?\])$/.test(
    hostname,
  );
}

/**
 * Parameters as a query string or a form. A space becomes `%20`, which every server decodes, while a plus sign depends
 * on the server.
 *
 * @throws NetworkError if a parameter holds half of a surrogate pair, which no encoding can carry.
 */
function encodeParameters(operation: Operation, parameters: Readonly<Record<string, string>>): string {
  const entries = Object.entries(parameters);
  if (entries.flat().some((text) => /\p{Cs}/u.test(text))) {
    throw notSendable(operation);
  }
  return entries.map((entry) => entry.map(encodeURIComponent).join('=')).join('&');
}

function notSendable(operation: Operation): NetworkError {
  return new NetworkError(operation, 'unknown', false, 'ERR_INVALID_URL');
}
