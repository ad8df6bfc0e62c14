import type * as vscode from 'vscode';
import { type Disposable, type Event, EventEmitter } from '../../event';
import { bestEffort } from '../../log';
import { uniqueScopes } from '../../oauth/scopes';
import type { McpDefinition, McpServerSource } from '../editor/mcpRegistration';
import { firstScopes, shownScopes } from '../texts/shownScopes';
import type { TokenSource } from '../requests/tokenSender';
import { Bridge, type BridgedServer } from './bridge';
import type { McpServerOptions } from './options';
import { type McpWiring, SessionAccess } from './sessionAccess';

/** A server that VS Code started. */
interface Running {
  /** Whose session it uses. */
  readonly account: vscode.AuthenticationSessionAccountInformation;
  /** Whether that session isn't there anymore. */
  isOver: boolean;
  /** The session whose token the server got last. */
  sessionId: string;
  /** The session of which the person was told that the server rejects it. */
  rejectedSessionId: string | undefined;
  /** The session of which the person was told that it lacks scopes. One that's wider has another ID. */
  narrowSessionId: string | undefined;
  /** What the server said last that it needs besides its own scopes. */
  neededScopes: readonly string[];
}

/** How long a server whose session ended still says so: VS Code takes half a second to stop it. Milliseconds. */
const LAST_WORDS = 5_000;

/**
 * The MCP servers of this build, as VS Code lists and starts them. While one runs, its requests go through the bridge, each
 * with the token that VS Code hands to this extension at that moment, so that VS Code's consent and choice of the account
 * count for every request. A server ends when that session does.
 */
export class McpServers implements McpServerSource, Disposable {
  readonly #wiring: McpWiring;
  /** There's none before the first server starts. */
  #bridge: Bridge | undefined;
  readonly #registered: Disposable;
  /** The servers that VS Code started last, and how the bridge reaches them. */
  readonly #running = new Map<string, Running & { readonly bridged: BridgedServer }>();
  /** How often each server ended: VS Code stops a server whose version changes. */
  readonly #ends = new Map<string, number>();
  readonly #changes = new EventEmitter<void>();
  readonly #access: SessionAccess;
  readonly #subscribed: Disposable;

  /** Registers at once. */
  constructor(
    wiring: McpWiring,
    private readonly servers: readonly McpServerOptions[],
  ) {
    this.#wiring = wiring;
    this.#registered = wiring.editor.registerMcpServers(this);
    this.#access = new SessionAccess(wiring);
    this.#subscribed = wiring.settings.onDidChange(() => {
      if (servers.some(({ service }) => service !== undefined)) {
        this.#changes.fire();
      }
    });
  }

  get onDidChange(): Event<void> {
    return this.#changes.event;
  }

  /** The servers whose service is configured. Asks nobody for anything, because VS Code calls this at any time. */
  list(): readonly McpDefinition[] {
    const { services } = this.#wiring.settings.current;
    const isOffered = ({ service }: McpServerOptions): boolean =>
      service === undefined || services.at(service) !== undefined;
    return this.servers.filter(isOffered).map(({ label, url, version }) => {
      const ends = this.#ends.get(label) ?? 0;
      return { label, url, headers: {}, version: ends === 0 ? version : `${version ?? ''}+${ends}` };
    });
  }

  /**
   * Opens the bridge for a server that VS Code is about to start, which is because of something that a person does. Asks
   * them for access, and to sign in, if that's needed.
   * @throws Error with a message for people
   */
  async start(label: string): Promise<McpDefinition> {
    const definition = this.list().find((one) => one.label === label);
    const server = this.servers.find((one) => one.label === label);
    if (definition === undefined || server === undefined) {
      throw new Error(`There is no MCP server ${label}.`);
    }
    const { clock, closing, fetch, log, random, texts } = this.#wiring;
    const { account, id: sessionId } = await this.#access.requireSession(server);
    // The person may have been asked for a long time. Nobody would close a bridge that opens now.
    closing.throwIfAborted();
    const running: Running = {
      account,
      isOver: false,
      sessionId,
      rejectedSessionId: undefined,
      narrowSessionId: undefined,
      neededScopes: [],
    };
    this.#bridge ??= new Bridge(clock, fetch, log, random, texts);
    const bridged = await this.#bridge.open({
      label,
      url: server.url,
      headers: server.headers ?? {},
      tokens: this.#tokensOf(server, running),
      onRejected: () => {
        this.#showRejection(server, running);
      },
      missingScopes: (needed) => this.#wiring.ownSessions.missingScopes(running.sessionId, needed),
      onScopesMissing: (scopes) => this.#tellOfMissingScopes(server, running, scopes),
    });
    // VS Code starts a server that it has stopped before, and doesn't say when it stops one.
    this.#running.get(label)?.bridged.end();
    this.#running.set(label, Object.assign(running, { bridged }));
    log.info(`The MCP server ${label} starts.`);
    return { ...definition, url: bridged.url, headers: bridged.headers };
  }

  /** Ends the servers whose session isn't there anymore. VS Code may call this several times for one change. */
  async sessionsChanged(): Promise<void> {
    for (const server of this.servers) {
      const { label } = server;
      const running = this.#running.get(label);
      if (running !== undefined) {
        await bestEffort(this.#wiring.log, 'debug', `The session of the MCP server ${label} isn't known`, async () => {
          const session = await this.#access.getSilently(server, running.account);
          this.#endUnless(label, running, session?.account.id);
        });
      }
    }
  }

  /** VS Code stops all of them, and the bridge closes. */
  dispose(): void {
    this.#registered.dispose();
    this.#access.dispose();
    this.#subscribed.dispose();
    this.#bridge?.close();
  }

  /** The tokens of the session that a running server uses. They throw errors with messages for people. */
  #tokensOf(server: McpServerOptions, running: Running): TokenSource {
    const current = () => this.#currentToken(server, running);
    return {
      current,
      isNew: (token) => this.#wiring.ownSessions.isNew(token),
      replace: async (rejected, mayRefresh) => {
        if (mayRefresh) {
          await this.#wiring.ownSessions.replaceRejectedToken(rejected);
        }
        return await current();
      },
    };
  }

  /** @throws Error with a message for people */
  async #currentToken(server: McpServerOptions, running: Running): Promise<string> {
    const session = running.isOver ? undefined : await this.#currentSession(server, running);
    if (session?.account.id !== running.account.id) {
      this.#endUnless(server.label, running, session?.account.id);
      throw new Error(this.#access.textFor(server, 'sessionEnded'));
    }
    running.sessionId = session.id;
    return session.accessToken;
  }

  /** An account has two sessions if the service refuses to give one all scopes. What the server said that it needs decides. */
  async #currentSession(
    server: McpServerOptions,
    { account, neededScopes }: Running,
  ): Promise<vscode.AuthenticationSession | undefined> {
    const wider = { ...server, scopes: [...(server.scopes ?? []), ...neededScopes] };
    const session = neededScopes.length === 0 ? undefined : await this.#access.getSilently(wider, account);
    return session?.account.id === account.id ? session : await this.#access.getSilently(server, account);
  }

  /**
   * Tells the person, once for each session, that a server needs more scopes than it has, and offers to sign in for them.
   * @returns what whoever called is told
   */
  #tellOfMissingScopes(server: McpServerOptions, running: Running, scopes: readonly string[]): string {
    const { messages, texts } = this.#wiring;
    const describe = (list: string): string =>
      texts.mcp.scopesMissing({ server: server.label, service: this.#access.serviceName(server), scopes: list });
    running.neededScopes = scopes;
    if (running.narrowSessionId !== running.sessionId) {
      running.narrowSessionId = running.sessionId;
      const { list, more } = firstScopes(scopes);
      const text = describe(more === 0 ? list : `${list}, …`);
      void messages.show(
        { severity: 'warning', text, offers: ['signIn'] },
        { signIn: () => this.#widen(server, running, scopes) },
      );
    }
    return describe(shownScopes(scopes).join(', '));
  }

  /** Signs in again for scopes that a session lacks, unless it has them by now. */
  async #widen(server: McpServerOptions, running: Running, scopes: readonly string[]): Promise<void> {
    const { log, ownSessions, signIn } = this.#wiring;
    const session = await bestEffort(log, 'debug', `The session of the MCP server ${server.label} isn't known`, () =>
      this.#currentSession(server, { ...running, neededScopes: scopes }),
    );
    if (session === undefined || (await ownSessions.missingScopes(session.id, scopes)).length > 0) {
      await signIn.start({
        accountId: running.account.id,
        scopes: uniqueScopes([...(server.scopes ?? []), ...scopes]),
        services: servicesOf(server),
      });
    }
  }

  /** Tells the person, once for each session, that a server rejects it. Others may accept its token. */
  #showRejection(server: McpServerOptions, running: Running): void {
    const { clock, messages, signIn, texts } = this.#wiring;
    if (running.rejectedSessionId !== running.sessionId) {
      running.rejectedSessionId = running.sessionId;
      const request = { accountId: running.account.id, services: servicesOf(server) };
      const since = clock.now();
      void messages.show(
        { severity: 'warning', text: texts.mcp.rejected({ server: server.label }), offers: ['signIn'] },
        { signIn: () => signIn.startIfNeeded(request, since) },
      );
    }
  }

  /**
   * Ends a server, unless this is still the account whose session it uses. VS Code stops it because of its new version. Until
   * then, it gets no token, and calls are told why.
   */
  #endUnless(label: string, running: Running, accountId: string | undefined): void {
    const last = this.#running.get(label);
    if (accountId === running.account.id || running.isOver || last !== running) {
      return;
    }
    const { clock, closing, log } = this.#wiring;
    log.info(`The MCP server ${label} ends, because its session did.`);
    running.isOver = true;
    const end = (): void => {
      last.bridged.end();
    };
    void clock.sleep(LAST_WORDS, closing).then(end, end);
    this.#ends.set(label, (this.#ends.get(label) ?? 0) + 1);
    this.#changes.fire();
  }
}

/** The services that a sign-in for a server is to: the one that it names, if it names one. */
function servicesOf({ service }: McpServerOptions): readonly string[] {
  return service === undefined ? [] : [service];
}
