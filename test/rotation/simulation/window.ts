import type { Clock } from '../../../src/clock';
import type { TokenResponse } from '../../../src/oauth/types';
import { sameService, type ServiceId } from '../../../src/oauth/service';
import { Revoker } from '../../../src/sessions/revoker';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { newId } from '../../../src/storage/cipher';
import { ClientSecrets } from '../../../src/storage/clientSecrets';
import { StoreOpener } from '../../../src/storage/openStore';
import { bytesFrom, chanceFrom } from '../model/random';
import type { SecretShelf } from '../model/secretShelf';
import { tokenName } from '../model/service';
import type { Process } from '../model/steps';
import type { Account } from './ledger';
import type { World } from './world';

const SERVICE = { baseUrl: 'https://service.example', clientId: 'client' };
/** Where each second sign-in goes if there are two. */
const OTHER = { baseUrl: 'https://other.example', clientId: 'client' };

/** One window of the editor: the real sessions over the model's platform. */
export class ModelWindow implements Process {
  alive = true;
  stopped = false;
  readonly name: string;
  readonly opener: StoreOpener;
  readonly sessions: SharedSessions;
  readonly #clientSecrets: ClientSecrets;
  readonly #services: readonly [ServiceId, ...ServiceId[]];
  readonly #referee: World['referee'];
  readonly #callers: World['callers'];
  readonly #clock: Clock;

  constructor(
    readonly number: number,
    readonly shelf: SecretShelf,
    { callers, locks, log, policy, referee, service, setting, store, timeline }: World,
  ) {
    this.name = `window ${number}`;
    const { protocol } = policy;
    this.#services = [{ ...SERVICE, protocol }, ...(setting.hasTwoServices === true ? [{ ...OTHER, protocol }] : [])];
    this.#referee = referee;
    this.#callers = callers;
    const clock = timeline.clockOf(this);
    this.#clock = clock;
    const random = bytesFrom(chanceFrom(number * 7919));
    newId(random);
    const platform = {
      rows: store.of(this),
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
    const client = service.of(this, (grant) => this.#serviceOf(grant));
    this.sessions = new SharedSessions(
      platform,
      this.opener,
      client,
      this.#clientSecrets,
      new Revoker(client, this.#clientSecrets, log),
      () => this.#services,
    );
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
  async configure(onEntered: () => void): Promise<void> {
    for (const service of this.#services) {
      if (!(await this.#clientSecrets.get(service, false))) {
        await this.#clientSecrets.set(service, 'client.secret');
        onEntered();
      }
    }
  }

  /** Stores what comes of a sign-in that a service has granted. Returns the session's ID. */
  async store(tokens: TokenResponse, label: string, grant: number): Promise<string> {
    return await this.sessions.add({ service: this.#serviceOf(grant), tokens, label });
  }

  /** What callers get who ask for the sessions of each service. */
  async serve(): Promise<readonly CurrentSession[]> {
    const served = await Promise.all(this.#services.map((service) => this.#serveOf(service)));
    return served.flat();
  }

  /** Property 3: nobody gets the session of another service. */
  async #serveOf(service: ServiceId): Promise<readonly CurrentSession[]> {
    const served = await this.sessions.serve(service);
    this.#callers.returned(this, served);
    for (const { accessToken, service: own } of served) {
      const issuer = this.#serviceOf(tokenName(accessToken).grant);
      if (!sameService(own, service) || !sameService(issuer, service)) {
        this.#referee.fail('3', `${this.name} serves a token of ${issuer.baseUrl} for ${service.baseUrl}`);
      }
    }
    return served;
  }

  #serviceOf(grant: number): ServiceId {
    return this.#services[(grant - 1) % this.#services.length] ?? this.#services[0];
  }

  /** Lets time pass, as a service does that's slow to say who signed in. */
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
}
