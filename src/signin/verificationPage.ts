/** The service named a verification page of another origin than the person allows: it is neither opened nor shown. */
export class ForeignPageError extends Error {
  constructor() {
    super('The verification page has another origin than the one that is set.');
    this.name = 'ForeignPageError';
  }
}

/**
 * Whether the page of `verification_uri` (specification 2.1) has the origin that the person set, if they set one.
 *
 * @param uri an address that the protocol has checked
 * @param origin the only origin that is accepted, such as `https://example.com`; `undefined` accepts any
 */
export function isExpectedPage(uri: string, origin: string | undefined): boolean {
  return origin === undefined || (URL.canParse(uri) && new URL(uri).origin === origin);
}
