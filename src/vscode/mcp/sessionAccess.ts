import type * as vscode from 'vscode';
import { type Clock, withTimeLimit } from '../../clock';
import type { Log } from '../../log';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Disposable, Editor } from '../editor/editor';
import { isRefusal } from '../editor/refusal';
import type { SignIn } from '../signin/signIn';
import type { Texts } from '../texts/texts';
import type { McpServerOptions } from './options';

/** What access to sessions works with. */
export interface SessionAccessDependencies {
  readonly clock: Clock;
  readonly editor: Pick<Editor, 'getSession'>;
  /** Whether a session is of this extension's own provider. */
  readonly hasSession: (sessionId: string) => Promise<boolean>;
  readonly log: Log;
  readonly serviceName: () => string;
  readonly sessions: Pick<SharedSessions, 'onDidChange'>;
  readonly signIn: Pick<SignIn, 'running'>;
  readonly texts: Pick<Texts, 'mcp'>;
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
    const { serviceName, texts } = this.#dependencies;
    const session = (await this.getSilently(server.scopes)) ?? (await this.#ask(server));
    if (session === undefined) {
      throw new Error(texts.mcp.signInNeeded({ server: server.label, service: serviceName() }));
    }
    return session;
  }

  /**
   * What VS Code hands out without asking anybody.
   * @throws Error with a message for people, if it waits for a sign-in
   */
  async getSilently(scopes: readonly string[] = []): Promise<vscode.AuthenticationSession | undefined> {
    const { clock, serviceName, signIn, texts } = this.#dependencies;
    const session = this.#get(scopes, { silent: true });
    const tooLate = new Error(texts.mcp.signInOpen({ service: serviceName() }));
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
  async #ask({ label, scopes = [] }: McpServerOptions): Promise<vscode.AuthenticationSession | undefined> {
    const { clock, log, texts } = this.#dependencies;
    const isQuiet = this.#declinedAt !== undefined && clock.monotonic() - this.#declinedAt < QUIET_AFTER_REFUSAL;
    // Without `createIfNone`, VS Code offers it in the Accounts menu.
    const options = isQuiet ? {} : { createIfNone: { detail: texts.mcp.purpose({ server: label }) } };
    try {
      return await this.#get(scopes, options);
    } catch (error) {
      if (!isRefusal(error)) {
        throw error;
      }
      log.info(`The person declined to use a session for the MCP server ${label}.`);
      this.#declinedAt = clock.monotonic();
      return undefined;
    }
  }

  /**
   * What VS Code hands to this extension, if it's a session of its own. If two extensions register one ID, VS Code asks the
   * first for sessions: its tokens are for another service, perhaps.
   */
  async #get(
    scopes: readonly string[],
    options: vscode.AuthenticationGetSessionOptions,
  ): Promise<vscode.AuthenticationSession | undefined> {
    const { editor, hasSession, log } = this.#dependencies;
    const session = await editor.getSession(scopes, options);
    if (session === undefined || (await hasSession(session.id))) {
      return session;
    }
    log.warn(
      'The session isn’t from this extension. Another one may have registered the same authentication provider.',
    );
    return undefined;
  }
}
