/** How many frames of a stack are logged. */
const FRAMES = 8;

/**
 * Kind and place of an error for the log, without its message: errors from elsewhere may quote what they were handed,
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
