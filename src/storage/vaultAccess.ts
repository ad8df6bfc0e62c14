import type { Clock } from '../clock';
import type { Log } from '../log';
import { serviceKey, type ServiceId } from '../oauth/client';
import { KeyedSessions, type Foundations } from '../sessions/keyedSessions';
import type { Notice } from '../sessions/notices';
import { recoveryCopy } from './record';
import { noticeOf, SessionsUnavailableError, whyUnavailable } from '../sessions/sessionsUnavailable';
import type { Vault } from './vault';
import { withClientSecret, withoutOldDamage, withoutRecovery, withRecovery, type VaultChange } from './vaultChanges';
import type { VaultContents } from './vaultFormat';
import type { VaultState } from './vaultParts';

/** After a failure SecretStorage is asked again, but not more often than this. Milliseconds. */
const ASK_AGAIN = 2_000;
/** What is to be forgotten is looked for no more often than this. Milliseconds. */
const TIDY_AGAIN = 60_000;

/** Opens the vault when it is first needed and whenever it may have become possible, and tells of trouble once. */
export class VaultAccess {
  #opened: KeyedSessions | undefined;
  #opening: Promise<void> | undefined;
  #state: VaultState | undefined;
  #failedAt: number | undefined;
  #contents: VaultContents | undefined;
  #tidiedAt: number | undefined;
  readonly #told = new Set<Notice['kind']>();
  readonly #whenOpen: ((sessions: KeyedSessions) => void)[] = [];

  constructor(
    private readonly vault: Vault,
    private readonly foundations: Foundations,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly notify: (notice: Notice) => void,
  ) {}

  /** The sessions, where the vault is open already. */
  get current(): KeyedSessions | undefined {
    return this.#opened;
  }

  /** Calls back once, when the vault was opened. */
  whenOpen(callBack: (sessions: KeyedSessions) => void): void {
    this.#whenOpen.push(callBack);
  }

  /**
   * The sessions; `undefined` where the key is lost, so that there are none.
   * @throws SessionsUnavailableError where they can't be reached now.
   */
  async open(): Promise<KeyedSessions | undefined> {
    if (this.#opened !== undefined) {
      return this.#opened;
    }
    const justFailed = this.#failedAt !== undefined && this.clock.monotonic() - this.#failedAt < ASK_AGAIN;
    if (!justFailed) {
      await (this.#opening ?? this.#openWith(() => this.vault.open()));
    }
    return this.#result();
  }

  /**
   * The sessions, with a new key where the old one is lost. For what a sign-in brings.
   * @throws SessionsUnavailableError where they can't be reached now.
   */
  async openForNew(): Promise<KeyedSessions> {
    const opened = await this.open();
    if (opened !== undefined) {
      return opened;
    }
    while (this.#opening !== undefined) {
      await this.#opening;
    }
    if (this.#opened === undefined) {
      await this.#openWith(() => this.vault.replace());
    }
    const made = this.#result();
    if (made === undefined) {
      throw new SessionsUnavailableError('unavailable');
    }
    return made;
  }

  /** Keeps a client secret in SecretStorage too. Best effort. */
  saveClientSecret(service: ServiceId, secret: string): void {
    this.#bestEffort(withClientSecret(serviceKey(service), secret));
  }

  /**
   * The client secret in SecretStorage.
   * @throws SessionsUnavailableError where that does not answer.
   */
  async clientSecret(service: ServiceId): Promise<string | undefined> {
    try {
      return await this.vault.clientSecret(serviceKey(service));
    } catch (error) {
      this.log.warn(`The client secret can't be read (${error instanceof Error ? error.name : 'unknown'}).`);
      throw new SessionsUnavailableError('unavailable');
    }
  }

  /** Forgets the recovery copy of a session that is over. Best effort; `tidy` tries again. */
  forgetRecovery(sessionId: string): void {
    this.#bestEffort(withoutRecovery((id) => id === sessionId));
  }

  /** Keeps a recovery copy of the session. Best effort. */
  saveRecovery(entry: Parameters<typeof recoveryCopy>[0]): void {
    const { sessionId, generation } = entry;
    this.#bestEffort(withRecovery(sessionId, recoveryCopy(entry)), {
      done: `Session ${sessionId}: SecretStorage has a copy of generation ${generation}.`,
    });
  }

  /**
   * Now and then, forgets copies of sessions that are over: SecretStorage may have failed when one ended, or another
   * window may have stored at that moment what it had read before. Best effort.
   */
  tidy(): void {
    const now = this.clock.monotonic();
    if (this.#tidiedAt === undefined || now - this.#tidiedAt >= TIDY_AGAIN) {
      this.#tidiedAt = now;
      // It is tried again each minute, which is no news.
      this.#bestEffort((vault) => vault, { failed: 'debug' });
    }
  }

  /** Opens the vault in this way, one opening at a time. */
  async #openWith(how: () => Promise<VaultState>): Promise<void> {
    const opening = (async () => {
      await this.#use(await how());
    })().finally(() => {
      this.#opening = undefined;
    });
    this.#opening = opening;
    await opening;
  }

  async #use(state: VaultState): Promise<void> {
    this.#state = state;
    this.#failedAt = state.kind === 'open' ? undefined : this.clock.monotonic();
    if (state.kind !== 'open') {
      this.log.warn(`The vault is not open: ${state.kind}${state.kind === 'unavailable' ? ` (${state.reason})` : ''}.`);
      this.#tellOnce(noticeOf(state));
      return;
    }
    this.#contents = state.contents;
    const sessions = new KeyedSessions(this.foundations, state.contents.key, {
      read: async (sessionId) => (await this.#recoveryCopies())[sessionId],
      save: (entry) => {
        this.saveRecovery(entry);
      },
    });
    await sessions.journal.prepare();
    await sessions.view.update();
    await sessions.keeper.restore(state.contents.sessions);
    await sessions.keeper.clear();
    this.#opened = sessions;
    for (const callBack of this.#whenOpen) {
      callBack(sessions);
    }
    this.tidy();
    if (!state.kept) {
      this.#tellOnce('key not kept');
    }
  }

  #result(): KeyedSessions | undefined {
    if (this.#opened === undefined && this.#state?.kind !== 'lost') {
      throw new SessionsUnavailableError(whyUnavailable(this.#state));
    }
    return this.#opened;
  }

  async #recoveryCopies(): ReturnType<Vault['recoveryCopies']> {
    try {
      return await this.vault.recoveryCopies();
    } catch (error) {
      this.log.warn(`The recovery copies can't be read: ${error instanceof Error ? error.message : 'unknown'}.`);
      return {};
    }
  }

  /**
   * Whatever a window stores, it stores no copy of a session that it knows to be over, and those of all others as it
   * knows them: in a browser it writes over what other windows stored.
   *
   * @param told what the log says when that is done, and at which level it says that it failed
   */
  #bestEffort(change: VaultChange, told: { readonly done?: string; readonly failed?: 'debug' } = {}): void {
    if (this.#contents === undefined) {
      return;
    }
    const view = this.#opened?.view;
    const withoutEnded = withoutRecovery((id) => view?.isOver(id) === true);
    const tidied = withoutOldDamage(this.clock.now());
    const withKnown = (vault: VaultContents): VaultContents =>
      (view?.all() ?? []).reduce((all, { entry }) => withRecovery(entry.sessionId, recoveryCopy(entry))(all), vault);
    this.vault
      .change(this.#contents, (vault) => {
        const changed = tidied(withoutEnded(change(vault)));
        return changed === vault ? vault : withKnown(changed);
      })
      .then(
        () => {
          if (told.done !== undefined) this.log.debug(told.done);
        },
        (error: unknown) => {
          const name = error instanceof Error ? error.name : 'unknown';
          this.log[told.failed ?? 'warn'](`SecretStorage could not be changed: ${name}.`);
        },
      );
  }

  #tellOnce(kind: ReturnType<typeof noticeOf> | 'key not kept'): void {
    if (!this.#told.has(kind)) {
      this.#told.add(kind);
      this.notify({ kind });
    }
  }
}
