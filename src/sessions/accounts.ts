import { bestEffort, codeOf } from '../log';
import { type AccountInfo, sameService } from '../oauth/client';
import { newId } from '../storage/cipher';
import {
  type Account,
  type JournalEntry,
  NEW_RECORD,
  type SessionRecord,
  successor,
  SUPERSEDED_KEPT,
  supersededTokens,
  tokenFields,
} from '../storage/record';
import type { SessionsContext } from './context';
import { type AccountAssignment, type AssignmentOutcome, type NewSession, SessionError } from './sessions';
import { ACCOUNTS_LOCK, freeLabel, rememberLabel } from './labels';
import { LockedSession, tellNotStored, writeEntry } from './lockedSession';
import { endReplacedSessions, replacedSessions } from './replacement';

const LOCK_PATIENCE = 5_000;
/** What people do with accounts: they sign in and out, and name them. */
export class Accounts {
  constructor(private readonly context: SessionsContext) {}

  /**
   * Stores the tokens of a sign-in. Never rejects, because they're the only copy: if the disk refuses, this window
   * keeps the session in memory and retries. It isn't announced before `assign`.
   */
  async add({ service, tokens, label }: NewSession): Promise<JournalEntry> {
    const { clock, journal, log, random, saveCopies } = this.context;
    const now = clock.now();
    const account = { id: newId(random), label };
    const entry: JournalEntry = {
      ...{ sessionId: newId(random), generation: 1, revision: 1, state: 'stable', time: now },
      record: {
        ...NEW_RECORD,
        account,
        listed: false,
        service,
        signedInAt: now,
        ...tokenFields(tokens, now, undefined),
      },
    };
    // Room for the account's name, so that the session can be listed even if the disk is full by then. Reserved before
    // other windows see the session: they may soon reserve room for a response in the same place.
    const { sessionId } = entry;
    await bestEffort(log, 'debug', `No room can be reserved for session ${sessionId}`, () => journal.reserve(entry));
    await writeEntry(this.context, entry, (error) => {
      log.error(`Session ${sessionId}: the new tokens aren't on the disk yet (${codeOf(error)}).`);
      void tellNotStored(this.context, entry, error);
    });
    saveCopies();
    return entry;
  }

  /**
   * Gives the session its account, then lists and announces it. If the person signed in again for an account, or the
   * service names a user who has one, it becomes a session of that account, unless the service says that it's a different
   * user. It replaces the sessions of the account that have no other scopes. A number is added to a label that's
   * taken.
   * @throws SessionError `over` if it was signed out meanwhile
   */
  async assign(sessionId: string, assignment: AccountAssignment): Promise<AssignmentOutcome> {
    const { cache, locks, log, saveCopies } = this.context;
    // Without the lock, two accounts may get the same name, which is better than losing a sign-in.
    const lock = (): ReturnType<typeof locks.acquire> => locks.acquire(ACCOUNTS_LOCK, LOCK_PATIENCE);
    const release = await bestEffort(log, 'warn', "The accounts can't be locked", lock);
    try {
      await cache.tryUpdate();
      const added = cache.get(sessionId);
      if (added === undefined) {
        throw new SessionError('over');
      }
      const { label, user } = assignment;
      const { known, outcome } = this.#findOwner(added, assignment);
      const account = known ?? (await this.#newAccount(added, label, user));
      await rememberLabel(this.context, account.label, { account, service: added.record.service, user });
      await this.#list(added, account, user);
      await cache.tryUpdate();
      await endReplacedSessions(this.context);
      saveCopies();
      return outcome;
    } finally {
      release?.();
    }
  }

  /** Whose session a sign-in has brought: that of an account which is known already, or of a new one. */
  #findOwner({ sessionId, record }: JournalEntry, assignment: AccountAssignment): Owner {
    const others = this.context.cache
      .entries()
      .filter((other) => other.sessionId !== sessionId && other.record.listed)
      .filter((other) => sameService(other.record.service, record.service));
    const chosen = others.find((other) => other.sessionId === assignment.replaces);
    const session = sessionOfUser(others, chosen, assignment);
    const isOther = chosen !== undefined && chosen !== session;
    const outcome = session === undefined ? 'added' : 'replaced';
    return { known: session?.record.account, outcome: isOther ? 'other user' : outcome };
  }

  /** A new account, with a label that no other one has. */
  async #newAccount({ record }: JournalEntry, label: string, user: AccountInfo | undefined): Promise<Account> {
    const { account: provisional, service } = record;
    return { ...provisional, label: await freeLabel(this.context, label, { account: provisional, service, user }) };
  }

  /** Lists the session as one of this account. If the disk refuses, only this window does, and writes it later. */
  async #list(added: JournalEntry, account: Account, user: AccountInfo | undefined): Promise<void> {
    const { cache, clock } = this.context;
    const { sessionId } = added;
    const earlier = cache
      .entries()
      .filter((other) => other.sessionId !== sessionId && other.record.account.id === account.id);
    const changes = {
      ...{ account, user, listed: true },
      // The clock may have been set back: what's listed later must count as the later sign-in in every window.
      signedInAt: Math.max(added.record.signedInAt, ...earlier.map(({ record }) => record.signedInAt + 1)),
      // Callers who report a token of an earlier session learn that there's another one.
      superseded: earlier.flatMap(({ record }) => supersededTokens(record)).slice(0, SUPERSEDED_KEPT),
    };
    const isWritten = await this.#tryChange(sessionId, (session) => session.change(changes));
    if (isWritten) {
      return;
    }
    if (cache.isOver(sessionId)) {
      throw new SessionError('over');
    }
    const entry = cache.get(sessionId) ?? added;
    cache.adopt(successor(entry, entry.state, clock.now(), changes));
  }

  /**
   * Ends the session for all windows. Waits for no lock and no network.
   * @throws the system's error if the disk refuses; then it isn't over
   */
  async remove(sessionId: string): Promise<void> {
    const { cache, log, revoke, saveCopies } = this.context;
    const record = cache.get(sessionId)?.record;
    // Those that it has replaced would be sessions again without it.
    const left = replacedSessions(cache.entries()).filter((one) => one.record.account.id === record?.account.id);
    for (const one of [...left.map((entry) => entry.sessionId), sessionId]) {
      await this.#end(one);
    }
    saveCopies();
    log.info(`Session ${sessionId} was signed out.`);
    if (record !== undefined) {
      revoke(record);
    }
  }

  async #end(sessionId: string): Promise<void> {
    await this.context.journal.end(sessionId);
    this.context.cache.end(sessionId);
  }

  /** See `SharedSessions.rename`. */
  async rename(sessionId: string, label: string): Promise<void> {
    const { cache, locks, log, saveCopies } = this.context;
    const release = await locks.acquire(ACCOUNTS_LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new SessionError('busy');
    }
    try {
      await cache.update();
      const accountId = cache.get(sessionId)?.record.account.id;
      const sessions = cache.entries().filter(({ record }) => record.account.id === accountId);
      if (sessions.length === 0) {
        throw new SessionError('over');
      }
      for (const one of sessions) {
        await LockedSession.use(this.context, one.sessionId, LOCK_PATIENCE, async (session) => {
          const { record } = session.current;
          if ((await freeLabel(this.context, label, record)) !== label) {
            throw new SessionError('label taken');
          }
          await session.change({ account: { ...record.account, label } });
          await rememberLabel(this.context, label, record);
        });
      }
      saveCopies();
      log.info(`Session ${sessionId} was renamed.`);
    } finally {
      release();
    }
  }

  /** Changes a session. Returns false if its lock is busy, it's over, or the disk refuses. */
  async #tryChange(sessionId: string, change: (session: LockedSession) => Promise<void>): Promise<boolean> {
    const failure = `Session ${sessionId}: its account isn't on the disk yet`;
    const use = LockedSession.use(this.context, sessionId, LOCK_PATIENCE, change);
    return (await bestEffort(this.context.log, 'warn', failure, () => use.then(() => true))) ?? false;
  }
}

/** Whose session a sign-in has brought. */
interface Owner {
  /** The account, if it's one that's known already. */
  readonly known: Account | undefined;
  readonly outcome: AssignmentOutcome;
}

/** A session of the same user: the chosen one, unless it's a different user's, or else one of the user who was named. */
function sessionOfUser(
  others: readonly JournalEntry[],
  chosen: JournalEntry | undefined,
  { identified, user }: AccountAssignment,
): JournalEntry | undefined {
  if (chosen !== undefined && (!identified || isSameUser(chosen.record, user))) {
    return chosen;
  }
  return user?.id === undefined ? undefined : others.find(({ record }) => record.user?.id === user.id);
}

/** Whether it's the user of this session: by ID if both have one, otherwise by name. */
function isSameUser({ account, user: known }: SessionRecord, user: AccountInfo | undefined): boolean {
  return known?.id !== undefined && user?.id !== undefined
    ? known.id === user.id
    : user?.name !== undefined && (known?.name ?? account.label) === user.name;
}
