import { asText, property } from '../fields';
import { safeUrl } from './address';
import type { NotificationOptions } from './client';
import { NetworkError, type NetworkErrorReason, type Operation } from './errors';

/** What `node-fetch` is called with. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** What is read of `node-fetch`'s response. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array | string> | null;
}

/** The part of `node-fetch` 3 that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Where a request goes and what it carries, not yet encoded. */
export interface RequestOptions extends Partial<NotificationOptions> {
  readonly operation: Operation;
  /** The base URL of the service if there's a path, or else an endpoint. */
  readonly address: string;
  readonly accessToken?: string;
  /** What HTTP Basic authenticates with. */
  readonly basic?: { readonly name: string; readonly password: string };
}

const CONTENT_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' };

/**
 * A request as it's sent: to an endpoint as it is, or to the path appended to the base URL's own path, with exactly these
 * parameters. The specification (section 5) leaves open what carries an access token: a header, unless the options say
 * otherwise.
 *
 * @throws NetworkError with Node's own code if no request can be sent to the address (not an address, credentials in
 *   it, or http to another machine), or if a parameter can't be encoded.
 */
export function encodeRequest(request: RequestOptions): Omit<FetchInit, 'redirect' | 'signal'> & { readonly url: URL } {
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
  return new NetworkError(operation, 'unknown', false, 'ERR_INVALID_URL');
}

/** Node has no code of its own for a peer that hangs up during the TLS handshake. */
const DISCONNECTED_IN_HANDSHAKE = 'before secure TLS connection was established';

/** Whether the request certainly wasn't sent, by the system call that failed. */
type IsUnsent = (systemCall: unknown) => boolean;

const ALWAYS: IsUnsent = () => true;
const NEVER: IsUnsent = () => false;
/** On an established connection, reading and writing can fail this way too. */
const UNLESS_CONNECTED: IsUnsent = (systemCall) => systemCall !== 'read' && systemCall !== 'write';
const WHILE_CONNECTING: IsUnsent = (systemCall) => systemCall === 'connect';

/** What a code means; the first that fits decides. */
const MEANINGS: readonly (readonly [code: RegExp, reason: NetworkErrorReason, isUnsent: IsUnsent])[] = [
  [/^(?:ENOTFOUND|EAI_(?:AGAIN|FAIL|NODATA|NONAME))$/, 'host not found', ALWAYS],
  [/^ECONNREFUSED$/, 'connection refused', UNLESS_CONNECTED],
  [/^(?:E(?:HOST|NET)(?:UNREACH|DOWN)|EADDRNOTAVAIL)$/, 'unreachable', UNLESS_CONNECTED],
  [/^ETIMEDOUT$/, 'timeout', WHILE_CONNECTING],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'timeout', ALWAYS],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_SOCKET)$/, 'connection lost', NEVER],
  // A certificate that isn't accepted. Node checks it once, when the handshake ends, before it sends anything.
  [/^(?:CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|ERR_TLS_CERT_ALTNAME_)/, 'TLS', ALWAYS],
  [/^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH)$/, 'TLS', ALWAYS],
  [/^(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/, 'TLS', ALWAYS],
  // OpenSSL's own errors don't tell when: a box in the middle that speaks plain HTTP after the request was sent looks
  // like a service that doesn't speak TLS at all.
  [/^(?:EPROTO$|ERR_(?:TLS|SSL)_)/, 'TLS', NEVER],
  [/^ERR_PROXY_/, 'proxy', ALWAYS],
];

/**
 * What an error of `node-fetch`, of Node's network, or of the web's `fetch` means, which has Node's error as its cause. Only codes
 * are read from it: its message contains the address, and with it the secrets.
 *
 * @param responseBegun whether the response's head had come
 */
export function toNetworkError(operation: Operation, thrown: unknown, responseBegun: boolean): NetworkError {
  const error = property(thrown, 'code') === undefined ? (property(thrown, 'cause') ?? thrown) : thrown;
  const given = asText(property(error, 'code')) ?? '';
  // The code goes into messages, so it must look like one.
  const code = /^[A-Z][A-Z0-9_]{1,63}$/.test(given) ? given : undefined;
  if (responseBegun) {
    return new NetworkError(operation, 'connection lost', true, code);
  }
  if (code === 'ECONNRESET' && asText(property(error, 'message'))?.endsWith(DISCONNECTED_IN_HANDSHAKE) === true) {
    return new NetworkError(operation, 'TLS', false, code);
  }
  // node-fetch keeps the name of the failed system call under a name of its own.
  const systemCall = property(error, 'erroredSysCall') ?? property(error, 'syscall');
  const [, reason, isUnsent] = MEANINGS.find(([codes]) => codes.test(code ?? '')) ?? [];
  return new NetworkError(operation, reason ?? 'unknown', isUnsent?.(systemCall) !== true, code);
}
