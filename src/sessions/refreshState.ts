import { CLOCK_TOLERANCE } from '../clock';
import type { FailureKind, NeedsUserReason, RefreshFailure, Retry, SessionRecord, ToldOf } from '../storage/record';

// How refreshing goes: what follows from each outcome, and who may try again when. Nothing but this file and `standing.ts` looks into
// `SessionRecord.refreshState` and `told`. docs/rotation.md has both tables.

/**
 * What a failed refresh says. `CONSEQUENCES` has what follows from each.
 * - `nothing`: no response came, or nothing was sent.
 * - `trouble`: a page, or a service that's busy or doesn't work. It says nothing of the token.
 * - `wrong credentials`: the client ID or secret is wrong, or there's no secret.
 * - `refused in words`: most likely the token is refused, but without an error code.
 * - `refused`: with an error code, but not the token itself.
 * - `tokens lost`: the service answered with tokens that can't be read.
 * - `token rejected`: the service's word that the token is bad, which ends the session.
 */
type FailureMeaning =
  'nothing' | 'trouble' | 'wrong credentials' | 'refused in words' | 'refused' | 'tokens lost' | 'token rejected';

/** A refresh that brought no tokens. */
export interface FailedRefresh {
  /** `no response`: the service may have replaced the tokens, and its response is lost. */
  readonly outcome: RefreshFailure;
  readonly meaning: FailureMeaning;
}

/** What follows from a failure. */
interface Consequence {
  /**
   * Why the account needs its person from now on, who's told at the latest when the access token has expired. Without it, that stays
   * as it was.
   */
  readonly needsUser?: NeedsUserReason;
  /** Whether attempts go on in the background. */
  readonly goesOn: boolean;
  /** What the person is told at once, even if the access token still works. */
  readonly tellAtOnce?: ToldOf;
}

const CONSEQUENCES: Readonly<Record<FailureMeaning, Consequence>> = {
  nothing: { goesOn: true },
  // The person is told once it has lasted.
  trouble: { goesOn: true },
  'wrong credentials': { goesOn: true, tellAtOnce: 'credentials' },
  'refused in words': { needsUser: 'unclear', goesOn: true },
  refused: { needsUser: 'refused', goesOn: false, tellAtOnce: 'refused' },
  'tokens lost': { needsUser: 'tokens lost', goesOn: false, tellAtOnce: 'tokens lost' },
  // The session is over, unless the disk refuses that: then the service is asked again later.
  'token rejected': { goesOn: true },
};

/** The pauses after failures of one kind in a row: these first, and then each twice the last, up to the longest. Milliseconds. */
const REFRESH_PAUSES: Readonly<Record<FailureKind, { readonly first: readonly number[]; readonly longest: number }>> = {
  // The network may be back any moment, or hours later.
  unsent: { first: [2_000], longest: 30 * 60_000 },
  // Some services answer a repetition for some seconds. The sooner the service tells whether the token still works, the better.
  unanswered: { first: [1_000, 3_000, 10_000], longest: 60_000 },
  // The service is in trouble and has many clients, or the person has to do something anyway.
  answered: { first: [5_000], longest: 5 * 60_000 },
};

const KINDS: Readonly<Record<Retry['outcome'], FailureKind>> = {
  'not sent': 'unsent',
  'no response': 'unanswered',
  refused: 'answered',
  'invalid response': 'answered',
  incomplete: 'answered',
  'tokens lost': 'answered',
};

/** An attempt may come later than planned although a window is open. Milliseconds. */
const SLACK = 60_000;
/** A service that wants no request for longer is asked again all the same. Milliseconds. */
const LONGEST_RETRY_AFTER = 5 * 60_000;
/** If a service brings nothing else than trouble for this long, the person is told. Milliseconds. */
const TROUBLE_PATIENCE = 15 * 60_000;
/** Responses that say nothing of the token are further apart only if the service wasn't reached for a while. Milliseconds. */
const TROUBLE_GAP = LONGEST_RETRY_AFTER + 5 * 60_000;
/** How far apart attempts for callers are at least, if nothing leaves this machine. Milliseconds. */
const BETWEEN_UNSENT = 1_000;
/** A pause that's longer was begun before the clock was set back. Milliseconds. */
const LONGEST_PAUSE = Math.max(LONGEST_RETRY_AFTER, ...Object.values(REFRESH_PAUSES).map(({ longest }) => longest));

/**
 * Who wants a refresh.
 * - `nobody yet`: it's due, and every pause holds.
 * - `focus`: the person came back to a window. What never left this machine is tried again at once, and soon again.
 * - `caller`: somebody waits for the token. What never left this machine is tried again at once.
 * - `person`: somebody asks for just that. Only a token that's certainly of no use isn't sent.
 */
export type WantedBy = 'nobody yet' | 'focus' | 'caller' | 'person';

/** An attempt that has ended. Times are wall-clock milliseconds. */
interface EndedAttempt {
  readonly wantedBy: WantedBy;
  readonly startedAt: number;
  readonly endedAt: number;
  /** After how many seconds the service wants to be asked again, if it says so. */
  readonly retryAfter?: number | undefined;
}

/** The fields of a record that say how refreshing stands. */
type StateFields = Pick<SessionRecord, 'lastRefresh' | 'refreshState' | 'told'>;

/**
 * How it stands after a failure, and what the person is to be told now, if anything.
 * @param circumstances `isExpired`: whether the access token has; `toldOfCredentials`: whether another session of the same service
 *   had the person told that the client ID or secret is wrong
 */
export function afterFailure(
  record: SessionRecord,
  { meaning, outcome }: FailedRefresh,
  attempt: EndedAttempt,
  { isExpired, toldOfCredentials }: { readonly isExpired: boolean; readonly toldOfCredentials: boolean },
): { readonly fields: StateFields; readonly tell: ToldOf | undefined } {
  const { goesOn, needsUser, tellAtOnce } = CONSEQUENCES[meaning];
  const isTrouble = meaning === 'trouble';
  const retry = nextRetry(retryOf(record), outcome, isTrouble, attempt);
  const reason = needsUser ?? needsUserReason(record);
  const refreshState: SessionRecord['refreshState'] =
    reason === undefined
      ? { kind: 'retrying', retry }
      : { kind: 'needs user', reason, retry: goesOn ? retry : undefined };
  const lastRefresh = { at: attempt.endedAt, outcome };
  // Who asks by a button is told again.
  const told = attempt.wantedBy === 'person' ? [] : record.told;
  const toKnow = whatToKnow(tellAtOnce, reason, isTrouble ? retry.trouble : undefined, isExpired);
  const isKnown = toKnow !== undefined && (told.includes(toKnow) || (toKnow === 'credentials' && toldOfCredentials));
  if (toKnow === undefined || isKnown) {
    return { fields: { lastRefresh, refreshState, told }, tell: undefined };
  }
  return { fields: { lastRefresh, refreshState, told: [...told, toKnow] }, tell: toKnow };
}

/**
 * What the person should know of by now, told or not.
 * @param reason why the account needs its person, if it does
 * @param trouble since when the service brings nothing else, if it's just that
 */
function whatToKnow(
  tellAtOnce: ToldOf | undefined,
  reason: NeedsUserReason | undefined,
  trouble: Retry['trouble'],
  isExpired: boolean,
): ToldOf | undefined {
  if (tellAtOnce !== undefined) {
    return tellAtOnce;
  }
  if (!isExpired) {
    return undefined;
  }
  if (reason !== undefined) {
    return reason;
  }
  const lasted = trouble === undefined ? 0 : trouble.at - trouble.since;
  return lasted >= TROUBLE_PATIENCE ? 'trouble' : undefined;
}

/** How it stands after a token response. @param tokens what's wrong with it, if anything */
export function afterTokens(
  record: SessionRecord,
  tokens: 'usable' | 'no access token' | 'of another user',
  attempt: EndedAttempt,
): StateFields {
  const at = attempt.endedAt;
  switch (tokens) {
    case 'usable':
      return { lastRefresh: { at, outcome: 'refreshed' }, refreshState: { kind: 'fine' }, told: [] };
    case 'of another user':
      return {
        lastRefresh: { at, outcome: 'refreshed' },
        refreshState: { kind: 'needs user', reason: 'other user', retry: undefined },
        told: ['other user'],
      };
    case 'no access token': {
      const retry = nextRetry(retryOf(record), 'incomplete', true, attempt);
      return {
        lastRefresh: { at, outcome: 'incomplete' },
        refreshState: { kind: 'retrying', retry },
        told: record.told,
      };
    }
  }
}

/**
 * How it stands after the last access token of a session without a refresh token can't be used anymore; `undefined` if that's known
 * already. The person is told unless `isTold`.
 */
export function afterLastToken(
  { refreshState, told }: SessionRecord,
  reason: 'no refresh token' | 'rejected',
): { readonly fields: Pick<SessionRecord, 'refreshState' | 'told'>; readonly isTold: boolean } | undefined {
  const known = refreshState.kind === 'needs user' ? refreshState.reason : undefined;
  if (known === 'rejected' || known === reason) {
    return undefined;
  }
  return {
    fields: {
      refreshState: { kind: 'needs user', reason, retry: undefined },
      told: told.length > 0 ? told : [reason],
    },
    isTold: told.length > 0,
  };
}

/** How it stands after a session was restored. @param until wall-clock milliseconds */
export function restoredUntil(until: number): SessionRecord['refreshState'] {
  return { kind: 'restored', until };
}

/** What's noted of a failure, and when the next attempt follows. */
function nextRetry(
  before: Retry | undefined,
  outcome: Retry['outcome'],
  isTrouble: boolean,
  attempt: EndedAttempt,
): Retry {
  const { endedAt, retryAfter = 0 } = attempt;
  const kind = KINDS[outcome];
  const failures = countFailure(before, kind, attempt);
  const wanted = Math.min(retryAfter * 1000, LONGEST_RETRY_AFTER);
  return {
    failures,
    trouble: isTrouble ? prolongTrouble(before?.trouble, attempt) : before?.trouble,
    outcome,
    failedAt: endedAt,
    nextAt: endedAt + Math.max(wanted, pauseAfter(kind, failures[kind])),
  };
}

/**
 * Counts one more failure of a kind. Each kind has a count of its own, which ends with a success, or if nobody has tried for longer
 * than its longest pause: the machine slept, or the editor was closed.
 */
function countFailure(
  before: Retry | undefined,
  failed: FailureKind,
  { startedAt, wantedBy }: EndedAttempt,
): Retry['failures'] {
  const late = startedAt - (before?.nextAt ?? startedAt);
  const earlier = (kind: FailureKind): number =>
    late <= REFRESH_PAUSES[kind].longest + SLACK ? (before?.failures[kind] ?? 0) : 0;
  const failures = { unsent: earlier('unsent'), unanswered: earlier('unanswered'), answered: earlier('answered') };
  // When a person comes back, the network may take a moment longer.
  const startsOver = failed === 'unsent' && wantedBy === 'focus';
  return { ...failures, [failed]: startsOver ? 1 : failures[failed] + 1 };
}

/** Prolongs the time of trouble. Time in which the service wasn't asked proves nothing: after that, it begins anew. */
function prolongTrouble(before: Retry['trouble'], { endedAt, startedAt }: EndedAttempt): Retry['trouble'] {
  const goesOn = before !== undefined && startedAt - before.at <= TROUBLE_GAP;
  // The clock may have been set back since the first one.
  return { since: goesOn ? Math.min(before.since, endedAt) : endedAt, at: endedAt };
}

function pauseAfter(kind: FailureKind, count: number): number {
  const { first, longest } = REFRESH_PAUSES[kind];
  const lastOfFirst = first.at(-1) ?? longest;
  return first[count - 1] ?? Math.min(longest, lastOfFirst * 2 ** (count - first.length));
}

/**
 * Milliseconds until this one may send the refresh token; infinite if only a person may, or nobody.
 * @param now wall-clock milliseconds
 */
export function untilRetry({ refreshState }: SessionRecord, wantedBy: WantedBy, now: number): number {
  switch (refreshState.kind) {
    case 'fine':
      return 0;
    case 'restored':
      // Any window that knows a later token must have time to write it, so even a person waits.
      return pauseLeft(refreshState.until, now);
    case 'retrying':
      return untilNext(refreshState.retry, wantedBy, now);
    case 'needs user': {
      const { reason, retry } = refreshState;
      if (wantedBy === 'person' && reason !== 'tokens lost') {
        return 0;
      }
      return retry === undefined ? Number.POSITIVE_INFINITY : untilNext(retry, wantedBy, now);
    }
  }
}

function untilNext({ failedAt, nextAt, outcome }: Retry, wantedBy: WantedBy, now: number): number {
  if (wantedBy === 'person') {
    return 0;
  }
  const isShortened = outcome === 'not sent' && wantedBy !== 'nobody yet';
  return pauseLeft(isShortened ? failedAt + BETWEEN_UNSENT : nextAt, now, failedAt);
}

/**
 * How long a pause still lasts. If it seems to begin in the future, or to last longer than any does, the clock was set back
 * meanwhile, and the pause is over.
 */
function pauseLeft(endsAt: number, now: number, beganAt?: number): number {
  const left = endsAt - now;
  const beginsInFuture = beganAt !== undefined && beganAt - now > CLOCK_TOLERANCE;
  return beginsInFuture || left > LONGEST_PAUSE ? 0 : Math.max(0, left);
}

function retryOf({ refreshState }: SessionRecord): Retry | undefined {
  return 'retry' in refreshState ? refreshState.retry : undefined;
}

/** How the last attempt ended, if it failed, and more follow. */
export function failedOutcome(record: SessionRecord): Retry['outcome'] | undefined {
  return retryOf(record)?.outcome;
}

/** Why the account needs its person, as far as refreshing is concerned. Its access token may still work. */
export function needsUserReason({ refreshState }: SessionRecord): NeedsUserReason | undefined {
  return refreshState.kind === 'needs user' ? refreshState.reason : undefined;
}

/** Whether the person was told that the client ID or secret is wrong. */
export function isToldOfCredentials({ told }: SessionRecord): boolean {
  return told.includes('credentials');
}
