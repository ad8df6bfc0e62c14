import type { Clock } from '../clock';
import type { Log } from '../log';
import type { ServiceProtocol } from '../protocol/client';
import { newId, type Random, type VaultKey } from './cipher';
import { ClientSecretFiles } from './clientSecretFiles';
import type { Disk } from './disk';
import { FreshnessPolicy } from './freshness';
import { Journal } from './journal';
import { Keeper } from './keeper';
import type { Locks } from './lock';
import { remembered, successor, type JournalEntry, type RecoveryCopy } from './record';
import { RefreshError } from './refreshError';
import { lockName, Refresher } from './refresher';
import type { RefreshEvents } from './refresherParts';
import { Serving } from './serving';
import type { NewSession } from './sessions';
import { fingerprint, lifetimeOf } from './tokens';
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

/** An account's name is taken. */
export class LabelTakenError extends Error {
  constructor() {
    super('Another account has that name.');
    this.name = 'LabelTakenError';
  }
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
    this.clientSecrets = new ClientSecretFiles(disk, random, key);
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
   * Stores what a sign-in brought.
   * @throws the system's error where the disk refuses; LabelTakenError where the name is taken.
   */
  async add(session: NewSession): Promise<JournalEntry> {
    return await this.#withLock(ACCOUNTS_LOCK, async () => {
      await this.view.update();
      const replaced = session.replaces === undefined ? undefined : this.view.get(session.replaces)?.entry;
      const label = replaced?.record.account.label ?? session.accountLabel;
      this.#checkLabel(label, replaced?.sessionId);
      const entry = this.#firstEntry(session, label, replaced);
      await this.journal.write(entry);
      if (replaced !== undefined) {
        await this.remove(replaced.sessionId);
      }
      this.view.adopt(entry);
      return entry;
    });
  }

  /**
   * Ends the session for all windows.
   * @throws the system's error where the disk does not take that: then it is not over.
   */
  async remove(sessionId: string): Promise<void> {
    await this.journal.end(sessionId, 'signed out');
    this.view.end(sessionId, 'signed out');
  }

  /** @throws LabelTakenError where the name is taken. */
  async rename(sessionId: string, label: string): Promise<void> {
    await this.#withLock(ACCOUNTS_LOCK, () =>
      this.#withLock(lockName(sessionId), async () => {
        await this.view.update();
        this.#checkLabel(label, sessionId);
        const entry = this.view.get(sessionId)?.entry;
        if (entry !== undefined) {
          const { account } = entry.record;
          const found = await this.journal.read(sessionId);
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

  #firstEntry(session: NewSession, label: string, replaced: JournalEntry | undefined): JournalEntry {
    const now = this.at.clock.now();
    const { tokens, credentials } = session;
    return {
      sessionId: newId(this.at.random),
      keyId: this.key.id,
      generation: 1,
      revision: 1,
      state: 'stable',
      time: now,
      record: {
        account: { id: replaced?.record.account.id ?? newId(this.at.random), label },
        service: { baseUrl: credentials.baseUrl, clientId: credentials.clientId },
        clientSecret: credentials.clientSecret,
        place: this.at.place,
        signedInAt: now,
        refreshToken: tokens.refreshToken ?? '',
        accessToken: tokens.accessToken,
        tokenFrom: now,
        lifetime: lifetimeOf(tokens),
        superseded: replaced?.record.accessToken === undefined ? [] : [fingerprint(replaced.record.accessToken)],
        lastRefresh: undefined,
        failures: 0,
        retryAt: 0,
        stopped: false,
        copied: 'no',
        replays: 0,
      },
    };
  }

  #checkLabel(label: string, except: string | undefined): void {
    if (this.view.all().some(({ entry }) => entry.record.account.label === label && entry.sessionId !== except)) {
      throw new LabelTakenError();
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
