import { needsUserReason } from '../../../src/sessions/refreshState';
import type { AccountInfo } from '../../../src/oauth/client';
import { type JournalEntry, readEntry } from '../../../src/storage/record';
import type { SealedFiles } from '../../../src/storage/sealedFiles';
import { familyNumber, tokenName, type PairName } from '../model/service';
import type { ModelDisk } from '../model/disk';
import type { SecretShelf } from '../model/secretShelf';
import type { Process } from '../model/steps';

const JOURNAL = /^sessions\/(.*)\.json$/;
const NEXT = /^spare\/(.*)\.(?:new|reserve)$/;
const TOMBSTONE = /^sessions\/(.*)\.ended$/;

/** Tombstones are removed a day later; the clock may be wrong by hours. Milliseconds. */
const TOMBSTONE_LIFETIME = 89 * 24 * 60 * 60 * 1000;

/** What was done to a journal from outside: it was damaged, or an older one was put in its place. */
export const TAMPERED = 'its journal was damaged';
export const RESTORED = 'an older journal was put back';
/** What time did to it: its tombstone was removed while a window that had slept since before the end still had the session. */
export const FORGOTTEN = 'a window slept until its tombstone was removed';
/** What was done to an account by a newer version of the extension: this one can't use it anymore. */
export const TAKEN_OVER = 'a newer version has it';

/** What a session's journal says to whoever reads it now. */
export interface Written {
  readonly entry: JournalEntry;
  /** Which of the service's pairs it holds. */
  readonly pair: number;
  /** The pair that its refresh token came with first; 0 if it has none. */
  readonly sends: number;
  readonly account: Account | undefined;
}

/** What is about to replace a session's journal. */
interface Next {
  readonly sessionId: string;
  readonly generation: number;
  readonly pair: number;
  /** Whether it says that this pair is on its way. */
  readonly isSending: boolean;
  readonly bytes: Uint8Array;
}

/** What a change of a file means. */
interface FileChange {
  /** The session whose journal it is. */
  readonly journal?: string;
  /** What that journal said before. */
  readonly before?: Written | undefined;
  /** The session whose tombstone is new. */
  readonly tombstone?: string;
  /** The session whose tombstone was removed because it had been over for so long. */
  readonly forgotten?: string;
  /** The pair that no file has anymore, nor a later one, after what was beside the journal is gone. */
  readonly dropped?: { readonly sessionId: string; readonly pair: number } | undefined;
}

/** Everything that is known of one sign-in, from outside. */
export class Account {
  /** The session that has it; a further sign-in for the account has one of its own until it's finished. */
  sessionId: string | undefined;
  /** The pair that its journal had last. */
  pair = 0;
  /** The sign-in was finished: the session was promised to last. */
  promised = false;
  signOutAsked = false;
  /** A further sign-in was finished after the person had asked to sign out; its session may be over by now. */
  hasReturned = false;
  /** Whose it is, if the service says it. */
  user: AccountInfo | undefined;
  /** The window whose person is asked for its name, since when in real time, and how often the clocks had been moved by then. */
  naming: { readonly window: Process; readonly since: number; readonly clockMoves: number } | undefined;
  /** The most scopes that its session ever had. */
  scopes = 0;
  /** The step at which the signing out was done. */
  signedOutAt: number | undefined;
  /** Why it was ended by the service's word. */
  reason: 'response lost' | 'refused' | undefined;
  /** Who received which pair. */
  readonly received = new Map<number, Process>();
  /** Pairs that somebody asked to be replaced, or whose age the clocks no longer show. */
  readonly mayReplace = new Set<number>();
  /** How many calls that ask for a replacement have not come to an end. */
  asking = 0;
  /** Pairs whose sending may have gone unanswered. */
  readonly unanswered = new Set<number>();
  /** The step at which its journal last said that it needs its person. */
  neededUserAt = -1;
  /** The step at which the last response arrived. */
  answeredAt = 0;
  /** Who must revoke a pair, or whichever it has, unless it dies. */
  readonly mustRevoke: { readonly process: Process; readonly pair: number | undefined }[] = [];
  /** Who revoked which pair. */
  readonly revoked: { readonly process: Process; readonly pair: number }[] = [];
  /** What was done to it from outside that may cost the session. */
  readonly harmed = new Set<string>();

  /** @param shelf the store whose windows have the session */
  constructor(
    readonly grant: number,
    readonly shelf: SecretShelf,
  ) {}

  get isHarmed(): boolean {
    return this.harmed.size > 0;
  }
}

/** Keeps the books of all accounts, by what everybody could see. */
export class Ledger {
  readonly accounts: Account[] = [];
  readonly written = new Map<string, Written>();
  /** The accounts of all sessions that ever had a journal. */
  readonly everWritten = new Map<string, Account>();
  /** The session of each refresh token that a journal ever had. */
  readonly #everSent = new Map<string, string>();
  /** Everything that a session's journal ever was. */
  readonly versions = new Map<string, Uint8Array[]>();
  /** Which pair is about to get into a session's journal, by the name of the file that has it. */
  readonly #next = new Map<string, Next>();
  /** The sessions that are over, and the step since which they are. */
  readonly tombstones = new Map<string, number>();
  /** When that was, in milliseconds of real time. */
  readonly #endedAt = new Map<string, number>();
  /** The sessions that have been over for so long that nothing needs to tell of that anymore. */
  readonly #longOver = new Map<string, number>();
  /** Reads the files of each store. */
  readonly #readers = new Map<string, SealedFiles>();
  /** What was read already: the disk reports the same contents again when a file is renamed. */
  readonly #entries = new WeakMap<Uint8Array, JournalEntry>();

  /** Now the files of the store with this key can be read, as its windows read them. */
  addReader(files: SealedFiles): void {
    this.#readers.set(files.key.id, files);
  }

  ofGrant(grant: number): Account | undefined {
    return this.accounts[grant - 1];
  }

  ofSession(sessionId: string): Account | undefined {
    return this.accounts.find((account) => account.sessionId === sessionId);
  }

  open(shelf: SecretShelf): Account {
    const account = new Account(this.accounts.length + 1, shelf);
    this.accounts.push(account);
    return account;
  }

  /** Reads a file again whose contents changed. */
  noteChange(
    disk: ModelDisk,
    name: string,
    { step, time }: { readonly step: number; readonly time: number },
  ): FileChange {
    const bytes = disk.peek(name);
    const next = NEXT.exec(name)?.[1];
    if (next !== undefined) return { dropped: this.#noteNext(disk, name, next) };
    const journal = JOURNAL.exec(name)?.[1];
    if (journal !== undefined) {
      const before = this.written.get(journal);
      this.#noteJournal(journal, bytes);
      const written = this.written.get(journal);
      if (written?.account !== undefined && needsUserReason(written.entry.record) !== undefined)
        written.account.neededUserAt = step;
      return { journal, before };
    }
    const tombstone = TOMBSTONE.exec(name)?.[1];
    if (tombstone === undefined) return {};
    if (bytes === undefined) {
      this.#noteNoTombstone(tombstone, time);
      return this.#longOver.has(tombstone) ? { forgotten: tombstone } : {};
    }
    if (this.tombstones.has(tombstone)) return {};
    this.tombstones.set(tombstone, step);
    this.#endedAt.set(tombstone, this.#endedAt.get(tombstone) ?? time);
    return { tombstone };
  }

  /** The power failed: what is there is read from the files again. */
  forgetFiles(): void {
    this.written.clear();
    this.#next.clear();
    this.tombstones.clear();
    for (const [sessionId, step] of this.#longOver) this.tombstones.set(sessionId, step);
  }

  /** What the journal of an account says now. */
  writtenOf({ sessionId }: Account): Written | undefined {
    return sessionId === undefined ? undefined : this.written.get(sessionId);
  }

  /** The latest pair that's on the disk for a session, in its journal or about to get into it; 0 if there's none. */
  storedPair(sessionId: string): number {
    const next = [...this.#next.values()].filter((one) => one.sessionId === sessionId).map(({ pair }) => pair);
    return Math.max(this.written.get(sessionId)?.pair ?? 0, ...next);
  }

  /** The pairs that may be on their way, by what's on the disk for a session: who finds that can't tell otherwise. */
  maybeSent(sessionId: string): readonly number[] {
    const next = [...this.#next.values()].filter((one) => one.sessionId === sessionId && one.isSending);
    return [this.written.get(sessionId)?.sends ?? 0, ...next.map(({ pair }) => pair)];
  }

  /** Whether a session of this account is over. */
  hasEnded(account: Account): boolean {
    return [...this.tombstones.keys()].some((sessionId) => this.everWritten.get(sessionId) === account);
  }

  /** The session whose journal has this refresh token. */
  sessionWith({ grant, pair }: PairName): string | undefined {
    for (const [sessionId, { account, sends }] of this.written) {
      if (account?.grant === grant && sends === pair) return sessionId;
    }
    return undefined;
  }

  /** The session whose journal had this refresh token, even if it's gone. */
  sessionOf({ grant, pair }: PairName): string | undefined {
    return this.#everSent.get(`${grant}.${pair}`);
  }

  /**
   * The latest pair that is safe: on the disk, or in the memory of a process that lives.
   * @param family only of those that came of this sign-in for the account; of the one that its session is of if left out
   */
  safePair(account: Account, family?: number): number {
    const wanted = family ?? familyNumber(account.pair);
    let latest = 0;
    const note = (pair: number): void => {
      if (pair > latest && wanted === familyNumber(pair)) latest = pair;
    };
    for (const { sessionId, pair } of this.#next.values()) {
      if (this.written.get(sessionId)?.account === account) note(pair);
    }
    for (const written of this.written.values()) if (written.account === account) note(written.pair);
    for (const [pair, process] of account.received) if (process.alive) note(pair);
    return latest;
  }

  /** Whether the session has been over for so long that its tombstone was removed. */
  isForgotten(sessionId: string): boolean {
    return this.#longOver.has(sessionId);
  }

  #noteNoTombstone(sessionId: string, time: number): void {
    const step = this.tombstones.get(sessionId);
    const isLongOver = time - (this.#endedAt.get(sessionId) ?? time) > TOMBSTONE_LIFETIME;
    if (step !== undefined && isLongOver) this.#longOver.set(sessionId, step);
    if (!this.#longOver.has(sessionId)) this.tombstones.delete(sessionId);
  }

  #noteJournal(sessionId: string, bytes: Uint8Array | undefined): void {
    const entry = bytes === undefined ? undefined : this.#read(bytes, sessionId);
    if (bytes === undefined || entry === undefined) {
      this.written.delete(sessionId);
      return;
    }
    const { accessToken = '', refreshToken } = entry.record;
    const [sent, used] = [tokenName(refreshToken), tokenName(accessToken)];
    const before = this.written.get(sessionId);
    const account =
      this.ofGrant(sent.grant) ??
      this.ofGrant(used.grant) ??
      this.everWritten.get(sessionId) ??
      this.ofSession(sessionId);
    const pair = Math.max(sent.pair || 0, used.pair || 0) || (before?.pair ?? 0);
    this.written.set(sessionId, { entry, pair, sends: sent.pair || 0, account });
    if (sent.pair > 0) this.#everSent.set(`${sent.grant}.${sent.pair}`, sessionId);
    const versions = this.versions.get(sessionId) ?? [];
    this.versions.set(sessionId, versions);
    if (versions.at(-1) !== bytes) versions.push(bytes);
    if (account !== undefined) {
      account.sessionId ??= sessionId;
      this.everWritten.set(sessionId, account);
      const isFurther = account.sessionId !== sessionId && entry.record.listed;
      account.hasReturned ||= account.signOutAsked && isFurther;
    }
    if (account?.sessionId === sessionId) {
      account.pair = pair;
      account.scopes = Math.max(account.scopes, entry.record.scopes.length);
    }
  }

  #noteNext(disk: ModelDisk, name: string, sessionId: string): FileChange['dropped'] {
    const before = this.#next.get(name);
    if (before?.isSending === true && disk.peek(`sessions/${sessionId}.json`) !== before.bytes) {
      // It didn't get into the journal, so the token wasn't sent. Others may have taken it for the truth meanwhile.
      this.ofSession(sessionId)?.unanswered.add(before.pair);
    }
    const bytes = disk.peek(name);
    const entry = bytes && this.#read(bytes, sessionId);
    const token = entry?.record.accessToken;
    if (bytes === undefined || entry === undefined || token === undefined) this.#next.delete(name);
    else {
      const { generation, state } = entry;
      this.#next.set(name, {
        sessionId,
        generation,
        pair: tokenName(token).pair,
        isSending: state === 'sending',
        bytes,
      });
    }
    const isInPlace = before !== undefined && disk.peek(`sessions/${sessionId}.json`) === before.bytes;
    if (before === undefined || isInPlace || this.storedPair(sessionId) >= before.pair) return undefined;
    // A journal without an access token, and with a refresh token that stays, doesn't say which pair it has.
    const isEarlier = before.generation <= (this.written.get(sessionId)?.entry.generation ?? 0);
    return isEarlier ? undefined : { sessionId, pair: before.pair };
  }

  #read(bytes: Uint8Array, sessionId: string): JournalEntry | undefined {
    const known = this.#entries.get(bytes);
    if (known?.sessionId === sessionId) return known;
    // An empty file, or room that's reserved. There's much of that, and failing to decode it is slow.
    if ((bytes[0] ?? 0) === 0) return undefined;
    for (const reader of this.#readers.values()) {
      const file = reader.decode(`sessions/${sessionId}.json`, bytes);
      const entry = file.kind === 'open' ? readEntry({ ...file.header, record: file.contents }) : undefined;
      if (entry !== undefined) {
        this.#entries.set(bytes, entry);
        return entry;
      }
    }
    return undefined;
  }
}
