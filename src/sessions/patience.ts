/**
 * How long a caller waits for the next token at most: for a refresh, wherever it runs, and whoever asked for it. Milliseconds.
 */
export const CALLER_PATIENCE = 10_000;
/** Pause between attempts to write a response to a disk that refuses. Milliseconds. */
export const WRITE_AGAIN = 2_000;
