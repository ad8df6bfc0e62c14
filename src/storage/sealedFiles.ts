import { posix } from 'node:path';
import { codeOf } from '../log';
import { type Random, seal, type StoreKey, unseal } from './cipher';
import { type Disk, FILE_TOO_LARGE, NOT_A_FILE } from './disk';
import { asNumber, asText, type Fields, parseObject } from './fields';

/** Version of the envelope. A file with a higher one is left to the newer version of the extension that wrote it. */
const FORMAT = 1;
/** Code of the error if there's a folder in a file's place. */
const A_FOLDER = 'EISDIR';
/** The extension's folder itself. */
const TOP = '';

/** What a sealed file turned out to be. */
export type SealedFile =
  | { readonly kind: 'open'; readonly header: Fields; readonly contents: Fields }
  /** Written by a newer version of this extension for this store: not ours to touch. */
  | { readonly kind: 'newer' }
  /** Another store's, according to its header: not ours to touch, unless it's known to be ours. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' };

/** The disk took only part of a file without an error, as nearly full ones do. */
class ShortWriteError extends Error {
  override readonly name = 'ShortWriteError';
  readonly code = 'ENOSPC';
}

/**
 * Files with a header that anyone can read and nobody can change, and contents that only this store can read
 * (AES-256-GCM). The header holds the file's own name, so that files can't be swapped. They're replaced in one step,
 * and what `write` has written survives a loss of power.
 */
export class SealedFiles {
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
    try {
      const bytes = await this.disk.read(name);
      return bytes === undefined ? undefined : this.decode(name, bytes);
    } catch (error) {
      if (isNotOurFile(error)) {
        return { kind: 'damaged' };
      }
      throw error;
    }
  }

  /**
   * Replaces a file: writes beside it, syncs, renames, and syncs the folder.
   * @param beside the file that's written first. It's a new one, because after a power loss an old one may be the file
   *   itself under its earlier name
   * @throws the system's error; then the file is unchanged
   */
  async write(name: string, header: object, contents: object, beside = `${name}.new`): Promise<void> {
    const bytes = this.encode(name, header, contents);
    await this.#inFolders([name, beside], async () => {
      await this.disk.remove(beside);
      await this.#replace(name, bytes, beside);
    });
  }

  /**
   * Reserves room on the disk for the next `writeReserved`, which then succeeds even if the disk is full.
   * @param spare bytes beyond the length of these contents
   */
  async reserve(name: string, header: object, contents: object, beside: string, spare: number): Promise<void> {
    const room = new Uint8Array(this.encode(name, header, contents).length + spare);
    await this.#inFolders([name, beside], async () => {
      await this.disk.remove(beside);
      await this.#writeAll(beside, room);
      await this.disk.sync(beside);
    });
  }

  /** Like `write`, in the room that `reserve` set aside. */
  async writeReserved(name: string, header: object, contents: object, beside: string): Promise<void> {
    const bytes = this.encode(name, header, contents);
    await this.#inFolders([name, beside], () => this.#replace(name, bytes, beside));
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
    if (header === undefined || text === undefined) {
      return { kind: keyId === undefined || keyId === this.key.id ? 'damaged' : 'foreign' };
    }
    if ((asNumber(header['format']) ?? FORMAT) > FORMAT) {
      return { kind: 'newer' };
    }
    const contents = parseObject(text);
    return contents === undefined || header['name'] !== name ? { kind: 'damaged' } : { kind: 'open', header, contents };
  }

  async #replace(name: string, bytes: Uint8Array, beside: string): Promise<void> {
    await this.#writeAll(beside, bytes);
    await this.disk.sync(beside);
    try {
      await this.disk.rename(beside, name);
    } catch (error) {
      if (codeOf(error) !== A_FOLDER) {
        throw error;
      }
      await this.disk.remove(name);
      await this.disk.rename(beside, name);
    }
    await this.disk.syncFolder(posix.dirname(name));
  }

  async #writeAll(name: string, bytes: Uint8Array): Promise<void> {
    if ((await this.disk.write(name, bytes)) < bytes.length) {
      throw new ShortWriteError('The disk took only part of the file.');
    }
  }

  /** Creates the folders and tries again if they're missing: this is the first file, or somebody deleted them. */
  async #inFolders(names: readonly string[], action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!isAbsent(error)) {
        throw error;
      }
      for (const name of names) {
        await this.disk.makeFolder(posix.dirname(name));
      }
      await this.disk.syncFolder(TOP);
      await action();
    }
  }
}

/** Codes for something else in a file's place: a folder, a loop of links, another user's file, a pipe. */
const NOT_OUR_FILE: readonly string[] = ['EISDIR', 'ELOOP', 'EACCES', NOT_A_FILE, FILE_TOO_LARGE];

/** Whether something that isn't a file of ours is in a file's place. */
export function isNotOurFile(error: unknown): boolean {
  return NOT_OUR_FILE.includes(codeOf(error));
}

/** Whether a file, or its folder, doesn't exist. */
export function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}
