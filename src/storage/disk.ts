/** When and as what a file or folder was last seen. */
export interface Stamp {
  /** Differs whenever the file was replaced, or the entries of the folder changed. */
  readonly mark: string;
  /** Wall-clock milliseconds of the last change, by the file system's own, coarse clock. */
  readonly changedAt: number;
}

/**
 * The extension's folder, shared by all windows on this machine. Names are relative to it, with `/` between the parts;
 * the empty name is the folder itself.
 * Every method rejects with the system's error, except where it says what an absent file means.
 */
export interface Disk {
  /** The file's bytes; `undefined` where there is none. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** The stamp of a file or folder; `undefined` where there is none. */
  stamp(name: string): Promise<Stamp | undefined>;
  /** Names of the entries of a folder; none where the folder is absent. */
  list(folder: string): Promise<readonly string[]>;
  /** Makes the folder and those above it, readable by this user only. */
  makeFolder(folder: string): Promise<void>;
  /** Writes the file, in place where it is there, so that room it has already stays its own. Not yet durable. */
  write(name: string, data: Uint8Array): Promise<void>;
  /** Returns when the file's contents survive a loss of power. */
  sync(name: string): Promise<void>;
  /** Replaces `to` by `from` in one step that no reader sees half done. */
  rename(from: string, to: string): Promise<void>;
  /** Returns when the entries of the folder survive a loss of power. */
  syncFolder(folder: string): Promise<void>;
  /** Removes a file; an absent one is fine. */
  remove(name: string): Promise<void>;
  /** Calls back, sooner or later and perhaps too often, when entries of the folder changed. Returns how to stop. */
  watch(folder: string, onChange: () => void): () => void;
}
