import type { Clock } from '../clock';
import type { EventEmitter } from '../event';
import { bestEffort, codeOf, type Log } from '../log';
import type { AccountInfo } from '../oauth/client';
import { sameService } from '../oauth/service';
import { newId, type Random } from '../storage/cipher';
import type { Journals } from '../storage/journal';
import { type Account, type JournalEntry, NEW_RECORD, nextEntry, type SessionRecord } from '../storage/record';
import type { Locks, Release } from '../storage/platform';
import type { SessionCache } from './cache';
import { tokenFields } from './tokenFields';
import { type AccountAssignment, type AssignmentOutcome, type NewSession, type Notice, SessionError } from './sessions';
import { ACCOUNTS_LOCK, type Labels } from './labels';
import { LOCK_PATIENCE, type LockedSessions } from './lockedSession';
import { notifyNotStored } from './notStored';
import type { ReplacedSessions } from './replacedSessions';
import type { RecoveryCopies } from './recoveryCopies';

/** What `NewSessions` works with. */
interface NewSessionsDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly isClosing: () => boolean;
  readonly journals: Journals;
  readonly labels: Labels;
  readonly lockedSessions: LockedSessions;
  readonly locks: Locks;
  readonly log: Log;
  readonly notices: EventEmitter<Notice>;
  readonly random: Random;
  readonly recoveryCopies: RecoveryCopies;
  readonly replacedSessions: ReplacedSessions;
}

/** What comes of a sign-in: a session that's stored at once, gets its account, and is listed. */
export class NewSessions {
  constructor(private readonly dependencies: NewSessionsDependencies) {}

  /**
   * Stores the tokens of a sign-in. Never rejects, because they're the only copy: if the disk refuses, this window
   * keeps the session in memory and retries. It isn't announced before `assign`, unless that doesn't come in time.
   */
  async add({ service, tokens, label }: NewSession): Promise<JournalEntry> {
    const { cache, clock, journals, log, random, recoveryCopies } = this.dependencies;
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
    const { sessionId } = entry;
    try {
      // Nobody else knows the session yet, so this needs no lock.
      await journals.write(entry);
    } catch (error) {
      log.error(`Session ${sessionId}: the new tokens aren't on the disk yet (${codeOf(error)}).`);
      void notifyNotStored(this.dependencies, entry, error);
      // Until the disk takes them, nothing else outlives this window. Otherwise, `assign` does this.
      recoveryCopies.save();
    }
    cache.adopt(entry);
    return entry;
  }

  /**
   * Gives the session its account, then lists and announces it. If the person signed in again for an account, or the
   * service names a user who has one, it becomes a session of that account, unless the service says that it's a different
   * user. It replaces the sessions of the account that have no other scopes. A number is added to a label that's
   * taken. If the session is listed by now, because naming it took long, this gives it another label or account.
   * @throws SessionError `over` if it was signed out meanwhile
   */
  async assign(sessionId: string, assignment: AccountAssignment): Promise<AssignmentOutcome> {
    const release = await this.#lock();
    return await this.#assignLocked(sessionId, assignment).finally(release);
  }

  async #assignLocked(sessionId: string, assignment: AccountAssignment): Promise<AssignmentOutcome> {
    const { cache, labels, recoveryCopies, replacedSessions } = this.dependencies;
    await cache.tryUpdate();
    const added = cache.get(sessionId);
    if (added === undefined) {
      throw new SessionError('over');
    }
    const { user } = assignment;
    const { account: provisional, service } = added.record;
    const { known, outcome } = this.#findOwner(added, assignment);
    const free = (): Promise<string> =>
      labels.free(assignment.label, { account: provisional, service, user }, assignment.otherLabels);
    const account = known ?? { ...provisional, label: await free() };
    await labels.remember(account.label, { account, service, user });
    await this.#list(added, account, user);
    // If the folder is just being read, the session is announced afterward: wait for that, too.
    await cache.tryUpdate();
    await replacedSessions.end();
    recoveryCopies.save();
    return outcome;
  }

  /**
   * Takes the lock of accounts, however long another window holds it: a name is given under it only. If there are no locks,
   * nothing can be written either, and this window names the session for itself. As it closes, it tries once.
   * @throws SessionError `busy` if this window closes meanwhile
   */
  async #lock(): Promise<Release> {
    const { isClosing, locks, log } = this.dependencies;
    do {
      const acquire = async (): Promise<Release | 'busy'> =>
        (await locks.acquire(ACCOUNTS_LOCK, LOCK_PATIENCE)) ?? 'busy';
      const release = await bestEffort(log, 'warn', "The accounts can't be locked", acquire);
      if (release !== 'busy') {
        return release ?? (() => undefined);
      }
      log.warn('Another window is naming an account for a long time. Waiting for it.');
    } while (!isClosing());
    throw new SessionError('busy');
  }

  #findOwner({ sessionId, record }: JournalEntry, assignment: AccountAssignment): Owner {
    const others = this.dependencies.cache
      .entries()
      .filter((other) => other.sessionId !== sessionId && other.record.listed)
      .filter((other) => sameService(other.record.service, record.service));
    const ofAccount = others.filter((other) => other.record.account.id === assignment.accountId);
    // If the service has said whose the account is, that counts for all of its sessions.
    const chosen = ofAccount.find(({ record }) => record.user !== undefined) ?? ofAccount[0];
    if (chosen !== undefined && mayBelongTo(chosen.record, assignment)) {
      return { known: chosen.record.account, outcome: 'replaced' };
    }
    // Nobody was chosen, or somebody else has signed in. They may have an account, too.
    const userId = assignment.user?.id;
    const known = others.find((other) => userId !== undefined && other.record.user?.id === userId)?.record.account;
    if (chosen !== undefined) {
      return { known, outcome: 'other user' };
    }
    return { known, outcome: known === undefined ? 'added' : 'replaced' };
  }

  /** Lists the session as one of this account. If the disk refuses, only this window does, and writes it later. */
  async #list(added: JournalEntry, account: Account, user: AccountInfo | undefined): Promise<void> {
    const { cache, clock, lockedSessions, log } = this.dependencies;
    const { sessionId } = added;
    const earlier = cache
      .entries()
      .filter((other) => other.sessionId !== sessionId && other.record.account.id === account.id);
    const changes = {
      account,
      user,
      listed: true,
      // The clock may have been set back: what's listed later must count as the later sign-in in every window.
      signedInAt: Math.max(added.record.signedInAt, ...earlier.map(({ record }) => record.signedInAt + 1)),
    };
    const isWritten = await bestEffort(log, 'warn', `Session ${sessionId}: its account isn't on the disk yet`, () =>
      lockedSessions.use(sessionId, LOCK_PATIENCE, (session) => session.write(changes)).then(() => true),
    );
    if (isWritten === true) {
      return;
    }
    if (cache.isOver(sessionId)) {
      throw new SessionError('over');
    }
    cache.adopt(nextEntry(cache.get(sessionId) ?? added, clock.now(), changes));
  }
}

/** Whose session a sign-in has brought. */
interface Owner {
  /** The account, if it's one that's known already. */
  readonly known: Account | undefined;
  readonly outcome: AssignmentOutcome;
}

/** Whether the chosen account may be that of the user who has signed in, who is told by ID if the account's user has one, else by name. */
function mayBelongTo({ account, user: known }: SessionRecord, { mustShowUser, user }: AccountAssignment): boolean {
  if (known === undefined && !mustShowUser) {
    return true;
  }
  // Once the service has said whose it is, only a sign-in that shows the same user belongs to that account.
  return known?.id === undefined
    ? user?.name !== undefined && user.name === (known?.name ?? account.label)
    : known.id === user?.id;
}
