import type { Clock } from '../../../src/clock';
import type { Log } from '../../../src/log';
import type { DeviceAuthorization, TokenResponse } from '../../../src/oauth/client';
import type { ServiceId } from '../../../src/oauth/service';
import { Revoker } from '../../../src/sessions/revoker';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { PendingSignIns } from '../../../src/signin/pendingSignIn';
import { newId } from '../../../src/storage/cipher';
import { ClientSecrets } from '../../../src/storage/clientSecrets';
import { type Store, StoreOpener } from '../../../src/storage/openStore';
import { bytesFrom, chanceFrom } from '../model/random';
import type { SecretShelf } from '../model/secretShelf';
import type { Process } from '../model/steps';
import type { Account } from './ledger';
import type { World } from './world';

const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client' };

const CODE: DeviceAuthorization = {
  deviceCode: 'code.1',
  userCode: 'ABCD',
  verificationUri: 'https://service.example/activate',
  expiresIn: 900,
  interval: 5,
};

/** One window of the editor: the real sessions over the model's platform. */
export class ModelWindow implements Process {
  alive = true;
  stopped = false;
  readonly name: string;
  readonly opener: StoreOpener;
  readonly sessions: SharedSessions;
  readonly #clientSecrets: ClientSecrets;
  readonly #service: ServiceId;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(
    readonly number: number,
    readonly shelf: SecretShelf,
    { disk, locks, log, policy, referee, service, timeline }: World,
  ) {
    this.name = `window ${number}`;
    this.#service = { ...SERVICE, ...(policy.protocol && { protocol: policy.protocol }) };
    const clock = timeline.clockOf(this);
    this.#clock = clock;
    this.#log = log;
    const random = bytesFrom(chanceFrom(number * 7919));
    newId(random);
    const platform = {
      disk: disk.of(this),
      locks: locks.of(this),
      clock,
      random,
      log,
      secrets: shelf.open(this),
      secretsNeedReload: shelf.kind === 'browser',
      secretsOwner: shelf.owner,
    };
    this.opener = new StoreOpener(platform);
    this.#clientSecrets = new ClientSecrets(this.opener, log);
    const client = service.of(this);
    this.sessions = new SharedSessions({
      platform,
      store: this.opener,
      client,
      clientSecrets: this.#clientSecrets,
      revoker: new Revoker(client, this.#clientSecrets, log),
      configuredService: () => this.#service,
    });
    this.opener.onProblem((kind) => {
      referee.told(this, { kind });
    });
    this.sessions.onNotice((notice) => {
      referee.told(this, notice);
    });
    this.sessions.onDidRefresh(({ id }) => {
      referee.refreshed(this, id);
    });
    this.sessions.onDidChange((change) => {
      referee.changed(this, change);
    });
  }

  /** Whether the window has the key, and so can have sessions. */
  get isOpen(): boolean {
    return this.opener.current !== undefined;
  }

  /** What a person does before the first sign-in. */
  async configure(): Promise<void> {
    if (((await this.#clientSecrets.get(this.#service)) ?? '') === '') {
      await this.#clientSecrets.set(this.#service, 'client.secret');
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
   * @param account whose it is
   * @param accountId the account that the person has chosen
   */
  async nameAccount(sessionId: string, label: string, { user }: Account, accountId?: string): Promise<void> {
    await this.sessions.assignAccount(sessionId, { label, user, mustShowUser: user !== undefined, accountId });
  }

  /**
   * A person waits with a code on the screen, perhaps one of a window that's gone, for so many milliseconds.
   * @param isClosing whether the window closes then, so that the next one may continue
   */
  async waitForCode(milliseconds: number, isClosing: boolean): Promise<void> {
    const store = (): Promise<Store | undefined> => this.opener.forReading();
    const pending = new PendingSignIns({ clock: this.#clock, log: this.#log, store });
    const signIn =
      (await pending.takeOver(this.#service, { waitForClosingWindow: false })) ?? pending.begin(this.#service, {});
    const receivedAt = this.#clock.monotonic();
    const [authorization, expiresAt] = [signIn.authorization ?? CODE, receivedAt + CODE.expiresIn * 1_000];
    signIn.save({ authorization, receivedAt, expiresAt });
    await this.#clock.sleep(milliseconds);
    await (isClosing ? signIn.leaveForNextWindow() : signIn.discard());
  }
}
