import type { Clock } from '../../clock';
import { bestEffort, type Log } from '../../log';
import { sameServiceOrNone } from '../../oauth/service';
import type { CurrentSession } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { PendingSignIns, ResumedSignIn, SignInRequest } from '../../signin/pendingSignIn';
import type { Release } from '../../storage/platform';
import type { ShownBrand } from '../brand';
import type { Editor } from '../editor/editor';
import { namesOf } from '../failures/describeFailure';
import { ExplainedError } from '../failures/failure';
import type { Messages } from '../failures/messages';
import type { List } from '../editor/quickInput';
import type { ConfiguredService } from '../settings/service';
import type { CurrentSettings, SettingsChange } from '../settings/settings';
import { shownAddress } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { chooseService } from '../services/serviceChoice';
import { Attempt } from './attempt';
import type { ServiceSetup } from './serviceSetup';
import { answersRequest } from './signedInElsewhere';

/** How often a window looks whether the one before it is gone. Milliseconds. */
const LOOK_AGAIN = 1_000;

interface SignInDependencies {
  readonly brand: ShownBrand;
  readonly clock: Clock;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  readonly editor: Editor;
  readonly log: Log;
  readonly messages: Messages;
  readonly pendingSignIns: PendingSignIns;
  /** Runs one to its end: see `SignInLife.run`. */
  readonly run: (attempt: Attempt) => Promise<CurrentSession>;
  readonly sessions: Pick<SharedSessions, 'list'>;
  readonly settings: CurrentSettings;
  readonly setup: ServiceSetup;
  readonly texts: Texts;
}

interface Running {
  readonly attempt: Attempt;
  readonly result: Promise<CurrentSession>;
}

/** Signs people in, one sign-in at a time. */
export class SignIn {
  #running: Running | undefined;

  constructor(private readonly dependencies: SignInDependencies) {}

  /** The sign-in in progress in this window, if there is one. */
  get attempt(): Attempt | undefined {
    return this.#running?.attempt;
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Runs a sign-in, or joins the one in progress and shows its code again. If that's for a different service or account, the
   * person chooses. One that was just canceled isn't joined.
   *
   * @throws the editor's cancellation if the person canceled; otherwise an error whose message can be shown. The
   *   person knows of both.
   */
  async signIn(request: SignInRequest = {}): Promise<CurrentSession> {
    const { closing, editor, log } = this.dependencies;
    const running = this.#running;
    if (closing.aborted) {
      throw editor.cancellation();
    }
    if (running === undefined) {
      return await this.#begin(request);
    }
    log.debug('A sign-in is requested while another one is in progress.');
    const { attempt, result } = running;
    if (attempt.isCanceled) {
      await this.#waitForEnd(result);
      return await this.signIn(request);
    }
    if (!attempt.isFor(request) || !(await this.#isToSameService(attempt, request))) {
      return await this.#signInInstead(running, request);
    }
    attempt.showCode();
    return await result;
  }

  /** Whether the sign-in in progress is to the service that's meant. A person who says nothing about that takes any. */
  async #isToSameService(attempt: Attempt, request: SignInRequest): Promise<boolean> {
    const { accountId, awaitedByEditorUntil, services = [] } = request;
    if (awaitedByEditorUntil === undefined && accountId === undefined && services.length === 0) {
      return true;
    }
    const running = await attempt.service();
    const meant = await this.dependencies.setup.meant(request);
    return sameServiceOrNone(running?.id, meant?.id);
  }

  /**
   * Signs in to another service or account than the sign-in in progress, once that's over. There's one at a time, so the person
   * goes on with it, for which they can see its code again, or cancels it.
   * @throws as `signIn` does; the editor's cancellation if the person goes on with the one in progress
   */
  async #signInInstead({ attempt, result }: Running, request: SignInRequest): Promise<CurrentSession> {
    const { editor, settings, texts } = this.dependencies;
    const wanted = await this.#possible(request);
    const { label } = settings.current;
    const running = (await attempt.service())?.name ?? label;
    const service = wanted?.name ?? shownAddress(request.services?.[0] ?? label);
    const { alreadyRunning, cancelAndSignIn, progress, showItsCode } = texts.signIn;
    const list: List<'code' | 'cancel'> = {
      title: progress({ service }),
      placeholder: alreadyRunning({ service: running }),
      choices: [
        { icon: 'key', label: showItsCode, value: 'code' },
        { icon: 'close', label: cancelAndSignIn({ service }), value: 'cancel' },
      ],
    };
    const over = new AbortController();
    const end = (): void => {
      over.abort();
    };
    void result.then(end, end);
    const choice = await editor.choose(list, over.signal);
    if (choice === 'code') {
      attempt.showCode();
    }
    if (choice !== 'cancel' && !over.signal.aborted) {
      throw editor.cancellation();
    }
    attempt.cancel();
    await this.#waitForEnd(result);
    return await this.signIn(request);
  }

  /** The service that a sign-in would be for. If there can be none, the person is told. @throws ExplainedError */
  async #possible(request: SignInRequest): Promise<ConfiguredService | undefined> {
    try {
      return await this.dependencies.setup.possible(request);
    } catch (error) {
      const { messages, settings } = this.dependencies;
      void messages.show(messages.describe(error, namesOf(settings.current, settings.current.services.default)));
      throw error;
    }
  }

  /** Runs or joins a sign-in for a command or a button, which doesn't need its result. */
  async start(request: SignInRequest = {}): Promise<void> {
    await this.#waitForEnd(this.signIn(request));
  }

  /**
   * Does that for a button of a message, which may be old, unless the person has signed in since. If they have yet to say to which
   * of several services, that's for them to know.
   * @param since when the message was shown, in wall-clock milliseconds
   */
  async startIfNeeded(request: SignInRequest, since: number): Promise<void> {
    const { editor, log, sessions, settings, texts } = this.dependencies;
    if (request.services === undefined && settings.current.services.all.length > 1) {
      await this.startAtChosenService(request);
      return;
    }
    const isSignedIn = await bestEffort(log, 'debug', "It isn't known who is signed in", async () =>
      (await sessions.list()).some((session) => session.signedInAt > since && answersRequest(session, request)),
    );
    if (isSignedIn === true) {
      editor.showStatusMessage(texts.signIn.codeNotNeeded);
    } else {
      await this.start(request);
    }
  }

  /**
   * Runs or joins a sign-in for a person who hasn't said yet to which service, even if one is in progress: they may want another.
   * @throws as `signIn` does; the editor's cancellation if the person selects no service
   */
  async signInToChosenService(request: SignInRequest = {}): Promise<CurrentSession> {
    const { editor, sessions, settings, texts } = this.dependencies;
    const { services } = settings.current;
    if (services.all.length <= 1) {
      return await this.signIn(request);
    }
    const question = { title: texts.buttons.signIn };
    const service = await chooseService(editor, services, await sessions.list(), texts, question);
    if (service === undefined) {
      throw editor.cancellation();
    }
    return await this.signIn({ ...request, services: [service.id.baseUrl] });
  }

  /** Does that for a command or a button, which doesn't need the result. */
  async startAtChosenService(request: SignInRequest = {}): Promise<void> {
    await this.#waitForEnd(this.signInToChosenService(request));
  }

  /**
   * Continues a sign-in of a window that's gone, such as this one before its reload, if there is one.
   * @param options `waitForClosingWindow`: whether to wait until its window is gone
   */
  async resume({ waitForClosingWindow }: { readonly waitForClosingWindow: boolean }): Promise<void> {
    const resumed = await this.#takeOver(waitForClosingWindow);
    if (resumed === undefined) {
      return;
    }
    const { authorizationRequest, request } = resumed.pending;
    if (this.#mayBegin) {
      await this.#waitForEnd(this.#begin({ ...request, services: [authorizationRequest.baseUrl] }, resumed));
    } else {
      await resumed.pending.leaveForNextWindow();
    }
  }

  get #mayBegin(): boolean {
    return !this.running && !this.dependencies.closing.aborted;
  }

  /**
   * Takes over the sign-in of a window that's gone.
   * @param mayWait whether to wait until it's gone. Its extension host, which VS Code sometimes keeps for minutes after a reload,
   *   can notice that this window waits
   */
  async #takeOver(mayWait: boolean): Promise<ResumedSignIn | undefined> {
    const { clock, pendingSignIns, settings } = this.dependencies;
    let stopClaiming: Release | undefined;
    try {
      for (;;) {
        const services = settings.current.services.all.map(({ id }) => id);
        const canBegin = services.length > 0 && this.#mayBegin;
        const resumed = canBegin ? await pendingSignIns.takeOver(services) : undefined;
        if (resumed !== 'busy') {
          return resumed;
        }
        if (!mayWait) {
          return undefined;
        }
        stopClaiming ??= await pendingSignIns.claim();
        await clock.sleep(LOOK_AGAIN);
      }
    } finally {
      stopClaiming?.();
    }
  }

  /** Settings changed: the sign-in in progress may be for a service that's no longer configured, or another may wait for this one. */
  async settingsChanged({ after, before }: SettingsChange): Promise<void> {
    this.#running?.attempt.settingsChanged();
    await this.lookAgain();
    if (after.services.all.some(({ id }) => before.services.of(id) === undefined)) {
      await this.resume({ waitForClosingWindow: true });
    }
  }

  /**
   * The window is closing. A sign-in whose code is shown is left to the next window. Resolves when tokens that have
   * arrived are stored.
   */
  async close(): Promise<void> {
    this.#running?.attempt.leave();
    await this.#waitForEnd(this.#running?.result);
  }

  /** Settings or a client secret changed, which may be what the person is asked for now. */
  async lookAgain(): Promise<void> {
    const { log, setup } = this.dependencies;
    await bestEffort(log, 'debug', "The sign-in can't look again for its service", () => setup.lookAgain());
  }

  async #begin(request: SignInRequest, resumed?: ResumedSignIn): Promise<CurrentSession> {
    const { clock, editor, messages, run } = this.dependencies;
    const startIfNeeded: SignIn['startIfNeeded'] = (wanted, since) => this.startIfNeeded(wanted, since);
    const attempt = new Attempt({ ...this.dependencies, startIfNeeded }, request, resumed);
    const result = run(attempt);
    this.#running = { attempt, result };
    editor.setContext('signInRunning', true);
    try {
      return await result;
    } catch (error) {
      if (error instanceof ExplainedError) {
        const since = clock.now();
        void messages.show(error.failure, { again: () => attempt.again(since) });
      }
      throw error;
    } finally {
      this.#running = undefined;
      editor.setContext('signInRunning', false);
    }
  }

  /** Waits for the end of a sign-in. If it fails, the person has been told. */
  async #waitForEnd(result: Promise<CurrentSession> | undefined): Promise<void> {
    await bestEffort(this.dependencies.log, 'debug', 'The sign-in ended without a session', () => result);
  }
}
