import type { ServedSession } from '../../sessions/sessions';
import { deviceFlow } from '../../signin/deviceFlow';
import { sendDeviceNotification } from '../../signin/deviceNotification';
import type { SignInEnd } from '../../signin/states';
import { buttons } from '../words/buttons';
import { tellFailure } from './failureMessage';
import { type Failure, failureInWords } from './failureWords';
import { safeTrace } from '../words/safeTrace';
import { SignInError } from './signInError';
import type { SignInParts, SignInRequest } from './signInParts';
import { type PreparedSignIn, prepareSignIn } from './signInPreparation';
import { SignInView } from './signInView';
import {
  cancelledRemark,
  expiredMessage,
  notRunningMessage,
  otherRunningMessage,
  signedInMessage,
} from './signInWords';

/** One sign-in while it runs. */
interface Attempt {
  readonly request: SignInRequest;
  readonly abort: AbortController;
  /** Present from the moment when the service is asked for a code. */
  view: SignInView | undefined;
}

/** Signs people in, one sign-in at a time. Whatever comes of it is told in words. */
export class SignIn {
  #running: { readonly attempt: Attempt; readonly result: Promise<ServedSession> } | undefined;
  readonly #closing = new AbortController();

  constructor(private readonly parts: SignInParts) {}

  /**
   * Runs a sign-in, or joins the one that runs and shows its code again.
   *
   * @throws the editor's cancellation where the person cancelled; otherwise an error whose message can be shown. The
   *   person has been told of both.
   */
  signIn(request: SignInRequest = {}): Promise<ServedSession> {
    if (this.#running !== undefined) {
      return this.#join(this.#running.attempt, this.#running.result, request);
    }
    const attempt: Attempt = { request, abort: new AbortController(), view: undefined };
    const result = this.#run(attempt);
    this.#running = { attempt, result };
    return result;
  }

  /** Runs or joins a sign-in for a command or a button: nobody else waits for what comes of it. */
  async start(request: SignInRequest = {}): Promise<void> {
    try {
      await this.signIn(request);
    } catch (error) {
      this.parts.log.debug(`The sign-in that was started here ended without a session. ${safeTrace(error)}`);
    }
  }

  /** Whether a sign-in runs in this window. */
  get running(): boolean {
    return this.#running !== undefined;
  }

  /** Calls the running sign-in off, at once; says so where there is none. */
  async cancel(): Promise<void> {
    if (this.#running === undefined) {
      await this.#tellNotRunning();
    } else {
      this.#running.attempt.abort.abort();
    }
  }

  /** Carries out `action` on what the running sign-in shows; says so where none runs. */
  async withView(action: (view: SignInView) => Promise<void>): Promise<void> {
    if (this.#running === undefined) {
      await this.#tellNotRunning();
    } else if (this.#running.attempt.view !== undefined) {
      await action(this.#running.attempt.view);
    }
  }

  /** The window closes. */
  dispose(): void {
    this.#running?.attempt.abort.abort();
    this.#closing.abort();
  }

  #join(running: Attempt, result: Promise<ServedSession>, request: SignInRequest): Promise<ServedSession> {
    this.parts.log.debug('A sign-in is asked for while one runs.');
    void running.view?.showCode();
    if (request.replaces !== running.request.replaces) {
      const text = otherRunningMessage(this.parts.l10n);
      void this.parts.editor.message('warning', text);
      return Promise.reject(new SignInError(text));
    }
    return result;
  }

  async #run(attempt: Attempt): Promise<ServedSession> {
    const { editor, brand } = this.parts;
    const again = (): void => void this.start(attempt.request);
    editor.setContext(`${brand.prefix}.signInRunning`, true);
    try {
      const prepared = await prepareSignIn(this.parts, attempt.request, attempt.abort.signal);
      const end = await this.#flow(attempt, prepared, again);
      return await this.#conclude(end, prepared, again);
    } catch (error) {
      throw this.#told(error, attempt, again);
    } finally {
      attempt.view?.end();
      this.#running = undefined;
      editor.setContext(`${brand.prefix}.signInRunning`, false);
    }
  }

  /** Tells what ended a sign-in, unless it was told where it happened, and gives the error for the caller. */
  #told(error: unknown, { abort }: Attempt, again: () => void): Error {
    const { editor, l10n, log, inWords } = this.parts;
    if (error instanceof SignInError) {
      return error;
    }
    if (abort.signal.aborted || isCancellation(error, editor.cancellation())) {
      log.info('The sign-in was cancelled.');
      editor.remark(cancelledRemark(l10n));
      return editor.cancellation();
    }
    log.error(`The sign-in failed. ${safeTrace(error)}`);
    const text = inWords(error);
    void tellFailure(this.parts, { text, offers: [{ kind: 'try again' }, { kind: 'show log' }] }, { again });
    return new SignInError(text);
  }

  async #flow(attempt: Attempt, prepared: PreparedSignIn, again: () => void): Promise<SignInEnd> {
    const { configuration, credentials } = prepared;
    const { signal } = attempt.abort;
    this.parts.log.info('A sign-in begins.');
    const view = new SignInView(this.parts, configuration.serviceName, {
      cancel: () => {
        attempt.abort.abort();
      },
      again,
    });
    attempt.view = view;
    const request = { credentials, verificationOrigin: configuration.verificationOrigin };
    for await (const state of deviceFlow(this.parts, request, signal)) {
      this.parts.log.debug(`The sign-in is ${state.kind}.`);
      if (state.kind === 'waiting') {
        view.wait(state);
      } else if (state.kind !== 'asking') {
        return state;
      }
    }
    throw new Error('The device flow ended without an end.');
  }

  async #conclude(end: SignInEnd, prepared: PreparedSignIn, again: () => void): Promise<ServedSession> {
    const { editor, l10n, log } = this.parts;
    const { serviceName } = prepared.configuration;
    switch (end.kind) {
      case 'signedIn': {
        const { credentials, accountLabel, replaces } = prepared;
        const session = await this.parts.sessions.add({ credentials, tokens: end.tokens, accountLabel, replaces });
        this.#notify(prepared, session);
        log.info('The sign-in is done.');
        void editor.message('information', signedInMessage(l10n, serviceName, session.account.label));
        return session;
      }
      case 'expired':
        log.info('The code expired.');
        return this.#fail({ text: expiredMessage(l10n, serviceName), offers: [{ kind: 'get new code' }] }, again);
      case 'failed':
        log.warn(`The sign-in failed. ${end.error.message}`);
        return this.#fail(failureInWords(l10n, serviceName, end.error), again);
      case 'cancelled':
        throw editor.cancellation();
    }
  }

  #fail(failure: Failure, again: () => void): never {
    void tellFailure(this.parts, failure, { again });
    throw new SignInError(failure.text);
  }

  #notify({ configuration: { notification, service } }: PreparedSignIn, { accessToken }: ServedSession): void {
    if (notification !== undefined) {
      const { baseUrl } = service;
      const { shape } = notification;
      void sendDeviceNotification(this.parts, { baseUrl, shape, accessToken }, this.#closing.signal);
    }
  }

  async #tellNotRunning(): Promise<void> {
    const { editor, l10n } = this.parts;
    const { signIn } = buttons(l10n);
    if ((await editor.message('information', notRunningMessage(l10n), signIn)) === signIn) {
      await this.start();
    }
  }
}

function isCancellation(error: unknown, cancellation: Error): boolean {
  return error instanceof Error && error.name === cancellation.name && error.message === cancellation.message;
}
