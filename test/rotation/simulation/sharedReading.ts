import type { SealedRow, Sealing } from '../../../src/storage/sealing';

/** What a row of this name and store holds. */
interface Known {
  readonly name: string;
  readonly keyId: string;
  readonly row: SealedRow;
}

/**
 * Knows what the rows of a store hold that its windows wrote or read, so that nobody, the referee included, opens the same
 * text again: that took a quarter of the simulation's time. What's shared is frozen, so that no window changes another's.
 * A text that was damaged is another one, and is opened.
 */
export class SharedReading {
  readonly #known = new Map<string, Known>();

  /** From now on, these share what they seal and open. */
  join(sealing: Sealing): void {
    const keyId = sealing.key.id;
    const seal = sealing.seal.bind(sealing);
    const open: (name: string, text: string) => SealedRow = sealing.open.bind(sealing);
    const note = (name: string, text: string, row: SealedRow): void => {
      freeze(row);
      this.#known.set(text, { name, keyId, row });
    };
    sealing.seal = (name, header, contents, room) => {
      const text = seal(name, header, contents, room);
      note(name, text, { kind: 'open', header: { ...header, name, keyId }, contents: { ...contents } });
      return text;
    };
    sealing.open = ((name: string, text: string | undefined) => {
      if (text === undefined) return undefined;
      const known = this.#known.get(text);
      if (known?.name === name && known.keyId === keyId) return known.row;
      const row = open(name, text);
      note(name, text, row);
      return row;
    }) as Sealing['open'];
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
