import { freeLabel, LabelTakenError, repeatsSecretOf, SecretLabelError } from './accountLabels';
import type { Clock } from '../clock';
import type { Log } from '../log';
import type { ServiceProtocol } from '../protocol/client';
import type { Random, VaultKey } from './cipher';
import { ClientSecretFiles } from './clientSecretFiles';
import type { Disk } from './disk';
import { firstEntry } from './firstEntry';
import { FreshnessPolicy } from './freshness';
import { Journal } from './journal';
import { Keeper } from './keeper';
import type { Locks, Release } from './lock';
import { look } from './look';
import { codeOf } from './nodeDisk';
import { remembered, successor, type JournalEntry, type RecoveryCopy } from './record';
import { RefreshError } from './refreshError';
import { lockName, Refresher } from './refresher';
import type { RefreshEvents } from './refresherParts';
import { Serving } from './serving';
import type { NewSession } from './sessions';
import { View } from './view';

const LOCK_PATIENCE = 5_000;
/** Names of accounts are given under one lock, so that two windows can't give the same. */
const ACCOUNTS_LOCK = 'accounts';

/** What the sessions of one key stand on. */
export interface Foundations {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly protocol: ServiceProtocol;
  /** Names this machine and folder. */
  readonly place: string;
  readonly events: RefreshEvents;
}

/** The recovery copies in SecretStorage, as far as the sessions need them. */
export interface Recovery {
  read(sessionId: string): Promise<RecoveryCopy | undefined>;
  save(entry: JournalEntry): void;
}

/** The parts that work with one vault key, put together. */
export class KeyedSessions {
  readonly journal: Journal;
  readonly view: View;
  readonly refresher: Refresher;
  readonly serving: Serving;
  readonly keeper: Keeper;
  readonly clientSecrets: ClientSecretFiles;
  readonly freshness: FreshnessPolicy;

  constructor(
    private readonly at: Foundations,
    readonly key: VaultKey,
    recovery: Recovery,
  ) {
    const { disk, locks, clock, random, log, protocol, place, events } = at;
    const jitter = (random(1)[0] ?? 0) / 256;
    this.freshness = new FreshnessPolicy(clock, jitter);
    this.journal = new Journal(disk, clock, random, key);
    this.view = new View(this.journal, this.freshness, place, clock, log);
    this.clientSecrets = new ClientSecretFiles(disk, random, key, log);
    this.refresher = new Refresher({
      journal: this.journal,
      view: this.view,
      locks,
      protocol,
      clock,
      log,
      keyId: key.id,
      clientSecret: (service) => this.clientSecrets.get(service),
      recovery,
      events,
    });
    this.serving = new Serving(this.view, this.refresher, this.freshness, clock, log);
    this.keeper = new Keeper(this.journal, this.view, locks, key.id, place, clock, log);
  }

  /**
   * Stores what a sign-in brought, and never rejects: these tokens are the only copy. Where the name is taken, the
   * account gets a number after it; where the disk refuses, this window has the session in memory and goes on writing.
   */
  async add(session: NewSession): Promise<JournalEntry> {
    const release = await this.#lockIfPossible();
    try {
      await look(this.view, this.at.log);
      const replaced = session.replaces === undefined ? undefined : this.view.get(session.replaces)?.entry;
      const label = replaced?.record.account.label ?? freeLabel(session.accountLabel, this.#labels(undefined));
      const { at, key } = this;
      const entry = firstEntry(session, label, replaced?.record, key.id, at.place, at.random, at.clock.now());
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
      const ended = await this.journal.ended(sessionId);
      if (ended !== undefined) {
        this.view.end(sessionId, ended);
      }
    } catch (error) {
      this.at.log.debug(`Whether session ${sessionId} is over can't be read (${codeOf(error)}).`);
    }
    this.view.adopt(entry);
  }

  /**
   * Ends the session for all windows.
   * @throws the system's error where the disk does not take that: then it is not over.
   */
  async remove(sessionId: string): Promise<void> {
    await this.journal.end(sessionId, 'signed out');
    this.view.end(sessionId, 'signed out');
    await this.keeper.forgetDamaged(sessionId);
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
        await this.view.update();
        if (this.#labels(sessionId).includes(label)) {
          throw new LabelTakenError();
        }
        const entry = this.view.get(sessionId)?.entry;
        if (entry !== undefined) {
          const { account } = entry.record;
          if ([label, told].some((text) => repeatsSecretOf(entry.record, text))) {
            throw new SecretLabelError();
          }
          const found = await this.journal.read(sessionId);
          if (found?.kind === 'newer') {
            throw new RefreshError('busy elsewhere');
          }
          const known = remembered(entry, found?.kind === 'entry' ? found.entry : undefined);
          const renamed = successor(known, entry.state, this.at.clock.now(), { account: { ...account, label } });
          await this.journal.write(renamed);
          this.view.adopt(renamed);
        }
      }),
    );
  }

  /** Refreshes whether due or not. @throws RefreshError where that fails, or there is no such session. */
  async refreshNow(sessionId: string): Promise<void> {
    await this.view.update();
    const held = this.view.get(sessionId);
    if (held === undefined) {
      throw new RefreshError('over');
    }
    await this.refresher.refresh(sessionId, held.entry.generation, true);
  }

  async #writeFirst(entry: JournalEntry): Promise<void> {
    try {
      await this.journal.write(entry);
    } catch (error) {
      this.at.log.error(`Session ${entry.sessionId}: the new tokens are not on the disk yet (${codeOf(error)}).`);
      this.view.putBehind(entry.sessionId);
      this.at.events.notStored(entry);
    }
  }

  async #removeReplaced(sessionId: string): Promise<void> {
    try {
      await this.remove(sessionId);
    } catch (error) {
      this.at.log.warn(`Session ${sessionId}, which was replaced, can't be removed yet (${codeOf(error)}).`);
      this.view.end(sessionId, 'signed out');
      this.keeper.endLater(sessionId);
    }
  }

  #labels(except: string | undefined): readonly string[] {
    return this.view
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
