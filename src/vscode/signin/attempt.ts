import { safeTrace } from '../../log';
import { sameService, type ServiceId, type TokenResponse } from '../../oauth/client';
import type { CurrentSession } from '../../sessions/sessions';
import { deviceFlow } from '../../signin/deviceFlow';
import type { PendingSignIn, SignInRequest } from '../../signin/pendingSignIn';
import { configureService, SignInError, wrongSettingText } from '../configuration/configureService';
import { readService, WrongSettingError } from '../configuration/settings';
import { ifValid } from '../configuration/validate';
import { completeSignIn } from './completion';
import { describeFailure, type Failure, showFailure } from './failures';
import { chooseAccount, type PreparedSignIn, readConfigured, type SignInDependencies } from './preparation';
import { SignInView } from './signInView';

/** One sign-in: what the person sees of it, and its result. */
export class Attempt {
  readonly #abort = new AbortController();
  /** Aborted if what Configure Service asks for is set meanwhile; `undefined` unless it's asking. */
  #asking: AbortController | undefined;
  /** From here on, it's known which service it's for. */
  #pending: PendingSignIn | undefined;
  #view: SignInView | undefined;
  #isStored = false;

  /**
   * Resolves at the end. Rejects with the editor's cancellation if the person canceled; otherwise with an error whose
   * message can be shown. The person knows of both.
   */
  readonly result: Promise<CurrentSession>;

  /**
   * @param request what it was started for
   * @param resumed the sign-in of a window that is gone, if this attempt continues one
   * @param closing aborted when the window closes
   * @param again begins a new sign-in for the same account when this one is over
   */
  constructor(
    private readonly deps: SignInDependencies,
    readonly request: SignInRequest,
    private readonly resumed: PendingSignIn | undefined,
    private readonly closing: AbortSignal,
    private readonly again: () => void,
  ) {
    this.result = this.#run();
  }

  /** What's shown of it; `undefined` until a code is requested. */
  get view(): SignInView | undefined {
    return this.#view;
  }

  /** Cancels it immediately. Tokens that have arrived are stored anyway. */
  readonly cancel = (): void => {
    this.#abort.abort();
  };

  /**
   * Settings or the client secret changed: closes the input box if nothing is missing anymore, and cancels the sign-in
   * if its service is no longer the configured one.
   */
  async configurationChanged(): Promise<void> {
    const service = ifValid(() => readService(this.deps.settings()));
    if (service === undefined) {
      return;
    }
    if (this.#pending === undefined) {
      if ((await this.deps.secrets.get(service)) !== undefined) {
        this.#asking?.abort();
      }
    } else if (!sameService(service, this.#pending.service)) {
      this.deps.log.info('A different service is configured now, so the sign-in is canceled.');
      this.cancel();
    }
  }

  async #run(): Promise<CurrentSession> {
    const { closing, resumed } = this;
    try {
      const prepared = await this.#prepare();
      const tokens = await this.#flow(prepared);
      return await completeSignIn(this.deps, prepared, tokens, closing, () => {
        this.#isStored = true;
      });
    } catch (error) {
      throw this.#told(error);
    } finally {
      this.#view?.end(this.#isStored);
      // Not before the tokens are stored: until then, the code is all there is.
      const ended = (this.#pending ?? resumed)?.end(closing.aborted && !this.#isStored);
      if (closing.aborted) {
        await ended;
      }
    }
  }

  /** What the sign-in needs. Asks for what's missing. */
  async #prepare(): Promise<PreparedSignIn> {
    const { signal } = this.#abort;
    for (;;) {
      const configured = await readConfigured(this.deps);
      signal.throwIfAborted();
      const account = configured && (await chooseAccount(this.deps, configured.serviceName, this.request, signal));
      signal.throwIfAborted();
      if (configured !== undefined && account !== undefined) {
        return { ...configured, ...account };
      }
      if (configured !== undefined || !(await this.#askForService())) {
        this.cancel();
        signal.throwIfAborted();
      }
    }
  }

  /** Asks for the service until it's configured, here or by a companion. Returns false if the person canceled. */
  async #askForService(): Promise<boolean> {
    this.deps.log.info("The service isn't configured yet, so the person is asked for it.");
    const asking = new AbortController();
    this.#asking = asking;
    const isSaved = await configureService(this.deps, AbortSignal.any([this.#abort.signal, asking.signal]));
    this.#asking = undefined;
    return isSaved || asking.signal.aborted;
  }

  /** Shows the code until the tokens arrive. */
  async #flow(prepared: PreparedSignIn): Promise<TokenResponse> {
    const { again, deps, resumed } = this;
    const { credentials, serviceName, verificationOrigin } = prepared;
    const texts = deps.texts.signIn;
    const pending = await this.#begin(prepared);
    this.#pending = pending;
    const isResumed = pending === resumed;
    const how = isResumed ? 'Continuing a sign-in of an earlier window' : 'Signing in';
    deps.log.info(`${how} at ${credentials.baseUrl}.`);
    const view = new SignInView(deps, serviceName, isResumed, this.cancel, again);
    this.#view = view;
    for await (const state of deviceFlow(deps, { credentials, verificationOrigin, pending }, this.#abort.signal)) {
      deps.log.debug(`The sign-in is ${state.kind}.`);
      if (state.kind === 'waiting') {
        view.wait(state);
      } else if (state.kind === 'signedIn') {
        return state.tokens;
      } else if (state.kind === 'expired') {
        const text = texts.expired({ service: serviceName });
        throw this.#failed({ text, offers: ['getNewCode'] }, 'The code expired.');
      } else if (state.kind === 'foreign page') {
        const text = texts.foreignPage({ service: serviceName });
        const reason = 'The verification page has a different origin than the one that is set.';
        throw this.#failed({ text, offers: ['openSettings'], setting: 'verificationUrl' }, reason);
      } else if (state.kind === 'failed') {
        throw this.#failed(describeFailure(deps.texts, serviceName, state.error), state.error.message);
      }
    }
    throw new Error('The device flow ended without tokens.');
  }

  /** Continues the sign-in of the earlier window if it's for this service: the settings may have changed meanwhile. */
  async #begin({ accountLabel, credentials, replaced }: PreparedSignIn): Promise<PendingSignIn> {
    const { log, pendingSignIns } = this.deps;
    const { resumed } = this;
    const service: ServiceId = { baseUrl: credentials.baseUrl, clientId: credentials.clientId };
    if (resumed !== undefined && sameService(resumed.service, service)) {
      return resumed;
    }
    if (resumed !== undefined) {
      log.info("The sign-in of an earlier window is for a different service, so it's left alone.");
      await resumed.end(true);
    }
    return pendingSignIns.begin(service, { accountLabel, replaces: replaced?.id });
  }

  /** Tells the person why a sign-in ended, unless that was told before, and returns the error for the caller. */
  #told(error: unknown): Error {
    const { editor, texts, log, explain } = this.deps;
    if (error instanceof SignInError) {
      return error;
    }
    if (this.#abort.signal.aborted) {
      log.info('The sign-in was canceled.');
      editor.showStatusMessage(texts.signIn.canceled);
      return editor.cancellation();
    }
    if (error instanceof WrongSettingError) {
      const { setting, message } = error;
      return this.#failed({ text: wrongSettingText(this.deps, error), offers: ['openSettings'], setting }, message);
    }
    return this.#failed({ text: explain(error), offers: ['tryAgain', 'showLog'] }, safeTrace(error));
  }

  #failed(failure: Failure, reason: string): SignInError {
    this.deps.log.warn(`The sign-in failed. ${reason}`);
    void showFailure(this.deps, 'error', failure, this.again);
    return new SignInError(failure.text);
  }
}
