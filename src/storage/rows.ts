/** Rows of text, each by its name, as one transaction reads them. */
export interface ReadableRows {
  /** The row of this name; `undefined` if there is none. */
  get(name: string): string | undefined;
  /** The rows whose names begin so, by their names. */
  all(prefix: string): ReadonlyMap<string, string>;
}

/** Rows as one transaction reads and changes them. */
export interface Rows extends ReadableRows {
  put(name: string, text: string): void;
  remove(name: string): void;
}

/** No rows, and what's put is there for nobody. */
export const NO_ROWS: Rows = {
  get: () => undefined,
  all: () => new Map(),
  put: () => undefined,
  remove: () => undefined,
};

/** The rows that all windows on this machine share. */
export interface SharedRows {
  /**
   * Runs `work` in a transaction that changes nothing.
   * @param work is synchronous, and may run again if another window was faster
   * @param isInMemory whether the caller remembers what it read before: then it waits for others only for a quarter of a second, and
   *   otherwise as long as a transaction that writes
   * @throws StoreUnavailableError; what `work` throws
   */
  read<T>(work: (rows: ReadableRows) => T, isInMemory?: boolean): Promise<T>;
  /**
   * Runs `work` in a transaction: when this resolves, what it changed survives a loss of power, and every other window reads
   * it. If it throws, nothing has changed.
   * @param work is synchronous, and may run again if another window was faster
   * @throws StoreUnavailableError; what `work` throws
   */
  write<T>(work: (rows: Rows) => T): Promise<T>;
  /**
   * Differs from what was returned before if anything may have been committed since, in any window; `undefined` if that isn't
   * known. Costs some microseconds.
   */
  version(): string | undefined;
  /**
   * Calls back, soon and perhaps too often, when another window has committed something, and once when this can't be heard anymore.
   * @returns how to stop
   */
  watch(onChange: () => void): () => void;
  /** Whether somebody watches, but the system doesn't tell of what other windows commit. */
  isDeaf(): boolean;
}
