import type { Clock } from '../clock';
import type { Log } from '../log';
import { sameService, type Service } from '../oauth/service';
import type { AccountInfo, TokenResponse } from '../oauth/types';
import { newId, type Random } from '../storage/cipher';
import { changedEntry, type JournalEntry, NEW_RECORD, type SessionRecord } from '../storage/record';
import type { SessionCache } from './sessionCache';
import { tokenFields } from './tokenFields';
import type { CurrentSession } from './currentSession';
import type { Labels } from './labels';
import type { DiskRefusals } from './diskRefusals';
import { endReplaced } from './endReplaced';
import type { RecoveryCopies } from './recoveryCopies';
import type { SessionsTransaction, StoredSessions } from './storedSessions';

/** The result of a sign-in. */
export interface NewSession {
  readonly service: Service;
  readonly tokens: TokenResponse;
  /** Label of the account until it's named. */
  readonly label: string;
}

/** Whose session a sign-in has brought. */
export interface AccountAssignment {
  readonly label: string;
  /** What the account may have been called before instead. A user whom the service identifies keeps that label. */
  readonly otherLabels?: readonly string[];
  /** Who the service says is signed in; `undefined` if it wasn't asked or didn't say. */
  readonly user: AccountInfo | undefined;
  /**
   * Whether this sign-in should show who signed in: it came with an ID token, or the settings say how to ask. If it then
   * shows nobody, or somebody else, it doesn't belong to the chosen account.
   */
  readonly mustShowUser: boolean;
  /** ID of the account that the person signed in to again, if any. */
  readonly accountId: string | undefined;
}

/**
 * - `added`: a new account.
 * - `replaced`: the session replaced another one of the same account.
 * - `other user`: the service named somebody else than the account to replace, or nobody, so that account stays.
 */
type AssignmentOutcome = 'added' | 'replaced' | 'other user';

/** A session that has its account, and how it got it. */
export interface AssignedAccount {
  readonly session: CurrentSession;
  readonly outcome: AssignmentOutcome;
}

/** What `NewSessions` works with. */
interface NewSessionsDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly labels: Labels;
  readonly log: Log;
  readonly random: Random;
  readonly recoveryCopies: RecoveryCopies;
  readonly refusals: DiskRefusals;
  readonly storedSessions: StoredSessions;
}

/** What comes of a sign-in: a session that's stored at once, gets its account, and is listed. */
export class NewSessions {
  constructor(private readonly dependencies: NewSessionsDependencies) {}

  /**
   * Stores the tokens of a sign-in. Never rejects, because they're the only copy: if the disk refuses, this window
   * keeps the session in memory and retries. It isn't announced before `assign`, unless that doesn't come in time.
   * @returns the session's ID
   */
  async add({ service, tokens, label }: NewSession): Promise<string> {
    const { clock, random, refusals, storedSessions } = this.dependencies;
    const now = clock.now();
    const account = { id: newId(random), label };
    const entry: JournalEntry = {
      sessionId: newId(random),
      generation: 1,
      revision: 1,
      state: 'stable',
      time: now,
      record: {
        ...NEW_RECORD,
        account,
        // The name isn't ready to be shown yet. If this window is gone by then, the account is that user's all the same.
        user: tokens.user && { id: tokens.user.id, name: undefined },
        listed: false,
        service,
        signedInAt: now,
        ...tokenFields(tokens, undefined),
      },
    };
    const { refusal } = await storedSessions.changeOrRemember((sessions) => {
      sessions.put(entry);
    });
    if (refusal !== undefined) {
      // Otherwise, `assign` saves the recovery copies.
      refusals.noteTokens(entry, refusal);
    }
    return entry.sessionId;
  }

  /**
   * Gives the session its account, then lists and announces it. If the person signed in again for an account, or the
   * service names a user who has one, it becomes a session of that account, unless the service says that it's a different
   * user. It replaces the sessions of the account that have no other scopes. A number is added to a label that's
   * taken. If the session is listed by now, because naming it took long, this gives it another label or account.
   * @throws SessionError `over` if it was signed out meanwhile
   */
  async assign(sessionId: string, assignment: AccountAssignment): Promise<AssignmentOutcome> {
    const { cache, log, recoveryCopies, storedSessions } = this.dependencies;
    // If the store can't be read, what's in memory must do.
    await cache.tryUpdate();
    const { refusal, result } = await storedSessions.changeOrRemember((sessions) => {
      const outcome = this.#list(sessions, sessions.get(sessionId), assignment);
      endReplaced(sessions);
      return outcome;
    });
    if (refusal !== undefined) {
      log.warn(`Session ${sessionId}: its account isn't on the disk yet (${refusal.code}).`);
    }
    recoveryCopies.save();
    return result;
  }

  /** Lists the session as one of its account, which has a label that's free. */
  #list(sessions: SessionsTransaction, added: JournalEntry, assignment: AccountAssignment): AssignmentOutcome {
    const { labels } = this.dependencies;
    const { account: provisional, service } = added.record;
    const { user } = assignment;
    const others = sessions.entries().filter(({ sessionId }) => sessionId !== added.sessionId);
    const { account: known, outcome } = findOwner(others, added, assignment);
    const owner = { account: provisional, service, user };
    const label = known?.label ?? labels.free(sessions, assignment.label, owner, assignment.otherLabels);
    const account = known ?? { ...provisional, label };
    const earlier = others.filter(({ record }) => record.account.id === account.id);
    // The clock may have been set back: what's listed later must count as the later sign-in in every window.
    const signedInAt = Math.max(added.record.signedInAt, ...earlier.map(({ record }) => record.signedInAt + 1));
    sessions.put(changedEntry(added, sessions.now, { account, user, listed: true, signedInAt }));
    labels.remember(sessions, account.label, { account, service, user });
    return outcome;
  }
}

/** Whose session a sign-in has brought. */
interface Owner {
  /** The account, if it's one that's known already. */
  readonly account: SessionRecord['account'] | undefined;
  readonly outcome: AssignmentOutcome;
}

function findOwner(sessions: readonly JournalEntry[], added: JournalEntry, assignment: AccountAssignment): Owner {
  const others = sessions
    .map(({ record }) => record)
    .filter(({ listed, service }) => listed && sameService(service, added.record.service));
  const ofAccount = others.filter(({ account }) => account.id === assignment.accountId);
  // If the service has said whose the account is, that counts for all of its sessions.
  const chosen = ofAccount.find(({ user }) => user !== undefined) ?? ofAccount[0];
  if (chosen !== undefined && mayBelongTo(chosen, assignment)) {
    return { account: chosen.account, outcome: 'replaced' };
  }
  // Nobody was chosen, or somebody else has signed in. They may have an account, too.
  const userId = assignment.user?.id;
  const account = others.find(({ user }) => userId !== undefined && user?.id === userId)?.account;
  if (chosen !== undefined) {
    return { account, outcome: 'other user' };
  }
  return { account, outcome: account === undefined ? 'added' : 'replaced' };
}

/** Whether the chosen account may be that of the user who has signed in, who is told by ID if the account's user has one, else by name. */
function mayBelongTo({ account, user: knownUser }: SessionRecord, { mustShowUser, user }: AccountAssignment): boolean {
  if (knownUser === undefined && !mustShowUser) {
    return true;
  }
  // Once the service has said whose it is, only a sign-in that shows the same user belongs to that account.
  return knownUser?.id === undefined
    ? user?.name !== undefined && user.name === (knownUser?.name ?? account.label)
    : knownUser.id === user?.id;
}
