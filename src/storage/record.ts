import { asObject, type Fields } from '../fields';
import type { AccountInfo } from '../oauth/types';
import type { Service } from '../oauth/service';

/** An account as VS Code shows it. Trust and preferences depend on the label, so labels are unique and stable. */
export interface Account {
  readonly id: string;
  readonly label: string;
}

/** How the last refresh of a session ended. `incomplete`: the response had no access token that can be used. */
export type RefreshOutcome =
  | 'refreshed'
  | 'incomplete'
  | 'no response'
  | 'not sent'
  | 'refused'
  | 'invalid response'
  /** The service answered with tokens that can't be read. The refresh token isn't sent again. */
  | 'tokens lost';

/** A refresh that brought no new tokens. */
export type RefreshFailure = Exclude<RefreshOutcome, 'refreshed' | 'incomplete'>;

/**
 * What failed in a refresh. Each kind is counted by itself, and has pauses of its own.
 * - `unsent`: nothing left this machine.
 * - `unanswered`: no response came, so it's unknown whether the token still works.
 * - `answered`: the service, or something in front of it, responded without tokens that can be used.
 */
export type FailureKind = 'unsent' | 'unanswered' | 'answered';

/** Attempts go on after failures. Times are wall-clock milliseconds. */
export interface Retry {
  /** How often each kind has failed in a row. */
  readonly failures: Readonly<Record<FailureKind, number>>;
  /** The first and the last of the responses in a row that said nothing of the token. */
  readonly trouble: { readonly since: number; readonly at: number } | undefined;
  /** How the last attempt ended, and when. */
  readonly outcome: Exclude<RefreshOutcome, 'refreshed'>;
  readonly failedAt: number;
  /** No window sends the refresh token by itself before this. */
  readonly nextAt: number;
}

/**
 * Why only the person can bring another access token, as far as is known.
 * - `refused`: the service refused a refresh in a way that another attempt won't change.
 * - `unclear`: the service refused it in other words than an error code, so the attempts go on.
 * - `other user`: the service named a different user than the one who signed in.
 * - `tokens lost`: the service answered with tokens that can't be read. The refresh token isn't sent again.
 * - `no refresh token`: the access token has expired, and the service gave no refresh token.
 * - `rejected`: the same, but somebody reported that the service rejects the access token.
 */
export type NeedsUserReason = 'refused' | 'unclear' | 'other user' | 'tokens lost' | 'no refresh token' | 'rejected';

/** How the refreshes of a session go. */
type RefreshState =
  | { readonly kind: 'fine' }
  /** The session was restored from its recovery copy. Its token may be an old one, so nobody sends it before `until`. */
  | { readonly kind: 'restored'; readonly until: number }
  | { readonly kind: 'retrying'; readonly retry: Retry }
  /** With `retry`, the attempts go on in the background; otherwise, only a person begins one. */
  | { readonly kind: 'needs user'; readonly reason: NeedsUserReason; readonly retry: Retry | undefined };

/** What people are told once: why an account needs them, that the client ID or secret is wrong, or that the service is in trouble. */
export type ToldOf = NeedsUserReason | 'credentials' | 'trouble';

/** What's stored of a session, encrypted. Times are wall-clock milliseconds. */
export interface SessionRecord {
  readonly account: Account;
  /** Who the service says is signed in; `undefined` if it wasn't asked or didn't say. */
  readonly user: AccountInfo | undefined;
  /** False from the arrival of the tokens until the account has its name: the session isn't announced before that. */
  readonly listed: boolean;
  readonly service: Service;
  readonly signedInAt: number;
  /** Empty if the service gave none. */
  readonly refreshToken: string;
  /** Absent if the last response had none that can be used, or only an expired one, or the session was restored: a refresh comes first. */
  readonly accessToken: string | undefined;
  /** The last ID token that the service gave, if it gave any. It may have expired. */
  readonly idToken: string | undefined;
  /** When the access token was requested: it may be as old as that. */
  readonly obtainedAt: number;
  /** Lifetime of the access token in milliseconds, if one is known. */
  readonly lifetime: number | undefined;
  /** Whether the service said the lifetime, of this access token or an earlier one. Otherwise, it's assumed. */
  readonly isLifetimeStated: boolean;
  /** Lifetime of the refresh token in milliseconds, if the service says it. */
  readonly refreshLifetime: number | undefined;
  /** The scopes that are granted, if the service has any. */
  readonly scopes: readonly string[];
  /** Those of them that the last response with a list of scopes had in it. */
  readonly listedScopes: readonly string[];
  /** Those that the sign-in requested, which a refresh requests again; none if the service refused that. */
  readonly requestedScopes: readonly string[];
  /** The last attempt to refresh, for people to read; absent before the first, and after the session was restored. */
  readonly lastRefresh: { readonly at: number; readonly outcome: RefreshOutcome } | undefined;
  /** How refreshing goes. Only `refreshState.ts` in `src/sessions` changes it, and `standingOf` there says what it means for others. */
  readonly refreshState: RefreshState;
  /** What the person was told of the failures since the last success, each once. */
  readonly told: readonly ToldOf[];
  /**
   * The last ID token was for a different user than the one who signed in. Until one is for that user again, every access token
   * that a refresh brings is dropped.
   */
  readonly isOtherUser: boolean;
}

/** What a record has if nothing else is known: that of a new session, and a field that's newer than the journal it's read from. */
export const NEW_RECORD: Omit<SessionRecord, 'account' | 'service' | 'refreshToken'> = {
  user: undefined,
  listed: true,
  signedInAt: 0,
  accessToken: undefined,
  idToken: undefined,
  obtainedAt: 0,
  lifetime: undefined,
  isLifetimeStated: false,
  refreshLifetime: undefined,
  scopes: [],
  listedScopes: [],
  requestedScopes: [],
  lastRefresh: undefined,
  refreshState: { kind: 'fine' },
  told: [],
  isOtherUser: false,
};

const SEND_STATES = ['stable', 'sending', 'unanswered'] as const;

/**
 * - `stable`: nothing was sent for this generation, or what was sent got a response and changed nothing.
 * - `sending`: the refresh token is on its way.
 * - `unanswered`: it was sent and no response came, so it may be dead, and nobody has a successor.
 */
export type SendState = (typeof SEND_STATES)[number];

/** One session, as in its journal. */
export interface JournalEntry {
  readonly sessionId: string;
  /** Counts the token pairs of this session. Compared only within one session. */
  readonly generation: number;
  /** Counts the writes of this session's journal, over all generations. */
  readonly revision: number;
  readonly state: SendState;
  /** When it was written, in wall-clock milliseconds. */
  readonly time: number;
  readonly record: SessionRecord;
}

/** Whether a refresh is possible: some services give no refresh token. */
export function canRefresh({ record }: JournalEntry): boolean {
  return record.refreshToken !== '';
}

/**
 * The entry in these fields; `undefined` if something that a refresh needs is missing. Nothing else is checked: the
 * fields were sealed, so this extension wrote them, or an earlier version of it that had fewer.
 */
export function readEntry(fields: Fields): JournalEntry | undefined {
  const { sessionId, generation, revision, state, time } = fields;
  const record = asObject(fields['record']);
  const label = asObject(record?.['account'])?.['label'];
  const baseUrl = asObject(record?.['service'])?.['baseUrl'];
  const isComplete =
    [sessionId, label, baseUrl, record?.['refreshToken']].every((text) => typeof text === 'string') &&
    [generation, revision, time].every(Number.isFinite) &&
    SEND_STATES.includes(state as SendState);
  const entry = { sessionId, generation, revision, state, time, record: { ...NEW_RECORD, ...record } };
  return isComplete ? (entry as unknown as JournalEntry) : undefined;
}

/** The entry that follows one, with the same token pair. */
export function nextEntry(
  entry: JournalEntry,
  now: number,
  fields: Partial<SessionRecord>,
  state: SendState = entry.state,
): JournalEntry {
  return { ...entry, state, time: now, revision: entry.revision + 1, record: { ...entry.record, ...fields } };
}

/** The entry that follows one, with the next token pair. */
export function nextPair(entry: JournalEntry, now: number, fields: Partial<SessionRecord>): JournalEntry {
  return { ...nextEntry(entry, now, fields, 'stable'), generation: entry.generation + 1 };
}

/**
 * The entry that follows one if it's no part of a refresh: if one is under way, perhaps in another window, since when it is stays as
 * it was, because others count from that how long to leave it alone.
 */
export function changedEntry(entry: JournalEntry, now: number, fields: Partial<SessionRecord>): JournalEntry {
  return nextEntry(entry, entry.state === 'sending' ? entry.time : now, fields);
}

/**
 * True if `a` is newer than `b`, which is of the same session. Of two different entries, one is newer: two windows may have
 * written in memory what the disk refused, or restored the session from different copies, and must come to agree.
 */
export function isNewer(a: JournalEntry, b: JournalEntry): boolean {
  const difference =
    a.generation - b.generation ||
    a.revision - b.revision ||
    Number(a.record.listed) - Number(b.record.listed) ||
    Number(a.record.accessToken !== undefined) - Number(b.record.accessToken !== undefined) ||
    a.time - b.time;
  return difference > 0;
}

/** The newest of these entries of one session; `undefined` if there is none. */
export function newestEntry(entries: readonly (JournalEntry | undefined)[]): JournalEntry | undefined {
  return entries
    .filter((entry) => entry !== undefined)
    .reduce<JournalEntry | undefined>((a, b) => (a === undefined || isNewer(b, a) ? b : a), undefined);
}

/** Sorts sessions by the time of sign-in, in every window alike. */
export function bySignIn(a: JournalEntry, b: JournalEntry): number {
  return a.record.signedInAt - b.record.signedInAt || a.sessionId.localeCompare(b.sessionId);
}
