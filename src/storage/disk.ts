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
