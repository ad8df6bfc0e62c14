import { asObject, type Fields } from '../fields';
import type { AccountInfo, Service, TokenResponse } from '../oauth/client';
import { fingerprint } from './cipher';

/** Lifetime of an access token if the response doesn't say it, in seconds. Most services of this kind have this one. */
const DEFAULT_LIFETIME = 3600;
/** Stands for an unlimited lifetime, which JSON doesn't have. */
export const NO_EXPIRY = Number.MAX_SAFE_INTEGER;
/** How many superseded access tokens are recognized. */
const SUPERSEDED_KEPT = 4;

/** An account as VS Code shows it. Trust and preferences depend on the label, so labels are unique and stable. */
export interface Account {
  readonly id: string;
  readonly label: string;
}

/** How the last refresh of a session ended. `incomplete`: the response had no access token that can be used. */
export type RefreshOutcome = 'refreshed' | 'incomplete' | 'no response' | 'not sent' | 'refused' | 'invalid response';

/** A refresh that brought no new tokens. */
export type RefreshFailure = Exclude<RefreshOutcome, 'refreshed' | 'incomplete'>;

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
  /** Absent if the last response had none that can be used, or the session was restored: a refresh comes first. */
  readonly accessToken: string | undefined;
  /** When the access token arrived. */
  readonly obtainedAt: number;
  /** Lifetime of the access token in milliseconds; `NO_EXPIRY` if none is known. */
  readonly lifetime: number;
  /** Lifetime of the refresh token in milliseconds, if the service says it. */
  readonly refreshLifetime: number | undefined;
  /** The scopes that are granted, if the service has any. */
  readonly scopes: readonly string[];
  /** Fingerprints of the access tokens before this one, the newest first. */
  readonly superseded: readonly string[];
  /** The last attempt to refresh; absent before the first, and after the session was restored. */
  readonly lastRefresh: { readonly at: number; readonly outcome: RefreshOutcome } | undefined;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** No window sends the refresh token automatically before this; 0 if any may. */
  readonly retryAt: number;
  /** The service refused in a way that another attempt won't change: a person decides what's next. */
  readonly needsUser: boolean;
  /** ID of the sign-in's own session whose tokens this one got, if any: they're not to be used twice. */
  readonly tookOver: string | undefined;
  /** How often this session's refresh token was sent again because no response had come. */
  readonly replays: number;
}

/** What a record has if nothing else is known: that of a new session, or of an older version of this extension. */
export const NEW_RECORD = {
  user: undefined,
  listed: true,
  signedInAt: 0,
  accessToken: undefined,
  obtainedAt: 0,
  lifetime: 0,
  refreshLifetime: undefined,
  scopes: [],
  superseded: [],
  lastRefresh: undefined,
  failures: 0,
  retryAt: 0,
  needsUser: false,
  tookOver: undefined,
  replays: 0,
} as const;

/** The part of the record that comes with a token response. */
export function tokenFields(
  tokens: TokenResponse,
  now: number,
  old: SessionRecord | undefined,
): Pick<
  SessionRecord,
  'refreshToken' | 'accessToken' | 'obtainedAt' | 'lifetime' | 'refreshLifetime' | 'scopes' | 'superseded'
> {
  const { accessToken, expiresIn = DEFAULT_LIFETIME, refreshExpiresIn, refreshToken, scopes = [] } = tokens;
  return {
    refreshToken: refreshToken ?? old?.refreshToken ?? '',
    accessToken,
    obtainedAt: now,
    lifetime: Math.min(expiresIn * 1000, NO_EXPIRY),
    refreshLifetime: refreshExpiresIn && refreshExpiresIn * 1000,
    scopes: [...new Set([...(old?.scopes ?? []), ...scopes])],
    superseded: old === undefined ? [] : supersededTokens(old),
  };
}

/** Fingerprints of the access tokens that a new one supersedes. */
export function supersededTokens({ accessToken, superseded }: SessionRecord): readonly string[] {
  const last = accessToken === undefined ? [] : [fingerprint(accessToken)];
  return [...last, ...superseded].slice(0, SUPERSEDED_KEPT);
}

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

/**
 * The entry in these fields; `undefined` if something that a refresh needs is missing. Nothing else is checked: the
 * fields were sealed, so this extension wrote them.
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

/** True if `a` is newer than `b`, which is of the same session. */
export function isNewer(a: JournalEntry, b: JournalEntry): boolean {
  return a.generation > b.generation || (a.generation === b.generation && a.revision > b.revision);
}

/** The next entry of the same generation. */
export function successor(
  entry: JournalEntry,
  state: SendState,
  time: number,
  changes: Partial<SessionRecord>,
): JournalEntry {
  return { ...entry, state, time, revision: entry.revision + 1, record: { ...entry.record, ...changes } };
}

/** The first entry of the next generation, with the tokens in `changes`. */
export function nextGeneration(...next: Parameters<typeof successor>): JournalEntry {
  const [{ generation }] = next;
  return { ...successor(...next), generation: generation + 1 };
}

/**
 * A restored token isn't sent before this time has passed: by then, every other window has looked at the journal, and
 * has written later tokens if it knows any. Milliseconds.
 */
const RESTORED_PAUSE = 25_000;

/**
 * The session as its recovery copy has it: it must be refreshed before it can be served. It has no last refresh, which
 * tells its pause from one after a failure.
 */
export function restoredEntry({ sessionId, generation, record }: JournalEntry, now: number): JournalEntry {
  const { account, user, service, signedInAt, refreshToken, scopes, tookOver, replays } = record;
  return {
    ...{ sessionId, generation, revision: 0, state: 'stable', time: now },
    record: {
      ...NEW_RECORD,
      ...{ account, user, service, signedInAt, refreshToken, scopes, tookOver, replays },
      obtainedAt: now,
      retryAt: now + RESTORED_PAUSE,
    },
  };
}
