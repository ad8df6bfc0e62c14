import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Length of a store key in bytes. */
export const KEY_BYTES = 32;

/** Fills a buffer of so many bytes with unpredictable ones. */
export type Random = (bytes: number) => Uint8Array;

/** The key that protects what this extension keeps on the disk. */
export interface StoreKey {
  /** Identifies the key without revealing anything about it. */
  readonly id: string;
  /** A `KeyObject` starts ciphers several times faster than bytes do, and printing it reveals nothing. */
  readonly secret: KeyObject;
}

/** The key made of these bytes. */
export function storeKey(bytes: Uint8Array): StoreKey {
  const id = createHash('sha256').update('key id').update(bytes).digest('hex').slice(0, 32);
  return { id, secret: createSecretKey(bytes) };
}

/** Encrypts `text` and binds `clear` to it, so that neither can be changed or swapped alone. Base64. */
export function seal(key: StoreKey, random: Random, clear: string, text: string): string {
  const iv = random(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key.secret, iv).setAAD(Buffer.from(clear));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Decrypts what `seal` made; `undefined` if it's damaged, or was made with another key or other clear text. */
export function unseal(key: StoreKey, clear: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < IV_BYTES + TAG_BYTES) {
    return undefined;
  }
  const decipher = createDecipheriv(ALGORITHM, key.secret, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(clear))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** A new random ID. */
export function newId(random: Random): string {
  return Buffer.from(random(16))
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
