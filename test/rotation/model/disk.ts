import type { Disk, Stamp } from '../../../src/storage/nodeDisk';
import { prevents, type Sharing, systemError, type Use } from '../../support/fileSharing';
import { FileTree, folderOf, type Chance, type Inode } from './fileTree';
import { ProcessDisk } from './processDisk';
import type { Process, Steps } from './steps';
import type { Timeline } from './timeline';

/** File systems date in steps: two changes within one are not told apart by their dates. Milliseconds. */
const DATE_STEP = 10;

/** What's larger can't be the extension's. Bytes. */
const LARGEST_FILE = 4 * 1024 * 1024;

/** How long scanners hold new files, and how many of ten they hold. Milliseconds. */
const SCANNED = { least: 50, most: 500, ofTen: 7 };

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

/** A file that was written and is still open. */
interface Written {
  /** How many bytes it took. */
  readonly length: number;
  sync(): void;
}

interface Folder {
  readonly identity: string;
  /** When its names changed. */
  modified: string;
}

/** A disk that all windows of one machine share. When the power fails, it loses what wasn't synced. */
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

  /** The machine goes to sleep: before, the system writes all that it has kept in memory. */
  sleep(): void {
    this.#tree.syncAll();
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

  /** Removes the watchers of a dead process. */
  bury(process: Process): void {
    for (const watcher of this.#watchers) if (watcher.process === process) this.#watchers.delete(watcher);
  }

  /** The disk as one process sees it. */
  of(process: Process): Disk {
    return new ProcessDisk(this, process, this.steps, this.timeline);
  }

  /** Whether another program that has the file open prevents this. */
  prevents(name: string, use: Use): boolean {
    return prevents(this.#held.get(name), use);
  }

  read(name: string): Uint8Array | undefined {
    const data = this.peek(name);
    return data !== undefined && data.length > LARGEST_FILE ? new Uint8Array() : data;
  }

  namesIn(folder: string): readonly string[] {
    return this.#tree.namesIn(folder);
  }

  /** The stamps of the files in a folder by their names; none if the disk can't be read. */
  stampsIn(folder: string): ReadonlyMap<string, Stamp> {
    const stamps = new Map<string, Stamp>();
    for (const name of this.faults.unreadable ? [] : this.namesIn(folder)) {
      const stamp = this.stamp(`${folder}/${name}`);
      if (stamp !== undefined) stamps.set(name, stamp);
    }
    return stamps;
  }

  stamp(name: string): Stamp | undefined {
    const inode = this.#tree.get(name);
    if (inode !== undefined) {
      const { id, modified, data } = inode;
      return { identity: String(id), mark: `${id}:${modified}:${data.length}`, changedAt: timeOf(modified) };
    }
    const folder = this.#folders.get(name);
    return folder && { identity: folder.identity, mark: folder.modified, changedAt: timeOf(folder.modified) };
  }

  makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    if (this.faults.readOnly) throw systemError('EROFS');
    this.#folders.set(folder, { identity: `folder ${++this.#made}`, modified: this.#date() });
  }

  /** Writes a file, which stays open. */
  write(name: string, data: Uint8Array): Written {
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
    const written = inode;
    return {
      length: inode.data.length,
      sync: () => {
        syncInode(written);
      },
    };
  }

  /** A file that was written is closed. A scanner looks at most of them: it opens them as soon as they're closed. */
  closed(name: string): void {
    if (!this.faults.scanned) return;
    this.#scanned++;
    const { least, most, ofTen } = SCANNED;
    if ((this.#scanned * 7) % 10 < ofTen) this.hold(name, 'lock', least + ((this.#scanned * 197) % (most - least)));
  }

  sync(name: string): void {
    syncInode(this.#existing(name));
  }

  rename(from: string, to: string): void {
    const inode = this.#existing(from);
    if (!this.#folders.has(folderOf(to))) throw systemError('ENOENT');
    this.#tree.change({ gone: from, come: to, inode });
    this.#touched(from);
    this.#touched(to);
  }

  syncFolder(folder: string): void {
    this.#tree.syncFolder(folder);
  }

  remove(name: string): void {
    if (this.#tree.get(name) === undefined) return;
    this.#tree.change({ gone: name });
    this.#held.delete(name);
    this.#touched(name);
  }

  /** @returns how to stop watching */
  watch(process: Process, folder: string, onChange: () => void): () => void {
    const watcher: Watcher = { process, folder, onChange, told: true };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  #existing(name: string): Inode {
    const inode = this.#tree.get(name);
    if (inode === undefined) throw systemError('ENOENT');
    return inode;
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
    const { now, elapsed } = this.timeline;
    const inSteps = (time: number): number => Math.floor(time / DATE_STEP) * DATE_STEP;
    return `${inSteps(now)} ${inSteps(elapsed)}`;
  }
}

function syncInode(inode: Inode): void {
  inode.synced = inode.data;
}

function timeOf(date: string): number {
  return Number.parseInt(date, 10);
}
