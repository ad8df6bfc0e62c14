import { bestEffort } from '../log';
import type { Service } from '../oauth/service';
import type { TokenResponse } from '../oauth/types';
import { newId, type Random } from '../storage/cipher';
import { changedEntry, type JournalEntry, NEW_RECORD } from '../storage/record';
import { tokenFields } from './tokenFields';
import type { CurrentSession } from './currentSession';
import type { Labels } from './labels';
import type { DiskRefusals } from './diskRefusals';
import { endReplaced } from './replacedSessions';
import { type AssignmentOutcome, findOwner, type SignedIn } from './sessionOwner';
import type { SessionParts } from './sessionParts';
import type { SessionsTransaction } from './storedSessions';

/** The result of a sign-in. */
export interface NewSession {
  readonly service: Service;
  readonly tokens: TokenResponse;
  /** Label of the account until it's named. */
  readonly label: string;
}

/** Whose session a sign-in has brought, and what the account is called if it's a new one. */
export interface AccountAssignment extends SignedIn {
  readonly label: string;
  /** What the account may have been called before instead. A user whom the service identifies keeps that label. */
  readonly otherLabels?: readonly string[];
}

/** A session that has its account, and how it got it. */
export interface AssignedAccount {
  readonly session: CurrentSession;
  readonly outcome: AssignmentOutcome;
}

/** A session that wasn't given its account by then is listed without: whatever signed in is gone. Milliseconds. */
const ASSIGNED_WITHIN = 60_000;

/** What comes of a sign-in: a session that's stored at once, gets its account, and is listed. */
export class NewSessions {
  constructor(
    private readonly parts: SessionParts,
    private readonly labels: Labels,
    private readonly random: Random,
    private readonly refusals: DiskRefusals,
  ) {}

  /**
   * Stores the tokens of a sign-in. Never rejects, because they're the only copy: if the disk refuses, this window
   * keeps the session in memory and retries. It isn't announced before `assign`, or `listOverdue` if that doesn't come in time.
   * @returns the session's ID
   */
  async add({ service, tokens, label }: NewSession): Promise<string> {
    const now = this.parts.clock.now();
    const account = { id: newId(this.random), label };
    const entry: JournalEntry = {
      sessionId: newId(this.random),
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
    const { refusal } = await this.parts.storedSessions.changeOrRemember((sessions) => {
      sessions.put(entry);
    });
    if (refusal !== undefined) {
      // Otherwise, `assign` saves the recovery copies.
      this.refusals.reportTokens(entry, refusal);
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
    const { refusal, result } = await this.parts.storedSessions.changeOrRemember((sessions) => {
      const outcome = this.#list(sessions, sessions.get(sessionId), assignment);
      endReplaced(sessions);
      return outcome;
    });
    if (refusal !== undefined) {
      this.parts.log.warn(`Session ${sessionId}: its account isn't on the disk yet (${refusal.code}).`);
    }
    this.parts.recoveryCopies.save();
    return result;
  }

  /** Lists the sessions that were given no account in time, each as its ID token says whose it is. Best effort. */
  async listOverdue(): Promise<void> {
    if (overdue(this.parts.cache.stored(), this.parts.clock.now()).length > 0) {
      await bestEffort(this.parts.log, 'debug', "Sessions without an account can't be listed yet", async () => {
        await this.parts.storedSessions.change((sessions) => {
          const ours = sessions.entries().filter(({ sessionId }) => !sessions.isTakenOver(sessionId));
          for (const entry of overdue(ours, sessions.now)) {
            const { account, user } = entry.record;
            const assignment = { label: account.label, user, mustShowUser: user !== undefined, accountId: undefined };
            this.#list(sessions, entry, assignment);
          }
          endReplaced(sessions);
        });
        this.parts.recoveryCopies.save();
        this.parts.log.info("A session is listed whose sign-in didn't finish.");
      });
    }
  }

  /** Lists the session as one of its account, which has a label that's free. */
  #list(sessions: SessionsTransaction, added: JournalEntry, assignment: AccountAssignment): AssignmentOutcome {
    const { account: provisional, service } = added.record;
    const { user } = assignment;
    const others = sessions.entries().filter(({ sessionId }) => sessionId !== added.sessionId);
    const { account: known, outcome } = findOwner(others, added, assignment);
    const owner = { account: provisional, service, user };
    const label = known?.label ?? this.labels.free(sessions, assignment.label, owner, assignment.otherLabels);
    const account = known ?? { ...provisional, label };
    const earlier = others.filter(({ record }) => record.account.id === account.id);
    // The clock may have been set back: what's listed later must count as the later sign-in in every window.
    const signedInAt = Math.max(added.record.signedInAt, ...earlier.map(({ record }) => record.signedInAt + 1));
    sessions.put(changedEntry(added, sessions.now, { account, user, listed: true, signedInAt }));
    this.labels.remember(sessions, account.label, { account, service, user });
    return outcome;
  }
}

function overdue(entries: readonly JournalEntry[], now: number): readonly JournalEntry[] {
  return entries.filter(({ record }) => !record.listed && Math.abs(now - record.signedInAt) > ASSIGNED_WITHIN);
}
