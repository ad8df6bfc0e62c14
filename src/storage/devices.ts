import type { Clock } from '../clock';
import type { Log } from '../log';
import type { Random } from './cipher';

/** What this machine and the editor offer for storing things. */
export interface Devices {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly secrets: SecretPort;
  readonly keyNote: KeyNotePort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /**
   * True in a browser: an open window never sees the secrets that another one stores, and storing them shows no
   * dialog, so the first window makes the key.
   */
  readonly secretsNeedReload: boolean;
}

/** What a file or folder looked like when it was last seen. */
export interface Stamp {
  /** Tells it from another file or folder that was made in its place. */
  readonly identity: string;
  /** Differs when the file is replaced, or when the entries of the folder change. */
  readonly mark: string;
  /** When it last changed, in wall-clock milliseconds, by the file system's own, coarse clock. */
  readonly changedAt: number;
  /** The steps in which the file system dates changes, in milliseconds: two changes within one may look alike. */
  readonly resolution: number;
}

/**
 * The extension's folder, shared by all windows on this machine. Names are relative to it and separated by `/`; the
 * empty name is the folder itself. Every method rejects with the system's error unless it says what an absent file
 * means.
 */
export interface Disk {
  /** The file's bytes; `undefined` if there is no such file, and none if something that can't be ours is in its place. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** The stamp of a file or folder; `undefined` if it doesn't exist. */
  stamp(name: string): Promise<Stamp | undefined>;
  /** Names of the entries of a folder; none if the folder doesn't exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Creates the folder and those above it, readable by this user only. */
  makeFolder(folder: string): Promise<void>;
  /**
   * Writes the file, in place if it exists, so that room it already has stays its own. Not yet durable.
   * @returns how many bytes were written: a nearly full disk takes fewer without an error, and the file ends there
   */
  write(name: string, data: Uint8Array): Promise<number>;
  /** Returns when the file's contents survive a loss of power. */
  sync(name: string): Promise<void>;
  /** Replaces `to`, whatever is there, with `from`, in one step that no reader sees half done. */
  rename(from: string, to: string): Promise<void>;
  /** Returns when the entries of the folder survive a loss of power. */
  syncFolder(folder: string): Promise<void>;
  /** Removes a file, or whatever is in its place, if it exists. */
  remove(name: string): Promise<void>;
  /**
   * Calls back, sooner or later and perhaps too often, when entries of the folder change. If it's deleted and made again,
   * that's another folder. Returns how to stop.
   */
  watch(folder: string, onChange: () => void): () => void;
}

/** Gives a lock back. Idempotent. */
export type Release = () => void;

/** Locks between all windows on this machine. A lock is freed when its holder dies. */
export interface Locks {
  /**
   * Takes the lock of that name, waiting for at most `patience` milliseconds.
   * @returns how to give it back, or `undefined` if another window holds it all that time
   * @throws StoreUnavailableError `no sqlite` or `no file locks` if this machine has no such locks
   */
  acquire(name: string, patience: number): Promise<Release | undefined>;
}

/**
 * The one entry of SecretStorage that this extension has on this machine. Calls may reject, or hang forever, as in an
 * extension host whose browser tab is gone.
 */
export interface SecretPort {
  get(): Promise<string | undefined>;
  store(text: string): Promise<void>;
}

/** Which key this store's windows use. They all see it soon, even in a browser; the key itself isn't in it. */
export interface KeyNote {
  readonly keyId: string;
  /** When the key was made, in wall-clock milliseconds. */
  readonly madeAt: number;
}

/** Where the note is stored. */
export interface KeyNotePort {
  get(): KeyNote | undefined;
  set(note: KeyNote): Promise<void>;
}

/**
 * - `reload`: this window must be reloaded first.
 * - `no sqlite`: this editor's Node.js lacks `node:sqlite`.
 * - `no file locks`: no folder that could be used is on a file system with locks.
 */
export type StoreUnavailableReason = 'reload' | 'folder' | 'secret storage' | 'no sqlite' | 'no file locks';

/** The store can't be opened right now. A later attempt may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';

  constructor(readonly reason: StoreUnavailableReason) {
    super(`The store can't be opened: ${reason}.`);
  }
}
