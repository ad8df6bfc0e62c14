import type { Account, RefreshOutcome } from '../sessions/sessions';
import type { ServiceId } from '../oauth/client';

/** What is remembered of one session, encrypted. Times are wall-clock milliseconds. */
export interface SessionRecord {
  readonly account: Account;
  readonly service: ServiceId;
  /** The secret the session was made with; used where no newer one was entered for its service. */
  readonly clientSecret: string;
  /** Names the machine and folder the session was made in: elsewhere it is neither served nor refreshed. */
  readonly place: string;
  readonly signedInAt: number;
  readonly refreshToken: string;
  /** Absent where the last answer had none that could be used, and after a recovery: then a refresh comes first. */
  readonly accessToken: string | undefined;
  readonly tokenFrom: number;
  /** Lifetime of the access token in milliseconds. */
  readonly lifetime: number;
  /** Fingerprints of the access tokens before this one, the newest first. */
  readonly superseded: readonly string[];
  readonly lastRefresh: { readonly at: number; readonly outcome: RefreshOutcome } | undefined;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Before this no window tries again by itself; 0 where nothing stands against it. */
  readonly retryAt: number;
  /** The service refused in a way that another try by itself won't change: a person decides what is next. */
  readonly stopped: boolean;
  /** Whether the refresh token in use is from elsewhere than the journal: another window may know a later one. */
  readonly copied: Copied;
  /** How often this session's refresh token was sent again because no answer had come. */
  readonly replays: number;
}

/**
 * - `no`: the service gave the refresh token to a window, and a journal had it ever since.
 * - `untried`: the journal was gone, or an older one, and it is from the recovery copy or a window's memory.
 * - `refused once`: the same, and the service named it bad. It is asked once more, after the other windows had the time
 *   to write what they know.
 */
export type Copied = 'no' | 'untried' | 'refused once';

/**
 * - `stable`: nothing was sent for this generation, or what was sent was answered and changed nothing.
 * - `sending`: the refresh token is on its way.
 * - `unanswered`: it was sent and no answer came, so that it may be dead, and nobody holds a successor.
 */
export type SendState = 'stable' | 'sending' | 'unanswered';

/** One session as its journal file says. */
export interface JournalEntry {
  readonly sessionId: string;
  /** ID of the key that the record is encrypted with. */
  readonly keyId: string;
  /** Counts the token pairs of this session. Compared only within one session. */
  readonly generation: number;
  /** Counts the writings of this session's journal, over all generations. */
  readonly revision: number;
  readonly state: SendState;
  /** Wall-clock milliseconds of the writing. */
  readonly time: number;
  readonly record: SessionRecord;
}

/** Why a session is over. */
export type EndReason = 'signed out' | 'refused' | 'answer lost';

/** Copy of a session in SecretStorage, for the day the journal is gone. Its access token is left out: it may be dead. */
export type RecoveryCopy = Pick<
  SessionRecord,
  'account' | 'service' | 'clientSecret' | 'place' | 'signedInAt' | 'refreshToken'
> & { readonly generation: number };

/** True where `a` says something newer than `b` of the same session. */
export function isNewer(
  a: Pick<JournalEntry, 'generation' | 'revision'>,
  b: Pick<JournalEntry, 'generation' | 'revision'>,
): boolean {
  return a.generation > b.generation || (a.generation === b.generation && a.revision > b.revision);
}

/** The fields of the record that the recovery copy keeps. */
export function recoveryCopy(entry: JournalEntry): RecoveryCopy {
  const { account, service, clientSecret, place, signedInAt, refreshToken } = entry.record;
  return { account, service, clientSecret, place, signedInAt, refreshToken, generation: entry.generation };
}

/** The session as far as its recovery copy tells: a refresh must come before anything can be served. */
export function restored(sessionId: string, keyId: string, copy: RecoveryCopy, now: number): JournalEntry {
  const { generation, ...kept } = copy;
  return {
    sessionId,
    keyId,
    generation,
    revision: 0,
    state: 'stable',
    time: now,
    record: {
      ...kept,
      accessToken: undefined,
      tokenFrom: now,
      lifetime: 0,
      superseded: [],
      lastRefresh: undefined,
      failures: 0,
      retryAt: 0,
      stopped: false,
      copied: 'untried',
      replays: 0,
    },
  };
}

/**
 * The session as a window's memory has it, where the journal is gone or went back: other windows may know better.
 * @param journal what is left of it
 */
export function remembered(entry: JournalEntry, journal: JournalEntry | undefined): JournalEntry {
  const samePair = journal?.generation === entry.generation && journal.record.copied === 'no';
  return samePair || entry.record.copied !== 'no'
    ? entry
    : { ...entry, record: { ...entry.record, copied: 'untried' } };
}

/** The next writing of the same generation. */
export function successor(
  entry: JournalEntry,
  state: SendState,
  time: number,
  changes: Partial<SessionRecord>,
): JournalEntry {
  return { ...entry, state, time, revision: entry.revision + 1, record: { ...entry.record, ...changes } };
}
