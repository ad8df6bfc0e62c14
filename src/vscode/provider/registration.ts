import { type Log, safeTrace } from '../../log';
import type { Sessions } from '../../sessions/sessions';
import type { Provider } from './provider';

/** Something that ends when it's disposed of. */
export interface Disposable {
  dispose(): unknown;
}

/** What the registration works with. */
export interface RegistrationDependencies {
  readonly provider: Provider;
  /** The current name of the service. */
  readonly label: () => string;
  /** Registers the provider with VS Code. */
  readonly register: (label: string) => Disposable;
  /** Requests a session of our own from VS Code, which makes it offer a sign-in in its Accounts menu. */
  readonly requestOffer: () => Thenable<unknown>;
  readonly sessions: Pick<Sessions, 'list'>;
  readonly log: Log;
}

/**
 * The provider's registration, and the offer to sign in in the Accounts menu. Both name the service. VS Code makes the
 * offer when an extension requests a session, so this one requests its own as long as nobody is signed in.
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

  /** Updates label and offer: a setting or a session changed, or VS Code no longer waits for a sign-in. */
  update(): void {
    if (!this.#waiting) {
      this.#waiting = true;
      // One after another, because a request that waits for a sign-in would make an offer with an old label.
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

  /** A label changes only by registering again, not while VS Code waits for a sign-in. */
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
