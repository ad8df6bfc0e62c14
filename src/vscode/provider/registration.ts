import type * as vscode from 'vscode';
import type { Clock } from '../../clock';
import type { Disposable } from '../../event';
import { bestEffort, type Log } from '../../log';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Editor } from '../editor/editor';
import type { Settings } from '../settings/settings';
import type { SignIn } from '../signin/signIn';
import type { Texts } from '../texts/texts';
import type { Announcements } from './announcements';

/** What the provider, and its registration, are wired from. */
export interface ProviderWiring {
  readonly clock: Clock;
  readonly editor: Pick<Editor, 'registerProvider' | 'requestSession'>;
  readonly log: Log;
  /** Whether the Accounts menu may offer a sign-in now. */
  readonly mayOfferSignIn: () => boolean;
  /** The scopes with which this extension gets its own offer in the Accounts menu. */
  readonly ownScopes: readonly string[];
  readonly sessions: Pick<SharedSessions, 'list' | 'serve' | 'serviceOf' | 'remove' | 'onDidChange' | 'wasRejected'>;
  readonly settings: Pick<Settings, 'current' | 'onDidChange'>;
  readonly signIn: Pick<SignIn, 'signIn' | 'signInToChosenService'>;
  readonly texts: Texts;
}

/**
 * The registration of a provider, and the offer to sign in in the Accounts menu. Both name the service, or the extension if there
 * are several. VS Code makes the offer when an extension requests a session, so this one requests its own as long as nobody is
 * signed in. Who has just signed out isn't asked to sign in again: then the offer waits for the next window.
 */
export class Registration {
  readonly #subscriptions: readonly Disposable[];
  #label: string;
  #registered: Disposable;
  /** How many operations keep it as it is. */
  #operations = 0;
  #updates = Promise.resolve();
  #isDisposed = false;
  /** Whether somebody has signed out since a session was listed the last time. */
  #hasJustSignedOut = false;

  /** Registers at once. */
  constructor(
    private readonly wiring: ProviderWiring,
    private readonly provider: vscode.AuthenticationProvider,
    private readonly announcements: Announcements,
  ) {
    const { editor, sessions, settings } = wiring;
    const update = (): void => {
      this.update();
    };
    this.#subscriptions = [
      sessions.onDidChange(({ removed }) => {
        // The session of a service that isn't configured anymore goes as well, and so does one that the service has ended.
        this.#hasJustSignedOut ||= removed.some(
          ({ id, service }) => settings.current.services.of(service) !== undefined && !sessions.wasRejected(id),
        );
        update();
      }),
      settings.onDidChange(update),
    ];
    this.#label = settings.current.label;
    this.#registered = editor.registerProvider(this.#label, provider);
  }

  /** Keeps the registration while VS Code waits for this, which it would lose otherwise. */
  async keptDuring<T>(operation: () => Promise<T>): Promise<T> {
    this.#operations++;
    try {
      return await operation();
    } finally {
      this.#operations--;
      // Later, because the result must reach VS Code first.
      setImmediate(() => {
        this.update();
      });
    }
  }

  /** Updates label and offer: a setting or a session changed, or VS Code no longer waits for a sign-in. */
  update(): void {
    // One update after another: otherwise, a request could make an offer under the label from before another update.
    this.#updates = this.#updates.then(() => this.#update());
  }

  dispose(): void {
    // An update may still be queued, and nobody would dispose of what it registers.
    this.#isDisposed = true;
    this.#registered.dispose();
    this.#subscriptions.forEach((one) => one.dispose());
  }

  async #update(): Promise<void> {
    if (this.#isDisposed) {
      return;
    }
    const { editor, log, mayOfferSignIn, ownScopes, sessions, settings } = this.wiring;
    await bestEffort(log, 'debug', "The sign-in can't be offered in the Accounts menu", async () => {
      const { label } = settings.current;
      // A label changes only by registering again.
      if (label !== this.#label && this.#operations === 0) {
        this.#label = label;
        this.#registered.dispose();
        this.#registered = editor.registerProvider(label, this.provider);
        log.debug('The provider was registered again.');
      }
      const isSignedIn = (await sessions.list()).length > 0;
      if (isSignedIn) {
        this.#hasJustSignedOut = false;
      }
      if (!isSignedIn && !this.#hasJustSignedOut && mayOfferSignIn() && !this.#isDisposed) {
        // The request makes VS Code offer a sign-in in its menu. It asks nobody.
        await editor.requestSession(ownScopes);
        this.announcements.settleOffer();
      }
    });
  }
}
