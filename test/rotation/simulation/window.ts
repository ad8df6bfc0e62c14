import type { Clock } from '../../../src/clock';
import type { ServiceId, TokenResponse } from '../../../src/oauth/client';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { newId } from '../../../src/storage/cipher';
import { bytesFrom, chanceFrom } from '../model/random';
import type { SecretShelf } from '../model/secretShelf';
import type { Process } from '../model/steps';
import type { World } from './world';

const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client' };

/** One window of the editor: the real sessions over the model's platform. */
export class ModelWindow implements Process {
  alive = true;
  stopped = false;
  readonly name: string;
  readonly sessions: SharedSessions;
  readonly #service: ServiceId;
  readonly #clock: Clock;

  constructor(
    readonly number: number,
    readonly shelf: SecretShelf,
    { disk, locks, log, policy, referee, service, timeline }: World,
  ) {
    this.name = `window ${number}`;
    this.#service = { ...SERVICE, ...(policy.protocol && { protocol: policy.protocol }) };
    const clock = timeline.clockOf(this);
    this.#clock = clock;
    const random = bytesFrom(chanceFrom(number * 7919));
    newId(random);
    const mine = { disk: disk.of(this), locks: locks.of(this), clock, random, log };
    this.sessions = new SharedSessions(
      {
        ...mine,
        secrets: shelf.open(this),
        secretsNeedReload: shelf.kind === 'browser',
        secretsOwner: shelf.owner,
      },
      {
        client: service.of(this),
        service: () => this.#service,
        notify: (notice) => {
          referee.told(this, notice);
        },
        onRefreshed: (entry) => {
          referee.refreshed(this, entry);
        },
      },
    );
    this.sessions.onDidChange((change) => {
      referee.changed(this, change);
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

  /** Stores what comes of a sign-in that the service has granted. Returns the session's ID. */
  async store(tokens: TokenResponse, label: string): Promise<string> {
    return await this.sessions.add({ service: this.#service, tokens, label });
  }

  /** Lets time pass, as a person does who is asked for the name of an account. */
  async hesitate(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await this.#clock.sleep(milliseconds);
  }

  /**
   * Names the account of a session.
   * @param accountId the account that the person has chosen
   */
  async nameAccount(sessionId: string, label: string, accountId?: string): Promise<void> {
    await this.sessions.assignAccount(sessionId, { label, user: undefined, identified: false, accountId });
  }
}
