import { posix } from 'node:path';
import { asText, type Fields, parseObject } from '../fields';
import { codeOf } from '../log';
import { type Random, seal, type StoreKey, unseal } from './cipher';
import { diskProblem } from './diskProblem';
import { NO_PATIENCE, PATIENCE } from './heldFiles';
import type { Disk } from './nodeDisk';

/**
 * Version of the envelope. A file with a higher one is left to the newer version of the extension that wrote it. So raise it also for
 * contents that this version couldn't work with, such as a session whose service speaks a new dialect.
 */
const FORMAT = 1;
/** Folder of what isn't read yet: files being written, and room reserved for the next ones. */
const SPARE = 'spare';
/** Extra room for what's longer than expected, such as other tokens. Bytes. */
const ROOM_TO_GROW = 8 * 1024;

/** Where a file's next contents may be: in a new file, or in room that was reserved for them. */
export const PLACES_BESIDE = ['new', 'reserve'] as const;

export type Beside = (typeof PLACES_BESIDE)[number];

/** What a sealed file turned out to be. */
export type SealedFile =
  | { readonly kind: 'open'; readonly header: Fields; readonly contents: Fields }
  /** Written by a newer version of this extension for this store: not ours to touch. */
  | { readonly kind: 'newer' }
  /** Another store's, according to its header: not ours to touch, unless it's known to be ours. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' };

/** Whether what's there isn't this store's to replace: a newer version of this extension or another store wrote it. */
export function isOthers(file: { readonly kind: string } | undefined): boolean {
  return file?.kind === 'newer' || file?.kind === 'foreign';
}

/**
 * Files with a header that anyone can read and nobody can change, and contents that only this store can read
 * (AES-256-GCM). The header holds the file's own name, so that files can't be swapped.
 *
 * A file is replaced in two steps: `writeBeside` writes its next contents beside it and syncs them, then `replace` renames
 * them over it and syncs the folder. No reader ever sees half a file, and what's replaced survives a loss of power. If
 * another program keeps the file from being replaced, its next contents lie beside it meanwhile, where they can be read.
 */
export class SealedFiles {
  /** Files that room is reserved for. */
  readonly #reserved = new Set<string>();

  constructor(
    readonly disk: Disk,
    readonly key: StoreKey,
    private readonly random: Random,
  ) {}

  /**
   * Reads a file; `undefined` if it doesn't exist. Anything else in its place counts as damaged.
   * @throws the system's error if it can't be read right now
   */
  async read(name: string): Promise<SealedFile | undefined> {
    return await this.#readAs(name, name);
  }

  /**
   * Reads what may be about to replace a file: all of it may be on the disk although another program keeps the file itself
   * from being replaced. `undefined` if there's nothing.
   * @param place where it may be: in a new file, or in the room that was reserved
   * @throws the system's error if it can't be read right now
   */
  async readBeside(name: string, place: Beside): Promise<SealedFile | undefined> {
    return await this.#readAs(name, besideOf(name, place));
  }

  /** Replaces a file. @throws the system's error; then the file is unchanged */
  async write(name: string, header: object, contents: object): Promise<void> {
    await this.replace(name, await this.writeBeside(name, header, contents));
  }

  /**
   * Writes what's about to replace a file, durably: into the room that's reserved for it or, if that isn't possible now, into a
   * new file.
   * @param keepRoom leaves what's reserved to the next one
   * @returns where it is
   * @throws the system's error
   */
  async writeBeside(name: string, header: object, contents: object, keepRoom = false): Promise<Beside> {
    const bytes = this.encode(name, header, contents);
    const hasRoom = !keepRoom && this.#reserved.has(name);
    // The room was new a moment ago, so a virus scanner may have it open. A new file needn't wait for that.
    if (hasRoom && (await this.#tryRoom(name, bytes, NO_PATIENCE))) {
      return 'reserve';
    }
    try {
      await this.#inFolders(name, () => this.#writeNew(name, bytes));
      return 'new';
    } catch (error) {
      if (hasRoom && diskProblem(error) === 'full' && (await this.#tryRoom(name, bytes, PATIENCE))) {
        return 'reserve';
      }
      throw error;
    }
  }

  /** Makes durable what another window has written beside a file. @throws the system's error; then it may not be */
  async syncBeside(name: string, place: Beside): Promise<void> {
    await this.disk.sync(besideOf(name, place));
  }

  /** Replaces a file by what's beside it. @throws the system's error; then it's still there */
  async replace(name: string, place: Beside): Promise<void> {
    await this.#inFolders(name, () => this.disk.rename(besideOf(name, place), name));
    if (place === 'reserve') {
      this.#reserved.delete(name);
    }
    await this.disk.syncFolder(posix.dirname(name));
  }

  /** Reserves room on the disk for the next `write`: as much as these contents need, and more. */
  async reserve(name: string, header: object, contents: object): Promise<void> {
    const room = new Uint8Array(this.encode(name, header, contents).length + ROOM_TO_GROW);
    const beside = besideOf(name, 'reserve');
    this.#reserved.delete(name);
    await this.#inFolders(name, async () => {
      await this.disk.remove(beside);
      await this.#writeAll(beside, room);
    });
    this.#reserved.add(name);
  }

  /**
   * Removes a file, and what was prepared for its next write.
   * @throws the system's error if one of them can't be removed; then the others are gone
   */
  async remove(name: string): Promise<void> {
    const names = [name, besideOf(name, 'reserve'), besideOf(name, 'new')];
    const results = await Promise.allSettled(names.map((one) => this.disk.remove(one)));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') {
      throw failed.reason;
    }
  }

  /** The bytes of a file of this name. */
  encode(name: string, header: object, contents: object): Uint8Array {
    const clear = JSON.stringify({ format: FORMAT, name, keyId: this.key.id, ...header });
    const sealed = seal(this.key, this.random, clear, JSON.stringify(contents));
    return Buffer.from(JSON.stringify({ header: clear, sealed }));
  }

  /** Reads what `encode` made. */
  decode(name: string, bytes: Uint8Array): SealedFile {
    const file = parseObject(Buffer.from(bytes).toString('utf8'));
    const clear = asText(file?.['header']) ?? '';
    const header = parseObject(clear);
    const keyId = asText(header?.['keyId']);
    const text = unseal(this.key, clear, asText(file?.['sealed']) ?? '');
    // A newer version may encrypt in another way, so its word for that counts even if this one can't open the file.
    if (keyId === this.key.id && Number(header?.['format'] ?? FORMAT) > FORMAT) {
      return { kind: 'newer' };
    }
    if (header === undefined || text === undefined) {
      return { kind: keyId === undefined || keyId === this.key.id ? 'damaged' : 'foreign' };
    }
    const contents = parseObject(text);
    return contents === undefined || header['name'] !== name ? { kind: 'damaged' } : { kind: 'open', header, contents };
  }

  /** Reads a file of this name that's at a different place. */
  async #readAs(name: string, place: string): Promise<SealedFile | undefined> {
    const bytes = await this.disk.read(place);
    return bytes && this.decode(name, bytes);
  }

  /** Writes into the room for a file. Returns false if that isn't possible, as when another program has it open. */
  async #tryRoom(name: string, bytes: Uint8Array, patience: number): Promise<boolean> {
    try {
      await this.#writeAll(besideOf(name, 'reserve'), bytes, patience);
      return true;
    } catch {
      return false;
    }
  }

  async #writeNew(name: string, bytes: Uint8Array): Promise<void> {
    const beside = besideOf(name, 'new');
    // Don't write into an old one: after a loss of power in the middle of a rename, both names may be one file.
    await this.disk.remove(beside);
    await this.#writeAll(beside, bytes);
  }

  /** Writes all of the bytes, so that they survive a loss of power. @throws the system's error */
  async #writeAll(name: string, bytes: Uint8Array, patience = PATIENCE): Promise<void> {
    if ((await this.disk.writeDurably(name, bytes, patience)) < bytes.length) {
      // Nearly full disks do that, without an error.
      throw Object.assign(new Error('The disk took only part of the file.'), { code: 'ENOSPC' });
    }
  }

  /** Creates the folders and tries again if they're missing: this is the first file, or somebody deleted them. */
  async #inFolders(name: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') {
        throw error;
      }
      await this.disk.makeFolder(SPARE);
      await this.disk.makeFolder(posix.dirname(name));
      await action();
    }
  }
}

function besideOf(name: string, place: Beside): string {
  return `${SPARE}/${posix.parse(name).name}.${place}`;
}
