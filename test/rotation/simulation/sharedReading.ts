import type { SealedFile, SealedFiles } from '../../../src/storage/sealedFiles';

/** What a file of this name and store holds. */
interface Known {
  readonly name: string;
  readonly keyId: string;
  readonly file: SealedFile;
}

/**
 * Knows what the files of a store hold that its windows wrote or read, so that nobody, the referee included, decodes the same
 * bytes again: that took a quarter of the simulation's time. What's shared is frozen, so that no window changes another's.
 * Bytes that were damaged are other bytes, and are decoded.
 */
export class SharedReading {
  readonly #known = new WeakMap<Uint8Array, Known>();

  /** From now on, these files share what they encode and decode. */
  join(files: SealedFiles): void {
    const keyId = files.key.id;
    const encode = files.encode.bind(files);
    const decode = files.decode.bind(files);
    const note = (name: string, bytes: Uint8Array, file: SealedFile): void => {
      freeze(file);
      this.#known.set(bytes, { name, keyId, file });
    };
    files.encode = (name, header, contents) => {
      const bytes = encode(name, header, contents);
      note(name, bytes, { kind: 'open', header: { ...header, name, keyId }, contents: { ...contents } });
      return bytes;
    };
    files.decode = (name, bytes) => {
      const known = this.#known.get(bytes);
      if (known?.name === name && known.keyId === keyId) return known.file;
      const file = decode(name, bytes);
      note(name, bytes, file);
      return file;
    };
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
