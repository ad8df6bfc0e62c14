import type { ReadableRows, Rows, SharedRows } from '../../../src/storage/rows';
import { folderUnavailable } from '../../../src/storage/storeUnavailable';
import { systemError } from '../../support/systemError';
import type { Process, Steps } from './steps';
import type { Timeline } from './timeline';

/** How long a transaction waits while others have the database, and one whose reader has something in memory. Milliseconds. */
const PATIENCE = 3_000;
const SHORT_PATIENCE = 250;

/** How the store misbehaves. */
export interface StoreFaults {
  /** No more room than the rows have already. */
  full: boolean;
  /** Every writing fails. */
  readOnly: boolean;
  /** Everything fails. */
  unreadable: boolean;
  /** A process that was stopped in the middle of its commit has the database. */
  busy: boolean;
  /** Nobody hears the bell. */
  unwatched: boolean;
}

interface Watcher {
  readonly process: Process;
  readonly onChange: () => void;
  isRung: boolean;
}

/**
 * The rows that all windows of one machine share. A transaction is one step, and what it has written survives everything: that's
 * what the real database is tested for.
 */
export class ModelStore {
  readonly faults: StoreFaults = { full: false, readOnly: false, unreadable: false, busy: false, unwatched: false };
  #rows: ReadonlyMap<string, string> = new Map();
  /** All that it ever was. */
  readonly #history: ReadonlyMap<string, string>[] = [];
  readonly #watchers = new Set<Watcher>();

  /** @param onChange is told the names of the rows that a transaction changed */
  constructor(
    private readonly steps: Steps,
    private readonly timeline: Timeline,
    private readonly onChange: (names: readonly string[]) => void = () => undefined,
  ) {}

  /** What a reader would see now. */
  peek(name: string): string | undefined {
    return this.#rows.get(name);
  }

  /** The names of all rows. */
  get names(): readonly string[] {
    return [...this.#rows.keys()];
  }

  /** Changes a row, as if by a damage, or removes it if there's nothing to change it to. */
  tamper(name: string, change: (text: string) => string | undefined): void {
    const before = this.#rows.get(name);
    if (before === undefined) return;
    const after = change(before);
    const rows = new Map(this.#rows);
    if (after === undefined) rows.delete(name);
    else rows.set(name, after);
    this.#replace(rows);
  }

  /** Removes a row, as if a person had. */
  tamperRemove(name: string): void {
    this.tamper(name, () => undefined);
  }

  /** Somebody deletes or empties all of it. */
  empty(): void {
    this.#replace(new Map());
  }

  /** Somebody puts a copy back that was made so many commits ago. */
  setBack(commits: number): void {
    const copy = this.#history.at(-1 - commits) ?? this.#history[0];
    if (copy !== undefined) this.#replace(copy);
  }

  /** Removes the watchers of a dead process. */
  bury(process: Process): void {
    for (const watcher of this.#watchers) if (watcher.process === process) this.#watchers.delete(watcher);
  }

  /** The store as one process sees it. Each transaction is a step. */
  of(process: Process): SharedRows {
    return {
      read: (work, isInMemory = false) =>
        this.#step(process, 'read', isInMemory ? SHORT_PATIENCE : PATIENCE, () => this.#read(work)),
      write: (work) => this.#step(process, 'write', PATIENCE, () => this.#write(work)),
      version: () => (this.faults.unreadable ? undefined : String(this.#history.length)),
      watch: (onChange) => {
        const watcher: Watcher = { process, onChange, isRung: false };
        this.#watchers.add(watcher);
        return () => void this.#watchers.delete(watcher);
      },
      isDeaf: () => this.faults.unwatched,
    };
  }

  #step<T>(process: Process, label: string, patience: number, effect: () => T): Promise<T> {
    const giveUpAt = this.timeline.elapsed + patience;
    const forget = this.faults.busy ? this.timeline.remind(process, patience) : () => undefined;
    return this.steps.wait(
      process,
      label,
      () => {
        forget();
        if (this.faults.busy) this.#fail('EBUSY');
        if (this.faults.unreadable) this.#fail('EIO');
        return effect();
      },
      () => !this.faults.busy || this.timeline.elapsed >= giveUpAt,
    );
  }

  #read<T>(work: (rows: ReadableRows) => T): T {
    return work(rowsOf(new Map(this.#rows)));
  }

  #write<T>(work: (rows: Rows) => T): T {
    if (this.faults.readOnly) this.#fail('EROFS');
    const rows = new Map(this.#rows);
    const result = work(rowsOf(rows));
    for (const [name, text] of this.faults.full ? rows : []) {
      if (text.length > (this.#rows.get(name)?.length ?? 0)) this.#fail('ENOSPC');
    }
    this.#replace(rows);
    return result;
  }

  #fail(code: string): never {
    throw folderUnavailable(systemError(code));
  }

  #replace(rows: ReadonlyMap<string, string>): void {
    const names = [...new Set([...this.#rows.keys(), ...rows.keys()])];
    const changed = names.filter((name) => this.#rows.get(name) !== rows.get(name));
    if (changed.length === 0) return;
    this.#history.push(this.#rows);
    this.#rows = rows;
    this.onChange(changed);
    this.#ring();
  }

  #ring(): void {
    for (const watcher of this.#watchers) {
      if (watcher.isRung || this.faults.unwatched) continue;
      watcher.isRung = true;
      this.steps.add(watcher.process, 'bell', () => () => {
        watcher.isRung = false;
        if (this.#watchers.has(watcher)) watcher.onChange();
      });
    }
  }
}

/** A map as rows of a transaction. */
export function rowsOf(rows: Map<string, string>): Rows {
  return {
    get: (name) => rows.get(name),
    all: (prefix) => new Map([...rows].filter(([name]) => name.startsWith(prefix)).sort()),
    put: (name, text) => void rows.set(name, text),
    remove: (name) => void rows.delete(name),
  };
}
