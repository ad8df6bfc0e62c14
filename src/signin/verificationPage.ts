/** What is wrong with a verification URI. */
export type VerificationPageProblem = 'not an address' | 'not secure' | 'has credentials' | 'another origin';

/** The service named a verification page that is neither opened, copied nor shown. */
export class VerificationPageError extends Error {
  constructor(
    /** Why it is refused. */
    readonly problem: VerificationPageProblem,
  ) {
    super(`The verification page is refused: ${problem}.`);
    this.name = 'VerificationPageError';
  }
}

/** The characters of which addresses consist (RFC 3986, section 2): no space, no control character, no other script. */
const ADDRESS_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

/** Longer addresses are no pages on which people enter a code. */
const LONGEST_ADDRESS = 2048;

/**
 * Says whether the page of `verification_uri` (specification 2.1) may be shown and opened: a plain address, with
 * `https:` unless it is on this machine, without credentials, and of the origin that the person set, if they set one.
 *
 * @param uri as the service sent it
 * @param origin the only origin that is accepted, such as `https://example.com`; `undefined` accepts any
 */
export function verificationPageProblem(uri: string, origin: string | undefined): VerificationPageProblem | undefined {
  if (uri.length > LONGEST_ADDRESS || !ADDRESS_CHARACTERS.test(uri) || !URL.canParse(uri)) {
    return 'not an address';
  }
  const page = new URL(uri);
  if (page.protocol !== 'https:' && page.protocol !== 'http:') {
    return 'not an address';
  }
  if (page.username !== '' || page.password !== '') {
    return 'has credentials';
  }
  if (page.protocol === 'http:' && !isLoopback(page)) {
    return 'not secure';
  }
  return origin === undefined || page.origin === origin ? undefined : 'another origin';
}

/** Whether an address is on this machine, so that nobody on the network can read what is sent there. */
export function isLoopback(address: URL): boolean {
  return (
    address.hostname === 'localhost' ||
    address.hostname.endsWith('.localhost') ||
    address.hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(address.hostname)
  );
}
