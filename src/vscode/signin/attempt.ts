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
import { readSetting } from '../settings/settings';
import type { Dependencies } from '../dependencies';
import { ExplainedError } from '../explainedError';
import { describeFailure, loggedAs, showFailure } from '../failures';
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
import type { NextSignIn } from './codeMessage';
import { NewCodeQuestion } from './newCodeQuestion';
import { SignInView, type SignInViewOptions } from './signInView';

/** One sign-in: what the person sees of it, and its result. */
export class Attempt {
  readonly #abort = new AbortController();
  readonly #newCodeQuestion = new NewCodeQuestion();
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
  /** ID of the account that it's for; `undefined` if it's for a new one, or not chosen yet. */
  #accountId: string | undefined;
  /** How many codes it has had, that of an earlier window included. */
  #codes = 0;
  /** The error that the person has seen already. */
  #shown: unknown;

  /**
   * Resolves at the end. Rejects with the editor's cancellation if the person canceled; otherwise with an error whose
   * message can be shown. The person knows of both.
   */
  readonly result: Promise<CurrentSession>;

  /**
   * @param request what it was started for
   * @param resumed the sign-in of a window that is gone, if this attempt continues one
   * @param next what follows when this one is over
   */
  constructor(
    private readonly deps: Dependencies,
    private readonly request: SignInRequest,
    resumed: PendingSignIn | undefined,
    private readonly next: NextSignIn,
  ) {
    this.#pending = resumed;
    this.#accountId = request.accountId;
    this.#isAwaitedByEditor = request.isAwaitedByEditor ?? false;
    this.result = this.#run();
  }

  /** What's shown of it; `undefined` until a code is requested. */
  get view(): SignInView | undefined {
    return this.#view;
  }

  /** How many codes it has had so far: each new one is a new chance for the person. */
  get codes(): number {
    return this.#codes;
  }

  /** Whether its code has expired, and it waits for the person to say whether they want another one. */
  get isWaitingForAnswer(): boolean {
    return this.#newCodeQuestion.isOpen;
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
    if (isForAnother || accountLabel !== undefined) {
      return this.#accountId === undefined;
    }
    return accountId === undefined || accountId === this.#accountId;
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

  /** Shows what can be done with its code. If that has expired, the person gets another one. */
  async showMenu(): Promise<void> {
    this.renew();
    await this.#view?.menu();
  }

  /** Gets another code now, if the previous one has expired and nobody has asked for another one yet. */
  renew(): void {
    this.#newCodeQuestion.accept();
  }

  async #run(): Promise<CurrentSession> {
    try {
      const prepared = await this.#prepare();
      this.#accountId = prepared.replaced?.account.id;
      const authorizationRequest = await this.#complete(prepared);
      const session = await this.#signIn({ ...prepared, authorizationRequest });
      this.#newCodeQuestion.signedIn();
      return session;
    } catch (error) {
      throw this.#showFailure(error);
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
      checkMeantService(this.deps, this.request);
      const credentials = await untilAborted(signal, () => readCredentials(this.deps));
      if (credentials === undefined) {
        this.#continueIf(await this.#askForService());
      } else {
        this.#service = credentials;
        // Settings may have changed while the secret was read. From here on, a change cancels the sign-in.
        await this.configurationChanged();
        signal.throwIfAborted();
        const prepared = await chooseAccount(this.deps, credentials, this.request, this.#pending, signal);
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
    return await configureService(this.deps, { meantBaseUrl: this.request.services?.[0], signal, onSaving });
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
    this.#view = this.#createView({ isResumed: resumed !== undefined });
    const saved = resumed?.authorizationRequest;
    const authorizationRequest = await completeRequest(deps, prepared, this.request, saved, signal);
    if (resumed === undefined) {
      this.#continueIf(await confirmHosts(deps, authorizationRequest, signal));
    }
    return authorizationRequest;
  }

  /** Gets a code, and another one as often as the person wants, until one is confirmed. */
  async #signIn(prepared: PreparedSignIn): Promise<CurrentSession> {
    for (;;) {
      try {
        const code = await this.#getCode(prepared);
        return await this.#waitForSession(prepared, code);
      } catch (error) {
        if (!(await this.#offerNewCode(error))) {
          throw error;
        }
        this.#view = this.#createView({ isResumed: false });
      }
    }
  }

  /** The code of an earlier window, or else a new one, which is kept for the next window. */
  async #getCode(prepared: PreparedSignIn): Promise<ReceivedCode> {
    const { deps } = this;
    const { accountLabel, authorizationRequest, isForAnother, replaced } = prepared;
    const { signal } = this.#abort;
    // If it's wrong, the sign-in fails: a wrong guard lets nothing pass.
    const origin = readSetting(deps.editor.settings(), 'verificationUrl');
    const left = this.#pending?.authorization;
    if (left !== undefined) {
      const code = receivedNow(deps.clock, left);
      checkVerificationPage(code, origin);
      this.#codes += 1;
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
    const account = { accountLabel, accountId: replaced?.account.id, isForAnother };
    const request = { ...this.request, ...account, isAwaitedByEditor: false };
    // The code of an earlier window may have expired while the person was asked for something.
    await this.#pending?.discard();
    this.#pending = deps.pendingSignIns.begin(withoutSecret(authorizationRequest), request);
    this.#pending.save(code);
    this.#codes += 1;
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

  /**
   * If a new code is all that helps, ends the old one, offers a new one, and waits for the person: whoever asked for a session
   * waits as long as the person continues.
   * @returns whether the person wants a new code
   */
  async #offerNewCode(error: unknown): Promise<boolean> {
    const { deps } = this;
    const { signal } = this.#abort;
    const failure = describeFailure(deps, error);
    if (signal.aborted || !failure.offers.includes('getNewCode')) {
      return false;
    }
    deps.log.info(`The sign-in needs a new code. ${loggedAs(error)}`);
    await this.#endCode();
    const wantsNewCode = await this.#newCodeQuestion.ask(deps, failure, this.next.begin, signal);
    this.#shown = wantsNewCode ? undefined : error;
    return wantsNewCode;
  }

  #createView({ isResumed }: Pick<SignInViewOptions, 'isResumed'>): SignInView {
    const { cancel, deps, next } = this;
    return new SignInView(deps, { isResumed, cancel, next });
  }

  /** Ends what's shown of the current code, and what's kept of it for the next window. */
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

  /** Ends what's shown of the current code. */
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

  /** Shows the person why the sign-in ended, and returns the error for the caller. */
  #showFailure(error: unknown): Error {
    const { deps } = this;
    const { editor, texts, log } = deps;
    if (this.#abort.signal.aborted) {
      log.info('The sign-in was canceled.');
      editor.showStatusMessage(texts.signIn.canceled);
      return editor.cancellation();
    }
    const unexpected = texts.signIn.unexpectedError({ service: deps.serviceName() });
    const failure = describeFailure(deps, error, { unexpected });
    log.warn(`The sign-in failed. ${loggedAs(error)}`);
    if (error !== this.#shown) {
      showFailure(deps, failure, this.next.begin);
    }
    return new ExplainedError(failure);
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
