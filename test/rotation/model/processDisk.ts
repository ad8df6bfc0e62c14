import { PATIENCE } from '../../../src/storage/heldFiles';
import type { Disk, Stamp } from '../../../src/storage/nodeDisk';
import { systemError } from '../../support/fileSharing';
import type { ModelDisk } from './disk';
import type { Process, Steps } from './steps';
import type { Timeline } from './timeline';

/** What an operation depends on. */
interface Conditions {
  /** The fault that makes it fail. */
  readonly fault?: 'unreadable' | 'readOnly';
  /** Whether another program prevents it right now. */
  readonly isPrevented?: () => boolean;
  /** How long it's repeated while it's prevented. Milliseconds. */
  readonly patience?: number | undefined;
}

/** The disk as one process sees it. Each operation is a step. */
export class ProcessDisk implements Disk {
  constructor(
    private readonly disk: ModelDisk,
    private readonly process: Process,
    private readonly steps: Steps,
    private readonly timeline: Timeline,
  ) {}

  read(name: string): Promise<Uint8Array | undefined> {
    const isPrevented = (): boolean => this.disk.prevents(name, 'open');
    return this.#step(`read ${name}`, { fault: 'unreadable', isPrevented }, () => this.disk.read(name));
  }

  stamp(name: string): Promise<Stamp | undefined> {
    return this.#step(`stamp ${name}`, { fault: 'unreadable' }, () => this.disk.stamp(name));
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#step(`list ${folder}`, { fault: 'unreadable' }, () => this.disk.namesIn(folder));
  }

  stampsNow(folder: string): ReadonlyMap<string, Stamp> {
    return this.disk.stampsIn(folder);
  }

  makeFolder(folder: string): Promise<void> {
    return this.#step(`make ${folder}`, {}, () => {
      this.disk.makeFolder(folder);
    });
  }

  write(name: string, data: Uint8Array): Promise<number> {
    const isPrevented = (): boolean => this.disk.prevents(name, 'open');
    return this.#step(`write ${name}`, { fault: 'readOnly', isPrevented }, () => {
      const { length } = this.disk.write(name, data);
      this.disk.closed(name);
      return length;
    });
  }

  async writeDurably(name: string, data: Uint8Array, patience?: number): Promise<number> {
    const isPrevented = (): boolean => this.disk.prevents(name, 'open');
    const written = await this.#step(`write ${name}`, { fault: 'readOnly', isPrevented, patience }, () =>
      this.disk.write(name, data),
    );
    // The file is still open. Even if it goes meanwhile, it can be synced.
    return await this.#step(`sync ${name}`, { fault: 'readOnly' }, () => {
      written.sync();
      this.disk.closed(name);
      return written.length;
    });
  }

  sync(name: string): Promise<void> {
    const isPrevented = (): boolean => this.disk.prevents(name, 'open');
    return this.#step(`sync ${name}`, { fault: 'readOnly', isPrevented }, () => {
      this.disk.sync(name);
    });
  }

  rename(from: string, to: string): Promise<void> {
    const isPrevented = (): boolean => this.disk.prevents(from, 'remove') || this.disk.prevents(to, 'replace');
    return this.#step(`rename ${to}`, { fault: 'readOnly', isPrevented }, () => {
      this.disk.rename(from, to);
      this.disk.closed(to);
    });
  }

  syncFolder(folder: string): Promise<void> {
    return this.#step(`sync folder ${folder}`, {}, () => {
      this.disk.syncFolder(folder);
    });
  }

  remove(name: string): Promise<void> {
    const isPrevented = (): boolean => this.disk.prevents(name, 'remove');
    return this.#step(`remove ${name}`, { fault: 'readOnly', isPrevented }, () => {
      this.disk.remove(name);
    });
  }

  watch(folder: string, onChange: () => void): () => void {
    return this.disk.watch(this.process, folder, onChange);
  }

  #step<T>(
    label: string,
    { fault, isPrevented = () => false, patience = PATIENCE }: Conditions,
    effect: () => T,
  ): Promise<T> {
    const giveUpAt = this.timeline.elapsed + patience;
    const forget = isPrevented() ? this.timeline.remind(this.process, patience) : () => undefined;
    return this.steps.wait(
      this.process,
      label,
      () => {
        forget();
        if (isPrevented()) throw systemError('EBUSY');
        if (fault !== undefined && this.disk.faults[fault]) throw systemError(fault === 'readOnly' ? 'EROFS' : 'EIO');
        return effect();
      },
      () => !isPrevented() || this.timeline.elapsed >= giveUpAt,
    );
  }
}
