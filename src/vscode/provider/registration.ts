import { type Log, safeTrace } from '../../log';
import type { Sessions } from '../../sessions/sessions';
import type { Provider } from './provider';

/** What ends when it's disposed of. */
export interface Disposable {
  dispose(): unknown;
}

/** What the registration works with. */
export interface RegistrationDependencies {
  readonly provider: Provider;
  /** What the service is called now. */
  readonly label: () => string;
  /** Registers the provider with VS Code. */
  readonly register: (label: string) => Disposable;
  /** Asks VS Code for our own session, which makes it offer a sign-in in its Accounts menu. */
  readonly requestOffer: () => Thenable<unknown>;
  readonly sessions: Pick<Sessions, 'list'>;
  readonly log: Log;
}

/**
 * The provider's registration, and the offer to sign in in the Accounts menu. Both name the service. VS Code makes the
 * offer when an extension asks for a session, so this one asks for its own as long as nobody is signed in.
 */
export class Registration implements Disposable {
  #label: string;
  #registered: Disposable;
  #updates = Promise.resolve();
  #waiting = false;
  /** Whether VS Code was asked to offer a sign-in under this label. */
  #offered = false;

  /** Registers at once. */
  constructor(private readonly dependencies: RegistrationDependencies) {
    this.#label = dependencies.label();
    this.#registered = dependencies.register(this.#label);
  }

  /** Brings label and offer up to date: a setting or a session changed, or VS Code no longer waits for a sign-in. */
  update(): void {
    if (!this.#waiting) {
      this.#waiting = true;
      // One after another: a request that waits for a sign-in would make an offer with the label of then.
      this.#updates = this.#updates.then(() => this.#update());
    }
  }

  dispose(): void {
    this.#registered.dispose();
  }

  async #update(): Promise<void> {
    this.#waiting = false;
    const { provider, sessions, requestOffer, log } = this.dependencies;
    try {
      this.#rename();
      if ((await sessions.list()).length > 0) {
        this.#offered = false;
        return;
      }
      this.#offered = true;
      await requestOffer();
      provider.settleOffer();
    } catch (error) {
      log.debug(`The sign-in can't be offered in the Accounts menu. ${safeTrace(error)}`);
    }
  }

  /** A label changes only by registering again, which waits for a sign-in that VS Code waits for. */
  #rename(): void {
    const { provider, label, register, log } = this.dependencies;
    const wanted = label();
    if (wanted === this.#label || provider.busy) {
      return;
    }
    if (this.#offered) {
      provider.withdrawOffer();
    }
    this.#label = wanted;
    this.#registered.dispose();
    this.#registered = register(wanted);
    log.debug('The provider was registered under another label.');
  }
}
