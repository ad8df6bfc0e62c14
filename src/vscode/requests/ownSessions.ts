import { bestEffort, type Log } from '../../log';
import { isMeantService } from '../../oauth/scopes';
import type { CurrentSession } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { ServiceAccounts } from './sessionOfService';

/**
 * The sessions of this extension's own provider, for whatever asks VS Code for one of them: its MCP servers and its requests. Other
 * extensions report rejected tokens here, too.
 */
export class OwnSessions {
  constructor(
    private readonly sessions: Pick<SharedSessions, 'list' | 'replaceRejected' | 'reportRejected'>,
    private readonly log: Log,
  ) {}

  /** The accounts of the service at this base URL. */
  async accountsAt(service: string): Promise<ServiceAccounts> {
    const accounts = (await this.#at(service)).map(({ account }) => account);
    // An account may have several sessions.
    return accounts.filter(({ id }, index) => accounts.findIndex((one) => one.id === id) === index);
  }

  /**
   * Whether a session is one of them. If two extensions register one provider, VS Code asks the first for sessions: its tokens are
   * for another service, perhaps.
   * @param service the base URL that its service must have, if it's known
   */
  async has(sessionId: string, service: string | undefined): Promise<boolean> {
    return (await this.#at(service)).some(({ id }) => id === sessionId);
  }

  /** Which of these scopes a session lacks; none if its service has no scopes, or if it isn't one of them. */
  async missingScopes(sessionId: string, scopes: readonly string[]): Promise<readonly string[]> {
    if (scopes.length === 0) {
      return [];
    }
    const granted = (await this.sessions.list()).find(({ id }) => id === sessionId)?.scopes;
    return granted === undefined ? [] : scopes.filter((scope) => !granted.includes(scope));
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

  async #at(service: string | undefined): Promise<readonly CurrentSession[]> {
    const meant = service === undefined ? [] : [service];
    return (await this.sessions.list()).filter((session) => isMeantService(meant, session.service.baseUrl));
  }
}
