/** The domain name system allows no longer ones. */
export const LONGEST_HOST = 253;

/**
 * The names of this machine for which VS Code never uses a proxy. It would send requests to any other name, even
 * 127.0.0.2, through a proxy unencrypted.
 */
const THIS_MACHINE: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The address; `undefined` if it isn't one. Several versions of Node.js have a `URL.canParse` that refuses addresses with letters such
 * as ü after some thousand calls.
 */
export function parseAddress(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Whether requests to this address stay on this machine. */
export function isThisMachine(url: URL): boolean {
  return THIS_MACHINE.includes(url.hostname);
}

/** Whether secrets may travel to this address: https, or http that doesn't leave the machine. */
export function isSafeOrigin(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url));
}

/**
 * An address to which secrets may travel, without a user name or password in it; `undefined` for anything else.
 * @param issuer that of a standard service, which has nothing on this machine unless it's there itself
 */
export function safeUrl(address: string, issuer?: string): URL | undefined {
  const url = parseAddress(address);
  if (url === undefined || !isSafeOrigin(url) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  const isMisplaced = issuer !== undefined && isLoopback(url) && !isLoopback(new URL(issuer));
  return isMisplaced ? undefined : url;
}

/**
 * Whether people can read this host when they're asked to trust it: letters, digits, dots and hyphens, or an IP address.
 * `URL` writes other letters in punycode, but lets through characters such as commas, which could pass for more hosts.
 */
export function isReadableHost({ hostname }: URL): boolean {
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(hostname);
}

/** Whether an address leads to this machine under any of its names, even those to which no secret is sent. */
function isLoopback({ hostname }: URL): boolean {
  return /^(?:(?:.*\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::(?:1|ffff:0:0|(?:ffff:)?7f[0-9a-f]{2}:[0-9a-f]+)?\])$/.test(
    hostname,
  );
}

/** Whether two issuers are at the same place: a default port, the case of the host, and a slash at the end don't count. */
export function isSameIssuer(one: unknown, other: string): boolean {
  return typeof one === 'string' && placeOfIssuer(one) === placeOfIssuer(other);
}

/** One spelling for all addresses of the same issuer. */
export function placeOfIssuer(issuer: string): string {
  const text = parseAddress(issuer)?.href ?? issuer;
  return text.replace(/\/$/, '');
}
