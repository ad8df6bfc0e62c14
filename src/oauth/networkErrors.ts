import { NetworkError, type NetworkErrorReason, type Operation } from './errors';
import { NotLoadedError } from './fetch';

/**
 * What an error of `node-fetch` or of Node's network means. Only codes are read from it: its message contains the
 * address, and with it the secrets.
 *
 * @param responseBegun whether the response's head had come
 */
export function toNetworkError(operation: Operation, error: unknown, responseBegun: boolean): NetworkError {
  const code = plainCode(textProperty(error, 'code'));
  if (responseBegun) {
    return new NetworkError(operation, 'connection lost', true, code);
  }
  if (code === 'ECONNRESET' && textProperty(error, 'message')?.endsWith(DISCONNECTED_IN_HANDSHAKE) === true) {
    return new NetworkError(operation, 'TLS', false, code);
  }
  if (error instanceof NotLoadedError) {
    return new NetworkError(operation, 'unknown', false, code);
  }
  const reason = reasonOf(code);
  return new NetworkError(operation, reason, !isBeforeSending(reason, code, error), code);
}

/** Node has no code of its own for a peer that hangs up during the TLS handshake. */
const DISCONNECTED_IN_HANDSHAKE = 'before secure TLS connection was established';

const REASONS = new Map<string, NetworkErrorReason>([
  ['ENOTFOUND', 'host not found'],
  ['EAI_AGAIN', 'host not found'],
  ['EAI_FAIL', 'host not found'],
  ['EAI_NODATA', 'host not found'],
  ['EAI_NONAME', 'host not found'],
  ['ECONNREFUSED', 'connection refused'],
  ['EHOSTUNREACH', 'unreachable'],
  ['EHOSTDOWN', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ENETDOWN', 'unreachable'],
  ['EADDRNOTAVAIL', 'unreachable'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNRESET', 'connection lost'],
  ['ECONNABORTED', 'connection lost'],
  ['EPIPE', 'connection lost'],
  ['ERR_STREAM_PREMATURE_CLOSE', 'connection lost'],
  ['EPROTO', 'TLS'],
]);

/** Codes for a certificate that isn't accepted. Node checks it once, when the handshake ends, before it sends anything. */
const CERTIFICATE =
  /^(?:CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|ERR_TLS_CERT_ALTNAME_|(?:HOSTNAME_MISMATCH|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$)/;

function reasonOf(code = ''): NetworkErrorReason {
  if (CERTIFICATE.test(code) || /^ERR_(?:TLS|SSL)_/.test(code)) {
    return 'TLS';
  }
  return code.startsWith('ERR_PROXY_') ? 'proxy' : (REASONS.get(code) ?? 'unknown');
}

function isBeforeSending(reason: NetworkErrorReason, code: string | undefined, error: unknown): boolean {
  // node-fetch keeps the name of the failed system call under a name of its own.
  const systemCall = textProperty(error, 'erroredSysCall') ?? textProperty(error, 'syscall');
  switch (reason) {
    case 'host not found':
    case 'proxy':
      return true;
    case 'connection refused':
    case 'unreachable':
      // On an established connection, reading and writing can fail this way too.
      return systemCall !== 'read' && systemCall !== 'write';
    case 'timeout':
      return systemCall === 'connect';
    case 'TLS':
      // OpenSSL's own errors don't tell when: a box in the middle that speaks plain HTTP after the request was sent
      // looks like a service that doesn't speak TLS at all.
      return code !== undefined && CERTIFICATE.test(code);
    case 'aborted':
    case 'connection lost':
    case 'unknown':
      return false;
  }
}

function textProperty(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const property: unknown = Reflect.get(value, name);
  return typeof property === 'string' ? property : undefined;
}

/** The system's code, if it looks like one: it goes into messages. */
function plainCode(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
}
