import type { ReadableRows, Rows, SharedRows } from '../../../src/storage/rows';
import { folderUnavailable } from '../../../src/storage/storeUnavailable';
import { systemError } from '../../support/systemError';

/**
 * Decides in each transaction whether it fails.
 * @param written the names of the rows that it has changed
 * @returns the system's code of the error, if it's to fail
 */
export type Trouble = (transaction: 'read' | 'write', written: readonly string[]) => string | undefined;

/** The store with faults of its own for one window. */
export class TroubledRows implements SharedRows {
  trouble: Trouble = () => undefined;
  /** Whether writing fails with an error that nobody knows. */
  isDefect = false;

  constructor(private readonly rows: SharedRows) {}

  read<T>(work: (rows: ReadableRows) => T, isInMemory?: boolean): Promise<T> {
    return this.rows.read((rows) => {
      this.#check('read', []);
      return work(rows);
    }, isInMemory);
  }

  write<T>(work: (rows: Rows) => T): Promise<T> {
    return this.rows.write((rows) => {
      const written: string[] = [];
      const result = work({
        ...rows,
        put: (name, text) => {
          written.push(name);
          rows.put(name, text);
        },
        remove: (name) => {
          written.push(name);
          rows.remove(name);
        },
      });
      this.#check('write', written);
      if (this.isDefect) throw new RangeError('a defect');
      return result;
    });
  }

  version(): string | undefined {
    return this.rows.version();
  }

  watch(onChange: () => void): () => void {
    return this.rows.watch(onChange);
  }

  isDeaf(): boolean {
    return this.rows.isDeaf();
  }

  #check(transaction: 'read' | 'write', written: readonly string[]): void {
    const code = this.trouble(transaction, written);
    if (code !== undefined) throw folderUnavailable(systemError(code));
  }
}
