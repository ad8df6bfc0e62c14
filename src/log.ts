/**
 * Where the parts report what they do. `info`: what happened; `debug`: how; `trace`: the protocol.
 *
 * No message may contain a secret: no token, code, client secret or query string.
 */
export interface Log {
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
  trace(message: string): void;
}
