import { asText, property } from '../fields';
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
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'connection lost', NEVER],
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
 * What an error of `node-fetch` or of Node's network means. Only codes are read from it: its message contains the
 * address, and with it the secrets.
 *
 * @param responseBegun whether the response's head had come
 */
export function toNetworkError(operation: Operation, error: unknown, responseBegun: boolean): NetworkError {
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
