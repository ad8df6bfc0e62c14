import type { Disk, Stamp } from '../../../src/storage/disk';
import { FileTree, folderOf, type Chance, type Inode } from './fileTree';
import type { Process, Steps } from './steps';
import type { Timeline } from './timeline';

/** File systems date in steps: two changes within one are not told apart by their dates. Milliseconds. */
const DATE_STEP = 10;
/** So long after a change the date of a file system that dates in such steps tells of the next one. Milliseconds. */
const RESOLUTION = 50;

/** How the disk misbehaves. */
export interface DiskFaults {
  /** No more room than the files have already. */
  full: boolean;
  /** No more room either, and files end where it ends, without an error. */
  short: boolean;
  /** Every writing fails. */
  readOnly: boolean;
  /** Every reading fails. */
  unreadable: boolean;
  /** Nobody is told of changes. */
  unwatched: boolean;
}

interface Watcher {
  readonly process: Process;
  readonly folder: string;
  readonly onChange: () => void;
  told: boolean;
}

/** An error as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: model`), { code });
}

/** A disk that all windows of one machine share. It forgets at a loss of power what was not synced. */
export class ModelDisk {
  readonly faults: DiskFaults = { full: false, short: false, readOnly: false, unreadable: false, unwatched: false };
  readonly #tree = new FileTree();
  readonly #folders = new Map<string, string>();
  readonly #identities = new Map<string, string>();
  readonly #durableFolders = new Set<string>();
  readonly #watchers = new Set<Watcher>();
  #inodes = 0;

  /** @param onChange is told each name whose contents changed for readers */
  constructor(
    private readonly steps: Steps,
    private readonly timeline: Timeline,
    private readonly onChange: (name: string, process: Process | undefined) => void,
  ) {}

  /** What a reader would see now. */
  peek(name: string): Uint8Array | undefined {
    return this.#tree.get(name)?.data;
  }

  /** All files' names. */
  get names(): readonly string[] {
    return this.#tree.names;
  }

  /** Removes a file, as if a person had; durable at once. */
  tamperRemove(name: string): void {
    this.tamper(name, () => undefined);
  }

  /** Removes folders with all that's in them, as if a person had; durable at once. Nobody watches them anymore. */
  tamperRemoveFolders(folders: readonly string[]): void {
    for (const name of this.#tree.names) if (folders.includes(folderOf(name))) this.tamperRemove(name);
    for (const folder of folders) this.#folders.delete(folder);
    for (const watcher of this.#watchers) if (folders.includes(watcher.folder)) this.#watchers.delete(watcher);
  }

  /** Changes a file, as if by a damage, or removes it if there is nothing to change it to; durable at once. */
  tamper(name: string, change: (data: Uint8Array) => Uint8Array | undefined): void {
    const inode = this.#tree.get(name);
    if (inode === undefined) return;
    const data = change(inode.data);
    if (data === undefined) this.#tree.unlink(name);
    else this.#tree.link(name, { ...this.#inode(), data, synced: data, room: data.length });
    this.#tree.syncFolder(folderOf(name));
    this.#touched(name, undefined);
  }

  /** The power fails. */
  crash(chance: Chance): void {
    this.#tree.loseDisk(chance);
    for (const folder of this.#folders.keys()) {
      if (!this.#durableFolders.has(folder) && chance() < 0.5) {
        this.#folders.delete(folder);
        for (const name of this.#tree.names.filter((one) => folderOf(one) === folder)) {
          this.#tree.unlink(name);
        }
      }
    }
    this.#tree.names.forEach((name) => {
      this.onChange(name, undefined);
    });
  }

  /** Forgets who died. */
  bury(process: Process): void {
    for (const watcher of this.#watchers) {
      if (watcher.process === process) {
        this.#watchers.delete(watcher);
      }
    }
  }

  /** The disk as one process sees it. Each operation is a step. */
  of(process: Process): Disk {
    const wait = <T>(label: string, effect: () => T): Promise<T> => this.steps.wait(process, label, effect);
    return {
      read: (name) => wait(`read ${name}`, () => this.#read(name)),
      stamp: (name) => wait(`stamp ${name}`, () => this.#stamp(name)),
      list: (folder) => wait(`list ${folder}`, () => this.#list(folder)),
      makeFolder: (folder) =>
        wait(`make ${folder}`, () => {
          this.#makeFolder(folder);
        }),
      write: (name, data) => wait(`write ${name}`, () => this.#write(process, name, data)),
      sync: (name) =>
        wait(`sync ${name}`, () => {
          this.#sync(name);
        }),
      rename: (from, to) =>
        wait(`rename ${to}`, () => {
          this.#rename(process, from, to);
        }),
      syncFolder: (folder) =>
        wait(`sync folder ${folder}`, () => {
          this.#syncFolder(folder);
        }),
      remove: (name) =>
        wait(`remove ${name}`, () => {
          this.#remove(process, name);
        }),
      watch: (folder, onChange) => this.#watch(process, folder, onChange),
    };
  }

  #read(name: string): Uint8Array | undefined {
    this.#mayRead();
    return this.#tree.get(name)?.data;
  }

  #stamp(name: string): Stamp | undefined {
    this.#mayRead();
    const inode = this.#tree.get(name);
    if (inode !== undefined) {
      return {
        identity: String(inode.id),
        mark: `${inode.id}:${inode.modified}:${inode.data.length}`,
        changedAt: inode.modifiedAt,
        resolution: RESOLUTION,
      };
    }
    const mark = this.#folders.get(name);
    return mark === undefined
      ? undefined
      : {
          identity: this.#identities.get(name) ?? '',
          mark,
          changedAt: Number(mark.split(' ')[0]),
          resolution: RESOLUTION,
        };
  }

  #list(folder: string): readonly string[] {
    this.#mayRead();
    return this.#tree.names.filter((name) => folderOf(name) === folder).map((name) => name.slice(folder.length + 1));
  }

  #makeFolder(folder: string): void {
    if (!this.#folders.has(folder)) {
      this.#mayWrite();
      this.#folders.set(folder, this.#date());
      this.#identities.set(folder, `folder ${++this.#inodes}`);
    }
  }

  #write(process: Process, name: string, data: Uint8Array): number {
    this.#mayWrite();
    if (!this.#folders.has(folderOf(name))) {
      throw systemError('ENOENT');
    }
    let inode = this.#tree.get(name);
    if (inode === undefined) {
      inode = this.#inode();
      this.#tree.link(name, inode);
      this.#touched(name, process);
    }
    if (this.faults.full && data.length > inode.room) {
      throw systemError('ENOSPC');
    }
    inode.data = this.faults.short ? data.subarray(0, inode.room) : data;
    inode.room = inode.data.length;
    inode.modified = this.#date();
    inode.modifiedAt = this.timeline.now;
    this.onChange(name, process);
    return inode.data.length;
  }

  #sync(name: string): void {
    this.#mayWrite();
    const inode = this.#tree.get(name);
    if (inode === undefined) {
      throw systemError('ENOENT');
    }
    inode.synced = inode.data;
  }

  #rename(process: Process, from: string, to: string): void {
    this.#mayWrite();
    const inode = this.#tree.get(from);
    if (inode === undefined || !this.#folders.has(folderOf(to))) {
      throw systemError('ENOENT');
    }
    this.#tree.rename(from, to, inode);
    this.#touched(from, process);
    this.#touched(to, process);
  }

  #syncFolder(folder: string): void {
    this.#tree.syncFolder(folder);
    for (const inner of this.#folders.keys()) {
      if (folderOf(inner) === folder) {
        this.#durableFolders.add(inner);
      }
    }
  }

  #remove(process: Process, name: string): void {
    this.#mayWrite();
    if (this.#tree.get(name) !== undefined) {
      this.#tree.unlink(name);
      this.#touched(name, process);
    }
  }

  #watch(process: Process, folder: string, onChange: () => void): () => void {
    const watcher: Watcher = { process, folder, onChange, told: true };
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /** A name came, went, or stands for something else. */
  #touched(name: string, process: Process | undefined): void {
    const folder = folderOf(name);
    if (this.#folders.has(folder)) {
      this.#folders.set(folder, this.#date());
    }
    this.onChange(name, process);
    for (const watcher of this.#watchers) {
      if (watcher.folder === folder && watcher.told && !this.faults.unwatched) {
        watcher.told = false;
        this.steps.add(watcher.process, `watch ${folder}`, () => () => {
          watcher.told = true;
          if (this.#watchers.has(watcher)) {
            watcher.onChange();
          }
        });
      }
    }
  }

  #inode(): Inode {
    const none = new Uint8Array();
    return {
      id: ++this.#inodes,
      data: none,
      synced: none,
      room: 0,
      modified: this.#date(),
      modifiedAt: this.timeline.now,
    };
  }

  #date(): string {
    return `${step(this.timeline.now)} ${step(this.timeline.elapsed)}`;
  }

  #mayRead(): void {
    if (this.faults.unreadable) {
      throw systemError('EIO');
    }
  }

  #mayWrite(): void {
    if (this.faults.readOnly) {
      throw systemError('EROFS');
    }
  }
}

function step(milliseconds: number): number {
  return Math.floor(milliseconds / DATE_STEP) * DATE_STEP;
}
