import { PATIENCE } from '../../../src/storage/heldFiles';
import type { Disk, Stamp } from '../../../src/storage/nodeDisk';
import { FileTree, folderOf, type Chance, type Inode } from './fileTree';
import type { Process, Steps } from './steps';
import type { Timeline } from './timeline';

/** File systems date in steps: two changes within one are not told apart by their dates. Milliseconds. */
const DATE_STEPS = { fine: 10, coarse: 2_000, FAT: 2_000 };
/** So long after a change the date of a file system that dates in such steps tells of the next one. Milliseconds. */
const RESOLUTIONS = { fine: 50, coarse: 2_000, FAT: 2_000 };

/** The extension reads no larger file. Bytes. */
const LARGEST_FILE = 1024 * 1024;

/**
 * What the file system's stamps tell. `coarse`: it dates in large steps, and gives a new file the number of one that's
 * gone. `FAT`: what's more, a folder keeps the date of its birth whatever happens inside.
 */
export type Dating = keyof typeof DATE_STEPS;

/** How long scanners hold new files, and how many of ten they hold. Milliseconds. */
const SCANNED = { least: 50, most: 500, ofTen: 7 };

/**
 * What another program that has a file open, as on Windows, lets others do with it: everything but replacing the file;
 * neither replacing nor removing it; or nothing.
 */
export type Sharing = 'read' | 'keep' | 'lock';

/** What a program must not do with a file that others have open so. */
const PREVENTS = {
  open: ['lock'],
  remove: ['keep', 'lock'],
  replace: ['read', 'keep', 'lock'],
} as const satisfies Record<string, readonly Sharing[]>;

/** How the disk misbehaves. */
export interface DiskFaults {
  /** A scanner holds most new files for a moment. */
  scanned: boolean;
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

/** A file that was written, and how many bytes it took. */
interface Written {
  readonly inode: Inode;
  readonly length: number;
}

interface Folder {
  readonly identity: string;
  readonly born: string;
  /** When its names changed. */
  modified: string;
}

/** An error as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: model`), { code });
}

/** A disk that all windows of one machine share. It forgets at a loss of power what was not synced. */
export class ModelDisk {
  readonly faults: DiskFaults = {
    scanned: false,
    full: false,
    short: false,
    readOnly: false,
    unreadable: false,
    unwatched: false,
  };
  readonly #tree = new FileTree();
  readonly #folders = new Map<string, Folder>();
  readonly #watchers = new Set<Watcher>();
  /** The files that other programs have open. */
  readonly #held = new Map<string, Sharing>();
  readonly #holder: Process = { name: 'another program', alive: true, stopped: false };
  #scanned = 0;
  #made = 0;
  dating: Dating = 'fine';

  /** @param onChange is told each name whose contents changed for readers */
  constructor(
    private readonly steps: Steps,
    private readonly timeline: Timeline,
    private readonly onChange: (name: string) => void,
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
    if (data === undefined) this.#tree.change({ gone: name });
    else this.#tree.change({ come: name, inode: { ...this.#newInode(), data, synced: data, room: data.length } });
    this.#tree.syncFolder(folderOf(name));
    this.#touched(name);
  }

  /** The power fails. */
  crash(chance: Chance): void {
    this.#tree.loseDisk(chance);
    for (const name of this.#tree.names) this.onChange(name);
  }

  /** Another program has a file open for so long. */
  hold(name: string, sharing: Sharing, milliseconds: number): void {
    if (this.#tree.get(name) === undefined || this.#held.has(name)) return;
    this.#held.set(name, sharing);
    this.timeline.later(this.#holder, milliseconds, () => void this.#held.delete(name));
  }

  /** Other programs close all files. */
  letGo(): void {
    this.#held.clear();
  }

  /** Forgets who died. */
  bury(process: Process): void {
    for (const watcher of this.#watchers) if (watcher.process === process) this.#watchers.delete(watcher);
  }

  /** The disk as one process sees it. Each operation is a step. */
  of(process: Process): Disk {
    const step = <T>(
      label: string,
      fault: 'unreadable' | 'readOnly' | undefined,
      effect: () => T,
      isPrevented = () => false,
      patience = PATIENCE,
    ): Promise<T> => {
      const giveUpAt = this.timeline.elapsed + patience;
      const forget = isPrevented() ? this.timeline.remind(process, patience) : () => undefined;
      return this.steps.wait(
        process,
        label,
        () => {
          forget();
          if (isPrevented()) throw systemError('EBUSY');
          if (fault !== undefined && this.faults[fault]) throw systemError(fault === 'readOnly' ? 'EROFS' : 'EIO');
          return effect();
        },
        () => !isPrevented() || this.timeline.elapsed >= giveUpAt,
      );
    };
    const prevents = (name: string, what: keyof typeof PREVENTS) => () => {
      if (this.#held.size === 0) return false;
      const by: readonly Sharing[] = PREVENTS[what];
      const sharing = this.#held.get(name);
      return sharing !== undefined && by.includes(sharing);
    };
    const tree = this.#tree;
    return {
      read: (name) =>
        step(
          `read ${name}`,
          'unreadable',
          () => {
            const data = tree.get(name)?.data;
            if (data !== undefined && data.length > LARGEST_FILE) throw systemError('EFBIG');
            return data;
          },
          prevents(name, 'open'),
        ),
      stamp: (name) => step(`stamp ${name}`, 'unreadable', () => this.#stamp(name)),
      list: (folder) => step(`list ${folder}`, 'unreadable', () => tree.namesIn(folder)),
      stampsNow: (folder) => this.#stampsOf(folder, this.faults.unreadable ? [] : tree.namesIn(folder)),
      makeFolder: (folder) =>
        step(`make ${folder}`, undefined, () => {
          if (this.#folders.has(folder)) return;
          if (this.faults.readOnly) throw systemError('EROFS');
          const born = this.#date();
          this.#folders.set(folder, { identity: `folder ${++this.#made}`, born, modified: born });
        }),
      write: (name, data) =>
        step(
          `write ${name}`,
          'readOnly',
          () => {
            const { length } = this.#write(name, data);
            this.#scan(name);
            return length;
          },
          prevents(name, 'open'),
        ),
      writeDurably: async (name, data, patience) => {
        const write = (): Written => this.#write(name, data);
        const written = await step(`write ${name}`, 'readOnly', write, prevents(name, 'open'), patience);
        // The file is still open. Even if it goes meanwhile, it can be synced.
        return await step(`sync ${name}`, 'readOnly', () => {
          sync(written.inode);
          this.#scan(name);
          return written.length;
        });
      },
      sync: (name) =>
        step(
          `sync ${name}`,
          'readOnly',
          () => {
            sync(this.#existing(name));
          },
          prevents(name, 'open'),
        ),
      rename: (from, to) =>
        step(
          `rename ${to}`,
          'readOnly',
          () => {
            const inode = this.#existing(from);
            if (!this.#folders.has(folderOf(to))) throw systemError('ENOENT');
            tree.change({ gone: from, come: to, inode });
            this.#touched(from);
            this.#touched(to);
            this.#scan(to);
          },
          () => prevents(from, 'remove')() || prevents(to, 'replace')(),
        ),
      syncFolder: (folder) =>
        step(`sync folder ${folder}`, undefined, () => {
          tree.syncFolder(folder);
        }),
      remove: (name) =>
        step(
          `remove ${name}`,
          'readOnly',
          () => {
            if (tree.get(name) === undefined) return;
            tree.change({ gone: name });
            this.#held.delete(name);
            this.#touched(name);
          },
          prevents(name, 'remove'),
        ),
      watch: (folder, onChange) => {
        const watcher: Watcher = { process, folder, onChange, told: true };
        this.#watchers.add(watcher);
        return () => void this.#watchers.delete(watcher);
      },
    };
  }

  #existing(name: string): Inode {
    const inode = this.#tree.get(name);
    if (inode === undefined) throw systemError('ENOENT');
    return inode;
  }

  #stampsOf(folder: string, names: readonly string[]): ReadonlyMap<string, Stamp> {
    const stamps = new Map<string, Stamp>();
    for (const name of names) {
      const stamp = this.#stamp(`${folder}/${name}`);
      if (stamp !== undefined) stamps.set(name, stamp);
    }
    return stamps;
  }

  #stamp(name: string): Stamp | undefined {
    const resolution = RESOLUTIONS[this.dating];
    const inode = this.#tree.get(name);
    if (inode !== undefined) {
      const { id, modified, data } = inode;
      const identity = String(this.dating === 'fine' ? id : 0);
      const changedAt = timeOf(modified);
      return { identity, mark: `${identity}:${modified}:${data.length}`, bornAt: changedAt, changedAt, resolution };
    }
    const folder = this.#folders.get(name);
    if (folder === undefined) return undefined;
    const { identity, born } = folder;
    const modified = this.dating === 'FAT' ? born : folder.modified;
    return { identity, mark: modified, bornAt: timeOf(born), changedAt: timeOf(modified), resolution };
  }

  #write(name: string, data: Uint8Array): Written {
    if (!this.#folders.has(folderOf(name))) throw systemError('ENOENT');
    let inode = this.#tree.get(name);
    if (inode === undefined) {
      inode = this.#newInode();
      this.#tree.change({ come: name, inode });
      this.#touched(name);
    }
    if (this.faults.full && data.length > inode.room) throw systemError('ENOSPC');
    inode.data = this.faults.short ? data.subarray(0, inode.room) : data;
    inode.room = inode.data.length;
    inode.modified = this.#date();
    this.onChange(name);
    return { inode, length: inode.data.length };
  }

  /** A scanner looks at most new files: it opens them as soon as they're closed. */
  #scan(name: string): void {
    if (!this.faults.scanned) return;
    this.#scanned++;
    const { least, most, ofTen } = SCANNED;
    if ((this.#scanned * 7) % 10 < ofTen) this.hold(name, 'lock', least + ((this.#scanned * 197) % (most - least)));
  }

  /** A name came, went, or stands for something else. */
  #touched(name: string): void {
    const folder = folderOf(name);
    const inside = this.#folders.get(folder);
    if (inside !== undefined) inside.modified = this.#date();
    this.onChange(name);
    for (const watcher of this.#watchers) {
      if (watcher.folder !== folder || !watcher.told || this.faults.unwatched) continue;
      watcher.told = false;
      this.steps.add(watcher.process, `watch ${folder}`, () => () => {
        watcher.told = true;
        if (this.#watchers.has(watcher)) watcher.onChange();
      });
    }
  }

  #newInode(): Inode {
    const none = new Uint8Array();
    return { id: ++this.#made, data: none, synced: none, room: 0, modified: this.#date() };
  }

  /** Now, as the file system dates it: by the wall clock, and after it what tells times apart if that is set back. */
  #date(): string {
    const step = DATE_STEPS[this.dating];
    const inSteps = (time: number): number => Math.floor(time / step) * step;
    const { now, elapsed } = this.timeline;
    return this.dating === 'fine' ? `${inSteps(now)} ${inSteps(elapsed)}` : `${inSteps(now)}`;
  }
}

function sync(inode: Inode): void {
  inode.synced = inode.data;
}

function timeOf(date: string): number {
  return Number.parseInt(date, 10);
}
