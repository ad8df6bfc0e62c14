import { untilAborted } from '../../clock';
import type { Disposable } from '../../event';
import { bestEffort, loggedAs } from '../../log';
import { dialectOf } from '../../oauth/dialect';
import { isScope, splitScopes } from '../../oauth/scopes';
import { sameServiceOrNone } from '../../oauth/service';
import type { AuthorizationRequest, TokenResponse } from '../../oauth/types';
import type { CurrentSession, SessionInfo } from '../../sessions/currentSession';
import type { AssignedAccount } from '../../sessions/newSessions';
import { isSameLabel } from '../../sessions/sameLabel';
import { SessionError } from '../../sessions/sessionError';
import { checkVerificationPage, DeviceCodeError, requestCode, waitForTokens } from '../../signin/deviceFlow';
import type { ReceivedCode } from '../../signin/receivedCode';
import type { List } from '../editor/quickInput';
import { type FailureOptions, namesOf } from '../failures/describeFailure';
import { ExplainedError } from '../failures/failure';
import { findMeantService } from '../services/meantService';
import { findPersonsService, onlyService } from '../services/serviceChoice';
import type { ConfiguredService } from '../settings/service';
import type { ConfiguredServices } from '../settings/services';
import { shownAddress } from '../texts/plainText';
import { findAddedScopes } from './addedScopes';
import { createRequest } from './authorizationRequest';
import { type ChosenAccount, chooseAccount } from './chooseAccount';
import type { CodeMessage } from './codeMessage';
import { assignAccount, describeSurprise, revokeUnused, storeTokens } from './completion';
import type { SignInWiring } from './wiring';
import { findConfigured, prepareService } from './prepareService';
import { HostConsent } from './hostConsent';
import { answersRequest, type SignInRequest } from './request';
import { type EarlyEnd, RunningSignIn } from './runningSignIn';
import { SignInView } from './signInView';

/** A button is of use if nobody is signed in, whenever that was. Wall-clock milliseconds. */
const EVER = Number.NEGATIVE_INFINITY;

/** How a sign-in ends. */
type SignInEnd =
  | EarlyEnd
  | {
      readonly kind: 'signed in';
      readonly service: ConfiguredService;
      readonly account: ChosenAccount;
      readonly assigned: AssignedAccount;
      readonly view: SignInView;
    }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A sign-in in progress, and what comes of it. */
interface InProgress {
  readonly running: RunningSignIn;
  readonly result: Promise<CurrentSession>;
}

/** Signs people in, one sign-in at a time in each window. */
export class SignIn {
  readonly #hosts: HostConsent;
  #inProgress: InProgress | undefined;
  /** The message with the code of the last sign-in, which VS Code keeps until it's answered. */
  #lastMessage: CodeMessage | undefined;

  constructor(private readonly wiring: SignInWiring) {
    const { brand, editor, sessions, texts } = wiring;
    this.#hosts = new HostConsent(editor, sessions, texts, brand.configuredBy === 'build');
  }

  /** The sign-in in progress in this window, if there is one. */
  get current(): RunningSignIn | undefined {
    return this.#inProgress?.running;
  }

  get isRunning(): boolean {
    return this.#inProgress !== undefined;
  }

  /**
   * One sign-in, from top to bottom: finds the service and the account, gets a code, shows it until the person has confirmed it, and
   * stores the tokens. However it ends, the person is told here, and so is whoever waits.
   * @throws the editor's cancellation if the person canceled, or the window closes; otherwise an ExplainedError
   */
  async #run(running: RunningSignIn): Promise<CurrentSession> {
    const { wiring } = this;
    const { client, clientSecrets, clock, editor, log, messages, sessions, settings, texts } = wiring;
    const { request, signal } = running;
    let end: SignInEnd;
    const watch = this.#endIfAnswered(running);
    try {
      const service = running.answered(await prepareService(wiring, running));
      this.#checkScopes(request, service);
      running.enter({ kind: 'choosing the account', service });
      // Its settings may have changed since it was found.
      this.#cancelIfNotConfigured(running);
      const account = running.answered(
        await untilAborted(signal, () => chooseAccount(wiring, service, request, signal)),
      );

      log.info(`Signing in at ${service.id.baseUrl}.`);
      const view = new SignInView(wiring, service, this.#lastMessage, running.cancel);
      running.enter({ kind: 'requesting a code', service, account, view });
      const scopes = { wanted: request.scopes, replaced: account.replaced };
      const sent = await untilAborted(signal, () => createRequest(client, clientSecrets, service, scopes, signal));
      running.answered(await untilAborted(signal, () => this.#hosts.confirmEndpoints(service, sent, signal)));
      // Before the person confirms anything: tokens that can't be stored would be of no use.
      await untilAborted(signal, () => sessions.prepareToAdd());
      const code = await requestCode({ client, clock }, sent, signal);
      checkVerificationPage(code, service.verificationOrigin);
      running.answered(
        await untilAborted(signal, () => this.#hosts.confirmPage(service, sent, code.authorization, signal)),
      );
      if (clock.monotonic() >= code.expiresAt) {
        throw new DeviceCodeError('expired');
      }

      running.enter({ kind: 'waiting for the person', service, account, view });
      view.showCode(code, findAddedScopes(service.name, sent, account));
      const tokens = await this.#waitForTokens(running, view, sent, code);

      running.enter({ kind: 'storing the tokens', service, account, view });
      log.debug('The person confirmed the code.');
      const confirmed = { service, request: sent, account, tokens };
      const sessionId = await storeTokens(wiring, confirmed);
      // The code is used up, so nothing must ask for it anymore, however long it takes to find out who signed in.
      view.end(() => this.startIfNeeded({ services: [service.id.baseUrl] }, EVER));
      const assigned = await assignAccount(wiring, sessionId, confirmed);
      end = { kind: 'signed in', service, account, assigned, view };
    } catch (error) {
      end = running.earlyEnd ?? { kind: 'failed', error };
    }
    watch.dispose();
    const { service, view } = running;
    this.#lastMessage = view?.lastMessage ?? this.#lastMessage;

    const since = clock.now();
    const again = furtherRequest(running);
    const names = namesOf(settings.current, service ?? settings.current.services.meant(request.services ?? []));
    switch (end.kind) {
      case 'signed in':
        this.#showSignedIn(request, end);
        return await this.#served(end.assigned.session, names);
      case 'signed in elsewhere':
        log.info('The person signed in elsewhere, so the sign-in ends.');
        view?.end(() => this.startIfNeeded({ services: again.services ?? [] }, EVER));
        editor.showStatusMessage(texts.signIn.whoSignedIn(names.service, end.session.account.label));
        return await this.#served(end.session, names);
      case 'window closed':
        log.info('The window closes, so the sign-in ends.');
        view?.end(() => undefined);
        throw editor.cancellation();
      case 'canceled':
        log.info('The sign-in was canceled.');
        view?.end(() => this.#replaceCode(again, since));
        editor.showStatusMessage(texts.signIn.canceled);
        throw editor.cancellation();
      case 'failed': {
        log.warn(`The sign-in failed. ${loggedAs(end.error)}`);
        view?.end(() => this.#replaceCode(again, since));
        const failure = messages.describe(end.error, names);
        void messages.show(failure, { again: () => this.startIfNeeded(again, since) });
        throw new ExplainedError(failure);
      }
    }
  }

  /**
   * Waits until the person has confirmed the code. If the sign-in ends early, that takes effect at once, and tokens that arrive
   * afterward are revoked, unless somebody is signed in to the service. If the window closes, the response that may be on its way is
   * waited for: it may be the only copy of them.
   * @throws DeviceCodeError `expired`; OAuthError; the signal's reason
   */
  async #waitForTokens(
    running: RunningSignIn,
    view: SignInView,
    sent: AuthorizationRequest,
    code: ReceivedCode,
  ): Promise<TokenResponse> {
    const { wiring } = this;
    const { closing } = wiring;
    const { signal } = running;
    const polling = waitForTokens(wiring, sent, code, {
      onInterruption: (interruption) => {
        view.showInterruption(interruption);
      },
      signal,
      closing,
    });
    try {
      return await untilAborted(signal, () => polling);
    } catch (error) {
      if (closing.aborted) {
        return await polling;
      }
      const revoke = (unused: TokenResponse): void => {
        revokeUnused(wiring, sent, unused);
      };
      polling.then(revoke, () => undefined);
      throw error;
    }
  }

  /**
   * Ends a sign-in if the person gets a session that answers it in another way, such as in another window. Not if somebody wants a
   * certain account, or another one, or if such a session was there when it began: VS Code doesn't say that it wants a new one.
   */
  #endIfAnswered(running: RunningSignIn): Disposable {
    const { sessions, settings } = this.wiring;
    const { request } = running;
    if (request.accountId !== undefined || request.accountLabel !== undefined || request.isForAnother === true) {
      return { dispose: () => undefined };
    }
    // The person may have chosen the service and the account by now.
    const answers = (session: SessionInfo): boolean => {
      const { accountId, isForAnother, service } = running;
      const own = service ?? settings.current.services.meant(request.services ?? []);
      const services = own === undefined ? (request.services ?? []) : [own.id.baseUrl];
      return answersRequest(session, { ...request, accountId, isForAnother, services });
    };
    const came = new Set<string>();
    const wasAnswered = sessions
      .list()
      .then((listed) => listed.some((session) => answers(session) && !came.has(session.id)));
    // It listens from the beginning: what comes while it looks wasn't there before, even if that lists it.
    return sessions.onDidChange(({ added, changed }) => {
      for (const { id } of added) {
        came.add(id);
      }
      void wasAnswered.then((before) => {
        const session = before ? undefined : [...added, ...changed].find(answers);
        if (session !== undefined) {
          running.end({ kind: 'signed in elsewhere', session });
        }
      });
    });
  }

  /**
   * A session that's listed, with a current token for whoever waits: it, or another one of its account with its scopes.
   * @throws ExplainedError if none can be used right now
   */
  async #served({ account, scopes, service }: CurrentSession, names: FailureOptions): Promise<CurrentSession> {
    const { messages, sessions } = this.wiring;
    try {
      const [session] = await sessions.serve(service, account.id, scopes);
      if (session === undefined) {
        throw new SessionError('needs user');
      }
      return session;
    } catch (error) {
      throw new ExplainedError(messages.describe(error, { ...names, tried: 'refresh' }));
    }
  }

  /** @throws ExplainedError if somebody asks for what can't be a scope */
  #checkScopes({ scopes = [] }: SignInRequest, { id }: ConfiguredService): void {
    const areScopes = scopes.flatMap(splitScopes).every(isScope);
    if (dialectOf(id).sessionsHaveScopes && !areScopes) {
      throw new ExplainedError({ text: this.wiring.texts.signIn.wrongScopes, offers: ['showLog'] });
    }
  }

  /** Says who signed in, where the progress was, unless it's somebody else than expected: then in a message that stays. */
  #showSignedIn(
    { accountId, awaitedByEditorUntil = 0 }: SignInRequest,
    { account, assigned, service, view }: Extract<SignInEnd, { kind: 'signed in' }>,
  ): void {
    const { clock, messages, texts } = this.wiring;
    const { tokensIdentifyUsers } = dialectOf(service.id);
    // Then VS Code says itself that somebody else signed in than the account that it requested.
    const isChecked = clock.monotonic() < awaitedByEditorUntil && accountId !== undefined && tokensIdentifyUsers;
    const surprise = isChecked ? undefined : describeSurprise(texts, service.name, account, assigned);
    if (surprise === undefined) {
      view.showResult(texts.signIn.whoSignedIn(service.name, assigned.session.account.label));
    } else {
      void messages.show({ severity: 'information', text: surprise, offers: ['showStatus'] });
    }
  }

  /** For the buttons of a message with a code that's no longer valid. */
  async #replaceCode(request: SignInRequest, since: number): Promise<void> {
    const { editor, texts } = this.wiring;
    editor.showStatusMessage(texts.signIn.codeNotValid);
    await this.startIfNeeded(request, since);
  }

  /**
   * Runs a sign-in, or joins the one in progress and shows its code again. If that's for a different service or account, the
   * person chooses. One that was just canceled isn't joined.
   *
   * @throws the editor's cancellation if the person canceled; otherwise an error whose message can be shown. The
   *   person knows of both.
   */
  async signIn(request: SignInRequest = {}): Promise<CurrentSession> {
    const { closing, editor, log } = this.wiring;
    if (closing.aborted) {
      throw editor.cancellation();
    }
    if (this.#inProgress === undefined) {
      return await this.#begin(request);
    }
    log.debug('A sign-in is requested while another one is in progress.');
    const { result, running } = this.#inProgress;
    const { earlyEnd } = running;
    if (earlyEnd !== undefined && earlyEnd.kind !== 'signed in elsewhere') {
      await this.#waitForEnd(result);
      return await this.signIn(request);
    }
    if (!bringsAccount(running, request) || !(await this.#isToSameService(running, request))) {
      return await this.#signInInstead({ result, running }, request);
    }
    running.view?.showMessage();
    return await result;
  }

  async #begin(request: SignInRequest): Promise<CurrentSession> {
    const { editor, toast } = this.wiring;
    const running = new RunningSignIn(request);
    const result = this.#run(running);
    this.#inProgress = { running, result };
    editor.setContext('signInRunning', true);
    // Nothing may stand beside its code.
    toast.hide();
    try {
      return await result;
    } finally {
      this.#inProgress = undefined;
      editor.setContext('signInRunning', false);
    }
  }

  /** Whether the sign-in in progress is to the service that's meant. A person who says nothing about that takes any. */
  async #isToSameService(running: RunningSignIn, request: SignInRequest): Promise<boolean> {
    const { accountId, awaitedByEditorUntil, services = [] } = request;
    if (awaitedByEditorUntil === undefined && accountId === undefined && services.length === 0) {
      return true;
    }
    const [own, meant] = await Promise.all([this.#serviceOf(running), this.#meant(request)]);
    return sameServiceOrNone(own?.id, meant?.id);
  }

  /** The service of the sign-in in progress; `undefined` if it isn't configured yet. */
  async #serviceOf(running: RunningSignIn): Promise<ConfiguredService | undefined> {
    return running.service ?? (await this.#meant(running.request));
  }

  async #meant(request: SignInRequest): Promise<ConfiguredService | undefined> {
    const { sessions, settings } = this.wiring;
    const meant = await findMeantService(settings.current.services, sessions, request);
    return meant.kind === 'configured' ? meant.service : undefined;
  }

  /**
   * Signs in to another service or account than the sign-in in progress, once that's over. There's one at a time, so the person
   * goes on with it, for which they can see its code again, or cancels it.
   * @throws as `signIn` does; the editor's cancellation if the person goes on with the one in progress
   */
  async #signInInstead({ result, running }: InProgress, request: SignInRequest): Promise<CurrentSession> {
    const { editor, settings, texts } = this.wiring;
    const wanted = await this.#findWanted(request);
    const { label } = settings.current;
    const service = wanted?.name ?? shownAddress(request.services?.[0] ?? label);
    const { alreadyRunning, cancelAndSignIn, progress, showItsCode } = texts.signIn;
    const list: List<'code' | 'cancel'> = {
      title: progress({ service }),
      placeholder: alreadyRunning({ service: (await this.#serviceOf(running))?.name ?? label }),
      choices: [
        { icon: 'key', label: showItsCode, value: 'code' },
        { icon: 'close', label: cancelAndSignIn({ service }), value: 'cancel' },
      ],
    };
    const over = new AbortController();
    const close = (): void => {
      over.abort();
    };
    void result.then(close, close);
    const choice = await editor.choose(list, over.signal);
    if (choice === 'code') {
      running.view?.showMessage();
    }
    if (choice !== 'cancel' && !over.signal.aborted) {
      throw editor.cancellation();
    }
    running.cancel();
    await this.#waitForEnd(result);
    return await this.signIn(request);
  }

  /** The service that a sign-in would be for. If there can be none, the person is told. @throws ExplainedError */
  async #findWanted(request: SignInRequest): Promise<ConfiguredService | undefined> {
    try {
      return await findConfigured(this.wiring, request);
    } catch (error) {
      const { messages, settings } = this.wiring;
      void messages.show(messages.describe(error, namesOf(settings.current, undefined)));
      throw error;
    }
  }

  /** Runs or joins a sign-in for a command or a button, which doesn't need its result. */
  async start(request: SignInRequest = {}): Promise<void> {
    await this.#waitForEnd(this.signIn(request));
  }

  /**
   * Runs or joins a sign-in for a button of a message, which may be old, unless the person has signed in since. If they have yet to say
   * to which of several services, that's for them to know.
   * @param since when the message was shown, in wall-clock milliseconds
   */
  async startIfNeeded(request: SignInRequest, since: number): Promise<void> {
    const { editor, sessions, settings, texts } = this.wiring;
    const named = request.services ?? onlyBaseUrl(settings.current.services);
    if (named === undefined) {
      await this.startAtChosenService(request);
      return;
    }
    const wanted = { ...request, services: named };
    const listed = await sessions.list();
    if (listed.some((session) => session.signedInAt > since && answersRequest(session, wanted))) {
      editor.showStatusMessage(texts.signIn.codeNotNeeded);
    } else {
      await this.start(wanted);
    }
  }

  /**
   * Runs or joins a sign-in for a person who hasn't said yet to which service, even if one is in progress: they may want another.
   * @throws as `signIn` does; the editor's cancellation if the person selects no service
   */
  async signInToChosenService(request: SignInRequest = {}): Promise<CurrentSession> {
    const { editor, sessions, settings, texts } = this.wiring;
    const title = texts.buttons.signIn;
    const meant = await findPersonsService(editor, settings.current.services, sessions, texts, { title });
    if (meant === 'canceled') {
      throw editor.cancellation();
    }
    return await this.signIn(meant === 'none' ? request : { ...request, services: [meant.id.baseUrl] });
  }

  /** Runs or joins such a sign-in for a command or a button, which doesn't need the result. */
  async startAtChosenService(request: SignInRequest = {}): Promise<void> {
    await this.#waitForEnd(this.signInToChosenService(request));
  }

  /** Settings changed: the sign-in in progress may be for a service that isn't configured anymore, or wait for one that is. */
  async settingsChanged(): Promise<void> {
    if (this.current !== undefined) {
      this.#cancelIfNotConfigured(this.current);
    }
    await this.lookAgain();
  }

  #cancelIfNotConfigured(running: RunningSignIn): void {
    const { log, settings } = this.wiring;
    const { service } = running;
    const isConfigured = service === undefined || settings.current.services.of(service.id) !== undefined;
    if (!isConfigured && running.end({ kind: 'canceled' })) {
      log.info("The service isn't configured anymore, so the sign-in is canceled.");
    }
  }

  /** Settings or a client secret changed, which may be what the person is asked for now. */
  async lookAgain(): Promise<void> {
    const state = this.current?.state;
    if (state?.kind === 'finding the service') {
      await bestEffort(this.wiring.log, 'debug', "The sign-in can't look again for its service", () =>
        state.lookAgain?.(),
      );
    }
  }

  /** The window is closing, which ends the sign-in. Resolves when tokens that have arrived, or may still do, are stored. */
  async close(): Promise<void> {
    this.current?.end({ kind: 'window closed' });
    await this.#waitForEnd(this.#inProgress?.result);
  }

  /** Waits for the end of a sign-in. If it fails, the person has been told. */
  async #waitForEnd(result: Promise<CurrentSession> | undefined): Promise<void> {
    await bestEffort(this.wiring.log, 'debug', 'The sign-in ended without a session', () => result);
  }
}

/** The base URL of the service that a person means who names none, if that's clear. */
function onlyBaseUrl(services: ConfiguredServices): readonly string[] | undefined {
  const only = onlyService(services);
  return only && [only.id.baseUrl];
}

/** Whether the sign-in in progress can bring the account that somebody else requests. Who names none takes any. */
function bringsAccount(
  { accountId: ownId, accountLabel: ownLabel }: RunningSignIn,
  { accountId, accountLabel, isForAnother = false }: SignInRequest,
): boolean {
  if (accountId !== undefined) {
    return accountId === ownId;
  }
  const isForNew = isForAnother || accountLabel !== undefined;
  if (isForNew && ownId !== undefined) {
    // The session of an account that's there can't be that of the new one which is requested.
    return false;
  }
  return accountLabel === undefined || ownLabel === undefined || isSameLabel(accountLabel, ownLabel);
}

/**
 * For another attempt: the same wish, with the service and the account that it turned out to be about. That's the person's own, and
 * nobody else waits for it.
 */
function furtherRequest({ account, request, service }: RunningSignIn): SignInRequest {
  return {
    ...request,
    ...(service && { services: [service.id.baseUrl] }),
    ...(account && {
      accountLabel: account.replaced === undefined ? account.label : undefined,
      accountId: account.replaced?.account.id,
      isForAnother: account.isForAnother,
    }),
    awaitedByEditorUntil: undefined,
  };
}
