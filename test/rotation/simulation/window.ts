import { newId } from '../../../src/storage/cipher';
import type { EndReason, JournalEntry } from '../../../src/storage/record';
import type { SessionsChange } from '../../../src/sessions/served';
import { SessionStore } from '../../../src/sessions/sessionStore';
import type { NewSession } from '../../../src/sessions/sessions';
import type { ServiceId } from '../../../src/oauth/client';
import { Vault } from '../../../src/storage/vault';
import { VaultAccess } from '../../../src/storage/vaultAccess';
import type { Log } from '../../../src/log';
import type { ModelDisk } from '../model/disk';
import type { ModelLocks } from '../model/locks';
import { bytesFrom, chanceFrom } from '../model/random';
import type { SecretShelf } from '../model/secretShelf';
import type { ModelService } from '../model/service';
import type { Process } from '../model/steps';
import type { Timeline } from '../model/timeline';

export const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client' };

/** The devices of the machine and the network, which all windows share. */
export interface Devices {
  readonly timeline: Timeline;
  readonly disk: ModelDisk;
  readonly locks: ModelLocks;
  readonly service: ModelService;
  readonly log: Log;
}

/** Who hears of what a window does. */
export interface WindowListener {
  rotated(window: ModelWindow, entry: JournalEntry): void;
  ended(window: ModelWindow, entry: JournalEntry, reason: EndReason): void;
  notStored(window: ModelWindow, entry: JournalEntry): void;
  changed(window: ModelWindow, change: SessionsChange): void;
}

/** One window of the editor: the real store over the model's devices. */
export class ModelWindow implements Process {
  alive = true;
  stopped = false;
  readonly name: string;
  readonly access: VaultAccess;
  readonly store: SessionStore;

  constructor(
    readonly number: number,
    readonly shelf: SecretShelf,
    devices: Devices,
    listener: WindowListener,
  ) {
    this.name = `window ${number}`;
    const { disk, locks, service, timeline, log } = devices;
    const clock = timeline.clockOf(this);
    const random = bytesFrom(chanceFrom(number * 7919));
    newId(random);
    const mine = { disk: disk.of(this), locks: locks.of(this), clock, random, log };
    const vault = new Vault({ ...shelf.open(this), ...mine, secretsNeedReload: shelf.kind === 'browser' });
    this.access = new VaultAccess(
      vault,
      {
        ...mine,
        protocol: service.of(this),
        place: 'this machine',
        events: {
          rotated: (entry) => {
            listener.rotated(this, entry);
          },
          ended: (entry, reason) => {
            listener.ended(this, entry, reason);
          },
          credentialsRefused: () => undefined,
          stopped: () => undefined,
          notStored: (entry) => {
            listener.notStored(this, entry);
          },
        },
      },
      clock,
      log,
      () => undefined,
    );
    this.store = new SessionStore(this.access, () => SERVICE, clock, log);
    this.store.onDidChange((change) => {
      listener.changed(this, change);
    });
  }
}

/** What a sign-in hands over whose tokens are these. */
export function newSession(tokens: NewSession['tokens'], accountLabel: string): NewSession {
  return { credentials: { ...SERVICE, clientSecret: 'client.secret' }, tokens, accountLabel, replaces: undefined };
}
