import { sameService } from '../../oauth/client';
import { safeTrace } from '../../log';
import type { CurrentSession } from '../../sessions/sessions';
import type { KeptSignIn } from '../../signin/keptSignIn';
import { readConfiguration } from '../configuration/configuration';
import { buttons } from '../words/buttons';
import { Attempt } from './attempt';
import { SignInError } from './signInError';
import type { SignInParts, SignInRequest } from './signInParts';
import type { SignInView } from './signInView';
import { notRunningMessage, otherRunningMessage } from './signInWords';

/** The sign-in that runs. */
interface Running {
  readonly request: SignInRequest;
  readonly attempt: Attempt;
  readonly result: Promise<CurrentSession>;
}

/** Signs people in, one sign-in at a time. Whatever comes of it is told in words. */
export class SignIn {
  #running: Running | undefined;
  readonly #closing = new AbortController();

  constructor(private readonly parts: SignInParts) {}

  /** Whether a sign-in runs in this window. */
  get running(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Runs a sign-in, or joins the one that runs and shows its code again.
   *
   * @throws the editor's cancellation where the person cancelled; otherwise an error whose message can be shown. The
   *   person has been told of both.
   */
  signIn(request: SignInRequest = {}): Promise<CurrentSession> {
    return this.#running === undefined ? this.#begin(request, undefined) : this.#join(this.#running, request);
  }

  /** Runs or joins a sign-in for a command or a button: nobody else waits for what comes of it. */
  async start(request: SignInRequest = {}): Promise<void> {
    await this.#unwaited(this.signIn(request));
  }

  /** Goes on with a sign-in of a window that is gone, such as this one before it was reloaded, where there is one. */
  async resume(): Promise<void> {
    const result = readConfiguration(this.parts.settings());
    if (result.kind !== 'ready' || !this.#mayBegin()) {
      return;
    }
    const kept = await this.parts.keeper.takeOver(result.configuration.service);
    if (kept === undefined) {
      return;
    }
    if (!this.#mayBegin()) {
      kept.leave();
      return;
    }
    const { accountLabel, replaces } = kept.signIn;
    await this.#unwaited(this.#begin({ accountLabel, ...(replaces === undefined ? {} : { replaces }) }, kept));
  }

  /** Calls the running sign-in off, at once; says so where there is none. */
  cancel(): Promise<void> {
    if (this.#running === undefined) {
      void this.#tellNotRunning();
    } else {
      this.#running.attempt.cancel();
    }
    return Promise.resolve();
  }

  /** Calls the running sign-in off if another service is configured by now than the one whose code is shown. */
  settingsChanged(): void {
    const service = this.#running?.attempt.service;
    const result = readConfiguration(this.parts.settings());
    if (service !== undefined && result.kind === 'ready' && !sameService(service, result.configuration.service)) {
      this.parts.log.info('Another service is configured now.');
      this.#running?.attempt.cancel();
    }
  }

  /** Carries out `action` on what the running sign-in shows; says so where none runs. */
  async withView(action: (view: SignInView) => Promise<void>): Promise<void> {
    if (this.#running === undefined) {
      void this.#tellNotRunning();
    } else if (this.#running.attempt.view !== undefined) {
      await action(this.#running.attempt.view);
    }
  }

  /** The window closes. A sign-in whose code is shown is left for the next window. */
  dispose(): void {
    this.#closing.abort();
    this.#running?.attempt.cancel();
  }

  #begin(request: SignInRequest, resumed: KeptSignIn | undefined): Promise<CurrentSession> {
    const again = (): void => void this.start(request);
    const attempt = new Attempt(this.parts, { request, resumed, closing: this.#closing.signal, again });
    const { editor, brand } = this.parts;
    editor.setContext(`${brand.prefix}.signInRunning`, true);
    const result = attempt.run().finally(() => {
      this.#running = undefined;
      editor.setContext(`${brand.prefix}.signInRunning`, false);
    });
    this.#running = { request, attempt, result };
    return result;
  }

  #join({ request: running, attempt, result }: Running, request: SignInRequest): Promise<CurrentSession> {
    this.parts.log.debug('A sign-in is asked for while one runs.');
    void attempt.view?.showCode();
    if (request.replaces !== running.replaces) {
      const text = otherRunningMessage(this.parts.l10n);
      void this.parts.editor.message('warning', text);
      return Promise.reject(new SignInError(text));
    }
    return result;
  }

  #mayBegin(): boolean {
    return this.#running === undefined && !this.#closing.signal.aborted;
  }

  async #unwaited(result: Promise<CurrentSession>): Promise<void> {
    try {
      await result;
    } catch (error) {
      this.parts.log.debug(`The sign-in that was started here ended without a session. ${safeTrace(error)}`);
    }
  }

  /** Not awaited by commands: other extensions may call them, and the message stays as long as the person wants. */
  async #tellNotRunning(): Promise<void> {
    const { editor, l10n } = this.parts;
    const { signIn } = buttons(l10n);
    if ((await editor.message('information', notRunningMessage(l10n), signIn)) === signIn) {
      await this.start();
    }
  }
}
