import { safeUrl } from './address';
import type { NotificationOptions } from './types';
import { NetworkError, type Operation } from './errors';

/** Where a request goes and what it carries, not yet encoded. */
export interface RequestOptions extends Partial<NotificationOptions> {
  readonly operation: Operation;
  /** The base URL of the service if there's a path, or else an endpoint. */
  readonly address: string;
  readonly accessToken?: string;
  /** What HTTP Basic authenticates with. */
  readonly basic?: { readonly name: string; readonly password: string };
}

/** A request as it's sent, with the headers that it needs. */
export interface EncodedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

const CONTENT_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' };

/**
 * A request as it's sent: to an endpoint as it is, or to the path appended to the base URL's own path, with exactly these
 * parameters. An access token goes in a header, unless the options say otherwise (docs/draft-dialect.md#settled-by-us).
 *
 * @throws NetworkError with Node's own code if no request can be sent to the address (not an address, credentials in
 *   it, or http to another machine), or if a parameter can't be encoded.
 */
export function encodeRequest(request: RequestOptions): EncodedRequest {
  const { operation, address, basic, path, parameters = {}, accessToken = '', accessTokenIn = 'header' } = request;
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
    ...(basic && { Authorization: basicAuthorization(basic) }),
    ...(parametersIn !== 'query' && { 'Content-Type': CONTENT_TYPES[parametersIn] }),
  };
  const body = parametersIn === 'json' ? JSON.stringify(parameters) : encodeParameters(operation, parameters);
  return { method, url, headers, body: parametersIn === 'query' ? null : body };
}

/** Name and password are encoded as in a form first, in which a space is a plus sign (RFC 6749, section 2.3.1). */
function basicAuthorization({ name, password }: NonNullable<RequestOptions['basic']>): string {
  const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${formEncoded(name)}:${formEncoded(password)}`).toString('base64')}`;
}

/** The texts that a request sends, before any encoding. */
export function sentTexts({ accessToken, basic, parameters }: RequestOptions): readonly (string | undefined)[] {
  return [...Object.values(parameters ?? {}), accessToken, basic?.name, basic?.password];
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
  return new NetworkError(operation, 'unknown', false, { systemCode: 'ERR_INVALID_URL' });
}
