import { needsUserReason } from '../../../src/sessions/refreshState';
import type { AccountInfo } from '../../../src/oauth/types';
import { type JournalEntry, readEntry } from '../../../src/storage/record';
import type { Sealing } from '../../../src/storage/sealing';
import { familyNumber, tokenName, type PairName } from '../model/service';
import type { ModelStore } from '../model/store';
import type { SecretShelf } from '../model/secretShelf';
import type { Process } from '../model/steps';

const JOURNAL = /^session\/(.*)$/;
const TOMBSTONE = '{"endedAt"';

/** What was done to a journal from outside: it was damaged, or an older one was put in its place. */
export const TAMPERED = 'its journal was damaged';
export const RESTORED = 'an older journal was put back';
/** Its tombstone was removed from outside while a window that had slept since before the end, or a recovery copy, still had the session. */
export const FORGOTTEN = 'its tombstone was removed, and a window or a copy still has it';
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
  /** The step since which the disk has this pair. */
  readonly since: number;
}

/** What a change of a row means. */
interface RowChange {
  /** The session whose journal it is. */
  readonly journal?: string;
  /** What that journal said before. */
  readonly before?: Written | undefined;
  /** The session whose tombstone is new. */
  readonly tombstone?: string;
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
  /** The window that's about to name it, since when in real time, and how often the clocks had been moved by then. */
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
  /** Who knew that it was signed out when somebody emptied the database, or set it back; absent if nobody did. */
  witnesses: readonly Process[] | undefined;
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

  /** Whether somebody changed its journal, or the whole database, from outside. */
  get isTampered(): boolean {
    return this.harmed.has(TAMPERED) || this.harmed.has(RESTORED);
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
  readonly versions = new Map<string, string[]>();
  /** The sessions that are over, and the step since which they are. */
  readonly tombstones = new Map<string, number>();
  /** The sessions that ever had a tombstone. */
  readonly #everOver = new Set<string>();
  /** Opens the rows of each store. */
  readonly #readers = new Map<string, Sealing>();

  /** Now the rows of the store with this key can be read, as its windows read them. */
  addReader(sealing: Sealing): void {
    this.#readers.set(sealing.key.id, sealing);
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

  /** Reads a row again that changed. */
  noteChange(store: ModelStore, name: string, step: number): RowChange {
    const sessionId = JOURNAL.exec(name)?.[1];
    if (sessionId === undefined) return {};
    const text = store.peek(name);
    if (text?.startsWith(TOMBSTONE) === true) {
      this.written.delete(sessionId);
      if (this.tombstones.has(sessionId)) return {};
      this.tombstones.set(sessionId, step);
      // If somebody set the database back, whoever knows that it's over writes that again.
      if (this.#everOver.has(sessionId)) return {};
      this.#everOver.add(sessionId);
      return { tombstone: sessionId };
    }
    this.tombstones.delete(sessionId);
    const before = this.written.get(sessionId);
    this.#noteJournal(sessionId, text, step);
    const written = this.written.get(sessionId);
    if (written?.account !== undefined && needsUserReason(written.entry.record) !== undefined)
      written.account.neededUserAt = step;
    return { journal: sessionId, before };
  }

  /** What the journal of an account says now. */
  writtenOf({ sessionId }: Account): Written | undefined {
    return sessionId === undefined ? undefined : this.written.get(sessionId);
  }

  /** The latest pair that's on the disk for a session; 0 if there's none. */
  storedPair(sessionId: string): number {
    return this.written.get(sessionId)?.pair ?? 0;
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
    for (const written of this.written.values()) if (written.account === account) note(written.pair);
    for (const [pair, process] of account.received) if (process.alive) note(pair);
    return latest;
  }

  /** Whether somebody emptied the database or set it back, and nobody has written the account's tombstone again yet. */
  isTombstoneGone({ isTampered, sessionId = '' }: Account): boolean {
    return isTampered && !this.tombstones.has(sessionId);
  }

  /**
   * The step since which every window that looks can know that a person signed out. It's never if nobody is left who knows it;
   * while the tombstone is gone, windows that open can't know it yet.
   */
  signedOutSince(account: Account): number {
    const { harmed, isTampered, sessionId = '', signedOutAt } = account;
    if (signedOutAt === undefined || harmed.has(FORGOTTEN)) return Number.POSITIVE_INFINITY;
    if (!isTampered) return signedOutAt;
    return Math.max(signedOutAt, this.tombstones.get(sessionId) ?? Number.POSITIVE_INFINITY);
  }

  #noteJournal(sessionId: string, text: string | undefined, step: number): void {
    const entry = text === undefined ? undefined : this.#read(text, sessionId);
    if (text === undefined || entry === undefined) {
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
    const since = before?.pair === pair ? before.since : step;
    this.written.set(sessionId, { entry, pair, sends: sent.pair || 0, account, since });
    if (sent.pair > 0) this.#everSent.set(`${sent.grant}.${sent.pair}`, sessionId);
    const versions = this.versions.get(sessionId) ?? [];
    this.versions.set(sessionId, versions);
    if (versions.at(-1) !== text) versions.push(text);
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

  #read(text: string, sessionId: string): JournalEntry | undefined {
    for (const reader of this.#readers.values()) {
      const row = reader.open(`session/${sessionId}`, text);
      const entry = row.kind === 'open' ? readEntry({ ...row.header, record: row.contents }) : undefined;
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}
