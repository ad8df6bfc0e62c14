import { safeTrace } from '../../log';
import { sameService, type ServiceId } from '../../oauth/client';
import type { CurrentSession } from '../../sessions/sessions';
import { deviceFlow } from '../../signin/deviceFlow';
import type { PendingSignIn } from '../../signin/pendingSignIn';
import type { SignInEnd } from '../../signin/deviceFlow';
import { configureService, SignInError } from '../configuration/configureService';
import { readService, WrongSettingError } from '../configuration/settings';
import { ifValid } from '../configuration/validate';
import { completeSignIn } from './completion';
import {
  chooseAccount,
  type ConfiguredSignIn,
  type PreparedSignIn,
  readConfigured,
  type SignInDependencies,
  type SignInRequest,
} from './preparation';
import { describeFailure, describeWrongSetting, type Failure, showFailure } from './failures';
import { SignInView } from './signInView';

/** What an attempt is for. */
export interface AttemptOptions {
  readonly request: SignInRequest;
  /** The sign-in of a window that is gone, if this attempt continues one. */
  readonly resumed: PendingSignIn | undefined;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  /** Begins a new sign-in for the same account when this one is over. */
  readonly again: () => void;
}

/** One sign-in: what the person sees of it, and its result. */
export class Attempt {
  readonly #abort = new AbortController();
  /** Aborted if what Configure Service asks for is set meanwhile; `undefined` unless it's asking. */
  #asking: AbortController | undefined;
  #view: SignInView | undefined;
  #service: ServiceId | undefined;
  #pending: PendingSignIn | undefined;
  #signedIn = false;

  constructor(
    private readonly deps: SignInDependencies,
    private readonly options: AttemptOptions,
  ) {}

  /** What's shown of it; `undefined` until a code is requested. */
  get view(): SignInView | undefined {
    return this.#view;
  }

  /** Cancels it immediately. Tokens that have arrived are stored anyway. */
  cancel(): void {
    this.#abort.abort();
  }

  /**
   * Settings or the client secret changed: closes the input box if nothing is missing anymore, and cancels the sign-in
   * if its service is no longer the configured one.
   */
  async configurationChanged(): Promise<void> {
    const service = ifValid(() => readService(this.deps.settings()));
    if (this.#service === undefined) {
      if (service !== undefined && (await this.deps.secrets.get(service)) !== undefined) {
        this.#asking?.abort();
      }
    } else if (service !== undefined && !sameService(service, this.#service)) {
      this.deps.log.info('A different service is configured now, so the sign-in is canceled.');
      this.cancel();
    }
  }

  /**
   * Runs it to the end.
   * @throws the editor's cancellation if the person canceled; otherwise an error whose message can be shown. The
   *   person knows of both.
   */
  async run(): Promise<CurrentSession> {
    const { request, resumed } = this.options;
    try {
      const configured = await this.#configured();
      const account = await chooseAccount(this.deps, configured.serviceName, request, this.#abort.signal);
      if (account === undefined) {
        this.cancel();
        throw new Error('The sign-in was canceled.');
      }
      const prepared = { ...configured, ...account };
      return await this.#conclude(await this.#flow(prepared), prepared);
    } catch (error) {
      throw this.#told(error);
    } finally {
      this.#view?.end(this.#signedIn);
      // Not before the tokens are stored: until then, the code is all there is.
      const isClosing = this.options.closing.aborted;
      const ended = (this.#pending ?? resumed)?.end(isClosing && !this.#signedIn);
      if (isClosing) {
        await ended;
      }
    }
  }

  /** The configured service. Asks for what's missing. */
  async #configured(): Promise<ConfiguredSignIn> {
    for (;;) {
      const configured = await readConfigured(this.deps);
      this.#abort.signal.throwIfAborted();
      if (configured !== undefined) {
        return configured;
      }
      this.deps.log.info("The service isn't configured yet, so the person is asked for it.");
      const asking = new AbortController();
      this.#asking = asking;
      const isSaved = await configureService(this.deps, AbortSignal.any([this.#abort.signal, asking.signal]));
      this.#asking = undefined;
      if (!isSaved && !asking.signal.aborted) {
        this.cancel();
      }
    }
  }

  /** Shows the code, and waits for the end. */
  async #flow(prepared: PreparedSignIn): Promise<SignInEnd> {
    const { deps, options } = this;
    const { accountLabel, credentials, replaces, serviceName, verificationOrigin } = prepared;
    const service = { baseUrl: credentials.baseUrl, clientId: credentials.clientId };
    this.#service = service;
    const resumed = await this.#resumedAt(service);
    const request = { accountLabel, ...(replaces === undefined ? {} : { replaces }) };
    const pending = resumed ?? deps.pendingSignIns.begin(service, request);
    this.#pending = pending;
    const how = resumed === undefined ? 'Signing in' : 'Continuing a sign-in of an earlier window';
    deps.log.info(`${how} at ${service.baseUrl}.`);
    const cancel = (): void => {
      this.cancel();
    };
    const view = new SignInView(deps, serviceName, resumed !== undefined, cancel, options.again);
    this.#view = view;
    const states = deviceFlow(deps, { credentials, verificationOrigin, pending }, this.#abort.signal);
    for await (const state of states) {
      deps.log.debug(`The sign-in is ${state.kind}.`);
      if (state.kind === 'waiting') {
        view.wait(state);
      } else if (state.kind !== 'requesting') {
        return state;
      }
    }
    throw new Error('The device flow ended without an end state.');
  }

  /** The sign-in of the earlier window, if it's for this service: the settings may have changed since it was found. */
  async #resumedAt(service: ServiceId): Promise<PendingSignIn | undefined> {
    const { resumed } = this.options;
    if (resumed === undefined || sameService(resumed.service, service)) {
      return resumed;
    }
    this.deps.log.info("The sign-in of an earlier window is for a different service, so it's left alone.");
    await resumed.end(true);
    return undefined;
  }

  async #conclude(end: SignInEnd, prepared: PreparedSignIn): Promise<CurrentSession> {
    const { texts } = this.deps;
    const { serviceName } = prepared;
    switch (end.kind) {
      case 'signedIn':
        return await completeSignIn(this.deps, prepared, end.tokens, this.options.closing, () => {
          this.#signedIn = true;
        });
      case 'expired':
        throw this.#failed(
          { text: texts.signIn.expired({ service: serviceName }), offers: ['getNewCode'] },
          'The code expired.',
        );
      case 'failed':
        throw this.#failed(describeFailure(texts, serviceName, end.error), end.error.message);
      case 'cancelled':
        throw new Error('The sign-in was canceled.');
    }
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
      return this.#failed(describeWrongSetting(this.deps, error, false), error.message);
    }
    return this.#failed({ text: explain(error), offers: ['tryAgain', 'showLog'] }, safeTrace(error));
  }

  #failed(failure: Failure, reason: string): SignInError {
    this.deps.log.warn(`The sign-in failed. ${reason}`);
    void showFailure(this.deps, 'error', failure, this.options.again);
    return new SignInError(failure.text);
  }
}
