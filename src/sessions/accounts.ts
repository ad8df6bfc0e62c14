import { freeLabel, LabelTakenError, repeatsSecretOf, SecretLabelError } from './accountLabels';
import type { Clock } from '../clock';
import { type Log, codeOf } from '../log';
import type { Random } from '../storage/cipher';
import { firstEntry } from './firstEntry';
import type { Journal } from '../storage/journal';
import type { Keeper } from './keeper';
import type { Locks, Release } from '../storage/locks';
import { look } from './look';
import { remembered, successor, type JournalEntry } from '../storage/record';
import { RefreshError } from './refreshError';
import { lockName } from './refresher';
import type { RefreshEvents } from './refresherParts';
import type { NewSession } from './sessions';
import type { View } from './view';

const LOCK_PATIENCE = 5_000;
/** Names of accounts are given under one lock, so that two windows can't give the same. */
const ACCOUNTS_LOCK = 'accounts';

/** What the accounts stand on. */
export interface AccountsParts {
  readonly journal: Journal;
  readonly view: View;
  readonly keeper: Keeper;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly keyId: string;
  readonly place: string;
  readonly events: Pick<RefreshEvents, 'notStored'>;
}

/** What people do with accounts: they sign in and out, and name them. */
export class Accounts {
  constructor(private readonly at: AccountsParts) {}

  /**
   * Stores what a sign-in brought, and never rejects: these tokens are the only copy. Where the name is taken, the
   * account gets a number after it; where the disk refuses, this window has the session in memory and goes on writing.
   */
  async add(session: NewSession): Promise<JournalEntry> {
    const release = await this.#lockIfPossible();
    try {
      await look(this.at.view, this.at.log);
      const replaced = session.replaces === undefined ? undefined : this.at.view.get(session.replaces)?.entry;
      const label = replaced?.record.account.label ?? freeLabel(session.accountLabel, this.#labels(undefined));
      const { keyId, place, random, clock } = this.at;
      const entry = firstEntry(session, label, replaced?.record, keyId, place, random, clock.now());
      await this.#writeFirst(entry);
      if (replaced !== undefined) {
        await this.#removeReplaced(replaced.sessionId);
      }
      await this.#adoptUnlessEnded(entry);
      return entry;
    } finally {
      release?.();
    }
  }

  /** A window that is stopped while it writes may find, when it goes on, that the session is over by now. */
  async #adoptUnlessEnded(entry: JournalEntry): Promise<void> {
    const { sessionId } = entry;
    try {
      const ended = await this.at.journal.ended(sessionId);
      if (ended !== undefined) {
        this.at.view.end(sessionId, ended);
      }
    } catch (error) {
      this.at.log.debug(`Whether session ${sessionId} is over can't be read (${codeOf(error)}).`);
    }
    this.at.view.adopt(entry);
  }

  /**
   * Ends the session for all windows.
   * @throws the system's error where the disk does not take that: then it is not over.
   */
  async remove(sessionId: string): Promise<void> {
    await this.at.journal.end(sessionId, 'signed out');
    this.at.view.end(sessionId, 'signed out');
    await this.at.keeper.forgetDamaged(sessionId);
  }

  /**
   * Gives the account another name.
   * @param told the text that the name was made from, where the service told it
   * @throws LabelTakenError where the name is taken; SecretLabelError where it repeats a secret; RefreshError where a
   *   newer version has taken the session over.
   */
  async rename(sessionId: string, label: string, told = label): Promise<void> {
    await this.#withLock(ACCOUNTS_LOCK, () =>
      this.#withLock(lockName(sessionId), async () => {
        await this.at.view.update();
        if (this.#labels(sessionId).includes(label)) {
          throw new LabelTakenError();
        }
        const entry = this.at.view.get(sessionId)?.entry;
        if (entry !== undefined) {
          const { account } = entry.record;
          if ([label, told].some((text) => repeatsSecretOf(entry.record, text))) {
            throw new SecretLabelError();
          }
          const found = await this.at.journal.read(sessionId);
          if (found?.kind === 'newer') {
            throw new RefreshError('busy elsewhere');
          }
          const known = remembered(entry, found?.kind === 'entry' ? found.entry : undefined);
          const renamed = successor(known, entry.state, this.at.clock.now(), { account: { ...account, label } });
          await this.at.journal.write(renamed);
          this.at.view.adopt(renamed);
        }
      }),
    );
  }

  async #writeFirst(entry: JournalEntry): Promise<void> {
    try {
      await this.at.journal.write(entry);
    } catch (error) {
      this.at.log.error(`Session ${entry.sessionId}: the new tokens are not on the disk yet (${codeOf(error)}).`);
      this.at.view.putBehind(entry.sessionId);
      this.at.events.notStored(entry);
    }
  }

  async #removeReplaced(sessionId: string): Promise<void> {
    try {
      await this.remove(sessionId);
    } catch (error) {
      this.at.log.warn(`Session ${sessionId}, which was replaced, can't be removed yet (${codeOf(error)}).`);
      this.at.view.end(sessionId, 'signed out');
      this.at.keeper.endLater(sessionId);
    }
  }

  #labels(except: string | undefined): readonly string[] {
    return this.at.view
      .all()
      .filter(({ entry }) => entry.sessionId !== except)
      .map(({ entry }) => entry.record.account.label);
  }

  /** The lock under which accounts get their names. Two equal names cost less than a sign-in. */
  async #lockIfPossible(): Promise<Release | undefined> {
    const { locks, log } = this.at;
    try {
      return await locks.acquire(ACCOUNTS_LOCK, LOCK_PATIENCE);
    } catch (error) {
      log.warn(`The accounts can't be locked: ${error instanceof Error ? error.name : 'unknown'}.`);
      return undefined;
    }
  }

  async #withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
    const release = await this.at.locks.acquire(name, LOCK_PATIENCE);
    if (release === undefined) {
      throw new Error('Another window is changing the accounts; try again.');
    }
    try {
      return await work();
    } finally {
      release();
    }
  }
}
