import { safeTrace } from '../../log';
import { sameService, serviceOf, type ServiceId } from '../../oauth/client';
import { OAuthError } from '../../oauth/errors';
import type { CurrentSession } from '../../sessions/sessions';
import { deviceFlow } from '../../signin/deviceFlow';
import type { PendingSignIn, SignInRequest } from '../../signin/pendingSignIn';
import { setClientSecret } from '../configuration/clientSecret';
import { SignInError } from '../configuration/configureService';
import { readSetting, WrongSettingError } from '../configuration/settings';
import type { Dependencies } from '../dependencies';
import { buttonsFor, describeFailure, type Failure } from '../failures';
import { completeSignIn } from './completion';
import {
  chooseAccount,
  completeRequest,
  confirmHosts,
  type PreparedSignIn,
  readCredentials,
  tellWidening,
} from './preparation';
import { SignInView } from './signInView';

/** One sign-in: what the person sees of it, and its result. */
export class Attempt {
  readonly #abort = new AbortController();
  /** Aborted if what Configure Service asks for is set meanwhile; `undefined` unless it's asking. */
  #asking: AbortController | undefined;
  /** From here on, it's known which service it's for. */
  #service: ServiceId | undefined;
  /** What the next window continues if this one closes. */
  #pending: PendingSignIn | undefined;
  #isStored = false;
  #view: SignInView | undefined;

  /**
   * Resolves at the end. Rejects with the editor's cancellation if the person canceled; otherwise with an error whose
   * message can be shown. The person knows of both.
   */
  readonly result: Promise<CurrentSession>;

  /**
   * @param request what it was started for
   * @param resumed the sign-in of a window that is gone, if this attempt continues one
   * @param again begins a new sign-in for the same account when this one is over
   */
  constructor(
    private readonly deps: Dependencies,
    readonly request: SignInRequest,
    resumed: PendingSignIn | undefined,
    private readonly again: () => void,
  ) {
    this.#pending = resumed;
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
    const service = this.deps.configured();
    if (service && this.#service && !sameService(service, this.#service)) {
      this.deps.log.info('A different service is configured now, so the sign-in is canceled.');
      this.cancel();
    } else if (service && !this.#service && (await this.deps.secrets.get(service)) !== undefined) {
      this.#asking?.abort();
    }
  }

  async #run(): Promise<CurrentSession> {
    const { closing } = this.deps;
    try {
      return await this.#flow(await this.#prepare());
    } catch (error) {
      throw this.#told(error);
    } finally {
      this.#view?.end(this.#isStored);
      // Not before the tokens are stored: until then, the code is all there is.
      const ended = this.#pending?.end(closing.aborted && !this.#isStored);
      if (closing.aborted) {
        await ended;
      }
    }
  }

  /** What the sign-in needs. Asks for what's missing. */
  async #prepare(): Promise<PreparedSignIn> {
    const { signal } = this.#abort;
    for (;;) {
      const credentials = await readCredentials(this.deps);
      signal.throwIfAborted();
      const prepared = credentials && (await chooseAccount(this.deps, credentials, this.request, signal));
      signal.throwIfAborted();
      if (prepared !== undefined) {
        return prepared;
      }
      if (credentials !== undefined || !(await this.#askForService())) {
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
    const signal = AbortSignal.any([this.#abort.signal, asking.signal]);
    const { configureService } = this.deps;
    const saved =
      configureService === undefined
        ? await setClientSecret(this.deps, undefined, signal)
        : await configureService(this.deps, signal);
    this.#asking = undefined;
    return saved !== undefined || asking.signal.aborted;
  }

  /** Shows the code until the tokens arrive, and completes the sign-in with them. */
  async #flow(prepared: PreparedSignIn): Promise<CurrentSession> {
    const { again, deps } = this;
    const { signal } = this.#abort;
    const resumed = this.#pending;
    // If it's wrong, the sign-in fails: a wrong guard lets nothing pass.
    const verificationOrigin = readSetting(deps.editor.settings(), 'verificationUrl');
    this.#service = prepared.credentials;
    if (resumed !== undefined && !sameService(resumed.service, prepared.credentials)) {
      deps.log.info("The sign-in of an earlier window is for a different service, so it isn't continued.");
      this.cancel();
      signal.throwIfAborted();
    }
    const how = resumed === undefined ? 'Signing in' : 'Continuing a sign-in of an earlier window';
    deps.log.info(`${how} at ${prepared.credentials.baseUrl}.`);
    this.#view = new SignInView(deps, resumed !== undefined, this.cancel, again);
    const credentials = await completeRequest(deps, prepared, this.request, resumed?.service, signal);
    if (resumed === undefined) {
      if (!(await confirmHosts(deps, credentials, signal))) {
        this.cancel();
        signal.throwIfAborted();
      }
      tellWidening(deps, prepared.replaced, credentials.neededScopes);
    }
    const { accountLabel, replaced } = prepared;
    const service = { ...serviceOf(credentials), ...(credentials.scopes && { scopes: credentials.scopes }) };
    this.#pending ??= deps.pendingSignIns.begin(service, { accountLabel, replaces: replaced?.id });
    const flow = { credentials, verificationOrigin, pending: this.#pending };
    for await (const state of deviceFlow(deps, flow, signal)) {
      deps.log.debug(`The sign-in is ${state.kind}.`);
      if (state.kind === 'waiting') {
        this.#view.wait(state);
      } else if (state.kind === 'signedIn') {
        return await completeSignIn(deps, { ...prepared, credentials }, state.tokens, () => {
          this.#isStored = true;
        });
      } else if (state.kind === 'expired') {
        const text = deps.texts.signIn.expired({ service: deps.serviceName() });
        throw this.#failed({ text, offers: ['getNewCode'] }, 'The code expired.');
      } else if (state.kind === 'foreign page') {
        const text = deps.texts.signIn.foreignPage({ service: deps.serviceName() });
        const reason = 'The verification page has a different origin than the one that is set.';
        throw this.#failed({ text, offers: ['openSettings'], setting: 'verificationUrl' }, reason);
      } else if (state.kind === 'failed') {
        throw state.error;
      }
    }
    throw new Error('The device flow ended without tokens.');
  }

  /** Tells the person why a sign-in ended, unless that was told before, and returns the error for the caller. */
  #told(error: unknown): Error {
    const { editor, texts, log } = this.deps;
    if (error instanceof SignInError) {
      return error;
    }
    if (this.#abort.signal.aborted) {
      log.info('The sign-in was canceled.');
      editor.showStatusMessage(texts.signIn.canceled);
      return editor.cancellation();
    }
    const mayQuote = error instanceof WrongSettingError || error instanceof OAuthError;
    return this.#failed(describeFailure(this.deps, error), mayQuote ? error.message : safeTrace(error));
  }

  #failed(failure: Failure, reason: string): SignInError {
    const { again, deps } = this;
    deps.log.warn(`The sign-in failed. ${reason}`);
    void deps.editor.message('error', failure.text, buttonsFor(deps, failure.offers, { ...failure, again }));
    return new SignInError(failure.text);
  }
}
