import * as vscode from 'vscode';
import type { Log } from '../../log';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Provider } from './provider';

/** What the entry is made with. */
export interface MenuEntryParts {
  readonly providerId: string;
  /** The scopes with which this extension asks for its own entry. */
  readonly ownScopes: readonly string[];
  readonly provider: Pick<Provider, 'withdrawEntry'>;
  readonly sessions: Pick<SharedSessions, 'list'>;
  readonly log: Log;
}

/**
 * The entry to sign in in the Accounts menu, while nobody is signed in. The editor makes one when an extension asks for a
 * session, so this one asks for its own.
 */
export class MenuEntry {
  #last = Promise.resolve();
  #waiting = false;
  #outdated = false;

  constructor(private readonly parts: MenuEntryParts) {}

  /**
   * Has the entry made where there is none, unless somebody is signed in.
   * @param renamed whether the provider was registered under another label, which the entry is to show
   */
  offer(renamed = false): void {
    this.#outdated ||= renamed;
    if (!this.#waiting) {
      this.#waiting = true;
      // Asked for one after the other: one that waits for a sign-in would make an entry with the label of before.
      this.#last = this.#last.then(() => this.#make());
    }
  }

  async #make(): Promise<void> {
    this.#waiting = false;
    const { provider, sessions, log } = this.parts;
    try {
      if ((await sessions.list()).length > 0) {
        return;
      }
      if (this.#outdated) {
        // Answered once the editor knows the provider under its new label.
        await this.#ask({ silent: true });
        this.#outdated = false;
        provider.withdrawEntry();
      }
      await this.#ask({});
    } catch (error) {
      log.debug(
        `The entry in the Accounts menu could not be made: ${error instanceof Error ? error.name : 'unknown'}.`,
      );
    }
  }

  async #ask(options: vscode.AuthenticationGetSessionOptions): Promise<void> {
    await vscode.authentication.getSession(this.parts.providerId, this.parts.ownScopes, options);
  }
}
