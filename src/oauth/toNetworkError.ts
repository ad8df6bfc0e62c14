import { asText, property } from '../fields';
import { NetworkError, type NetworkErrorReason, type Operation } from './errors';
import type { Connection } from './fetch';

/** Node has no code of its own for a peer that hangs up during the TLS handshake. */
const DISCONNECTED_IN_HANDSHAKE = 'before secure TLS connection was established';
/** VS Code's proxy agent has no code for a proxy that can't be reached, or that hangs up before there's a tunnel. */
const NO_PROXY_REACHED = 'Failed to establish a socket connection to proxies';

/** System calls that come before a connection: whatever fails in them, nothing was sent. c-ares looks up by queries. */
const BEFORE_CONNECTION = /^(?:connect|bind|socket|getaddrinfo|query\w*)$/;

/** Whether nothing was sent, as far as the code of an error tells: only for some codes does the failed system call decide. */
type Unsent = 'certainly' | 'maybe not' | 'by call';

/** What a code means; the first that fits decides. */
const MEANINGS: readonly (readonly [code: RegExp, reason: NetworkErrorReason, unsent: Unsent])[] = [
  [/^(?:ENOTFOUND|EAI_[A-Z]+)$/, 'host not found', 'certainly'],
  [/^ECONNREFUSED$/, 'connection refused', 'by call'],
  [/^(?:E(?:HOST|NET)(?:UNREACH|DOWN)|EADDRNOTAVAIL)$/, 'unreachable', 'by call'],
  [/^(?:UND_ERR_CONNECT_TIMEOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/, 'timeout', 'certainly'],
  [/^ETIMEDOUT$/, 'timeout', 'maybe not'],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_SOCKET)$/, 'connection lost', 'maybe not'],
  // A certificate that isn't accepted. Node checks it once, when the handshake ends, before it sends anything.
  [/^(?:CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|ERR_TLS_(?:CERT_ALTNAME_|HANDSHAKE_))/, 'TLS', 'certainly'],
  [/^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH)$/, 'TLS', 'certainly'],
  [/^(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/, 'TLS', 'certainly'],
  // OpenSSL's own errors don't tell when: a box in the middle that speaks plain HTTP after the request was sent looks
  // like a service that doesn't speak TLS at all.
  [/^(?:EPROTO$|ERR_(?:TLS|SSL)_)/, 'TLS', 'maybe not'],
  [/^ERR_PROXY_/, 'proxy', 'certainly'],
];

/** What's known of one error of the network. */
interface Meaning {
  readonly reason: NetworkErrorReason;
  readonly isUnsent: boolean;
  readonly code: string | undefined;
}

/**
 * What an error of `node-fetch`, of Node's network, or of the web's `fetch` means. If the connection isn't known, the errors
 * tell whether the request can have been sent. Their messages contain the address, and with it the secrets, so only codes are
 * passed on.
 *
 * @param progress how far the request had got: whether the response's head had come, and its connection, if that's known
 */
export function toNetworkError(
  operation: Operation,
  thrown: unknown,
  { connection, responseBegun }: { readonly connection: Connection | undefined; readonly responseBegun: boolean },
): NetworkError {
  const meanings = underlyingErrors(thrown).map(meaningOf);
  const first = meanings.find(({ code }) => code !== undefined) ?? meanings[0];
  if (responseBegun) {
    return new NetworkError(operation, 'connection lost', true, { systemCode: first?.code });
  }
  const isUnsent = connection?.isEstablished === false || meanings.every((meaning) => meaning.isUnsent);
  return new NetworkError(operation, first?.reason ?? 'unknown', !isUnsent, { systemCode: first?.code });
}

/**
 * The errors of Node that an error stands for: the web's `fetch` has one as its cause, and if several addresses of a host were
 * tried, there's one for each.
 */
function underlyingErrors(thrown: unknown, depth = 0): readonly unknown[] {
  const parts = property(thrown, 'errors');
  const cause = property(thrown, 'cause');
  if (depth < 3 && Array.isArray(parts) && parts.length > 0) {
    return parts.flatMap((part) => underlyingErrors(part, depth + 1));
  }
  const isWrapped = depth < 3 && property(thrown, 'code') === undefined && typeof cause === 'object' && cause !== null;
  return isWrapped ? underlyingErrors(cause, depth + 1) : [thrown];
}

function meaningOf(error: unknown): Meaning {
  const given = asText(property(error, 'code')) ?? '';
  // The code goes into messages, so it must look like one.
  const code = /^[A-Z][A-Z0-9_]{1,63}$/.test(given) ? given : undefined;
  const message = asText(property(error, 'message')) ?? '';
  if (message.includes(NO_PROXY_REACHED)) {
    return { reason: 'proxy', isUnsent: true, code };
  }
  if (code === 'ECONNRESET' && message.endsWith(DISCONNECTED_IN_HANDSHAKE)) {
    return { reason: 'TLS', isUnsent: true, code };
  }
  // node-fetch keeps the name of the failed system call under a name of its own.
  const systemCall = asText(property(error, 'erroredSysCall') ?? property(error, 'syscall'));
  const [, reason, unsent = 'maybe not'] = MEANINGS.find(([codes]) => codes.test(code ?? '')) ?? [];
  const unknownReason = isBeforeConnection(systemCall) ? 'unreachable' : 'unknown';
  return { reason: reason ?? unknownReason, isUnsent: isUnsent(unsent, systemCall), code };
}

/** Whether nothing was sent. @param unsent what the error's code says of it */
function isUnsent(unsent: Unsent, systemCall: string | undefined): boolean {
  if (isBeforeConnection(systemCall)) {
    return true;
  }
  if (unsent === 'by call') {
    // A `read` or `write` that failed had a connection, so the request may be out.
    return systemCall === undefined;
  }
  return unsent === 'certainly';
}

/** Whether this system call comes before there's a connection. */
function isBeforeConnection(systemCall: string | undefined): boolean {
  return systemCall !== undefined && BEFORE_CONNECTION.test(systemCall);
}
