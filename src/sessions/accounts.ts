import { codeOf } from '../log';
import type { AccountInfo, ServiceId, TokenResponse } from '../oauth/client';
import { repeats } from '../oauth/secrecy';
import { newId, type Random } from '../storage/cipher';
import type { Release } from '../storage/locks';
import type { JournalEntry, SessionRecord } from '../storage/record';
import { LabelTakenError, RefreshError, SecretLabelError } from './errors';
import { freeLabel, isSameLabel } from './labels';
import { type ChangeDependencies, LockedSession, rethrow, writeEntry } from './lockedSession';
import { type RefreshEvents, supersededTokens, tokenFields } from './refreshResults';

const LOCK_PATIENCE = 5_000;
/** Accounts get their names under one lock, so that two windows can't give the same one. */
const ACCOUNTS_LOCK = 'accounts';

/** What a sign-in brought. */
export interface NewSession {
  readonly service: ServiceId;
  readonly tokens: TokenResponse;
  /** Label of the account if nothing better turns up. */
  readonly label: string;
}

/** Whose session it is that a sign-in brought. */
export interface AccountAssignment {
  readonly label: string;
  /** Who the service says it is; `undefined` if it wasn't asked or didn't say. */
  readonly user: AccountInfo | undefined;
  /** Whether the settings say how to ask the service who it is. */
  readonly identified: boolean;
  /** ID of the session that the person signed in again for, if any. */
  readonly replaces: string | undefined;
}

/**
 * - `added`: a new account.
 * - `replaced`: the session took the place of another one of the same account.
 * - `other user`: the service named somebody else than the account to replace, or nobody; that account stays.
 */
export type AssignmentOutcome = 'added' | 'replaced' | 'other user';

/** What the accounts work with. */
export interface AccountsDependencies extends ChangeDependencies {
  readonly random: Random;
  readonly clientSecret: (service: ServiceId) => Promise<string | undefined>;
  readonly events: Pick<RefreshEvents, 'notStored'>;
}

/** What people do with accounts: they sign in and out, and name them. */
export class Accounts {
  /** Sessions to end for all windows, when the disk takes it. */
  readonly #toEnd = new Set<string>();

  constructor(private readonly dependencies: AccountsDependencies) {}

  /**
   * Stores what a sign-in brought, and never rejects: these tokens are the only copy. If the disk refuses, this window has
   * the session in memory and goes on writing. Nobody is told of it before `assign`.
   */
  async add({ service, tokens, label }: NewSession): Promise<JournalEntry> {
    const { cache, clock, events, log, random } = this.dependencies;
    const now = clock.now();
    const entry: JournalEntry = {
      sessionId: newId(random),
      generation: 1,
      revision: 1,
      state: 'stable',
      time: now,
      record: {
        account: { id: newId(random), label },
        user: undefined,
        listed: false,
        service,
        signedInAt: now,
        ...tokenFields(tokens, now, undefined),
        lastRefresh: undefined,
        failures: 0,
        retryAt: 0,
        needsUser: false,
        restoredAt: 0,
        replays: 0,
      },
    };
    await this.#reserveForAssignment(entry);
    await writeEntry(this.dependencies, entry, 'in new room', (error) => {
      log.error(`Session ${entry.sessionId}: the new tokens aren't on the disk yet (${codeOf(error)}).`);
      cache.markOutdated(entry.sessionId);
      events.notStored(entry);
    });
    return entry;
  }

  /**
   * Gives the session its account and lets everyone know of it. If the person signed in again for an account, or the
   * service names a user who has one, that account's session is replaced, unless the service says that it's another user.
   * The account gets a number after its label if that's taken, and another label if it repeats a secret.
   * @throws RefreshError `over` if it was signed out meanwhile
   */
  async assign(sessionId: string, assignment: AccountAssignment): Promise<AssignmentOutcome> {
    const { cache, log } = this.dependencies;
    const release = await this.#lockIfPossible();
    try {
      await cache.tryUpdate();
      const added = cache.get(sessionId)?.entry;
      if (added === undefined) {
        throw new RefreshError('over');
      }
      const user = (await this.#repeatsSecret(added.record, assignment.user)) ? undefined : assignment.user;
      const others = this.#othersOf(added);
      const chosen = others.find((other) => other.sessionId === assignment.replaces);
      const replaced = replacedBy(others, chosen, { ...assignment, user });
      const isSecret = await this.#repeatsSecret(added.record, { name: assignment.label, id: undefined });
      const label = isSecret ? added.record.account.label : assignment.label;
      const account = replaced?.record.account ?? {
        id: added.record.account.id,
        label: freeLabel(label, this.#labels(sessionId)),
      };
      const superseded = replaced === undefined ? [] : supersededTokens(replaced.record);
      await this.#changeOrKeepInMemory(added, { account, user, listed: true, superseded });
      if (replaced !== undefined) {
        await this.#endReplaced(replaced.sessionId);
        log.info(`Session ${sessionId} replaces session ${replaced.sessionId}.`);
      }
      if (chosen !== replaced) {
        return chosen === undefined ? 'replaced' : 'other user';
      }
      return replaced === undefined ? 'added' : 'replaced';
    } finally {
      release?.();
    }
  }

  /**
   * Ends the session for all windows. Waits for no lock and no network.
   * @throws the system's error if the disk refuses; then it isn't over
   */
  async remove(sessionId: string): Promise<void> {
    await this.dependencies.journal.end(sessionId, 'signed out');
    this.dependencies.cache.end(sessionId);
  }

  /**
   * Gives the account another label.
   * @throws LabelTakenError; SecretLabelError; RefreshError `busy` if another window is changing the session, or `over`
   */
  async rename(sessionId: string, label: string): Promise<void> {
    const { cache, locks } = this.dependencies;
    const release = await locks.acquire(ACCOUNTS_LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new RefreshError('busy');
    }
    try {
      await cache.update();
      await LockedSession.use(this.dependencies, sessionId, LOCK_PATIENCE, async (session) => {
        const { current } = session;
        if (this.#labels(sessionId).some((taken) => isSameLabel(taken, label))) {
          throw new LabelTakenError();
        }
        if (await this.#repeatsSecret(current.record, { name: label, id: undefined })) {
          throw new SecretLabelError();
        }
        const account = { ...current.record.account, label };
        await session.write(session.successor(current.state, { account }), 'in new room', rethrow);
      });
    } finally {
      release();
    }
  }

  /** Tries again to end what the disk didn't let end. */
  async endRemaining(): Promise<void> {
    for (const sessionId of this.#toEnd) {
      await this.#endReplaced(sessionId);
    }
  }

  /** Room for the account's name, so that a disk that fills up just then doesn't keep the session from being listed. */
  async #reserveForAssignment(entry: JournalEntry): Promise<void> {
    try {
      await this.dependencies.journal.reserve(entry);
    } catch (error) {
      this.dependencies.log.debug(`No room can be set aside for session ${entry.sessionId} (${codeOf(error)}).`);
    }
  }

  #othersOf({ sessionId, record }: JournalEntry): readonly JournalEntry[] {
    const { baseUrl, clientId } = record.service;
    return this.dependencies.cache
      .all()
      .map(({ entry }) => entry)
      .filter((other) => other.sessionId !== sessionId && other.record.listed)
      .filter((other) => other.record.service.baseUrl === baseUrl && other.record.service.clientId === clientId);
  }

  /** If the lock can't be had or the disk refuses, this window goes on with the change in memory, and writes it later. */
  async #changeOrKeepInMemory(added: JournalEntry, changes: Partial<SessionRecord>): Promise<void> {
    const { cache, clock, log } = this.dependencies;
    try {
      await LockedSession.use(this.dependencies, added.sessionId, LOCK_PATIENCE, async (session) => {
        await session.write(session.successor(session.current.state, changes), 'in reserved room', rethrow);
      });
    } catch (error) {
      if (error instanceof RefreshError && error.fault === 'over') {
        throw error;
      }
      log.warn(`Session ${added.sessionId}: its account isn't on the disk yet (${codeOf(error)}).`);
      const { entry = added } = cache.get(added.sessionId) ?? {};
      const next = {
        ...entry,
        revision: entry.revision + 1,
        time: clock.now(),
        record: { ...entry.record, ...changes },
      };
      cache.adopt(next);
      cache.markOutdated(added.sessionId);
    }
  }

  async #endReplaced(sessionId: string): Promise<void> {
    const { cache, log } = this.dependencies;
    try {
      await this.remove(sessionId);
      this.#toEnd.delete(sessionId);
    } catch (error) {
      log.warn(`Session ${sessionId}, which was replaced, can't be removed yet (${codeOf(error)}).`);
      cache.end(sessionId);
      this.#toEnd.add(sessionId);
    }
  }

  #labels(except: string): readonly string[] {
    return this.dependencies.cache
      .all()
      .filter(({ entry }) => entry.sessionId !== except && entry.record.listed)
      .map(({ entry }) => entry.record.account.label);
  }

  async #repeatsSecret(record: SessionRecord, user: AccountInfo | undefined): Promise<boolean> {
    const { clientSecret, log } = this.dependencies;
    const secret = await clientSecret(record.service).catch((error: unknown) => {
      log.debug(`The client secret can't be read (${codeOf(error)}).`);
      return undefined;
    });
    const secrets = [record.accessToken, record.refreshToken, secret].filter((one) => one !== undefined && one !== '');
    const texts = [user?.name, user?.id].filter((text) => text !== undefined);
    return texts.some((text) => secrets.some((one) => one !== undefined && repeats(text, one)));
  }

  /** Two equal names cost less than a sign-in. */
  async #lockIfPossible(): Promise<Release | undefined> {
    const { locks, log } = this.dependencies;
    try {
      return await locks.acquire(ACCOUNTS_LOCK, LOCK_PATIENCE);
    } catch (error) {
      log.warn(`The accounts can't be locked: ${error instanceof Error ? error.name : 'unknown'}.`);
      return undefined;
    }
  }
}

/** The session whose place a new one takes: the one that the person chose, unless it's another user's, or that user's. */
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

/** Whether the service names the user of this session: by ID if both are known, else by name. */
function isSameUser({ account, user: known }: SessionRecord, user: AccountInfo | undefined): boolean {
  if (user === undefined) {
    return false;
  }
  if (known?.id !== undefined && user.id !== undefined) {
    return known.id === user.id;
  }
  return user.name !== undefined && (known?.name ?? account.label) === user.name;
}
