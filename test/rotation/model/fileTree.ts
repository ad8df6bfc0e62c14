/** A file's contents: what readers see, and what a loss of power would leave. */
export interface Inode {
  readonly id: number;
  data: Uint8Array;
  synced: Uint8Array;
  /** Bytes of the disk that are the file's own, whether used or not. */
  room: number;
  modified: string;
  modifiedAt: number;
}

type Change =
  | { readonly kind: 'link'; readonly name: string; readonly inode: Inode }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly inode: Inode }
  | { readonly kind: 'unlink'; readonly name: string };

/** Decides, at a loss of power, what of the unsynced survives: a number from 0 up to 1 for each question. */
export type Chance = () => number;

/** The folder of a name; the top folder is the empty name. */
export function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}

/**
 * Names and contents as a strict file system keeps them: contents survive a loss of power once the file was synced,
 * names once their folder was. Anything else may survive, or not, each by itself.
 */
export class FileTree {
  #visible = new Map<string, Inode>();
  #durable = new Map<string, Inode>();
  #unsynced: Change[] = [];

  get(name: string): Inode | undefined {
    return this.#visible.get(name);
  }

  /** All names there are. */
  get names(): readonly string[] {
    return [...this.#visible.keys()];
  }

  /** Bytes that all files have for themselves. */
  get room(): number {
    let room = 0;
    for (const inode of this.#visible.values()) {
      room += inode.room;
    }
    return room;
  }

  link(name: string, inode: Inode): void {
    this.#do({ kind: 'link', name, inode });
  }

  rename(from: string, to: string, inode: Inode): void {
    this.#do({ kind: 'rename', from, to, inode });
  }

  unlink(name: string): void {
    this.#do({ kind: 'unlink', name });
  }

  /** Makes the names in a folder durable. A renaming is one step: it becomes durable whole. */
  syncFolder(folder: string): void {
    const mine = (change: Change): boolean =>
      change.kind === 'rename'
        ? folderOf(change.to) === folder || folderOf(change.from) === folder
        : folderOf(change.name) === folder;
    this.#unsynced.filter(mine).forEach((change) => {
      apply(this.#durable, change);
    });
    this.#unsynced = this.#unsynced.filter((change) => !mine(change));
  }

  /** The power fails: what was not synced survives by chance. */
  loseDisk(chance: Chance): void {
    for (const change of this.#unsynced) {
      if (chance() < 0.5) {
        apply(this.#durable, change);
      }
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

  #do(change: Change): void {
    apply(this.#visible, change);
    this.#unsynced.push(change);
  }
}

/** The first part of the new contents and the rest of the old. */
function torn(data: Uint8Array, synced: Uint8Array, where: number): Uint8Array {
  const cut = Math.floor(where * data.length);
  return Buffer.concat([data.subarray(0, cut), synced.subarray(cut)]);
}

function apply(names: Map<string, Inode>, change: Change): void {
  switch (change.kind) {
    case 'link':
      names.set(change.name, change.inode);
      break;
    case 'rename':
      names.delete(change.from);
      names.set(change.to, change.inode);
      break;
    case 'unlink':
      names.delete(change.name);
      break;
  }
}
