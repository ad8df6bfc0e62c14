/**
 * The one entry of SecretStorage that this extension has. Calls may reject, and may hang for good, as they do in an
 * extension host whose browser tab is gone.
 */
export interface SecretEntry {
  get(): Promise<string | undefined>;
  store(text: string): Promise<void>;
  /** Calls back when another window changed the entry, where the editor tells. Returns how to stop. */
  onDidChange(listener: () => void): () => void;
}

/** Which key the windows of this store use, as all of them can see it at once, without the key itself. */
export interface KeyNote {
  readonly keyId: string;
  /** Wall-clock milliseconds. */
  readonly madeAt: number;
}

/** Where the note is kept: it reaches open windows of the same store within a second, also in a browser. */
export interface KeyNotice {
  get(): KeyNote | undefined;
  set(note: KeyNote): Promise<void>;
}

/** A call did not come back in time. */
export class TimeLimitError extends Error {
  constructor(what: string, milliseconds: number) {
    super(`${what} did not answer within ${milliseconds / 1000} s`);
    this.name = 'TimeLimitError';
  }
}
