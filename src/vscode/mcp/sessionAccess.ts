import type * as vscode from 'vscode';
import { type Clock, withTimeLimit } from '../../clock';
import { bestEffort, type Log } from '../../log';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Disposable } from '../../event';
import type { Editor } from '../editor/editor';
import { isDeclined } from '../editor/declined';
import type { OwnSessions } from '../requests/ownSessions';
import { onlyAccount, scopesAt, type ServiceAccounts, silentSession } from '../requests/sessionOfService';
import type { CurrentSettings } from '../settings/settings';
import type { SignIn } from '../signin/signIn';
import type { Texts } from '../texts/texts';
import type { McpServerOptions } from './options';

export interface SessionAccessDependencies {
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly ownSessions: Pick<OwnSessions, keyof OwnSessions>;
  readonly sessions: Pick<SharedSessions, 'onDidChange'>;
  readonly settings: CurrentSettings;
  readonly signIn: Pick<SignIn, 'running'>;
  readonly texts: Texts;
}

/** VS Code hands out no session while it waits for a sign-in. Whoever waits that long is told so. Milliseconds. */
const SIGN_IN_PATIENCE = 2_000;
/**
 * Whoever declined isn't asked again for that long: VS Code's chat starts all servers with each request, and a provider isn't told
 * who started one. Milliseconds.
 */
const QUIET_AFTER_REFUSAL = 60_000;

/** Gets the sessions for MCP servers from VS Code, as any extension does: with the person's consent, and their choice of account. */
export class SessionAccess implements Disposable {
  readonly #dependencies: SessionAccessDependencies;
  readonly #subscribed: Disposable;
  /** When the person last declined, on the monotonic clock. */
  #declinedAt: number | undefined;

  constructor(dependencies: SessionAccessDependencies) {
    this.#dependencies = dependencies;
    this.#subscribed = dependencies.sessions.onDidChange(({ added, removed }) => {
      if (added.length > 0 || removed.length > 0) {
        this.#declinedAt = undefined;
      }
    });
  }

  dispose(): void {
    this.#subscribed.dispose();
  }

  /** The session to start a server with. Asks the person if that's needed. @throws Error with a message for people */
  async requireSession(server: McpServerOptions): Promise<vscode.AuthenticationSession> {
    const session = (await this.getSilently(server)) ?? (await this.#ask(server));
    if (session === undefined) {
      throw new Error(this.textFor(server, 'signInNeeded'));
    }
    return session;
  }

  /** What people are told about a server and the service that it's for. */
  textFor(server: McpServerOptions, name: 'sessionEnded' | 'signInNeeded'): string {
    return this.#dependencies.texts.mcp[name]({ server: server.label, service: this.serviceName(server) });
  }

  /**
   * What VS Code hands out without asking anybody.
   * @param account the one that a server which names its service uses; by default, any account of that service
   * @throws Error with a message for people, if it waits for a sign-in
   */
  async getSilently(
    server: McpServerOptions,
    account?: vscode.AuthenticationSessionAccountInformation,
  ): Promise<vscode.AuthenticationSession | undefined> {
    const { clock, signIn, texts } = this.#dependencies;
    const session = this.#requestSilently(server, account);
    const tooLate = new Error(texts.mcp.signInOpen({ service: this.serviceName(server) }));
    for (;;) {
      try {
        return await withTimeLimit(clock, SIGN_IN_PATIENCE, session, () => tooLate);
      } catch (error) {
        if (error !== tooLate || signIn.running) {
          throw error;
        }
      }
    }
  }

  /** @returns the session; `undefined` if the person declines. @throws Error with a message for people */
  async #ask(server: McpServerOptions): Promise<vscode.AuthenticationSession | undefined> {
    const { label } = server;
    const { clock, log, texts } = this.#dependencies;
    const isQuiet = this.#declinedAt !== undefined && clock.monotonic() - this.#declinedAt < QUIET_AFTER_REFUSAL;
    // Without `createIfNone`, VS Code offers it in the Accounts menu.
    const options = isQuiet ? {} : { createIfNone: { detail: texts.mcp.purpose({ server: label }) } };
    const account = onlyAccount(await this.#accountsFor(server));
    try {
      return await this.#request(server, { ...options, ...account });
    } catch (error) {
      if (!isDeclined(error)) {
        throw error;
      }
      log.info(`The person declined to use a session for the MCP server ${label}.`);
      this.#declinedAt = clock.monotonic();
      // The Accounts menu is where they're told to find it.
      void bestEffort(log, 'debug', "Access can't be offered in the Accounts menu", () =>
        this.#request(server, account),
      );
      return undefined;
    }
  }

  async #requestSilently(
    server: McpServerOptions,
    account: vscode.AuthenticationSessionAccountInformation | undefined,
  ): Promise<vscode.AuthenticationSession | undefined> {
    const accounts = await this.#accountsFor(server);
    const wanted = account === undefined || server.service === undefined ? accounts : [account];
    return await silentSession((options) => this.#request(server, options), wanted);
  }

  /** The accounts that a server can use; none if it doesn't name its service, because VS Code then decides. */
  async #accountsFor({ service }: McpServerOptions): Promise<ServiceAccounts> {
    return service === undefined ? [] : await this.#dependencies.ownSessions.accountsAt(service);
  }

  /** What people call the service of a server. */
  serviceName({ service }: McpServerOptions): string {
    const { label, services } = this.#dependencies.settings.current;
    const named = service === undefined ? undefined : services.at(service);
    return named?.name ?? label;
  }

  /** What VS Code hands to this extension, if it's a session of its own. */
  async #request(
    { scopes, service }: McpServerOptions,
    options: vscode.AuthenticationGetSessionOptions,
  ): Promise<vscode.AuthenticationSession | undefined> {
    const { editor, log, ownSessions } = this.#dependencies;
    const session = await editor.getSession(scopesAt(service, scopes), options);
    if (session === undefined || (await ownSessions.has(session.id, service))) {
      return session;
    }
    log.warn(
      'The session isn’t from this extension. Another one may have registered the same authentication provider.',
    );
    return undefined;
  }
}
