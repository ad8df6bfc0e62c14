import type { OAuthClient, ServiceId, TokenResponse } from '../../../src/oauth/client';
import type { Log } from '../../../src/log';
import type { Notice, SessionsChange } from '../../../src/sessions/sessions';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { newId } from '../../../src/storage/cipher';
import type { JournalEntry } from '../../../src/storage/record';
import type { ModelDisk } from '../model/disk';
import type { ModelLocks } from '../model/locks';
import type { Policy } from '../model/policies';
import { bytesFrom, chanceFrom } from '../model/random';
import type { SecretShelf } from '../model/secretShelf';
import type { Process } from '../model/steps';
import type { Timeline } from '../model/timeline';

const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client' };

/** The devices of the machine and the network, which all windows share. */
export interface SharedDevices {
  readonly timeline: Timeline;
  readonly disk: ModelDisk;
  readonly locks: ModelLocks;
  readonly policy: Policy;
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
  readonly #service: ServiceId;

  constructor(
    readonly number: number,
    readonly shelf: SecretShelf,
    devices: SharedDevices,
    listener: WindowListener,
  ) {
    this.name = `window ${number}`;
    const { disk, locks, policy, service, timeline, log } = devices;
    this.#service = { ...SERVICE, ...(policy.protocol && { protocol: policy.protocol }) };
    const clock = timeline.clockOf(this);
    const random = bytesFrom(chanceFrom(number * 7919));
    newId(random);
    const mine = { disk: disk.of(this), locks: locks.of(this), clock, random, log };
    this.sessions = new SharedSessions(
      { ...shelf.open(this), ...mine, secretsNeedReload: shelf.kind === 'browser' },
      {
        client: service.of(this),
        service: () => this.#service,
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
    if (((await clientSecrets.get(this.#service)) ?? '') === '') {
      await clientSecrets.set(this.#service, 'client.secret');
    }
  }

  /**
   * What comes of a sign-in that the service has granted.
   * @param replaces the session of the account that the person has chosen
   * @returns the session's ID
   */
  async signIn(tokens: TokenResponse, label: string, replaces?: string): Promise<string> {
    const sessionId = await this.sessions.add({ service: this.#service, tokens, label });
    const assignment = { label, user: undefined, identified: false, replaces };
    return (await this.sessions.assignAccount(sessionId, assignment)).session.id;
  }
}
