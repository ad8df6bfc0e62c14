import type { Clock } from '../clock';
import type { Random, VaultKey } from './cipher';
import type { Disk, Stamp } from './disk';
import {
  type Contents,
  contentsOf,
  DAMAGED,
  endName,
  entryName,
  isGone,
  isNoFileOfOurs,
  isSessionId,
  NO_STAMP,
  reserveName,
  SESSIONS,
  SPARE,
  temporaryName,
  TOP,
} from './journalFiles';
import { decodeEnd, decodeEntry, encodeEnd, encodeEntry, type Decoded } from './journalFormat';
import type { EndReason, JournalEntry } from './record';

/** Room beyond the current record that the next one may need, for longer tokens than these. */
const ROOM_TO_GROW = 8 * 1024;

/**
 * The journals: one file a session, the only truth about its rotation for all windows on this machine, and beside it
 * a tombstone once the session is over. The tombstone is a file of its own, so that no refresh that finishes late can
 * write over it.
 */
export class Journal {
  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly key: VaultKey,
  ) {}

  /** Makes the folders, to stay. Everything else expects them. */
  async prepare(): Promise<void> {
    await this.disk.makeFolder(SESSIONS);
    await this.disk.makeFolder(SPARE);
    await this.disk.syncFolder(TOP);
  }

  /** Changes whenever any session's journal or tombstone does. One `stat`. */
  async stamp(): Promise<Stamp | undefined> {
    return await this.disk.stamp(SESSIONS);
  }

  /** Changes whenever this session's journal does. */
  async stampOf(sessionId: string): Promise<Stamp | undefined> {
    return await this.disk.stamp(entryName(sessionId)).catch((error: unknown) => {
      if (isNoFileOfOurs(error)) return NO_STAMP;
      throw error;
    });
  }

  /** Which sessions there are. */
  async list(): Promise<Contents> {
    return contentsOf(await this.disk.list(SESSIONS));
  }

  /** Calls back when any journal or tombstone may have changed. Returns how to stop. */
  watch(onChange: () => void): () => void {
    return this.disk.watch(SESSIONS, onChange);
  }

  /** Reads the session's journal; `undefined` where there is none. Whatever stands in its place counts as damaged. */
  async read(sessionId: string): Promise<Decoded | undefined> {
    try {
      const bytes = await this.disk.read(entryName(sessionId));
      return bytes === undefined ? undefined : decodeEntry(bytes, sessionId, this.key);
    } catch (error) {
      if (isNoFileOfOurs(error)) return { kind: 'damaged' };
      throw error;
    }
  }

  /**
   * Sets aside room on the disk for the session's next journal, in a new file: after a power cut an old one may be the
   * journal itself under its earlier name, and must not be written into. After this a full disk can't keep it from being
   * written, unless its tokens grow by more than the allowance.
   */
  async reserve(entry: JournalEntry): Promise<void> {
    const room = encodeEntry(entry, this.key, this.random).length + ROOM_TO_GROW;
    await this.#inFolders(async () => {
      await this.disk.remove(reserveName(entry.sessionId));
      await this.disk.write(reserveName(entry.sessionId), new Uint8Array(room));
      await this.disk.sync(reserveName(entry.sessionId));
    });
  }

  /** Replaces the session's journal. When this returns, it survives a loss of power. */
  async write(entry: JournalEntry): Promise<void> {
    await this.disk.remove(temporaryName(entry.sessionId));
    await this.#replace(entry, temporaryName(entry.sessionId));
  }

  /** The same, in the room that `reserve` set aside. */
  async writeReserved(entry: JournalEntry): Promise<void> {
    await this.#replace(entry, reserveName(entry.sessionId));
  }

  /** Why the session is over; `undefined` where it is not. Whatever stands in the tombstone's place ends the session. */
  async ended(sessionId: string): Promise<EndReason | undefined> {
    try {
      const bytes = await this.disk.read(endName(sessionId));
      return bytes === undefined ? undefined : decodeEnd(bytes);
    } catch (error) {
      if (await this.#isInTheWay(sessionId, error)) return 'signed out';
      throw error;
    }
  }

  /**
   * Ends the session for all windows, for good, and forgets its tokens. Needs no lock. What can't be the ID of a session
   * ends nothing, and names no file.
   */
  async end(sessionId: string, reason: EndReason): Promise<void> {
    if (!isSessionId(sessionId)) {
      return;
    }
    const name = endName(sessionId);
    const contents = encodeEnd(sessionId, reason, this.key, this.random, this.clock.now());
    await this.#inFolders(async () => {
      try {
        await this.disk.write(name, contents);
      } catch (error) {
        if (isGone(error)) {
          throw error;
        }
        if (await this.#isInTheWay(sessionId, error)) {
          return;
        }
        // A full disk has room for no other file. The journal is longer than its tombstone, and no longer needed.
        await this.disk.rename(entryName(sessionId), name);
        await this.disk.write(name, contents);
      }
      await this.disk.sync(name);
      await this.disk.syncFolder(SESSIONS);
    });
    await this.#forget(sessionId);
  }

  /**
   * The same for a session that another window has ended: its journal goes only when its tombstone stays, as a loss of
   * power could leave neither.
   */
  async finishEnd(sessionId: string): Promise<void> {
    await this.disk.sync(endName(sessionId));
    await this.disk.syncFolder(SESSIONS);
    await this.#forget(sessionId);
  }

  /** Removes the tombstone if it is older than so many milliseconds. */
  async removeOldEnd(sessionId: string, age: number): Promise<void> {
    const stamp = await this.disk.stamp(endName(sessionId));
    if (stamp !== undefined && this.clock.now() - stamp.changedAt > age) {
      await this.disk.remove(endName(sessionId));
    }
  }

  /** Moves a journal that can't be read out of the way, and keeps it for whoever wants to look. */
  async setAside(sessionId: string): Promise<void> {
    await this.disk.makeFolder(DAMAGED);
    await this.disk.rename(entryName(sessionId), `${DAMAGED}/${sessionId}.${this.clock.now()}.json`);
    await this.disk.syncFolder(SESSIONS);
  }

  /** Removes the session's journals that were set aside. */
  async forgetDamaged(sessionId: string): Promise<void> {
    for (const name of await this.disk.list(DAMAGED)) {
      if (name.startsWith(`${sessionId}.`)) {
        await this.disk.remove(`${DAMAGED}/${name}`);
      }
    }
  }

  /** True where something stands in the tombstone's place that is no file of ours, as the folder itself says. */
  async #isInTheWay(sessionId: string, error: unknown): Promise<boolean> {
    return isNoFileOfOurs(error) && (await this.list()).ended.includes(sessionId);
  }

  async #forget(sessionId: string): Promise<void> {
    await this.disk.remove(entryName(sessionId));
    await this.disk.remove(reserveName(sessionId));
    await this.disk.remove(temporaryName(sessionId));
  }

  async #replace(entry: JournalEntry, from: string): Promise<void> {
    await this.#inFolders(async () => {
      await this.disk.write(from, encodeEntry(entry, this.key, this.random));
      await this.disk.sync(from);
      await this.disk.rename(from, entryName(entry.sessionId));
      await this.disk.syncFolder(SESSIONS);
    });
  }

  /** Does this again where the folders were gone: somebody deleted them while the window was open. */
  async #inFolders(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!isGone(error)) {
        throw error;
      }
      await this.prepare();
      await action();
    }
  }
}
