const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;

/**
 * Where everything reports what it does. `info`: what happened; `debug`: how; `trace`: the requests.
 *
 * No message may contain a secret: no token, code, client secret or query string.
 */
export type Log = Readonly<Record<(typeof LEVELS)[number], (message: string) => void>>;

/** The system's code of an error, such as `ENOSPC`; `unknown` if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** How many frames of a stack are logged. */
const FRAMES = 8;

/**
 * An error's type and stack for the log, without its message: errors from elsewhere may quote what they were given,
 * and that may be a secret.
 */
export function safeTrace(error: unknown): string {
  if (!(error instanceof Error)) {
    return typeof error;
  }
  const stack = (error.stack ?? '').replace(error.message, () => '');
  const frames = stack.split('\n').filter((line) => /^\s+at .+:\d+/.test(line));
  return [error.name, ...frames.slice(0, FRAMES).map((frame) => frame.trim())].join('\n  ');
}

/** An error whose message has no secret. */
export abstract class LoggableError extends Error {}

/** What the log says of an error. The messages of others may quote what they were given. */
export function loggedAs(error: unknown): string {
  return error instanceof LoggableError ? error.message : safeTrace(error);
}

/**
 * What `work` returns; `undefined` if it fails, which costs no more than a line in the log.
 * @param failure what failed, without a period
 */
export async function bestEffort<T>(
  log: Log,
  level: keyof Log,
  failure: string,
  work: () => PromiseLike<T> | T,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    // Node.js has codes for defects too, and for everything that SQLite says.
    const isTelling = code !== 'unknown' && !code.startsWith('ERR_');
    log[level](isTelling ? `${failure} (${code}).` : `${failure}. ${safeTrace(error)}`);
    return undefined;
  }
}

/**
 * A log over an output channel. It never throws: VS Code closes the channel as soon as a window begins to close, while the
 * response to a refresh may still be on its way to the disk, and a line that can't be written must not stop it.
 */
export function channelLog(channel: Log): Log {
  const write = (level: keyof Log) => (message: string) => {
    try {
      channel[level](message);
    } catch {
      // The channel is gone, and there is nowhere else to report that.
    }
  };
  return Object.fromEntries(LEVELS.map((level) => [level, write(level)])) as Log;
}
