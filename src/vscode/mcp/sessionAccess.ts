import type * as vscode from 'vscode';
import { type Clock, withTimeLimit } from '../../clock';
import type { Disposable } from '../../event';
import { bestEffort, type Log } from '../../log';
import type { Fetch } from '../../oauth/fetch';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Platform } from '../../storage/platform';
import type { Editor } from '../editor/editor';
import type { Messages } from '../failures/messages';
import { ForeignSessionError, isDeclined, type OwnSessions, type WantedSession } from '../requests/ownSessions';
import { baseUrlOfOnly } from '../services/serviceChoice';
import type { Settings } from '../settings/settings';
import type { SignIn } from '../signin/signIn';
import type { Texts } from '../texts/texts';
import type { McpServerOptions } from './options';

/** What the MCP servers are wired from. */
export interface McpWiring {
  readonly clock: Clock;
  /** Aborted when the window closes. */
  readonly closing: AbortSignal;
  readonly editor: Editor;
  readonly fetch: Fetch;
  readonly log: Log;
  readonly messages: Messages;
  readonly ownSessions: OwnSessions;
  readonly random: Platform['random'];
  readonly sessions: Pick<SharedSessions, 'onDidChange'>;
  readonly settings: Pick<Settings, 'current' | 'onDidChange'>;
  readonly signIn: Pick<SignIn, 'isRunning' | 'start' | 'startIfNeeded'>;
  readonly texts: Texts;
}

/** VS Code hands out no session while it waits for a sign-in. Whoever waits that long is told so. Milliseconds. */
const SIGN_IN_PATIENCE = 2_000;
/**
 * Whoever declined isn't asked again for that long: VS Code's chat starts all servers with each request, and a provider isn't told
 * who started one. Milliseconds.
 */
const QUIET_AFTER_DECLINE = 60_000;

/** Gets the sessions for MCP servers, and asks the person no more often than they want to be asked. */
export class SessionAccess implements Disposable {
  readonly #wiring: McpWiring;
  readonly #subscribed: Disposable;
  /** When the person last declined, on the monotonic clock. */
  #declinedAt: number | undefined;

  constructor(wiring: McpWiring) {
    this.#wiring = wiring;
    this.#subscribed = wiring.sessions.onDidChange(({ added, removed }) => {
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
    return this.#wiring.texts.mcp[name]({ server: server.label, service: this.serviceName(server) });
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
    const { clock, signIn, texts } = this.#wiring;
    const session = this.#unlessForeign(() => this.#wiring.ownSessions.silently(this.#wanted(server, account)));
    const tooLate = new Error(texts.mcp.signInOpen({ service: this.serviceName(server) }));
    for (;;) {
      try {
        return await withTimeLimit(clock, SIGN_IN_PATIENCE, session, () => tooLate);
      } catch (error) {
        if (error !== tooLate || signIn.isRunning) {
          throw error;
        }
      }
    }
  }

  /** @returns the session; `undefined` if the person declines. @throws Error with a message for people */
  async #ask(server: McpServerOptions): Promise<vscode.AuthenticationSession | undefined> {
    const { label } = server;
    const { clock, log, ownSessions, texts } = this.#wiring;
    const isQuiet = this.#declinedAt !== undefined && clock.monotonic() - this.#declinedAt < QUIET_AFTER_DECLINE;
    const wanted = this.#wanted(server);
    if (isQuiet) {
      return await this.#unlessForeign(() => ownSessions.offer(wanted));
    }
    try {
      const question = { detail: texts.mcp.purpose({ server: label }) };
      return await this.#unlessForeign(() => ownSessions.ask(wanted, question));
    } catch (error) {
      if (!isDeclined(error)) {
        throw error;
      }
      log.info(`The person declined to use a session for the MCP server ${label}.`);
      this.#declinedAt = clock.monotonic();
      // The Accounts menu is where they're told to find it.
      void bestEffort(log, 'debug', "Access can't be offered in the Accounts menu", () => ownSessions.offer(wanted));
      return undefined;
    }
  }

  /** What people call the service of a server. */
  serviceName({ service }: McpServerOptions): string {
    const { label, services } = this.#wiring.settings.current;
    const named = service === undefined ? undefined : services.at(service);
    return named?.name ?? label;
  }

  /** A session, unless it's another extension's. */
  async #unlessForeign(
    getSession: () => Promise<vscode.AuthenticationSession | undefined>,
  ): Promise<vscode.AuthenticationSession | undefined> {
    try {
      return await getSession();
    } catch (error) {
      if (error instanceof ForeignSessionError) {
        this.#wiring.log.warn(error.message);
        return undefined;
      }
      throw error;
    }
  }

  /**
   * The session that a server uses.
   * @param account counts only if the service is named: if it isn't, VS Code decides
   */
  #wanted(
    { scopes = [], service: named }: McpServerOptions,
    account?: vscode.AuthenticationSessionAccountInformation,
  ): WantedSession {
    const service = named ?? baseUrlOfOnly(this.#wiring.settings.current.services);
    return { scopes, service, account: service === undefined ? undefined : account };
  }
}
