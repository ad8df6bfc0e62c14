import { safeTrace } from '../../log';
import type { CurrentSession } from '../../sessions/sessions';
import type { PendingSignIn } from '../../signin/pendingSignIn';
import { SignInError } from '../configuration/configureService';
import { readService } from '../configuration/settings';
import { ifValid } from '../configuration/validate';
import { Attempt } from './attempt';
import { type SignInDependencies, type SignInRequest } from './preparation';
import type { SignInView } from './signInView';

/** The sign-in in progress. */
interface Running {
  readonly request: SignInRequest;
  readonly attempt: Attempt;
  readonly result: Promise<CurrentSession>;
}

/** Signs people in, one sign-in at a time, and tells them the result. */
export class SignIn {
  #running: Running | undefined;
  readonly #closing = new AbortController();

  constructor(private readonly deps: SignInDependencies) {}

  /** Whether a sign-in is in progress in this window. */
  get running(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Runs a sign-in, or joins the one in progress and shows its code again.
   *
   * @throws the editor's cancellation if the person canceled; otherwise an error whose message can be shown. The
   *   person knows of both.
   */
  signIn(request: SignInRequest = {}): Promise<CurrentSession> {
    return this.#running === undefined ? this.#begin(request, undefined) : this.#join(this.#running, request);
  }

  /** Runs or joins a sign-in for a command or a button, which doesn't need its result. */
  async start(request: SignInRequest = {}): Promise<void> {
    await this.#unwaited(this.signIn(request));
  }

  /**
   * Continues a sign-in of a window that's gone, such as this one before its reload, if there is one.
   * @param wait whether to wait a moment for a window that may be closing
   */
  async resume(wait = true): Promise<void> {
    const service = ifValid(() => readService(this.deps.settings()));
    if (service === undefined || !this.#mayBegin()) {
      return;
    }
    const pending = await this.deps.pendingSignIns.takeOver(service, wait);
    if (pending === undefined) {
      return;
    }
    if (!this.#mayBegin()) {
      await pending.end(true);
      return;
    }
    await this.#unwaited(this.#begin(pending.request, pending));
  }

  /** Cancels the sign-in in progress immediately; if there is none, says so. */
  cancel(): void {
    if (this.#running === undefined) {
      void this.#tellNotRunning();
    } else {
      this.#running.attempt.cancel();
    }
  }

  /** Settings or the client secret changed. */
  async configurationChanged(): Promise<void> {
    try {
      await this.#running?.attempt.configurationChanged();
    } catch (error) {
      this.deps.log.debug(`The sign-in couldn't check what changed. ${safeTrace(error)}`);
    }
  }

  /** Runs `action` on what the sign-in in progress shows; if there is none, says so. */
  async withView(action: (view: SignInView) => Promise<void>): Promise<void> {
    if (this.#running === undefined) {
      void this.#tellNotRunning();
    } else if (this.#running.attempt.view !== undefined) {
      await action(this.#running.attempt.view);
    }
  }

  /**
   * The window closes. A sign-in whose code is shown is left to the next window. Resolves when tokens that have
   * arrived are stored.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#running?.attempt.cancel();
    await Promise.allSettled([this.#running?.result]);
  }

  #begin(request: SignInRequest, resumed: PendingSignIn | undefined): Promise<CurrentSession> {
    const again = (): void => void this.start(request);
    const attempt = new Attempt(this.deps, { request, resumed, closing: this.#closing.signal, again });
    const { editor, brand } = this.deps;
    editor.setContext(`${brand.prefix}.signInRunning`, true);
    const result = attempt.run().finally(() => {
      this.#running = undefined;
      editor.setContext(`${brand.prefix}.signInRunning`, false);
    });
    this.#running = { request, attempt, result };
    return result;
  }

  #join({ request: running, attempt, result }: Running, request: SignInRequest): Promise<CurrentSession> {
    const { editor, log, texts } = this.deps;
    log.debug('A sign-in is requested while another one is in progress.');
    void attempt.view?.withCode((code) => code.show());
    if (request.replaces !== running.replaces) {
      void editor.message('warning', texts.signIn.otherRunning);
      return Promise.reject(new SignInError(texts.signIn.otherRunning));
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
      // The person has been told.
      this.deps.log.debug(`The sign-in ended without a session: ${error instanceof Error ? error.name : 'unknown'}.`);
    }
  }

  /** Commands don't wait for this: other extensions may call them, and the message stays until the person closes it. */
  async #tellNotRunning(): Promise<void> {
    const { editor, texts } = this.deps;
    await editor.message('information', texts.signIn.notRunning, { [texts.buttons.signIn]: () => this.start() });
  }
}
