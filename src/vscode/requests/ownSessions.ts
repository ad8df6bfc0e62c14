import type * as vscode from 'vscode';
import type { Clock } from '../../clock';
import { bestEffort, type Log } from '../../log';
import type { CurrentSession } from '../../sessions/currentSession';
import { isNewToken } from '../../sessions/rejectedTokens';
import type { SharedSessions } from '../../sessions/sharedSessions';
import { isMeantService, serviceScope } from './serviceScope';

type Account = vscode.AuthenticationSessionAccountInformation;
type Options = vscode.AuthenticationGetSessionOptions;

/** Which session is wanted. */
export interface WantedSession {
  /** The base URL of its service; `undefined` if VS Code decides. */
  readonly service: string | undefined;
  readonly scopes: readonly string[];
  /** Its account; by default, any of the service. */
  readonly account?: Account | undefined;
}

/**
 * VS Code hands out a session of another extension, which has registered the same provider before: its token is for another service,
 * perhaps.
 */
export class ForeignSessionError extends Error {
  override readonly name = 'ForeignSessionError';

  constructor() {
    super('The session isn’t from this extension. Another one may have registered the same authentication provider.');
  }
}

/**
 * Whether a request for a session failed because the person declined: they canceled the sign-in, or VS Code's question for consent.
 * VS Code has no type for that, and doesn't translate these messages.
 */
export function isDeclined(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Canceled' || error.message.startsWith('User did not consent'));
}

/**
 * The sessions of this extension's own provider, for whatever sends requests with their tokens: its MCP servers and the library's
 * `fetch`. They come from VS Code, as any extension gets them: with the person's consent, and their choice of account. Other
 * extensions report rejected tokens here, too.
 */
export class OwnSessions {
  /** @param getSession asks VS Code for a session of this extension's own provider */
  constructor(
    private readonly sessions: Pick<SharedSessions, 'list' | 'replaceRejected' | 'reportRejected'>,
    private readonly getSession: (
      scopes: readonly string[],
      options: Options,
    ) => PromiseLike<vscode.AuthenticationSession | undefined>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * The session that VS Code hands out without asking anybody. VS Code prefers one account of a provider for each extension, even if
   * the provider has several services: if that's an account of another one, it hands out nothing. So each account of the service is
   * asked for.
   * @throws ForeignSessionError; VS Code's error, which is that of the provider
   */
  async silently(wanted: WantedSession): Promise<vscode.AuthenticationSession | undefined> {
    const accounts = await this.#accountsFor(wanted);
    const isOnlyOne = accounts.length === 1;
    let session = isOnlyOne ? undefined : await this.#get(wanted, { silent: true });
    for (const account of accounts) {
      session ??= await this.#get(wanted, { silent: true, account });
    }
    return session;
  }

  /**
   * Has VS Code ask the person for a session. If the service has several accounts, VS Code lets them choose.
   * @param createIfNone how they're asked
   * @throws ForeignSessionError; VS Code's error, which is that of the provider, or says that the person declined (`isDeclined`)
   */
  async ask(
    wanted: WantedSession,
    createIfNone: true | vscode.AuthenticationGetSessionPresentationOptions,
  ): Promise<vscode.AuthenticationSession | undefined> {
    return await this.#get(wanted, { createIfNone, ...(await this.#onlyAccount(wanted)) });
  }

  /**
   * Has VS Code offer the person a session in the Accounts menu, without asking.
   * @returns the session, if they don't have to be asked
   * @throws as `ask` does
   */
  async offer(wanted: WantedSession): Promise<vscode.AuthenticationSession | undefined> {
    return await this.#get(wanted, await this.#onlyAccount(wanted));
  }

  /** Which of these scopes a session lacks; none if its service has no scopes, or if it isn't one of them. */
  async missingScopes(sessionId: string, scopes: readonly string[]): Promise<readonly string[]> {
    if (scopes.length === 0) {
      return [];
    }
    const granted = (await this.sessions.list()).find(({ id }) => id === sessionId)?.scopes;
    return granted === undefined ? [] : scopes.filter((scope) => !granted.includes(scope));
  }

  /** Whether an access token is so new that servers may not know it yet. */
  async isNew(accessToken: string): Promise<boolean> {
    const session = (await this.sessions.list()).find((one) => one.accessToken === accessToken);
    return session !== undefined && isNewToken(session, this.clock.now());
  }

  /** A server rejected this access token, which others may accept. Resolves with whether there's another one now, and never rejects. */
  async replaceRejectedToken(accessToken: string): Promise<boolean> {
    const replace = (): Promise<boolean> => this.sessions.replaceRejected(accessToken);
    return (await bestEffort(this.log, 'warn', "A rejected token can't be replaced", replace)) ?? false;
  }

  /**
   * For other extensions: the service itself rejected this access token. Then it isn't served anymore, even if there's no other one.
   * @param accessToken anything that they pass
   */
  async reportRejectedToken(accessToken: unknown): Promise<boolean> {
    const failure = "A token was reported as rejected, and the sessions can't be reached";
    const report = () =>
      typeof accessToken === 'string' && accessToken !== '' && this.sessions.reportRejected(accessToken);
    return (await bestEffort(this.log, 'warn', failure, report)) ?? false;
  }

  /** @throws ForeignSessionError */
  async #get({ scopes, service }: WantedSession, options: Options): Promise<vscode.AuthenticationSession | undefined> {
    const session = await this.getSession(service === undefined ? scopes : [...scopes, serviceScope(service)], options);
    if (session !== undefined && !(await this.#at(service)).some(({ id }) => id === session.id)) {
      throw new ForeignSessionError();
    }
    return session;
  }

  /** The accounts that a session may be of; none if VS Code decides. */
  async #accountsFor({ account, service }: WantedSession): Promise<readonly Account[]> {
    if (account !== undefined) {
      return [account];
    }
    const accounts = service === undefined ? [] : (await this.#at(service)).map((session) => session.account);
    // An account may have several sessions.
    return accounts.filter(({ id }, index) => accounts.findIndex((one) => one.id === id) === index);
  }

  /** The account that a session must be of, if there's just one. */
  async #onlyAccount(wanted: WantedSession): Promise<Pick<Options, 'account'>> {
    const [account, ...others] = await this.#accountsFor(wanted);
    return account !== undefined && others.length === 0 ? { account } : {};
  }

  async #at(service: string | undefined): Promise<readonly CurrentSession[]> {
    const meant = service === undefined ? [] : [service];
    return (await this.sessions.list()).filter((session) => isMeantService(meant, session.service.baseUrl));
  }
}
