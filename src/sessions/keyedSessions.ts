import { Accounts } from './accounts';
import type { Clock } from '../clock';
import type { Log } from '../log';
import type { OAuthClient } from '../oauth/client';
import type { Random, VaultKey } from '../storage/cipher';
import { ClientSecretFiles } from '../storage/clientSecretFiles';
import type { Disk } from '../storage/disk';
import { FreshnessPolicy } from './freshness';
import { Journal } from '../storage/journal';
import { Keeper } from './keeper';
import type { Locks } from '../storage/locks';
import type { JournalEntry, RecoveryCopy } from '../storage/record';
import { RefreshError } from './refreshError';
import { Refresher } from './refresher';
import type { RefreshEvents } from './refresherParts';
import { Serving } from './serving';
import { View } from './view';

/** What the sessions of one key stand on. */
export interface Foundations {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly protocol: OAuthClient;
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
  readonly accounts: Accounts;
  readonly clientSecrets: ClientSecretFiles;
  readonly freshness: FreshnessPolicy;

  constructor(
    at: Foundations,
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
    const { journal, view, keeper } = this;
    this.accounts = new Accounts({ journal, view, keeper, locks, clock, random, log, keyId: key.id, place, events });
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
}
