import type * as vscode from 'vscode';
import { untilAborted } from '../../clock';
import { parseAddress, safeUrl } from '../../oauth/address';
import { type CheckedResponse, checkScopes } from '../requests/challenge';
import type { OwnSessions, WantedSession } from '../requests/ownSessions';
import type { TokenSender } from '../requests/tokenSender';
import { baseUrlOfOnly, onlyService } from '../services/serviceChoice';
import type { ConfiguredService } from '../settings/service';
import type { CurrentSettings } from '../settings/settings';
import { DeviceFlowError, DeviceFlowUsageError, toDeviceFlowError } from './deviceFlowError';
import { readRequest } from './requestInit';

/** What is called like the web's `fetch`, such as that of Node.js. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What a request with the token of a session can be sent with, besides what the web's `fetch` takes. */
export interface AuthorizedRequestInit extends RequestInit {
  /** The base URL of the service whose token is sent. Required if several are registered. */
  readonly service?: string;
  /** The scopes of the session; none by default, which any session has. */
  readonly scopes?: readonly string[];
  /** The account of the session. By default, the one that the person chose for your extension, or the only one of the service. */
  readonly account?: vscode.AuthenticationSessionAccountInformation;
  /** Whether to ask the person to sign in if there is no session, or it lacks scopes. By default, the call fails. */
  readonly interactive?: boolean;
}

/** As many as browsers follow. */
const MOST_REDIRECTS = 20;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Headers of a body that isn't sent. */
const BODY_HEADERS = ['Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Location', 'Content-Type'];

/** A request, and the session whose token it carries. */
interface SentRequest {
  readonly init: RequestInit & { readonly headers: Headers };
  readonly session: vscode.AuthenticationSession;
  readonly target: URL;
  readonly service: ConfiguredService;
  readonly wanted: WantedSession;
}

/** Sends requests with the tokens of sessions. */
export class AuthorizedFetch {
  /**
   * @param fetch sends them
   * @param label what the service is called or, with several, the provider
   */
  constructor(
    private readonly fetch: Fetch,
    private readonly label: string,
    private readonly settings: CurrentSettings,
    private readonly ownSessions: OwnSessions,
    private readonly tokenSender: TokenSender,
  ) {}

  /**
   * Sends a request with the token of a session, and once more with the next token if the service rejects it. The token
   * goes to the origin of the URL only. If the service says that it needs further scopes, an interactive call asks for a session
   * that has them, too, and sends the request once more.
   * @throws DeviceFlowUsageError if the URL isn't one that a token may be sent to, the request can't be sent, or the call doesn't name
   *   one of several services; DeviceFlowError if there's no such service, no session, or no token, if the session lacks scopes, or if
   *   the server redirects the request to where the token doesn't go; what `fetch` throws; the reason of `init.signal` as soon as
   *   that's aborted
   */
  async send(url: string | URL | Request, options?: AuthorizedRequestInit): Promise<Response> {
    const { address, init: given } = readRequest(url, options);
    const { service: baseUrl, scopes = [], account, interactive = false, ...init } = given;
    const target = safeUrl(address);
    if (target === undefined) {
      // The address isn't quoted: a query may hold a secret.
      throw new DeviceFlowUsageError(
        'The token isn’t sent: the URL must begin with https:// (or http:// on this machine), without a user name or password.',
      );
    }
    const service = this.#meantService(baseUrl);
    const wanted = { account, scopes, service: baseUrl ?? baseUrlOfOnly(this.settings.current.services) };
    const session = await unlessAborted(init, () => this.#findSession(wanted, interactive));
    if (session === undefined) {
      throw new DeviceFlowError(
        'notSignedIn',
        `You aren’t signed in to ${service.name}, or haven’t allowed this extension to use your account.`,
      );
    }
    const first = await this.#sendWithSession({ init, session, target, service, wanted });
    if (first.missingScopes.length === 0) {
      return first.response;
    }
    await first.response.body?.cancel();
    const wider = { ...wanted, account: session.account, scopes: [...scopes, ...first.missingScopes] };
    const isRepeatable = !isStream(init.body);
    const widerSession = isRepeatable
      ? await unlessAborted(init, () => this.#findSession(wider, interactive))
      : undefined;
    if (widerSession === undefined) {
      throw insufficientScope(service, first.missingScopes);
    }
    const repeated = await this.#sendWithSession({ init, session: widerSession, target, service, wanted: wider });
    if (repeated.missingScopes.length > 0) {
      await repeated.response.body?.cancel();
      throw insufficientScope(service, repeated.missingScopes);
    }
    return repeated.response;
  }

  /** Sends a request with the token of a session, and once more with its next token if the service rejects it. */
  async #sendWithSession({ init, session, target, service, wanted }: SentRequest): Promise<CheckedResponse<Response>> {
    const inQuery = service.accessTokenIn === 'query';
    const request = {
      // A server that rejects one account may accept another one.
      server: `${target.origin} ${session.id}`,
      tokens: {
        current: () => Promise.resolve(session.accessToken),
        isNew: (accessToken: string) => this.ownSessions.isNew(accessToken),
        replace: async (rejected: string, mayRefresh: boolean) => {
          if (mayRefresh) {
            await this.ownSessions.replaceRejectedToken(rejected);
          }
          const ofAccount = { ...wanted, account: session.account };
          return (await this.#findSession(ofAccount, false))?.accessToken;
        },
      },
      send: async (accessToken: string) => {
        const response = await send(this.fetch, inQuery, target, init, accessToken);
        return await checkScopes(response, (needed) => this.ownSessions.missingScopes(session.id, needed));
      },
      discard: ({ response }: CheckedResponse<Response>) => response.body?.cancel(),
      isRepeatable: !isStream(init.body),
    };
    return await unlessAborted(init, () => this.tokenSender.send(request));
  }

  /**
   * The service whose token a request carries.
   * @param service the base URL that the caller names
   * @throws DeviceFlowUsageError if there are several and none is named, or it isn't a string; DeviceFlowError if it isn't there
   */
  #meantService(service: unknown): ConfiguredService {
    const { label } = this;
    const { services } = this.settings.current;
    if (service !== undefined && typeof service !== 'string') {
      throw new DeviceFlowUsageError('The token isn’t sent: { service } isn’t a base URL, which is a string.');
    }
    if (services.all.length === 0) {
      throw new DeviceFlowError('noService', `${label} isn’t set up yet. Check the extension’s settings.`);
    }
    const only = onlyService(services);
    if (service === undefined && only === undefined) {
      throw new DeviceFlowUsageError(
        `The token isn’t sent: ${label} has several services. Name one, as in { service: '<base URL>' }.`,
      );
    }
    const meant = service === undefined ? only : services.at(service);
    if (meant === undefined) {
      // The name isn't quoted, because it may hold a secret.
      throw new DeviceFlowError(
        'noService',
        `${label} has no service with this base URL. Check the extension’s settings.`,
      );
    }
    return meant;
  }

  /**
   * The session whose token is sent; `undefined` if there's none, and nobody may be asked.
   * @throws DeviceFlowError if VS Code hands out none for another reason, or it isn't from this extension's own provider
   */
  async #findSession(wanted: WantedSession, interactive: boolean): Promise<vscode.AuthenticationSession | undefined> {
    try {
      const session = await this.ownSessions.silently(wanted);
      return session === undefined && interactive ? await this.ownSessions.ask(wanted, true) : session;
    } catch (error) {
      throw toDeviceFlowError(error);
    }
  }
}

/** Gives up on an operation, which may take long, as soon as the caller gives up on the request. */
async function unlessAborted<T>({ signal }: RequestInit, operation: () => Promise<T>): Promise<T> {
  if (signal === undefined || signal === null) {
    return await operation();
  }
  return await untilAborted(signal, operation);
}

/** What's thrown if the session lacks scopes. */
function insufficientScope({ name }: ConfiguredService, scopes: readonly string[]): DeviceFlowError {
  const message = `The request needs more permissions for your ${name} account: ${scopes.join(' ')}.`;
  return new DeviceFlowError('insufficientScope', message, { scopes });
}

/** A body that can be read only once. */
function isStream(body: RequestInit['body']): boolean {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** A request on its way to the target, or to where that redirected it. */
interface Hop {
  readonly url: URL;
  readonly init: RequestInit;
}

/** Sends a request, and follows redirects within its origin as the web's `fetch` does. @throws DeviceFlowError on any other redirect */
async function send(
  fetch: Fetch,
  inQuery: boolean,
  target: URL,
  given: SentRequest['init'],
  accessToken: string,
): Promise<Response> {
  const headers = new Headers(given.headers);
  if (!inQuery) {
    headers.set('Authorization', `Bearer ${accessToken}`);
  }
  // Other clients keep the token for another port of the same host, for example.
  let hop: Hop = {
    url: target,
    init: { ...given, headers, redirect: given.redirect === 'error' ? 'error' : 'manual' },
  };
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const address = inQuery ? withToken(hop.url, accessToken) : hop.url.href;
    const response = await fetch(address, hop.init);
    const location = REDIRECTS.includes(response.status) ? response.headers.get('Location') : null;
    if (location === null || given.redirect === 'manual') {
      return response;
    }
    await response.body?.cancel();
    hop = redirected(hop, response.status, location);
  }
  throw new DeviceFlowError('redirected', 'The service redirected the request too often.');
}

/** The request that a redirect leads to. @throws DeviceFlowError if it leads to another origin, or can't be sent there */
function redirected({ url, init }: Hop, status: number, location: string): Hop {
  // The error of `new URL` quotes the address, which may repeat the token.
  const next = safeUrl(parseAddress(location, url)?.href ?? '');
  if (next === undefined) {
    throw new DeviceFlowError(
      'redirected',
      'The service redirected the request to an address that can’t get the token.',
    );
  }
  if (next.origin !== url.origin) {
    throw new DeviceFlowError(
      'redirected',
      `The service redirected the request to another origin, ${next.origin}, which doesn’t get the token.`,
    );
  }
  const method = init.method?.toUpperCase() ?? 'GET';
  if (status === 303 || (status <= 302 && method === 'POST')) {
    const headers = new Headers(init.headers);
    BODY_HEADERS.forEach((name) => {
      headers.delete(name);
    });
    return { url: next, init: { ...init, headers, method: method === 'HEAD' ? 'HEAD' : 'GET', body: null } };
  }
  if (isStream(init.body)) {
    throw new DeviceFlowError('redirected', 'The service redirected the request, and its body can be read only once.');
  }
  return { url: next, init };
}

/** The address with this token in its query, which is otherwise left as it is. A redirect may repeat the one from before. */
function withToken(url: URL, accessToken: string): string {
  const result = new URL(url);
  const others = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '' && !new URLSearchParams(parameter).has('access_token'));
  result.search = [...others, `access_token=${encodeURIComponent(accessToken)}`].join('&');
  return result.href;
}
