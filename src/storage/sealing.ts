import { asText, type Fields, parseObject } from '../fields';
import { type Random, seal, type StoreKey, unseal } from './cipher';
import type { ReadableRows } from './rows';

/**
 * Version of the envelope. A row with a higher one is left to the newer version of the extension that wrote it. So raise it also for
 * contents that this version couldn't work with, such as a session whose service speaks a new dialect. Rewrite a session in a new
 * format only under its lock: otherwise, an older window that's refreshing it can't store the tokens that it gets.
 */
const FORMAT = 1;

/** The database stores long texts in pages of this size. What fills them leaves room for a text that's a little longer. Bytes. */
const PAGE = 4 * 1024;

/** What a sealed row turned out to be. */
export type SealedRow =
  | { readonly kind: 'open'; readonly header: Fields; readonly contents: Fields }
  /** Written by a newer version of this extension for this store: not ours to touch. */
  | { readonly kind: 'newer' }
  /** Another store's, according to its header: not ours to touch, unless it's known to be ours. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' };

/** What's found where a row may be. */
export type FoundRow = SealedRow | { readonly kind: 'none' };

/** Whether this store may write a row there: not over what a newer version of this extension or another store wrote. */
export function mayReplace({ kind }: FoundRow): boolean {
  return kind !== 'newer' && kind !== 'foreign';
}

/**
 * Seals rows: a header that anyone can read and nobody can change, and contents that only this store can read (AES-256-GCM). The
 * header holds the row's own name, so that rows can't be swapped.
 */
export class Sealing {
  constructor(
    readonly key: StoreKey,
    private readonly random: Random,
  ) {}

  /**
   * The text of a row of this name.
   * @param room how long it's at least, so that a longer one can take its place on a full disk. Bytes
   */
  seal(name: string, header: object, contents: object, room = 0): string {
    const clear = JSON.stringify({ format: FORMAT, name, keyId: this.key.id, ...header });
    const sealed = seal(this.key, this.random, clear, JSON.stringify(contents));
    const text = JSON.stringify({ header: clear, sealed });
    return text.padEnd(Math.ceil(Math.max(text.length, room) / PAGE) * PAGE);
  }

  /** The row of this name among these. */
  read(rows: ReadableRows, name: string): FoundRow {
    const text = rows.get(name);
    return text === undefined ? { kind: 'none' } : this.open(name, text);
  }

  /** What the text of a row of this name, which `seal` made, turns out to be. */
  open(name: string, text: string): SealedRow {
    const row = parseObject(text);
    const clear = asText(row?.['header']) ?? '';
    const header = parseObject(clear);
    const keyId = asText(header?.['keyId']);
    const opened = unseal(this.key, clear, asText(row?.['sealed']) ?? '');
    // A newer version may encrypt in another way, so its word for that counts even if this one can't open the row.
    if (keyId === this.key.id && Number(header?.['format'] ?? FORMAT) > FORMAT) {
      return { kind: 'newer' };
    }
    if (header === undefined || opened === undefined) {
      return { kind: keyId === undefined || keyId === this.key.id ? 'damaged' : 'foreign' };
    }
    const contents = parseObject(opened);
    return contents === undefined || header['name'] !== name ? { kind: 'damaged' } : { kind: 'open', header, contents };
  }
}
