import { untilAborted } from '../../clock';
import type { AuthorizationRequest, TokenResponse } from '../../oauth/client';
import { sameService, serviceOf, type ServiceId } from '../../oauth/service';
import type { CurrentSession } from '../../sessions/sessions';
import {
  checkVerificationPage,
  DeviceFlowError,
  type ReceivedCode,
  receivedNow,
  requestCode,
  type WaitingForUser,
  waitForTokens,
} from '../../signin/deviceFlow';
import type { SavedRequest, PendingSignIn, SignInRequest } from '../../signin/pendingSignIn';
import { setClientSecret } from '../configuration/clientSecret';
import type { Dependencies } from '../dependencies';
import { ExplainedError } from '../explainedError';
import { describeFailure, loggedAs } from '../failures';
import { serviceToSignInTo } from '../settings/configuration';
import { completeSignIn, revokeUnused } from './completion';
import {
  checkMeantService,
  chooseAccount,
  completeRequest,
  confirmHosts,
  confirmVerificationPage,
  type PreparedSignIn,
  readCredentials,
  describeWidening,
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
  /** Whether VS Code waits for it. Then it says itself if somebody else signs in than the account that it requested. */
  #isAwaitedByEditor: boolean;
  #view: SignInView | undefined;
  #request: SignInRequest;

  /** Resolves at the end. Rejects with the editor's cancellation if the person canceled; otherwise with an ExplainedError. */
  readonly result: Promise<CurrentSession>;

  /**
   * @param request what it was started for
   * @param resumed the sign-in of a window that is gone, if this attempt continues one
   */
  constructor(
    private readonly deps: Dependencies,
    request: SignInRequest,
    resumed: PendingSignIn | undefined,
  ) {
    this.#pending = resumed;
    this.#request = request;
    this.#isAwaitedByEditor = request.isAwaitedByEditor ?? false;
    this.result = this.#run();
  }

  /** What's shown of it; `undefined` until a code is requested. */
  get view(): SignInView | undefined {
    return this.#view;
  }

  /** What it was started for, with the account that the person has chosen since. */
  get request(): SignInRequest {
    return this.#request;
  }

  /** Whether it was canceled, and brings no session. */
  get isCanceled(): boolean {
    return this.#abort.signal.aborted && !this.#isStored;
  }

  /** VS Code doesn't wait for it any longer. */
  editorGaveUp(): void {
    this.#isAwaitedByEditor = false;
  }

  /** The person comes back to the window. If the sign-in still waits for them, its code is shown again. */
  welcomeBack(): void {
    void this.#view?.showCodeAgainLater();
  }

  /** Whether it can bring what somebody else requests. Who names no account takes any. */
  isFor({ accountId, accountLabel, isForAnother = false }: SignInRequest): boolean {
    const own = this.#request.accountId;
    if (isForAnother || accountLabel !== undefined) {
      return own === undefined;
    }
    return accountId === undefined || accountId === own;
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
    const service = this.deps.configuredService();
    if (this.#service && !(service && sameService(service, this.#service))) {
      this.deps.log.info('A different service is configured now, or none, so the sign-in is canceled.');
      this.cancel();
    } else if (service && !this.#service && (await this.deps.clientSecrets.get(service)) !== undefined) {
      this.#asking?.abort();
    }
  }

  async #run(): Promise<CurrentSession> {
    try {
      const prepared = await this.#prepare();
      const { accountLabel, isForAnother, replaced } = prepared;
      this.#request = { ...this.#request, accountLabel, accountId: replaced?.account.id, isForAnother };
      const authorizationRequest = await this.#complete(prepared);
      const complete = { ...prepared, authorizationRequest };
      const code = await this.#getCode(complete);
      return await this.#waitForSession(complete, code);
    } catch (error) {
      throw this.#explained(error);
    } finally {
      const ended = this.#endCode();
      if (this.deps.closing.aborted) {
        await ended;
      }
    }
  }

  /** What the sign-in needs. Asks for what's missing. */
  async #prepare(): Promise<PreparedSignIn> {
    const { signal } = this.#abort;
    for (;;) {
      checkMeantService(this.deps, this.#request);
      const credentials = await untilAborted(signal, () => readCredentials(this.deps));
      if (credentials === undefined) {
        this.#continueIf(await this.#askForService());
      } else {
        this.#service = credentials;
        // Settings may have changed while the secret was read. From here on, a change cancels the sign-in.
        await this.configurationChanged();
        signal.throwIfAborted();
        const prepared = await chooseAccount(this.deps, credentials, this.#request, this.#pending, signal);
        this.#continueIf(prepared !== undefined);
        if (prepared !== undefined) {
          return prepared;
        }
      }
    }
  }

  /** Asks for the service until it's configured, here or by a companion. Returns false if the person canceled. */
  async #askForService(): Promise<boolean> {
    this.deps.log.info("The service isn't configured yet, so the person is asked for it.");
    const asking = new AbortController();
    this.#asking = asking;
    const signal = AbortSignal.any([this.#abort.signal, asking.signal]);
    try {
      const saved = await untilAborted(signal, () => this.#configure(signal));
      return saved !== undefined || asking.signal.aborted;
    } catch (error) {
      if (asking.signal.aborted) {
        return true;
      }
      throw error;
    } finally {
      this.#asking = undefined;
    }
  }

  /** Asks for what isn't set. @returns `undefined` if the person canceled */
  async #configure(signal: AbortSignal): Promise<string | undefined> {
    const { configureService } = this.deps;
    if (configureService === undefined) {
      return await setClientSecret(this.deps, { signal });
    }
    // Once the settings are saved, nothing seems to be missing. But the client secret, which is optional, follows them.
    const onSaving = (): void => {
      this.#asking = undefined;
    };
    return await configureService({ meantBaseUrl: this.#request.services?.[0], signal, onSaving });
  }

  /** Completes what the sign-in sends. Asks for what the person must know before a code is requested. */
  async #complete(prepared: PreparedSignIn): Promise<AuthorizationRequest> {
    const { deps } = this;
    const { signal } = this.#abort;
    const resumed = this.#pending;
    if (resumed !== undefined && !sameService(resumed.authorizationRequest, prepared.authorizationRequest)) {
      deps.log.info("The sign-in of an earlier window is for a different service, so it isn't continued.");
      this.cancel();
      signal.throwIfAborted();
    }
    const how = resumed === undefined ? 'Signing in' : 'Continuing a sign-in of an earlier window';
    deps.log.info(`${how} at ${prepared.authorizationRequest.baseUrl}.`);
    this.#view = new SignInView(deps, { isResumed: resumed !== undefined, cancel: this.cancel });
    const saved = resumed?.authorizationRequest;
    const authorizationRequest = await completeRequest(deps, prepared, this.#request, saved, signal);
    if (resumed === undefined) {
      this.#continueIf(await confirmHosts(deps, authorizationRequest, signal));
    }
    return authorizationRequest;
  }

  /** The code of an earlier window, or else a new one, which is kept for the next window. */
  async #getCode({ authorizationRequest }: PreparedSignIn): Promise<ReceivedCode> {
    const { deps } = this;
    const { signal } = this.#abort;
    // If it's wrong, the sign-in fails: a wrong guard lets nothing pass.
    const origin = serviceToSignInTo(deps.settings.current)?.verificationOrigin;
    if (this.#pending !== undefined) {
      const { authorization } = this.#pending;
      if (authorization === undefined) {
        throw new DeviceFlowError('expired');
      }
      const code = receivedNow(deps.clock, authorization);
      checkVerificationPage(code, origin);
      return code;
    }
    // Before the person confirms anything: tokens that can't be stored would be of no use.
    await untilAborted(signal, () => deps.sessions.prepareToAdd());
    const code = await requestCode(deps, authorizationRequest, signal);
    checkVerificationPage(code, origin);
    if (origin === undefined) {
      this.#continueIf(await confirmVerificationPage(deps, authorizationRequest, code.authorization, signal));
      if (deps.clock.monotonic() >= code.expiresAt) {
        throw new DeviceFlowError('expired');
      }
    }
    const request = { ...this.#request, isAwaitedByEditor: false };
    this.#pending = deps.pendingSignIns.begin(withoutSecret(authorizationRequest), request);
    this.#pending.save(code);
    return code;
  }

  /** Shows the code until the tokens arrive, and completes the sign-in with them. */
  async #waitForSession(prepared: PreparedSignIn, code: ReceivedCode): Promise<CurrentSession> {
    const { deps } = this;
    const consent = describeWidening(deps, prepared);
    const show = (waiting: WaitingForUser): void => {
      this.#view?.wait(waiting, consent);
      const { interval } = waiting;
      if (interval > code.authorization.interval) {
        // After a reload, the next window must not poll more often again.
        this.#pending?.save({ ...code, authorization: { ...code.authorization, interval } });
      }
    };
    const polling = waitForTokens(deps, prepared.authorizationRequest, code, show, this.#abort.signal);
    const tokens = await this.#unlessCanceled(prepared, polling);
    deps.log.debug('The person confirmed the code.');
    return await completeSignIn(deps, prepared, tokens, {
      onStored: () => {
        this.#isStored = true;
        // The code is used up, so nothing must ask for it anymore, however long it takes to find out who signed in.
        this.#endView();
      },
      isAwaitedByEditor: () => this.#isAwaitedByEditor,
    });
  }

  /**
   * The tokens, unless the person cancels: that takes effect at once, and tokens that arrive afterwards are revoked. If the
   * window closes, it waits for those that may be on their way.
   */
  async #unlessCanceled(prepared: PreparedSignIn, polling: Promise<TokenResponse>): Promise<TokenResponse> {
    const { deps } = this;
    const { signal } = this.#abort;
    try {
      return await untilAborted(signal, () => polling);
    } catch (error) {
      if (deps.closing.aborted) {
        return await polling;
      }
      if (signal.aborted) {
        const revoke = (tokens: TokenResponse): void => {
          revokeUnused(deps, prepared, tokens);
        };
        polling.then(revoke, () => undefined);
      }
      throw error;
    }
  }

  /** Ends what's shown of the code, and what's kept of it for the next window. */
  async #endCode(): Promise<void> {
    this.#endView();
    const pending = this.#pending;
    this.#pending = undefined;
    if (this.deps.closing.aborted && !this.#isStored) {
      // Until the tokens are stored, the code is all there is.
      await pending?.leaveForNextWindow();
    } else {
      await pending?.discard();
    }
  }

  /** Ends what's shown of the code. */
  #endView(): void {
    this.#view?.end(this.#isStored);
    this.#view = undefined;
  }

  /** @throws the signal's reason, if the person didn't continue */
  #continueIf(isConfirmed: boolean): void {
    if (!isConfirmed) {
      this.cancel();
    }
    this.#abort.signal.throwIfAborted();
  }

  /** The error for everybody who waits. */
  #explained(error: unknown): Error {
    const { deps } = this;
    const { editor, texts, log } = deps;
    if (this.#abort.signal.aborted) {
      log.info('The sign-in was canceled.');
      editor.showStatusMessage(texts.signIn.canceled);
      return editor.cancellation();
    }
    log.warn(`The sign-in failed. ${loggedAs(error)}`);
    const unexpected = texts.signIn.unexpectedError({ service: deps.serviceName() });
    return new ExplainedError(describeFailure(deps, error, { unexpected }));
  }
}

/** What the next window sends. The client secret is stored elsewhere. */
function withoutSecret(request: AuthorizationRequest): SavedRequest {
  const { neededScopes, parameters, scopes } = request;
  return {
    ...serviceOf(request),
    ...(scopes && { scopes }),
    ...(neededScopes && { neededScopes }),
    ...(parameters && { parameters }),
  };
}
