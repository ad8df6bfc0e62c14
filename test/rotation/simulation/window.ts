import type { OAuthClient, ServiceId, TokenResponse } from '../../../src/oauth/client';
import type { Log } from '../../../src/log';
import type { Notice, SessionsChange } from '../../../src/sessions/sessions';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { newId } from '../../../src/storage/cipher';
import type { JournalEntry } from '../../../src/storage/record';
import type { ModelDisk } from '../model/disk';
import type { ModelLocks } from '../model/locks';
import { bytesFrom, chanceFrom } from '../model/random';
import type { SecretShelf } from '../model/secretShelf';
import type { Process } from '../model/steps';
import type { Timeline } from '../model/timeline';

export const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client' };

/** The devices of the machine and the network, which all windows share. */
export interface SharedDevices {
  readonly timeline: Timeline;
  readonly disk: ModelDisk;
  readonly locks: ModelLocks;
  readonly service: { of(process: Process): OAuthClient };
  readonly log: Log;
}

/** Who hears of what a window does. */
export interface WindowListener {
  refreshed(window: ModelWindow, entry: JournalEntry): void;
  told(window: ModelWindow, notice: Notice): void;
  changed(window: ModelWindow, change: SessionsChange): void;
}

/** One window of the editor: the real sessions over the model's devices. */
export class ModelWindow implements Process {
  alive = true;
  stopped = false;
  readonly name: string;
  readonly sessions: SharedSessions;

  constructor(
    readonly number: number,
    readonly shelf: SecretShelf,
    devices: SharedDevices,
    listener: WindowListener,
  ) {
    this.name = `window ${number}`;
    const { disk, locks, service, timeline, log } = devices;
    const clock = timeline.clockOf(this);
    const random = bytesFrom(chanceFrom(number * 7919));
    newId(random);
    const mine = { disk: disk.of(this), locks: locks.of(this), clock, random, log };
    this.sessions = new SharedSessions(
      { ...shelf.open(this), ...mine, secretsNeedReload: shelf.kind === 'browser' },
      {
        client: service.of(this),
        service: () => SERVICE,
        tell: (notice) => {
          listener.told(this, notice);
        },
        onRefreshed: (entry) => {
          listener.refreshed(this, entry);
        },
      },
    );
    this.sessions.onDidChange((change) => {
      listener.changed(this, change);
    });
  }

  /** Whether the window has the key, and so can have sessions. */
  get isOpen(): boolean {
    return this.sessions.opener.current !== undefined;
  }

  /** What a person does before the first sign-in. */
  async configure(): Promise<void> {
    const { clientSecrets } = this.sessions;
    if ((await clientSecrets.get(SERVICE)) === undefined) {
      await clientSecrets.set(SERVICE, 'client.secret');
    }
  }

  /** What comes of a sign-in that the service has granted. Returns the session's ID. */
  async signIn(tokens: TokenResponse, label: string): Promise<string> {
    const sessionId = await this.sessions.add({ service: SERVICE, tokens, label });
    await this.sessions.assignAccount(sessionId, { label, user: undefined, identified: false, replaces: undefined });
    return sessionId;
  }
}
