import type { Clock } from '../clock';
import type { Disk, Stamp } from './disk';
import { asNumber, asOneOf, asText, parseObject } from './fields';
import { readRecord, type JournalEntry, type SendState } from './record';
import { isAbsent, isNotOurFile, type SealedFile, type SealedFiles } from './sealedFiles';

/** Folder of the journals and tombstones, and of nothing else: its stamp tells whether anything has changed. */
export const SESSIONS = 'sessions';
/** Folder of what isn't a journal yet: files being written, and room reserved for the next. */
const SPARE = 'spare';

/** Extra room for the next record, whose tokens may be longer. Bytes. */
const ROOM_TO_GROW = 8 * 1024;

const SESSION_ID = /^[0-9a-f-]{36}$/;
const ENTRY_NAME = /^([0-9a-f-]{36})\.json$/;
const TOMBSTONE_NAME = /^([0-9a-f-]{36})\.ended$/;

/** The stamp of something that has none. */
const NO_STAMP: Stamp = { identity: 'none', mark: 'none', changedAt: 0, resolution: 0 };

const SEND_STATES: readonly SendState[] = ['stable', 'sending', 'unanswered'];
const END_REASONS = ['signed out', 'refused', 'response lost'] as const;

/** Why a session is over. `response lost`: the service refused the token after a request that got no response. */
export type EndReason = (typeof END_REASONS)[number];

/** What a journal file turned out to be. */
export type JournalFile =
  { readonly kind: 'entry'; readonly entry: JournalEntry } | Exclude<SealedFile, { readonly kind: 'open' }>;

/** The sessions that have a journal, and those that have a tombstone, by ID. */
export interface JournalListing {
  readonly entries: readonly string[];
  readonly ended: readonly string[];
}

/**
 * The journals: one file per session, the only truth about its rotation for all windows on this machine, and a tombstone
 * beside it when the session is over. The tombstone is a file of its own, so that a refresh that finishes late can't
 * overwrite it.
 */
export class Journal {
  readonly #disk: Disk;

  constructor(
    private readonly files: SealedFiles,
    private readonly clock: Clock,
  ) {
    this.#disk = files.disk;
  }

  /** Changes whenever any session's journal or tombstone does. One `stat`. */
  async stamp(): Promise<Stamp | undefined> {
    return await this.#disk.stamp(SESSIONS);
  }

  /** Changes whenever this session's journal does. */
  async stampOf(sessionId: string): Promise<Stamp | undefined> {
    try {
      return await this.#disk.stamp(entryName(sessionId));
    } catch (error) {
      if (isNotOurFile(error)) {
        return NO_STAMP;
      }
      throw error;
    }
  }

  /** Which sessions there are. */
  async list(): Promise<JournalListing> {
    const names = await this.#disk.list(SESSIONS);
    return { entries: matching(names, ENTRY_NAME), ended: matching(names, TOMBSTONE_NAME) };
  }

  /** Reads the session's journal; `undefined` if there is none. */
  async read(sessionId: string): Promise<JournalFile | undefined> {
    const file = await this.files.read(entryName(sessionId));
    return file?.kind === 'open' ? readEntry(sessionId, file) : file;
  }

  /**
   * Replaces the session's journal. Afterwards, it survives a loss of power.
   * @param room `reserved`: the room that `reserve` set aside
   */
  async write(entry: JournalEntry, room: 'new' | 'reserved' = 'new'): Promise<void> {
    const { record, ...header } = entry;
    const { sessionId } = entry;
    await (room === 'new'
      ? this.files.write(entryName(sessionId), header, record, temporaryName(sessionId))
      : this.files.writeReserved(entryName(sessionId), header, record, reserveName(sessionId)));
  }

  /** Reserves room for the session's next journal, so that it can be written even if the disk is full. */
  async reserve(entry: JournalEntry): Promise<void> {
    const { record, ...header } = entry;
    const { sessionId } = entry;
    await this.files.reserve(entryName(sessionId), header, record, reserveName(sessionId), ROOM_TO_GROW);
  }

  /** Why the session is over; `undefined` if it isn't. Whatever is in the tombstone's place ends the session. */
  async endReason(sessionId: string): Promise<EndReason | undefined> {
    try {
      const bytes = await this.#disk.read(tombstoneName(sessionId));
      const fields = bytes === undefined ? undefined : parseObject(Buffer.from(bytes).toString('utf8'));
      return bytes === undefined ? undefined : (asOneOf(fields?.['reason'], END_REASONS) ?? 'signed out');
    } catch (error) {
      if (await this.#isInTheWay(sessionId, error)) {
        return 'signed out';
      }
      throw error;
    }
  }

  /**
   * Ends the session for all windows, for good, and forgets its tokens. Needs no lock. Anything that can't be the ID
   * of a session is ignored, because it might name a different file.
   * @throws the system's error if the disk refuses; then the session isn't over
   */
  async end(sessionId: string, reason: EndReason): Promise<void> {
    if (!SESSION_ID.test(sessionId)) {
      return;
    }
    try {
      await this.#writeTombstone(sessionId, reason);
    } catch (error) {
      if (!isAbsent(error)) {
        throw error;
      }
      await this.#disk.makeFolder(SESSIONS);
      await this.#writeTombstone(sessionId, reason);
    }
    await this.#forget(sessionId);
  }

  /**
   * Removes the journal of a session that another window has ended. The tombstone is made durable first: a loss of power
   * could leave neither.
   */
  async finishEnd(sessionId: string): Promise<void> {
    await this.#disk.sync(tombstoneName(sessionId));
    await this.#disk.syncFolder(SESSIONS);
    await this.#forget(sessionId);
  }

  /** Removes the tombstone if it's older than so many milliseconds. */
  async removeOldTombstone(sessionId: string, age: number): Promise<void> {
    const stamp = await this.#disk.stamp(tombstoneName(sessionId));
    if (stamp !== undefined && this.clock.now() - stamp.changedAt > age) {
      await this.#disk.remove(tombstoneName(sessionId));
    }
  }

  async #writeTombstone(sessionId: string, reason: EndReason): Promise<void> {
    const name = tombstoneName(sessionId);
    const contents = Buffer.from(JSON.stringify({ reason, time: this.clock.now() }));
    try {
      await this.#disk.write(name, contents);
    } catch (error) {
      if (isAbsent(error)) {
        throw error;
      }
      if (await this.#isInTheWay(sessionId, error)) {
        return;
      }
      // A full disk has no room for another file. The journal is longer than its tombstone, and no longer needed.
      await this.#disk.rename(entryName(sessionId), name);
      await this.#disk.write(name, contents);
    }
    await this.#disk.sync(name);
    await this.#disk.syncFolder(SESSIONS);
  }

  /** True if the folder itself shows something in the tombstone's place that isn't a file of ours. */
  async #isInTheWay(sessionId: string, error: unknown): Promise<boolean> {
    return isNotOurFile(error) && (await this.list()).ended.includes(sessionId);
  }

  async #forget(sessionId: string): Promise<void> {
    await this.#disk.remove(entryName(sessionId));
    await this.#disk.remove(reserveName(sessionId));
    await this.#disk.remove(temporaryName(sessionId));
  }
}

/** The entry in a journal that was opened. */
export function readEntry(
  sessionId: string,
  { header, contents }: Extract<SealedFile, { readonly kind: 'open' }>,
): JournalFile {
  const record = readRecord(contents);
  const generation = asNumber(header['generation']);
  const revision = asNumber(header['revision']);
  const state = asOneOf(header['state'], SEND_STATES);
  const time = asNumber(header['time']);
  return record === undefined ||
    generation === undefined ||
    revision === undefined ||
    state === undefined ||
    time === undefined ||
    asText(header['sessionId']) !== sessionId
    ? { kind: 'damaged' }
    : { kind: 'entry', entry: { sessionId, generation, revision, state, time, record } };
}

function entryName(sessionId: string): string {
  return `${SESSIONS}/${sessionId}.json`;
}

function tombstoneName(sessionId: string): string {
  return `${SESSIONS}/${sessionId}.ended`;
}

function reserveName(sessionId: string): string {
  return `${SPARE}/${sessionId}.reserve`;
}

function temporaryName(sessionId: string): string {
  return `${SPARE}/${sessionId}.new`;
}

function matching(names: readonly string[], pattern: RegExp): string[] {
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []);
}

/** Name of the lock under which everything is written to a session's journal. */
export function sessionLock(sessionId: string): string {
  return `session.${sessionId}`;
}
