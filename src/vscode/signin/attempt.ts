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
  requestCode,
  type WaitingForUser,
  waitForTokens,
} from '../../signin/deviceFlow';
import type { PendingSignIn, PendingSignIns, ResumedSignIn, SignInRequest } from '../../signin/pendingSignIn';
import type { ReceivedCode } from '../../signin/receivedCode';
import type { Build } from '../brand';
import type { Editor } from '../editor/editor';
import type { SecretReader } from '../configuration/clientSecret';
import { describeFailure, type FailureOptions, loggedAs, namesOf } from '../describeFailure';
import { ExplainedError } from '../failure';
import type { Configuration } from '../settings/configuration';
import type { ConfiguredService } from '../settings/service';
import type { Texts } from '../texts/texts';
import type { AccountChooser, ChosenAccount } from './accountChoice';
import { createRequest, withoutSecret, withSecret } from './authorizationRequest';
import { type Completion, describeResult } from './completion';
import type { HostConsent } from './hostConsent';
import { untilWindowIsReplaced } from './lostWindow';
import type { ServiceSetup } from './serviceSetup';
import { type WatchedSessions, watchForAnswer } from './signedInElsewhere';
import { SignInView } from './signInView';
import { findWidening } from './widening';

/** What a sign-in works with. */
export interface AttemptDependencies {
  readonly accounts: AccountChooser;
  readonly brand: Build;
  readonly client: OAuthClient;
  readonly clientSecrets: SecretReader;
  readonly clock: Clock;
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

/** A code, and what was sent for it. */
interface CodeWithRequest {
  readonly code: ReceivedCode;
  readonly request: AuthorizationRequest;
}

/** Why a sign-in ends early. A session is what the person got in another way. */
type Ending = 'canceled' | 'left to the next window' | CurrentSession;

/** One sign-in: what the person sees of it, and its result. */
export class Attempt {
  readonly #abort = new AbortController();
  /** Aborted if this window closes. */
  readonly #closing = new AbortController();
  #ending: Ending | undefined;
  /** What it's for, from the moment when that's known. */
  #service: ConfiguredService | undefined;
  /** The account that it's for, from the moment when that's known. */
  #chosen: Pick<SignInRequest, 'accountId' | 'accountLabel' | 'isForAnother'> = {};
  /** What the next window continues if this one closes. */
  #pending: PendingSignIn | undefined;
  #isStored = false;
  #view: SignInView | undefined;

  /** Resolves at the end. Rejects with the editor's cancellation if the person canceled; otherwise with an ExplainedError. */
  readonly result: Promise<CurrentSession>;

  /**
   * @param started what it was started for
   * @param resumed the sign-in of a window that is gone, if this attempt continues one
   */
  constructor(
    private readonly deps: AttemptDependencies,
    private readonly started: SignInRequest,
    private readonly resumed: ResumedSignIn | undefined,
  ) {
    this.#pending = resumed?.pending;
    this.result = this.#run();
  }

  /** What's shown of it; `undefined` until a code is requested. */
  get view(): SignInView | undefined {
    return this.#view;
  }

  /** What it's for, with the account that the person has chosen, for the next window or the next attempt: nobody waits for that. */
  get request(): SignInRequest {
    return { ...this.started, ...this.#chosen, awaitedByEditorUntil: undefined };
  }

  /** Whether it's about to end without a session. */
  get isCanceled(): boolean {
    return typeof this.#ending === 'string' && !this.#isStored;
  }

  /** Shows its code again, if there is one yet. */
  showCode(): void {
    void this.#view?.code?.show();
  }

  /** The person comes back to the window. If the sign-in still waits for them, its code is shown again. */
  welcomeBack(): void {
    void this.#view?.showCodeAgainLater();
  }

  /** The service that it's for; `undefined` if that isn't configured yet. */
  async service(): Promise<ConfiguredService | undefined> {
    return this.#service ?? (await this.deps.setup.meant(this.started));
  }

  /** Whether it can bring what somebody else requests of its service. Who names no account takes any. */
  isFor({ accountId, accountLabel, isForAnother = false }: SignInRequest): boolean {
    const own = this.request.accountId;
    if (isForAnother || accountLabel !== undefined) {
      return own === undefined;
    }
    return accountId === undefined || accountId === own;
  }

  /** Cancels it immediately. Tokens that have arrived are stored anyway. */
  readonly cancel = (): void => {
    this.#end('canceled');
  };

  /** Leaves it to the next window, because this one closes. */
  leave(): void {
    this.#closing.abort();
    this.#end('left to the next window');
  }

  /** Settings changed: cancels the sign-in if its service isn't configured anymore. */
  settingsChanged(): void {
    const { log, settings } = this.deps;
    const service = this.resumed?.pending.authorizationRequest ?? this.#service?.id;
    if (service !== undefined && settings.current.services.of(service) === undefined) {
      log.info("The service isn't configured anymore, so the sign-in is canceled.");
      this.cancel();
    }
  }

  #end(ending: Ending): void {
    this.#ending ??= ending;
    this.#abort.abort();
  }

  async #run(): Promise<CurrentSession> {
    const { log, sessions } = this.deps;
    // What a resumed sign-in calls the account is most likely the name that the person entered for whichever it turns out to be.
    const awaited = this.resumed === undefined ? this.started : { ...this.started, accountLabel: undefined };
    const watch = watchForAnswer(sessions, log, awaited, this.resumed?.arrivedAt, this.#isForService, this.#endWith);
    try {
      const service = await this.#findService();
      this.#checkScopes(service);
      const account = await this.#chooseAccount(service);
      this.#view = new SignInView(this.deps, { service, isResumed: this.resumed !== undefined, cancel: this.cancel });
      const { code, request } = await (this.resumed === undefined
        ? this.#requestCode(service, account)
        : this.#takeCode(service, this.resumed));
      const tokens = await this.#waitForTokens(account, request, code);
      return await this.#complete(service, account, request, tokens);
    } catch (error) {
      if (typeof this.#ending === 'object') {
        this.#showSignedInElsewhere(this.#ending);
        return this.#ending;
      }
      throw this.#explained(error);
    } finally {
      watch.dispose();
      this.#endView();
      const isLeft = this.#ending === 'left to the next window';
      // Until the tokens are stored, the code is all there is.
      const ended = isLeft && !this.#isStored ? this.#pending?.leaveForNextWindow() : this.#pending?.discard();
      if (isLeft) {
        await ended;
      }
    }
  }

  /** The person got a session in another way: ends with that, unless it's stored already, or they want another account. */
  readonly #endWith = (session: CurrentSession): void => {
    if (!this.#isStored && this.request.isForAnother !== true) {
      this.#end(session);
    }
  };

  /** Whether it's for this service, as far as that's known. */
  readonly #isForService = (service: ServiceId): boolean => {
    const { services = [] } = this.started;
    const own = this.#service ?? this.deps.settings.current.services.meant(services);
    return own === undefined ? isMeantService(services, service.baseUrl) : sameService(service, own.id);
  };

  #showSignedInElsewhere({ account }: CurrentSession): void {
    const { editor, log, texts } = this.deps;
    log.info('The person signed in elsewhere, so the sign-in ends.');
    editor.showStatusMessage(texts.signIn.signedIn(this.#names().service, account.label));
  }

  /** Finds the service, and asks for what isn't set. From here on, a change of it cancels. */
  async #findService(): Promise<ConfiguredService> {
    const service = this.#answered(await this.deps.setup.find(this.started, this.#abort.signal));
    this.#service = service;
    // They may have changed meanwhile.
    this.settingsChanged();
    this.#abort.signal.throwIfAborted();
    return service;
  }

  /** @throws ExplainedError if somebody asks for what can't be a scope */
  #checkScopes({ id }: ConfiguredService): void {
    const areScopes = splitScopes(this.started.scopes ?? '').every(isScope);
    if (dialectOf(id).sessionsHaveScopes && !areScopes) {
      throw new ExplainedError({ text: this.deps.texts.signIn.wrongScopes, offers: ['showLog'] });
    }
  }

  async #chooseAccount(service: ConfiguredService): Promise<ChosenAccount> {
    const isResumed = this.resumed !== undefined;
    const account = this.#answered(
      await this.deps.accounts.choose(service, this.started, isResumed, this.#abort.signal),
    );
    const { isForAnother, label, replaced } = account;
    this.#chosen = { accountLabel: label, accountId: replaced?.account.id, isForAnother };
    return account;
  }

  /** The code of an earlier window. */
  async #takeCode(service: ConfiguredService, { code, pending }: ResumedSignIn): Promise<CodeWithRequest> {
    const { clientSecrets, log } = this.deps;
    log.info(`Continuing a sign-in of an earlier window at ${service.id.baseUrl}.`);
    checkVerificationPage(code, service.verificationOrigin);
    return { code, request: await withSecret(clientSecrets, pending.authorizationRequest) };
  }

  /** Asks for a code, and saves it for the next window. */
  async #requestCode(service: ConfiguredService, { replaced }: ChosenAccount): Promise<CodeWithRequest> {
    const { client, clientSecrets, clock, hosts, log, pendingSignIns, sessions } = this.deps;
    const { signal } = this.#abort;
    log.info(`Signing in at ${service.id.baseUrl}.`);
    const scopes = { wanted: this.started.scopes, replaced };
    const request = await createRequest(client, clientSecrets, service, scopes, signal);
    this.#answered(await hosts.confirmEndpoints(service, request, signal));
    // Before the person confirms anything: tokens that can't be stored would be of no use.
    await untilAborted(signal, () => sessions.prepareToAdd());
    const code = await requestCode(this.deps, request, signal);
    checkVerificationPage(code, service.verificationOrigin);
    this.#answered(await hosts.confirmPage(service, request, code.authorization, signal));
    if (clock.monotonic() >= code.expiresAt) {
      throw new DeviceFlowError('expired');
    }
    this.#pending = pendingSignIns.begin(withoutSecret(request), this.request);
    this.#pending.save(code);
    return { code, request };
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
    this.#view?.showCode(code, findWidening(request, account));
    const onWaiting = ({ code: current, interruption }: WaitingForUser): void => {
      this.#view?.showInterruption(interruption);
      if (current !== code) {
        // After a reload, the next window must not poll more often again, or sooner.
        this.#pending?.save(current);
      }
    };
    const polling = waitForTokens(this.deps, request, code, onWaiting, signal, this.#closing.signal);
    const ended = new AbortController();
    this.#handOverLater(ended.signal).catch(() => undefined);
    try {
      const tokens = await untilAborted(signal, () => polling);
      log.debug('The person confirmed the code.');
      return tokens;
    } catch (error) {
      if (this.#ending === 'left to the next window') {
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
      this.leave();
    }
  }

  async #complete(
    service: ConfiguredService,
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
    this.#showResult(service, account, completed);
    return completed.session;
  }

  #showResult(service: ConfiguredService, account: ChosenAccount, completed: AssignedAccount): void {
    const { clock, editor, texts } = this.deps;
    const { tokensIdentifyUsers } = dialectOf(service.id);
    const { accountId, awaitedByEditorUntil = 0 } = this.started;
    // Then VS Code says itself that somebody else signed in than the account that it requested.
    const isChecked = clock.monotonic() < awaitedByEditorUntil && accountId !== undefined && tokensIdentifyUsers;
    void editor.message('information', describeResult(texts, service.name, account, completed, isChecked));
  }

  #endView(): void {
    this.#view?.end(this.#isStored || typeof this.#ending === 'object');
    this.#view = undefined;
  }

  /** @throws the editor's cancellation if the person gave no answer, or doesn't continue; the signal's reason */
  #answered<T>(answer: T | undefined | false): T {
    if (answer === undefined || answer === false) {
      this.cancel();
      throw this.deps.editor.cancellation();
    }
    this.#abort.signal.throwIfAborted();
    return answer;
  }

  /** The error for everybody who waits. */
  #explained(error: unknown): Error {
    const { editor, log, texts } = this.deps;
    if (this.#ending === 'left to the next window') {
      log.info('This window is gone, and the next one may continue the sign-in.');
      return editor.cancellation();
    }
    if (this.#ending === 'canceled') {
      log.info('The sign-in was canceled.');
      editor.showStatusMessage(texts.signIn.canceled);
      return editor.cancellation();
    }
    log.warn(`The sign-in failed. ${loggedAs(error)}`);
    return new ExplainedError(describeFailure(this.deps, error, this.#names()));
  }

  /** What messages call the service, its base URL, and where it's set. */
  #names(): FailureOptions {
    const { current } = this.deps.settings;
    return namesOf(current, this.#service ?? current.services.meant(this.started.services ?? []));
  }
}
