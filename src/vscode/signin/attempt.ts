import { safeTrace } from '../../log';
import { sameService, type ServiceId } from '../../oauth/client';
import type { CurrentSession } from '../../sessions/sessions';
import { deviceFlow } from '../../signin/deviceFlow';
import type { PendingSignIn } from '../../signin/pendingSignIn';
import type { SignInEnd } from '../../signin/states';
import { configureService } from '../configuration/configureService';
import { ifRight, readService, WrongSettingError } from '../configuration/settings';
import { completeSignIn } from './completion';
import {
  chooseAccount,
  type ConfiguredSignIn,
  type PreparedSignIn,
  readConfigured,
  type SignInDependencies,
  SignInError,
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
  /** Begins a new sign-in for the same, once this one is over. */
  readonly again: () => void;
}

/** One sign-in: what the person sees of it, and what comes of it. */
export class Attempt {
  readonly #abort = new AbortController();
  /** Aborted when what Configure Service asks for is set in the meantime; absent while it doesn't ask. */
  #asking: AbortController | undefined;
  #view: SignInView | undefined;
  #service: ServiceId | undefined;
  #pending: PendingSignIn | undefined;
  #signedIn = false;

  constructor(
    private readonly deps: SignInDependencies,
    private readonly options: AttemptOptions,
  ) {}

  /** What is shown of it; absent until the service is asked for a code. */
  get view(): SignInView | undefined {
    return this.#view;
  }

  /** Calls it off, at once. Tokens that have arrived are stored all the same. */
  cancel(): void {
    this.#abort.abort();
  }

  /**
   * Other settings or another client secret are there: takes the input box away if nothing is missing anymore, and calls the sign-in off
   * if another service is configured than the one whose code is shown.
   */
  async configurationChanged(): Promise<void> {
    const service = ifRight(() => readService(this.deps.settings()));
    if (this.#service === undefined) {
      if (service !== undefined && (await this.deps.secrets.get(service)) !== undefined) {
        this.#asking?.abort();
      }
    } else if (service !== undefined && !sameService(service, this.#service)) {
      this.deps.log.info('Another service is configured now, so the sign-in is canceled.');
      this.cancel();
    }
  }

  /**
   * Runs it to its end.
   * @throws the editor's cancellation if the person cancelled; otherwise an error whose message can be shown. The person
   *   has been told of both.
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
      // Not before the tokens are stored: until then the code is all there is.
      const isClosing = this.options.closing.aborted;
      const ended = (this.#pending ?? resumed)?.end(isClosing && !this.#signedIn);
      if (isClosing) {
        await ended;
      }
    }
  }

  /** What the settings say; what is missing is asked for. */
  async #configured(): Promise<ConfiguredSignIn> {
    for (;;) {
      const configured = await readConfigured(this.deps);
      this.#abort.signal.throwIfAborted();
      if (configured !== undefined) {
        return configured;
      }
      this.deps.log.info('The service is not configured yet, so the person is asked for it.');
      const asking = new AbortController();
      this.#asking = asking;
      const outcome = await configureService(this.deps, AbortSignal.any([this.#abort.signal, asking.signal]));
      this.#asking = undefined;
      if (outcome.kind === 'not saved') {
        throw new SignInError(outcome.text);
      }
      if (outcome.kind === 'cancelled' && !asking.signal.aborted) {
        this.cancel();
      }
    }
  }

  /** Shows the code and waits for what comes of it. */
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
    throw new Error('The device flow ended without an end.');
  }

  /** The sign-in of the earlier window, if it is at this service: the settings may have changed since it was found. */
  async #resumedAt(service: ServiceId): Promise<PendingSignIn | undefined> {
    const { resumed } = this.options;
    if (resumed === undefined || sameService(resumed.service, service)) {
      return resumed;
    }
    this.deps.log.info('The sign-in of an earlier window is at another service, so it is left alone.');
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
        throw this.#failed({ text: texts.signIn.expired(serviceName), offers: ['getNewCode'] }, 'The code expired.');
      case 'failed':
        throw this.#failed(describeFailure(texts, serviceName, end.error), end.error.message);
      case 'cancelled':
        throw new Error('The sign-in was canceled.');
    }
  }

  /** Tells what ended a sign-in, unless it was told where it happened, and gives the error for the caller. */
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
