import { bestEffort, codeOf } from '../log';
import { type AccountInfo, dialectOf, sameService } from '../oauth/client';
import { coversScopes } from '../oauth/scopes';
import { repeats } from '../oauth/secrecy';
import { newId } from '../storage/cipher';
import {
  type JournalEntry,
  NEW_RECORD,
  nextGeneration,
  type SessionRecord,
  successor,
  supersededTokens,
  tokenFields,
} from '../storage/record';
import type { SessionsContext } from './context';
import { type AccountAssignment, type AssignmentOutcome, type NewSession, SessionError } from './sessions';
import { freeLabel, rememberLabel } from './labels';
import { LockedSession, writeEntry } from './lockedSession';

const LOCK_PATIENCE = 5_000;
/** Accounts are named under one lock, so that two windows can't give the same name. */
const ACCOUNTS_LOCK = 'accounts';

/** What people do with accounts: they sign in and out, and name them. */
export class Accounts {
  constructor(private readonly context: SessionsContext) {}

  /**
   * Stores the tokens of a sign-in. Never rejects, because they're the only copy: if the disk refuses, this window
   * keeps the session in memory and retries. It isn't announced before `assign`.
   */
  async add({ service, tokens, label }: NewSession): Promise<JournalEntry> {
    const { clock, journal, log, random, saveCopies, tell } = this.context;
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
      tell({ kind: 'not stored', sessionId, account });
    });
    saveCopies();
    return entry;
  }

  /**
   * Gives the session its account, then lists and announces it. If the person signed in again for an account, or the
   * service names a user who has one, that account's session is replaced, unless the service says that it's a different
   * user. A number is added to a label that's taken, and a label that repeats a secret isn't used.
   * @throws SessionError `over` if it was signed out meanwhile
   */
  async assign(sessionId: string, assignment: AccountAssignment): Promise<{ id: string; outcome: AssignmentOutcome }> {
    const { cache, clock, locks, log, saveCopies } = this.context;
    // Without the lock, two accounts may get the same name, which is better than losing a sign-in. Nor does a session with
    // scopes replace another then: a window that has the lock, and was stopped, may be about to end or to replace either.
    const lock = (): ReturnType<typeof locks.acquire> => locks.acquire(ACCOUNTS_LOCK, LOCK_PATIENCE);
    const release = await bestEffort(log, 'warn', "The accounts can't be locked", lock);
    try {
      await cache.tryUpdate();
      const added = cache.get(sessionId);
      if (added === undefined) {
        throw new SessionError('over');
      }
      const { account: provisional, service } = added.record;
      const { label, replaces, user: named } = assignment;
      const isSecret = await this.#secretCheck(added.record);
      const user = isSecret(named?.name) || isSecret(named?.id) ? undefined : named;
      const others = cache
        .entries()
        .filter((other) => other !== added && other.record.listed && sameService(other.record.service, service));
      const chosen = others.find((other) => other.sessionId === replaces);
      const replaced = replacedBy(others, chosen, { ...assignment, user });
      const owner = { account: provisional, service, user };
      const wanted = isSecret(label) ? provisional.label : label;
      const account = replaced?.record.account ?? {
        ...provisional,
        label: await freeLabel(this.context, wanted, owner),
      };
      await rememberLabel(this.context, account.label, owner);
      const { sessionsHaveScopes: mayHaveSeveral } = dialectOf(service);
      // A session with fewer scopes becomes another one of the account: nobody loses a scope.
      const isReplaced = ({ record: { account, scopes } }: JournalEntry): boolean =>
        account.id === replaced?.record.account.id && coversScopes(added.record.scopes, scopes);
      const known = replaced === undefined ? others : [replaced, ...others.filter((other) => other !== replaced)];
      const replacedOnes = release === undefined && mayHaveSeveral ? [] : known.filter(isReplaced);
      const [ended] = replacedOnes;
      const superseded = ended === undefined ? [] : supersededTokens(ended.record);
      const changes = { account, user, listed: true, superseded };
      // Where sessions have scopes, the ID stays the same for whoever prefers the session. The new one is over with that:
      // its lock is held, so that nobody refreshes it meanwhile.
      const isInPlace =
        ended !== undefined &&
        mayHaveSeveral &&
        (await this.#tryChange(sessionId, ({ current: { record, state } }) =>
          LockedSession.use(this.context, ended.sessionId, LOCK_PATIENCE, async ({ current }) => {
            const moved = { ...record, ...changes, tookOver: sessionId };
            await writeEntry(this.context, nextGeneration(current, state, clock.now(), moved));
          }),
        ));
      const isWritten = isInPlace || (await this.#tryChange(sessionId, (session) => session.change(changes)));
      if (!isWritten) {
        if (cache.isOver(sessionId)) {
          throw new SessionError('over');
        }
        // This window uses the change in memory, and writes it later.
        const entry = cache.get(sessionId) ?? added;
        cache.adopt(successor(entry, entry.state, clock.now(), changes));
      }
      // While the new session is only in memory, another one of the account is all that's left if this window dies.
      for (const one of isWritten || !mayHaveSeveral ? replacedOnes : []) {
        const left = isInPlace && one === ended ? sessionId : one.sessionId;
        await bestEffort(log, 'warn', `Session ${left}, which was replaced, can't be removed`, () => this.#end(left));
        // If the disk refuses, only this window forgets it.
        cache.end(left);
        log.info(`Session ${sessionId} replaces session ${one.sessionId}.`);
      }
      saveCopies();
      const outcome = replaced === undefined ? 'added' : 'replaced';
      return {
        id: isInPlace ? ended.sessionId : sessionId,
        outcome: chosen !== undefined && chosen !== replaced ? 'other user' : outcome,
      };
    } finally {
      release?.();
    }
  }

  /**
   * Ends the session for all windows. Waits for no lock and no network.
   * @throws the system's error if the disk refuses; then it isn't over
   */
  async remove(sessionId: string): Promise<void> {
    const record = this.context.cache.get(sessionId)?.record;
    await this.#end(sessionId);
    if (record !== undefined) {
      this.context.revoke(record);
    }
  }

  async #end(sessionId: string): Promise<void> {
    const { cache, journal, log, saveCopies } = this.context;
    const { tookOver = '' } = cache.get(sessionId)?.record ?? {};
    if (cache.moved().includes(tookOver)) {
      // Otherwise, it would be a session again without the one that has its tokens.
      await journal.end(tookOver);
    }
    await journal.end(sessionId);
    cache.end(sessionId);
    saveCopies();
    log.info(`Session ${sessionId} was signed out.`);
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
          if ((await this.#secretCheck(record))(label)) {
            throw new SessionError('secret label');
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

  /** A check for texts that repeat a secret of the session. */
  async #secretCheck(record: SessionRecord): Promise<(text: string | undefined) => boolean> {
    // A failure is in the log, and no reason to refuse a name.
    const clientSecret = await this.context.clientSecrets.get(record.service).catch(() => undefined);
    const secrets = [record.accessToken, record.refreshToken, clientSecret];
    return (text) => secrets.some((secret) => !!text && !!secret && repeats(text, secret));
  }
}

/** The session that a new one replaces: the chosen one, unless it's a different user's, or else that user's. */
function replacedBy(
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
