/** A file's contents: what readers see, and what a loss of power would leave. */
export interface Inode {
  readonly id: number;
  data: Uint8Array;
  synced: Uint8Array;
  /** Bytes of the disk that are the file's own, whether used or not. */
  room: number;
  modified: string;
}

/** A name that comes to stand for a file, or goes, or both in one step: a renaming. */
interface Change {
  readonly gone?: string;
  readonly come?: string;
  readonly inode?: Inode;
}

/** A change that a loss of power may undo, and the folders of its names. */
interface UnsyncedChange extends Change {
  readonly folders: readonly string[];
}

/** Decides, at a loss of power, what of the unsynced survives: a number from 0 up to 1 for each question. */
export type Chance = () => number;

/** The folder of a name; the top folder is a dot. */
export function folderOf(name: string): string {
  const end = name.lastIndexOf('/');
  return end < 0 ? '.' : name.slice(0, end);
}

/**
 * Names and contents as a strict file system keeps them: contents survive a loss of power once the file was synced,
 * names once their folder was. Anything else may survive, or not, each by itself.
 */
export class FileTree {
  #visible = new Map<string, Inode>();
  #durable = new Map<string, Inode>();
  #unsynced: UnsyncedChange[] = [];

  get(name: string): Inode | undefined {
    return this.#visible.get(name);
  }

  /** All names there are. */
  get names(): readonly string[] {
    return [...this.#visible.keys()];
  }

  /** The names of the files in a folder, without the folder's. */
  namesIn(folder: string): readonly string[] {
    const names: string[] = [];
    for (const name of this.#visible.keys()) if (isIn(folder, name)) names.push(name.slice(folder.length + 1));
    return names;
  }

  change(change: Change): void {
    apply(this.#visible, change);
    const names = [change.gone, change.come].filter((name) => name !== undefined);
    this.#unsynced.push({ ...change, folders: names.map(folderOf) });
  }

  /** Makes the names in a folder durable. A renaming is one step: it becomes durable whole. */
  syncFolder(folder: string): void {
    this.#unsynced = this.#unsynced.filter((change) => {
      const isSynced = change.folders.includes(folder);
      if (isSynced) apply(this.#durable, change);
      return !isSynced;
    });
  }

  /** Everything becomes durable, as the system sees to by itself after a while. */
  syncAll(): void {
    for (const change of this.#unsynced) apply(this.#durable, change);
    this.#unsynced = [];
    for (const inode of this.#visible.values()) inode.synced = inode.data;
  }

  /** The power fails: what was not synced survives by chance. */
  loseDisk(chance: Chance): void {
    for (const change of this.#unsynced) {
      if (chance() < 0.5) apply(this.#durable, change);
    }
    this.#unsynced = [];
    this.#visible = new Map(this.#durable);
    for (const inode of new Set(this.#visible.values())) {
      if (inode.data !== inode.synced) {
        const fate = chance();
        inode.data = fate < 0.4 ? inode.synced : fate < 0.7 ? inode.data : torn(inode.data, inode.synced, chance());
        inode.synced = inode.data;
      }
    }
  }
}

/** Whether a file is in a folder, and not in one that's inside of it. */
function isIn(folder: string, name: string): boolean {
  return name.lastIndexOf('/') === folder.length && name.startsWith(folder);
}

/** The first part of the new contents and the rest of the old. */
function torn(data: Uint8Array, synced: Uint8Array, where: number): Uint8Array {
  const cut = Math.floor(where * data.length);
  return Buffer.concat([data.subarray(0, cut), synced.subarray(cut)]);
}

function apply(names: Map<string, Inode>, { gone, come, inode }: Change): void {
  if (gone !== undefined) names.delete(gone);
  if (come !== undefined && inode !== undefined) names.set(come, inode);
}
