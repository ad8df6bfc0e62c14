import { NetworkError, type Operation } from './errors';

/** The domain name system allows no longer ones. */
export const LONGEST_HOST = 253;

/** A parameter's name and value, not yet encoded. */
export type Parameter = readonly [name: string, value: string];

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
 * Address of an operation: the path appended to the base URL's own path, with exactly these parameters.
 *
 * @throws NetworkError with Node's own code if no request can be sent to the base URL (not an address, credentials in
 *   it, or http to another machine), or if a parameter can't be encoded.
 */
export function operationUrl(
  operation: Operation,
  baseUrl: string,
  path: string,
  parameters: readonly Parameter[],
): URL {
  const url = endpointUrl(operation, baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  url.search = encodeParameters(operation, parameters);
  url.hash = '';
  return url;
}

/** The address of an endpoint. @throws NetworkError as `operationUrl` does */
export function endpointUrl(operation: Operation, address: string): URL {
  const url = safeUrl(address);
  if (url === undefined) {
    throw notSendable(operation);
  }
  return url;
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
export function encodeParameters(operation: Operation, parameters: readonly Parameter[]): string {
  if (parameters.flat().some((text) => /\p{Cs}/u.test(text))) {
    throw notSendable(operation);
  }
  return parameters.map((parameter) => parameter.map(encodeURIComponent).join('=')).join('&');
}

/** How a request carries an access token, which the specification (section 5) leaves open. */
export function attachToken(
  accessToken: string,
  accessTokenIn: 'header' | 'query',
): { readonly headers: Readonly<Record<string, string>>; readonly parameters: readonly Parameter[] } {
  return accessTokenIn === 'header'
    ? { headers: { Authorization: `Bearer ${accessToken}` }, parameters: [] }
    : { headers: {}, parameters: [['access_token', accessToken]] };
}

function notSendable(operation: Operation): NetworkError {
  return new NetworkError(operation, 'unknown', false, 'ERR_INVALID_URL');
}
