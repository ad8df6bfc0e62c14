import type { Log } from '../../src/log';

/** A log that nobody reads. */
export const SILENT: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };

function nothing(): void {
  // Writing would take time that isn't the measured code's.
}
