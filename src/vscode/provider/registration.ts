import * as vscode from 'vscode';
import type { Log } from '../../log';
import type { Provider } from './provider';

/**
 * The provider's registration. Its label can be changed only by registering anew, which waits for a sign-in that the
 * editor waits for; so that is done once none is.
 */
export class Registration implements vscode.Disposable {
  #current: vscode.Disposable;

  /** Registers at once. */
  constructor(
    private readonly providerId: string,
    private label: string,
    private readonly provider: Provider,
    private readonly log: Log,
  ) {
    this.#current = this.#register();
  }

  /**
   * Registers anew if this is another label. Called again when the editor no longer waits for a sign-in.
   * @returns whether it was
   */
  rename(label: string): boolean {
    if (label === this.label || this.provider.busy) {
      return false;
    }
    this.label = label;
    this.#current.dispose();
    this.#current = this.#register();
    this.log.debug('The provider was registered under another label.');
    return true;
  }

  dispose(): void {
    this.#current.dispose();
  }

  #register(): vscode.Disposable {
    return vscode.authentication.registerAuthenticationProvider(this.providerId, this.label, this.provider, {
      supportsMultipleAccounts: true,
    });
  }
}
