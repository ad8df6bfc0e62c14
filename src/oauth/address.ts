/** A parameter's name and value, not yet encoded. */
export type Parameter = readonly [name: string, value: string];

/**
 * The names of this machine that VS Code never asks a proxy for. To others, even 127.0.0.2, it would send what is not
 * encrypted through one.
 */
const THIS_MACHINE: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether requests to this address stay on this machine. */
export function isThisMachine(url: URL): boolean {
  return THIS_MACHINE.includes(url.hostname);
}

/** Whether secrets may travel to this address: https, or http that does not leave the machine. */
export function isSafeOrigin(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url));
}

/**
 * Address of an operation: the path appended to the base URL's own path, with exactly these parameters.
 *
 * @returns `undefined` where no request can be sent to the base URL: not an address, credentials in it, or http to
 *   another machine.
 * @throws URIError where a parameter holds half of a surrogate pair, which no encoding can carry.
 */
export function operationAddress(baseUrl: string, path: string, parameters: readonly Parameter[]): URL | undefined {
  if (!URL.canParse(baseUrl)) {
    return undefined;
  }
  const url = new URL(baseUrl);
  if (!isSafeOrigin(url) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  url.search = encodeParameters(parameters);
  return url;
}

/**
 * Parameters as a query string or a form. A space becomes `%20`, which every server decodes, where a plus sign
 * depends on the server.
 *
 * @throws URIError where a parameter holds half of a surrogate pair.
 */
export function encodeParameters(parameters: readonly Parameter[]): string {
  return parameters.map((parameter) => parameter.map(encodeURIComponent).join('=')).join('&');
}
