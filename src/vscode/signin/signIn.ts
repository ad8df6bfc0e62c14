import { safeTrace } from '../../log';
import type { CurrentSession } from '../../sessions/sessions';
import type { PendingSignIn } from '../../signin/pendingSignIn';
import { SignInError } from '../configuration/configureService';
import { readService } from '../configuration/settings';
import { ifValid } from '../configuration/validate';
import { Attempt } from './attempt';
import type { SignInDependencies, SignInRequest } from './preparation';
import type { SignInView } from './signInView';

/** Signs people in, one sign-in at a time, and tells them the result. */
export class SignIn {
  #attempt: Attempt | undefined;
  readonly #closing = new AbortController();

  constructor(private readonly deps: SignInDependencies) {}

  /** Whether a sign-in is in progress in this window. */
  get running(): boolean {
    return this.#attempt !== undefined;
  }

  /**
   * Runs a sign-in, or joins the one in progress and shows its code again.
   *
   * @throws the editor's cancellation if the person canceled; otherwise an error whose message can be shown. The
   *   person knows of both.
   */
  async signIn(request: SignInRequest = {}): Promise<CurrentSession> {
    const { editor, log, texts } = this.deps;
    if (this.#attempt === undefined) {
      return await this.#begin(request);
    }
    const { request: running, result, view } = this.#attempt;
    log.debug('A sign-in is requested while another one is in progress.');
    void view?.withCode((code) => code.show());
    if (request.replaces !== running.replaces) {
      void editor.message('warning', texts.signIn.otherRunning);
      throw new SignInError(texts.signIn.otherRunning);
    }
    return await result;
  }

  /** Runs or joins a sign-in for a command or a button, which doesn't need its result. */
  async start(request: SignInRequest = {}): Promise<void> {
    await this.#settled(this.signIn(request));
  }

  /**
   * Continues a sign-in of a window that's gone, such as this one before its reload, if there is one.
   * @param wait whether to wait a moment for a window that may be closing
   */
  async resume(wait = true): Promise<void> {
    const mayBegin = (): boolean => !this.running && !this.#closing.signal.aborted;
    const service = ifValid(() => readService(this.deps.settings()));
    if (service === undefined || !mayBegin()) {
      return;
    }
    const pending = await this.deps.pendingSignIns.takeOver(service, wait);
    if (pending !== undefined) {
      await (mayBegin() ? this.#settled(this.#begin(pending.request, pending)) : pending.end(true));
    }
  }

  /** Cancels the sign-in in progress immediately; if there is none, says so. */
  cancel(): void {
    if (this.#attempt === undefined) {
      this.#tellNotRunning();
    } else {
      this.#attempt.cancel();
    }
  }

  /** Settings or the client secret changed. */
  async configurationChanged(): Promise<void> {
    try {
      await this.#attempt?.configurationChanged();
    } catch (error) {
      this.deps.log.debug(`The sign-in couldn't check what changed. ${safeTrace(error)}`);
    }
  }

  /** Runs `action` on what the sign-in in progress shows; if there is none, says so. */
  async withView(action: (view: SignInView) => Promise<void>): Promise<void> {
    if (this.#attempt === undefined) {
      this.#tellNotRunning();
    } else if (this.#attempt.view !== undefined) {
      await action(this.#attempt.view);
    }
  }

  /**
   * The window closes. A sign-in whose code is shown is left to the next window. Resolves when tokens that have
   * arrived are stored.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#attempt?.cancel();
    await Promise.allSettled([this.#attempt?.result]);
  }

  #begin(request: SignInRequest, resumed?: PendingSignIn): Promise<CurrentSession> {
    const { editor, brand } = this.deps;
    const again = (): void => void this.start(request);
    const attempt = new Attempt(this.deps, { request, resumed, closing: this.#closing.signal, again });
    const over = (): void => {
      this.#attempt = undefined;
      editor.setContext(`${brand.prefix}.signInRunning`, false);
    };
    this.#attempt = attempt;
    editor.setContext(`${brand.prefix}.signInRunning`, true);
    void attempt.result.then(over, over);
    return attempt.result;
  }

  async #settled(result: Promise<CurrentSession>): Promise<void> {
    try {
      await result;
    } catch (error) {
      // The person has been told.
      this.deps.log.debug(`The sign-in ended without a session: ${error instanceof Error ? error.name : 'unknown'}.`);
    }
  }

  /** Commands don't wait for this: other extensions may call them, and the message stays until the person closes it. */
  #tellNotRunning(): void {
    const { editor, texts } = this.deps;
    void editor.message('information', texts.signIn.notRunning, { [texts.buttons.signIn]: () => this.start() });
  }
}
