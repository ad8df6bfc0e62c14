import type { Log } from '../../log';
import { isMeantService } from '../requests/serviceScope';
import { sameService, type ServiceId } from '../../oauth/service';
import type { CurrentSession } from '../../sessions/currentSession';
import type { PendingSignIn, ResumedSignIn, SignInRequest } from '../../signin/pendingSignIn';
import type { Editor } from '../editor/editor';
import type { CurrentSettings } from '../settings/settings';
import type { ConfiguredService } from '../settings/service';
import type { ChosenAccount } from './accountChoice';
import type { ServiceSetup } from './serviceSetup';
import type { SignInView } from './signInView';

interface AttemptDependencies {
  readonly editor: Editor;
  readonly log: Log;
  readonly settings: CurrentSettings;
  readonly setup: ServiceSetup;
  /** Signs in unless the person has done that since, in wall-clock milliseconds. */
  readonly startIfNeeded: (request: SignInRequest, since: number) => Promise<void>;
}

/** Why a sign-in ends early. */
type Ending =
  | { readonly kind: 'canceled' }
  | { readonly kind: 'left to the next window' }
  /** The person got a session in another way. */
  | { readonly kind: 'signed in elsewhere'; readonly session: CurrentSession };

/** What has come of a sign-in by now. */
interface Progress {
  readonly service?: ConfiguredService;
  readonly account?: ChosenAccount;
  /** What's shown of it, from the request for the code until the tokens are stored. */
  readonly view?: SignInView | undefined;
  /** What the next window continues if this one closes. */
  readonly pending?: PendingSignIn;
  readonly isStored: boolean;
}

/** One sign-in, as others see it while it runs: they ask what it's for, and end it. How it goes is in `signInLife.ts`. */
export class Attempt {
  readonly #abort = new AbortController();
  readonly #closing = new AbortController();
  #ending: Ending | undefined;
  #progress: Progress = { isStored: false };

  /** Aborted when it ends early. */
  readonly signal = this.#abort.signal;
  /** Aborted if this window closes. */
  readonly closing = this.#closing.signal;

  /**
   * @param started what it was started for
   * @param resumed the sign-in of a window that is gone, if this attempt continues one
   */
  constructor(
    private readonly dependencies: AttemptDependencies,
    readonly started: SignInRequest,
    readonly resumed: ResumedSignIn | undefined,
  ) {
    if (resumed !== undefined) {
      this.note({ pending: resumed.pending });
    }
  }

  get progress(): Progress {
    return this.#progress;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** What's shown of it; `undefined` until a code is requested. */
  get view(): SignInView | undefined {
    return this.#progress.view;
  }

  /**
   * What it's for, with the service and the account that it turned out to be for, for the next window or the next attempt: nobody
   * waits for that.
   */
  get request(): SignInRequest {
    const { account, service } = this.#progress;
    const chosen = account && {
      accountLabel: account.label,
      accountId: account.replaced?.account.id,
      isForAnother: account.isForAnother,
    };
    const services = service && { services: [service.id.baseUrl] };
    return { ...this.started, ...chosen, ...services, awaitedByEditorUntil: undefined };
  }

  /**
   * For buttons that are left of it, if there's no session: signs in to what it turned out to be for.
   * @param since when it ended, in wall-clock milliseconds
   */
  async again(since: number): Promise<void> {
    await this.dependencies.startIfNeeded(this.request, since);
  }

  /** Whether it's about to end without a session. */
  get isCanceled(): boolean {
    const isEnding = this.#ending !== undefined && this.#ending.kind !== 'signed in elsewhere';
    return isEnding && !this.#progress.isStored;
  }

  /** A phase has come to this result. */
  note(result: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...result };
  }

  /** Shows its code again, if there is one yet. */
  showCode(): void {
    this.view?.code?.show();
  }

  /** The service that it's for; `undefined` if that isn't configured yet. */
  async service(): Promise<ConfiguredService | undefined> {
    return this.#progress.service ?? (await this.dependencies.setup.meant(this.started));
  }

  /** Whether it can bring what somebody else requests of its service. Who names no account takes any. */
  isFor({ accountId, accountLabel, isForAnother = false }: SignInRequest): boolean {
    const own = this.request.accountId;
    if (isForAnother || accountLabel !== undefined) {
      // The session of an account that's there can't be that of the new one which is requested.
      return own === undefined;
    }
    return accountId === undefined || accountId === own;
  }

  /** Whether it's for this service, as far as that's known. */
  isForService(service: ServiceId): boolean {
    const { services = [] } = this.started;
    const own = this.#progress.service ?? this.dependencies.settings.current.services.meant(services);
    return own === undefined ? isMeantService(services, service.baseUrl) : sameService(service, own.id);
  }

  /** Cancels it immediately. Tokens that have arrived are stored anyway. */
  readonly cancel = (): void => {
    this.#end({ kind: 'canceled' });
  };

  /** Leaves it to the next window, because this one closes. */
  readonly leave = (): void => {
    this.#closing.abort();
    this.#end({ kind: 'left to the next window' });
  };

  /** The person got a session in another way: ends with that, unless it's stored already, or they want another account. */
  endWith(session: CurrentSession): void {
    if (!this.#progress.isStored && this.request.isForAnother !== true) {
      this.#end({ kind: 'signed in elsewhere', session });
    }
  }

  /** Settings changed: cancels the sign-in if its service isn't configured anymore. */
  settingsChanged(): void {
    const { log, settings } = this.dependencies;
    const service = this.resumed?.pending.authorizationRequest ?? this.#progress.service?.id;
    if (service !== undefined && settings.current.services.of(service) === undefined) {
      log.info("The service isn't configured anymore, so the sign-in is canceled.");
      this.cancel();
    }
  }

  /**
   * What the person answered.
   * @throws the editor's cancellation if they gave no answer, or don't continue; the signal's reason
   */
  answered<T>(answer: T | undefined | false): T {
    if (answer === undefined || answer === false) {
      this.cancel();
      throw this.dependencies.editor.cancellation();
    }
    this.signal.throwIfAborted();
    return answer;
  }

  #end(ending: Ending): void {
    this.#ending ??= ending;
    this.#abort.abort();
  }
}
