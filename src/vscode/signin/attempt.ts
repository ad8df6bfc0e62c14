import { sameService, type ServiceId } from '../../oauth/client';
import { safeTrace } from '../../log';
import type { CurrentSession } from '../../sessions/sessions';
import { deviceFlow } from '../../signin/deviceFlow';
import { sendDeviceNotification } from '../../signin/deviceNotification';
import type { KeptSignIn } from '../../signin/keptSignIn';
import { KeptCode } from '../../signin/keptCode';
import type { SignInEnd } from '../../signin/states';
import { addSession } from './accountFromService';
import { tellFailure } from './failureMessage';
import { type Failure, failureInWords } from './failureWords';
import { SignInError } from './signInError';
import type { SignInParts, SignInRequest } from './signInParts';
import { type PreparedSignIn, prepareSignIn } from './signInPreparation';
import { SignInView } from './signInView';
import { cancelledRemark, expiredMessage, signedInMessage } from './signInWords';

/** What an attempt is for, and what surrounds it. */
export interface AttemptSubject {
  readonly request: SignInRequest;
  /** The sign-in of a window that is gone, where this attempt goes on with one. */
  readonly resumed: KeptSignIn | undefined;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  /** Begins a new sign-in for the same, once this one is over. */
  readonly again: () => void;
}

/** One sign-in: what the person sees of it, and what comes of it. */
export class Attempt {
  readonly #abort = new AbortController();
  #view: SignInView | undefined;
  #service: ServiceId | undefined;

  constructor(
    private readonly parts: SignInParts,
    private readonly subject: AttemptSubject,
  ) {}

  /** Calls it off, at once. */
  cancel(): void {
    this.#abort.abort();
  }

  /** What is shown of it; absent until the service is asked for a code. */
  get view(): SignInView | undefined {
    return this.#view;
  }

  /** The service that was asked for a code; absent until it is. */
  get service(): ServiceId | undefined {
    return this.#service;
  }

  /**
   * Runs it to its end.
   * @throws the editor's cancellation where the person cancelled; otherwise an error whose message can be shown. The
   *   person has been told of both.
   */
  async run(): Promise<CurrentSession> {
    try {
      const prepared = await prepareSignIn(this.parts, this.subject.request, this.#abort.signal);
      return await this.#conclude(await this.#flow(prepared), prepared);
    } catch (error) {
      throw this.#told(error);
    } finally {
      this.#view?.end();
    }
  }

  /** Tells what ended a sign-in, unless it was told where it happened, and gives the error for the caller. */
  #told(error: unknown): Error {
    const { editor, l10n, log, inWords } = this.parts;
    if (error instanceof SignInError) {
      return error;
    }
    if (this.#abort.signal.aborted || isCancellation(error, editor.cancellation())) {
      log.info('The sign-in was cancelled.');
      editor.remark(cancelledRemark(l10n));
      return editor.cancellation();
    }
    log.error(`The sign-in failed. ${safeTrace(error)}`);
    const text = inWords(error);
    void tellFailure(this.parts, { text, offers: [{ kind: 'try again' }, { kind: 'show log' }] }, this.subject);
    return new SignInError(text);
  }

  async #flow(prepared: PreparedSignIn): Promise<SignInEnd> {
    const { configuration, credentials } = prepared;
    const { closing, again } = this.subject;
    const resumed = this.#resumedFor(configuration.service);
    this.#service = configuration.service;
    this.parts.log.info(resumed === undefined ? 'A sign-in begins.' : 'A sign-in of an earlier window goes on.');
    const view = new SignInView(this.parts, configuration.serviceName, resumed !== undefined, {
      cancel: () => {
        this.cancel();
      },
      again,
    });
    this.#view = view;
    const code = new KeptCode(this.parts, prepared, resumed);
    const request = { credentials, verificationOrigin: configuration.verificationOrigin };
    try {
      for await (const state of deviceFlow({ ...this.parts, protocol: code }, request, this.#abort.signal)) {
        this.parts.log.debug(`The sign-in is ${state.kind}.`);
        if (state.kind === 'waiting') {
          view.wait(state);
        } else if (state.kind !== 'asking') {
          return state;
        }
      }
      throw new Error('The device flow ended without an end.');
    } finally {
      code.end(closing.aborted);
    }
  }

  /** The kept sign-in, where it is of this service: the settings may have changed since it was found. */
  #resumedFor(service: ServiceId): KeptSignIn | undefined {
    const { resumed } = this.subject;
    if (resumed !== undefined && !sameService(resumed.signIn.service, service)) {
      this.parts.log.info('The sign-in of an earlier window is of another service, so it is left alone.');
      resumed.leave();
      return undefined;
    }
    return resumed;
  }

  async #conclude(end: SignInEnd, prepared: PreparedSignIn): Promise<CurrentSession> {
    const { editor, l10n, log } = this.parts;
    const { serviceName } = prepared.configuration;
    switch (end.kind) {
      case 'signedIn': {
        const { tokens } = end;
        // Stored before anything else is waited for: this is the only copy of the tokens.
        const session = await addSession(this.parts, prepared, tokens, this.subject.closing);
        this.#notify(prepared, session);
        log.info('The sign-in is done.');
        void editor.message('information', signedInMessage(l10n, serviceName, session.account.label));
        return session;
      }
      case 'expired':
        log.info('The code expired.');
        return this.#fail({ text: expiredMessage(l10n, serviceName), offers: [{ kind: 'get new code' }] });
      case 'failed':
        log.warn(`The sign-in failed. ${end.error.message}`);
        return this.#fail(failureInWords(l10n, serviceName, end.error));
      case 'cancelled':
        throw editor.cancellation();
    }
  }

  #fail(failure: Failure): never {
    void tellFailure(this.parts, failure, this.subject);
    throw new SignInError(failure.text);
  }

  #notify({ configuration: { notification, service } }: PreparedSignIn, { accessToken }: CurrentSession): void {
    if (notification !== undefined) {
      const { baseUrl } = service;
      const { shape } = notification;
      void sendDeviceNotification(this.parts, { baseUrl, shape, accessToken }, this.subject.closing);
    }
  }
}

function isCancellation(error: unknown, cancellation: Error): boolean {
  return error instanceof Error && error.name === cancellation.name && error.message === cancellation.message;
}
