import { safeTrace } from '../../log';
import { sessionsOf } from '../../sessions/currentSession';
import type { Configured } from '../configure/clientSecret';
import { namesOf } from '../failures/describeFailure';
import type { Commands } from '../editor/editor';
import { ExplainedError } from '../failures/failure';
import type { Tried } from '../texts/sessionTexts';
import type { RunningSignIn } from './runningSignIn';
import type { SignIn } from './signIn';
import { CODE_ACTIONS, type SignInView } from './signInView';
import type { SignInWiring } from './wiring';

/** The commands of signing in and of configuring services. */
export class SignInCommands {
  constructor(
    private readonly wiring: SignInWiring,
    private readonly signIn: SignIn,
  ) {}

  /** All of them, by their names without the prefix. */
  get all(): Commands {
    const { configureService, setClientSecret } = this.wiring;
    return {
      signIn: (baseUrl, since) => this.#signIn(baseUrl, since),
      cancelSignIn: () =>
        this.#onSignIn(({ cancel }) => {
          cancel();
        }),
      ...Object.fromEntries(CODE_ACTIONS.map((name) => [name, () => this.#onCode((view) => view.do(name))])),
      showScopes: () => this.#onCode((view) => view.showScopes()),
      // What a link leaves out is null, because its arguments are JSON.
      setClientSecret: (handedOver, meantBaseUrl) =>
        handedOver === undefined || handedOver === null
          ? this.#configure('setClientSecret', () => setClientSecret.ask({ meantBaseUrl }))
          : this.#storeClientSecret(handedOver, meantBaseUrl),
      ...(configureService && {
        configure: (meantBaseUrl, field) =>
          this.#configure('configure', () => configureService.show(this.#signInTo, meantBaseUrl, field)),
      }),
    };
  }

  readonly #signInTo = (baseUrl: string, isForAnother: boolean): Promise<void> =>
    this.signIn.start({ services: [baseUrl], isForAnother });

  /**
   * Says what the person configured, if they did, and offers a sign-in as the next step if nobody is signed in to the service.
   * If it failed, they see why.
   */
  async #configure(tried: Tried, configure: () => Promise<Configured | undefined>): Promise<void> {
    const { log, messages, settings } = this.wiring;
    try {
      const done = await configure();
      if (done !== undefined) {
        await this.#tell(done);
      }
    } catch (error) {
      log.error(`The configuration failed. ${safeTrace(error)}`);
      void messages.show(messages.describe(error, { ...namesOf(settings.current, undefined), tried }));
    }
  }

  /** Says what was configured, with links for what may come next. */
  async #tell({ mayLackSecret = false, offers, service, text }: Configured): Promise<void> {
    const { clock, editor, messages, sessions, texts } = this.wiring;
    if (offers !== undefined) {
      void messages.show({ severity: 'information', text, offers, baseUrl: service?.baseUrl });
      return;
    }
    const isSignedIn = service !== undefined && sessionsOf(await sessions.list(), service).length > 0;
    if (this.signIn.isRunning) {
      editor.showStatusMessage(text);
      return;
    }
    this.#showToast(text, [
      service === undefined || isSignedIn
        ? undefined
        : linkTo(texts.buttons.signIn, editor.link('signIn', service.baseUrl, clock.now())),
      mayLackSecret
        ? linkTo(texts.buttons.setClientSecret, editor.link('setClientSecret', undefined, service?.baseUrl))
        : undefined,
    ]);
  }

  #showToast(text: string, links: readonly (string | undefined)[]): void {
    const { toast, texts } = this.wiring;
    const usable = links.filter((link) => link !== undefined);
    toast.show(texts.common.sentences(text, usable.length === 0 ? undefined : usable.join(' · ')));
  }

  /**
   * Signs in to the service that's meant, or to the one that the person chooses.
   * @param since when a link to this was shown, in wall-clock milliseconds
   */
  async #signIn(meantBaseUrl: unknown, since: unknown): Promise<void> {
    const { services } = this.wiring.settings.current;
    const meant = typeof meantBaseUrl === 'string' ? services.at(meantBaseUrl) : undefined;
    if (meant === undefined) {
      await this.signIn.startAtChosenService();
    } else {
      await this.signIn.startIfNeeded({ services: [meant.id.baseUrl] }, Number(since));
    }
  }

  /** For a program, which gets an error if it failed, and decides whom that concerns. @throws ExplainedError */
  async #storeClientSecret(secret: unknown, meantBaseUrl: unknown): Promise<void> {
    const { log, messages, setClientSecret, settings } = this.wiring;
    try {
      await setClientSecret.store(secret, meantBaseUrl);
    } catch (error) {
      log.error(`The configuration failed. ${safeTrace(error)}`);
      throw new ExplainedError(
        messages.describe(error, { ...namesOf(settings.current, undefined), tried: 'setClientSecret' }),
      );
    }
    await this.signIn.lookAgain();
  }

  /** Runs an action on what's shown of the sign-in in progress. If there's no code yet, says so. */
  async #onCode(action: (view: SignInView) => Promise<void>): Promise<void> {
    const { editor, texts } = this.wiring;
    await this.#onSignIn(async ({ view }) => {
      if (view === undefined) {
        editor.showStatusMessage(texts.signIn.noCodeYet);
      } else {
        await action(view);
      }
    });
  }

  /** Runs an action on the sign-in in progress; if there is none, says so. */
  async #onSignIn(action: (running: RunningSignIn) => unknown): Promise<void> {
    const { editor, texts } = this.wiring;
    const { current } = this.signIn;
    if (current === undefined) {
      this.#showToast(texts.signIn.notRunning, [linkTo(texts.buttons.signIn, editor.link('signIn'))]);
    } else {
      await action(current);
    }
  }
}

/** A link in a notification; `undefined` if nothing's there to run. */
function linkTo(label: string, target: string | undefined): string | undefined {
  return target && `[${label}](${target})`;
}
