import type { NetworkErrorReason, Operation } from './errors';
import { NetworkError } from './errors';
import { ClientNotLoadedError } from './fetchWhenNeeded';

/**
 * What an error of `node-fetch` or of Node's network means. Only codes are read of it: its message holds the address
 * and with it the secrets.
 *
 * @param answerBegun whether the answer's head had come
 */
export function toNetworkError(operation: Operation, error: unknown, answerBegun: boolean): NetworkError {
  const code = plainCode(textProperty(error, 'code'));
  if (answerBegun) {
    return new NetworkError(operation, 'connection lost', true, code);
  }
  if (code === 'ECONNRESET' && textProperty(error, 'message')?.endsWith(DISCONNECTED_IN_HANDSHAKE) === true) {
    return new NetworkError(operation, 'TLS', false, code);
  }
  if (error instanceof ClientNotLoadedError) {
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
  ['HOSTNAME_MISMATCH', 'TLS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'TLS'],
  ['INVALID_CA', 'TLS'],
  ['INVALID_PURPOSE', 'TLS'],
  ['PATH_LENGTH_EXCEEDED', 'TLS'],
]);

function reasonOf(code: string | undefined): NetworkErrorReason {
  if (code === undefined) {
    return 'unknown';
  }
  if (/^(?:CERT_|CRL_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ERROR_IN_CERT_)/.test(code)) {
    return 'TLS';
  }
  if (code.startsWith('ERR_PROXY_')) {
    return 'proxy';
  }
  return REASONS.get(code) ?? 'unknown';
}

/** Alerts and record errors of OpenSSL can also come once data has gone out; these can come in the handshake only. */
const HANDSHAKE_ONLY =
  /^ERR_SSL_(?:WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|(?:SSLV3|SSL\/TLS)_ALERT_HANDSHAKE_FAILURE|TLSV1_ALERT_PROTOCOL_VERSION|TLSV1_UNRECOGNIZED_NAME|DH_KEY_TOO_SMALL|EE_KEY_TOO_SMALL)$/;

function isBeforeSending(reason: NetworkErrorReason, code: string | undefined, error: unknown): boolean {
  // node-fetch keeps the name of the failed system call under a name of its own.
  const systemCall = textProperty(error, 'erroredSysCall') ?? textProperty(error, 'syscall');
  switch (reason) {
    case 'host not found':
    case 'proxy':
      return true;
    case 'connection refused':
    case 'unreachable':
      // On a connection that stood, reading and writing can fail this way too.
      return systemCall !== 'read' && systemCall !== 'write';
    case 'timeout':
      return systemCall === 'connect';
    case 'TLS':
      return code?.startsWith('ERR_SSL_') !== true || HANDSHAKE_ONLY.test(code);
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

/** A system's code goes into messages, so it must look like one. */
function plainCode(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
}
