import type { TokenResponse, ServiceId } from '../../../src/oauth/client';
import type { Notice } from '../../../src/sessions/notices';
import type { SessionsChange } from '../../../src/sessions/served';
import { ClientSecretStore } from '../../../src/storage/clientSecretStore';
import { SessionStore } from '../../../src/sessions/sessionStore';
import type { NewSession, ServedSession } from '../../../src/sessions/sessions';
import { Vault } from '../../../src/storage/vault';
import { VaultAccess } from '../../../src/storage/vaultAccess';
import type { VaultSurroundings } from '../../../src/storage/vaultParts';
import { ModelDisk } from '../../rotation/model/disk';
import { ModelLocks } from '../../rotation/model/locks';
import { bytesFrom, chanceFrom } from '../../rotation/model/random';
import { SecretShelf } from '../../rotation/model/secretShelf';
import { drain, Steps, type Process } from '../../rotation/model/steps';
import { Timeline } from '../../rotation/model/timeline';
import { RecordingLog } from '../../support/recordingLog';
import { TestService } from './testService';
import { TroubledDisk } from './troubledDisk';

export const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client' };
export const CLIENT_SECRET = 'client.secret';
/** Lifetime of the access tokens in milliseconds. */
export const LIFETIME = 3_600_000;
/** A token is due at the latest after this part of its life. */
export const DUE = 0.75 * LIFETIME;

/** One window of the editor: the real store over the machine's devices. */
export class TestWindow implements Process {
  alive = true;
  stopped = false;
  /** The service that is configured. */
  service: ServiceId | undefined = SERVICE;
  /** What the person was told. */
  readonly notices: Notice[] = [];
  /** What was announced. */
  readonly changes: SessionsChange[] = [];
  readonly log = new RecordingLog();
  readonly disk: TroubledDisk;
  readonly surroundings: VaultSurroundings;
  readonly vault: Vault;
  readonly access: VaultAccess;
  readonly store: SessionStore;
  readonly secrets: ClientSecretStore;

  constructor(
    readonly name: string,
    seed: number,
    readonly shelf: SecretShelf,
    machine: Pick<Machine, 'timeline' | 'disk' | 'locks' | 'service'>,
    place: string,
  ) {
    const { log } = this;
    const clock = machine.timeline.clockOf(this);
    this.disk = new TroubledDisk(machine.disk.of(this));
    const parts = {
      disk: this.disk,
      locks: machine.locks.of(this),
      clock,
      random: bytesFrom(chanceFrom(seed)),
      log,
    };
    this.surroundings = { ...shelf.open(this), ...parts, secretsNeedReload: shelf.kind === 'browser' };
    this.vault = new Vault(this.surroundings);
    const notify = (notice: Notice): void => void this.notices.push(notice);
    this.access = new VaultAccess(
      this.vault,
      {
        ...parts,
        protocol: machine.service.protocol,
        place,
        events: {
          rotated: () => undefined,
          ended: ({ sessionId, record: { account } }, reason) => {
            notify({ kind: 'ended', sessionId, account, answerLost: reason === 'answer lost' });
          },
          credentialsRefused: ({ record: { service, account } }) => {
            notify({ kind: 'credentials refused', service, account });
          },
          stopped: ({ sessionId, record: { account } }) => {
            notify({ kind: 'stopped', sessionId, account });
          },
          notStored: ({ record: { account } }) => {
            notify({ kind: 'not stored', account });
          },
        },
      },
      clock,
      log,
      notify,
    );
    this.store = new SessionStore(this.access, () => this.service, clock, log);
    this.secrets = new ClientSecretStore(this.access, log, (service) => this.store.clientSecretChanged(service));
    this.store.onDidChange((change) => this.changes.push(change));
  }
}

/** One machine: disk, locks and time, which all windows share, and the service at the other end of the network. */
export class Machine {
  readonly steps = new Steps();
  readonly timeline = new Timeline(this.steps);
  readonly locks = new ModelLocks(this.steps, this.timeline);
  readonly disk: ModelDisk;
  readonly service = new TestService(LIFETIME);
  readonly shelf: SecretShelf;
  #windows = 0;

  /** @param onWritten is told of each file whose contents or name changed */
  constructor(kind: SecretShelf['kind'] = 'desktop', onWritten: (name: string) => void = () => undefined) {
    this.disk = new ModelDisk(this.steps, this.timeline, onWritten);
    this.shelf = this.newShelf(kind);
  }

  /** SecretStorage of another editor or browser on this machine. */
  newShelf(kind: SecretShelf['kind']): SecretShelf {
    return new SecretShelf(kind, this.steps, this.timeline);
  }

  /** Opens a window. It refreshes by itself once `run` was called. */
  open(shelf = this.shelf, place = 'this machine'): TestWindow {
    this.#windows++;
    return new TestWindow(`window ${this.#windows}`, this.#windows * 7919, shelf, this, place);
  }

  /** Opens a window in which someone has signed in. */
  async openSignedIn(): Promise<{ readonly window: TestWindow; readonly session: ServedSession }> {
    const window = this.open();
    const session = await this.finish(window.store.add(this.signIn()));
    return { window, session };
  }

  /** What a sign-in at the service brings. */
  signIn(accountLabel = 'Ada', tokens: TokenResponse = this.service.grant()): NewSession {
    return { credentials: { ...SERVICE, clientSecret: CLIENT_SECRET }, tokens, accountLabel, replaces: undefined };
  }

  /** The window's process is killed: what it waited for does not happen, and what it held is free. */
  kill(window: TestWindow): void {
    window.alive = false;
    this.steps.bury(window, () => false);
    for (const part of [this.timeline, this.disk, this.locks, window.shelf]) part.bury(window);
  }

  /** Lets everything happen that waits for nothing but its turn. Takes no time. */
  async settle(): Promise<void> {
    for (;;) {
      await drain();
      const [next] = this.steps.ready();
      if (next === undefined) return;
      this.steps.release(next);
    }
  }

  /** Lets so many milliseconds pass, with all that happens meanwhile. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.timeline.elapsed + milliseconds;
    await this.settle();
    for (let due = this.timeline.nextDue; due !== undefined && due <= end; due = this.timeline.nextDue) {
      await this.#moveTo(due);
    }
    await this.#moveTo(end);
  }

  /**
   * Lets time pass until the promise is settled.
   * @throws what it was rejected with; Error where it is not settled `within` so many milliseconds.
   */
  async finish<T>(promise: Promise<T>, within = 60_000): Promise<T> {
    let settled = false;
    const isSettled = (): boolean => settled;
    const mark = (): void => {
      settled = true;
    };
    promise.then(mark, mark);
    const giveUpAt = this.timeline.elapsed + within;
    await this.settle();
    while (!isSettled()) {
      const due = this.timeline.nextDue ?? Number.POSITIVE_INFINITY;
      if (due > giveUpAt) throw new Error(`It did not come to an end within ${within} ms.`);
      await this.#moveTo(due);
    }
    return await promise;
  }

  async #moveTo(moment: number): Promise<void> {
    this.timeline.advance(Math.max(0, moment - this.timeline.elapsed));
    await this.settle();
  }
}

/** The one session that a window serves. @throws Error where it serves another number of them. */
export async function onlyOne(sessions: Promise<readonly ServedSession[]>): Promise<ServedSession> {
  const [session, ...others] = await sessions;
  if (session === undefined || others.length > 0) throw new Error('One session was expected.');
  return session;
}
