import { type Clock, untilAborted } from '../../clock';
import type { Log } from '../../log';
import type { AuthorizationRequest, OAuthClient, TokenResponse } from '../../oauth/client';
import { dialectOf } from '../../oauth/dialect';
import { isMeantService, isScope, splitScopes } from '../../oauth/scopes';
import { sameService, type ServiceId } from '../../oauth/service';
import type { AssignedAccount, CurrentSession } from '../../sessions/sessions';
import {
  checkVerificationPage,
  DeviceFlowError,
  type ReceivedCode,
  requestCode,
  type WaitingForUser,
  waitForTokens,
} from '../../signin/deviceFlow';
import type { PendingSignIn, PendingSignIns, SignInRequest } from '../../signin/pendingSignIn';
import type { Build } from '../brand';
import type { Editor } from '../editor/editor';
import type { SecretReader } from '../configuration/clientSecret';
import { describeFailure, type FailureOptions, loggedAs } from '../describeFailure';
import { ExplainedError, showFailure } from '../failure';
import type { Configuration } from '../settings/configuration';
import type { ConfiguredService } from '../settings/service';
import type { Texts } from '../texts/texts';
import type { AccountChooser, ChosenAccount } from './accountChoice';
import { createRequest, withoutSecret, withSecret } from './authorizationRequest';
import { type Completion, describeResult } from './completion';
import type { HostConsent } from './hostConsent';
import { untilWindowIsReplaced } from './lostWindow';
import type { ServiceSetup, SignInService } from './serviceSetup';
import { type AnswerWatch, type WatchedSessions, watchForAnswer } from './signedInElsewhere';
import { SignInView } from './signInView';
import { findWidening } from './widening';

/** What a sign-in works with. */
export interface AttemptDependencies {
  readonly accounts: AccountChooser;
  readonly brand: Build;
  readonly client: OAuthClient;
  readonly clientSecrets: SecretReader;
  readonly clock: Clock;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  readonly completion: Completion;
  readonly editor: Editor;
  readonly hosts: HostConsent;
  readonly log: Log;
  /** Saves it for the next window. */
  readonly pendingSignIns: PendingSignIns;
  readonly sessions: WatchedSessions & {
    /** Makes sure that tokens could be stored. @throws the store's error */
    prepareToAdd(): Promise<void>;
  };
  readonly settings: { readonly current: Configuration };
  readonly setup: ServiceSetup;
  readonly texts: Texts;
}

/** One sign-in: what the person sees of it, and its result. */
export class Attempt {
  readonly #abort = new AbortController();
  /** What it's for, from the moment when that's known. */
  #target: SignInService | undefined;
  /** What the next window continues if this one closes. */
  #pending: PendingSignIn | undefined;
  /** Whether another window continues it, because this one is gone, though its extension host isn't. */
  #isHandedOver = false;
  #isStored = false;
  /** The session that the person got in another way meanwhile. */
  #elsewhere: CurrentSession | undefined;
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
    private readonly deps: AttemptDependencies,
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
    return this.#abort.signal.aborted && !this.#isStored && this.#elsewhere === undefined;
  }

  /** VS Code doesn't wait for it any longer. */
  editorGaveUp(): void {
    this.#isAwaitedByEditor = false;
  }

  /** The person comes back to the window. If the sign-in still waits for them, its code is shown again. */
  welcomeBack(): void {
    void this.#view?.showCodeAgainLater();
  }

  /** The service that it's for; `undefined` if that isn't configured yet. */
  async service(): Promise<ConfiguredService | undefined> {
    return this.#target?.service ?? (await this.deps.setup.meant(this.#request));
  }

  /** Whether it can bring what somebody else requests of its service. Who names no account takes any. */
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
   * if its service isn't configured anymore.
   */
  async configurationChanged(): Promise<void> {
    const { log, settings, setup } = this.deps;
    if (this.#target === undefined) {
      await setup.configurationChanged();
      return;
    }
    if (settings.current.services.of(this.#target.service.id) === undefined) {
      log.info("The service isn't configured anymore, so the sign-in is canceled.");
      this.cancel();
    }
  }

  /** Whether the next window may continue it. */
  get #isLeft(): boolean {
    return this.deps.closing.aborted || this.#isHandedOver;
  }

  async #run(): Promise<CurrentSession> {
    const { log, sessions } = this.deps;
    const watch = watchForAnswer(sessions, log, this.#request, this.#isForService, this.#endWith);
    try {
      const target = await this.#findService();
      this.#checkScopes(target);
      const account = await this.#chooseAccount(target);
      const authorizationRequest = await this.#createRequest(target, account);
      const code = await this.#getCode(target, authorizationRequest, watch);
      const tokens = await this.#waitForTokens(account, authorizationRequest, code);
      return await this.#complete(target, account, authorizationRequest, tokens);
    } catch (error) {
      if (this.#elsewhere === undefined) {
        throw this.#explained(error);
      }
      this.#showSignedInElsewhere(this.#elsewhere);
      return this.#elsewhere;
    } finally {
      watch.dispose();
      const ended = this.#endCode();
      if (this.deps.closing.aborted) {
        await ended;
      }
    }
  }

  /** The person got a session in another way: ends with that, unless it's over already, or they want another account. */
  readonly #endWith = (session: CurrentSession): void => {
    const isOver = this.#isStored || this.#abort.signal.aborted;
    if (!isOver && this.#request.isForAnother !== true) {
      this.#elsewhere = session;
      this.#abort.abort();
    }
  };

  /** Whether it's for this service, as far as that's known. */
  readonly #isForService = (service: ServiceId): boolean => {
    const { services = [] } = this.#request;
    const [meant] = this.deps.settings.current.services.meant(services);
    const own = this.#target?.service ?? meant;
    return own === undefined ? isMeantService(services, service.baseUrl) : sameService(service, own.id);
  };

  #showSignedInElsewhere({ account }: CurrentSession): void {
    const { editor, log, texts } = this.deps;
    log.info('The person signed in elsewhere, so the sign-in ends.');
    editor.showStatusMessage(texts.signIn.signedIn(this.#names().service, account.label));
  }

  async #findService(): Promise<SignInService> {
    const { log, setup } = this.deps;
    const target = this.#answered(await setup.find(this.#request, this.#abort.signal));
    this.#target = target;
    // Settings may have changed while the secret was read. From here on, a change cancels the sign-in.
    await this.configurationChanged();
    const saved = this.#pending?.authorizationRequest;
    if (saved !== undefined && !sameService(saved, target.service.id)) {
      log.info("The sign-in of an earlier window is for a different service, so it isn't continued.");
      this.cancel();
    }
    this.#abort.signal.throwIfAborted();
    return target;
  }

  /** @throws ExplainedError if somebody asks for what can't be a scope */
  #checkScopes({ service: { id } }: SignInService): void {
    const areScopes = splitScopes(this.#request.scopes ?? '').every(isScope);
    if (dialectOf(id).sessionsHaveScopes && !areScopes) {
      throw new ExplainedError({ text: this.deps.texts.signIn.wrongScopes, offers: ['showLog'] });
    }
  }

  async #chooseAccount({ service }: SignInService): Promise<ChosenAccount> {
    const isResumed = this.#pending !== undefined;
    const account = this.#answered(
      await this.deps.accounts.choose(service, this.#request, isResumed, this.#abort.signal),
    );
    const { isForAnother, label, replaced } = account;
    const chosen = { accountLabel: label, accountId: replaced?.account.id, isForAnother, isUnanswered: false };
    this.#request = { ...this.#request, ...chosen };
    return account;
  }

  /** What the sign-in sends: the same as in the earlier window, if it continues one. */
  async #createRequest(target: SignInService, { replaced }: ChosenAccount): Promise<AuthorizationRequest> {
    const { client, clientSecrets, log } = this.deps;
    const saved = this.#pending?.authorizationRequest;
    const how = saved === undefined ? 'Signing in' : 'Continuing a sign-in of an earlier window';
    log.info(`${how} at ${target.service.id.baseUrl}.`);
    this.#view = new SignInView(this.deps, {
      service: target.service,
      isResumed: saved !== undefined,
      cancel: this.cancel,
    });
    if (saved !== undefined) {
      return await withSecret(clientSecrets, saved);
    }
    const scopes = { wanted: this.#request.scopes, replaced };
    return await createRequest(client, clientSecrets, target, scopes, this.#abort.signal);
  }

  /** The code of an earlier window, or else a new one, which is kept for the next window. */
  async #getCode(
    { service }: SignInService,
    request: AuthorizationRequest,
    { isOpen }: AnswerWatch,
  ): Promise<ReceivedCode> {
    const { clock, hosts, pendingSignIns, sessions } = this.deps;
    const { signal } = this.#abort;
    if (this.#pending !== undefined) {
      const { code } = this.#pending;
      if (code === undefined) {
        throw new DeviceFlowError('expired');
      }
      checkVerificationPage(code, service.verificationOrigin);
      return code;
    }
    this.#continueIf(await hosts.confirmEndpoints(service, request, signal));
    // Before the person confirms anything: tokens that can't be stored would be of no use.
    await untilAborted(signal, () => sessions.prepareToAdd());
    const code = await requestCode(this.deps, request, signal);
    checkVerificationPage(code, service.verificationOrigin);
    this.#continueIf(await hosts.confirmPage(service, request, code.authorization, signal));
    if (clock.monotonic() >= code.expiresAt) {
      throw new DeviceFlowError('expired');
    }
    // The next window can't find out whether such a session was there before. The name of a new account isn't a choice.
    const isUnanswered = isOpen && this.#request.accountId === undefined;
    const saved = { ...this.#request, isAwaitedByEditor: false, isUnanswered };
    this.#pending = pendingSignIns.begin(withoutSecret(request), saved);
    this.#pending.save(code);
    return code;
  }

  /**
   * Shows the code until the tokens arrive, unless the person cancels: that takes effect at once, and tokens that arrive
   * afterwards are revoked. If the sign-in is left to the next window, it waits for those that may be on their way.
   */
  async #waitForTokens(
    account: ChosenAccount,
    request: AuthorizationRequest,
    code: ReceivedCode,
  ): Promise<TokenResponse> {
    const { completion, log } = this.deps;
    const { signal } = this.#abort;
    const widening = findWidening(request, account);
    const show = (waiting: WaitingForUser): void => {
      this.#view?.wait(waiting, widening);
      if (waiting.code !== code) {
        // After a reload, the next window must not poll more often again, or sooner.
        this.#pending?.save(waiting.code);
      }
    };
    const polling = waitForTokens(this.deps, request, code, show, signal);
    const ended = new AbortController();
    this.#handOverLater(ended.signal).catch(() => undefined);
    try {
      const tokens = await untilAborted(signal, () => polling);
      log.debug('The person confirmed the code.');
      return tokens;
    } catch (error) {
      if (this.#isLeft) {
        return await polling;
      }
      if (signal.aborted) {
        const revoke = (tokens: TokenResponse): void => {
          completion.revokeUnused(request, tokens);
        };
        polling.then(revoke, () => undefined);
      }
      throw error;
    } finally {
      ended.abort();
    }
  }

  /** Leaves it to another window, when that waits for it and this one is gone. @throws the signal's reason */
  async #handOverLater(ended: AbortSignal): Promise<void> {
    const { clock, editor } = this.deps;
    if (this.#pending !== undefined) {
      await untilWindowIsReplaced(clock, editor, this.#pending, ended);
      this.#isHandedOver = true;
      this.cancel();
    }
  }

  async #complete(
    { service }: SignInService,
    account: ChosenAccount,
    request: AuthorizationRequest,
    tokens: TokenResponse,
  ): Promise<CurrentSession> {
    const { completion } = this.deps;
    const confirmed = { service, request, account, tokens };
    const sessionId = await completion.store(confirmed);
    this.#isStored = true;
    // The code is used up, so nothing must ask for it anymore, however long it takes to find out who signed in.
    this.#endView();
    const completed = await completion.assignAccount(sessionId, confirmed);
    this.#showResult(service.name, account, completed);
    for (const problem of service.ignored) {
      this.#warnOf(problem);
    }
    return completed.session;
  }

  #showResult(service: string, account: ChosenAccount, completed: AssignedAccount): void {
    const { editor, texts } = this.deps;
    const isChecked = account.isCheckedByEditor && this.#isAwaitedByEditor;
    void editor.message('information', describeResult(texts, service, account, completed, isChecked));
  }

  /** Says which optional setting can't be used: the sign-in succeeded without it. */
  #warnOf(problem: Error): void {
    const { log } = this.deps;
    log.warn(problem.message);
    const failure = describeFailure(this.deps, problem, this.#names());
    showFailure(this.deps, { ...failure, severity: 'warning' });
  }

  /** Ends what's shown of the code, and what's kept of it for the next window. */
  async #endCode(): Promise<void> {
    this.#endView();
    const pending = this.#pending;
    this.#pending = undefined;
    if (this.#isLeft && !this.#isStored) {
      // Until the tokens are stored, the code is all there is.
      await pending?.leaveForNextWindow();
    } else {
      await pending?.discard();
    }
  }

  #endView(): void {
    this.#view?.end(this.#isStored || this.#elsewhere !== undefined);
    this.#view = undefined;
  }

  /** @throws the editor's cancellation if the person gave no answer; the signal's reason */
  #answered<T>(answer: T | undefined): T {
    if (answer === undefined) {
      this.cancel();
      throw this.deps.editor.cancellation();
    }
    this.#abort.signal.throwIfAborted();
    return answer;
  }

  /** @throws the signal's reason, if the person doesn't continue */
  #continueIf(isConfirmed: boolean): void {
    if (!isConfirmed) {
      this.cancel();
    }
    this.#abort.signal.throwIfAborted();
  }

  /** The error for everybody who waits. */
  #explained(error: unknown): Error {
    const { editor, log, texts } = this.deps;
    if (this.#isHandedOver) {
      log.info('This window is gone, and another one continues the sign-in.');
      return editor.cancellation();
    }
    if (this.#abort.signal.aborted) {
      log.info('The sign-in was canceled.');
      editor.showStatusMessage(texts.signIn.canceled);
      return editor.cancellation();
    }
    log.warn(`The sign-in failed. ${loggedAs(error)}`);
    return new ExplainedError(describeFailure(this.deps, error, this.#names()));
  }

  /** What messages call the service, its base URL, and where it's set. */
  #names(): Pick<FailureOptions, 'service' | 'baseUrl' | 'isListed'> {
    const { label, services } = this.deps.settings.current;
    const [meant] = services.meant(this.#request.services ?? []);
    const service = this.#target?.service ?? meant;
    return { service: service?.name ?? label, baseUrl: service?.id.baseUrl, isListed: service?.isListed };
  }
}
