import type * as vscode from 'vscode';
import { untilAborted } from '../../clock';
import { parseAddress, safeUrl } from '../../oauth/address';
import { type CheckedResponse, checkScopes } from '../requests/challenge';
import type { OwnSessions } from '../requests/ownSessions';
import { onlyAccount, scopesAt, type ServiceAccounts, silentSession } from '../requests/sessionOfService';
import type { ConfiguredService } from '../settings/service';
import type { ConfiguredServices } from '../settings/services';
import type { TokenSender } from '../requests/tokenSender';
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

export interface AuthorizedFetchDependencies {
  readonly fetch: Fetch;
  /** Asks VS Code for a session of the provider. */
  readonly getSession: (
    scopes: readonly string[],
    options: vscode.AuthenticationGetSessionOptions,
  ) => Thenable<vscode.AuthenticationSession | undefined>;
  /** What the service is called or, with several, the provider. */
  readonly label: string;
  readonly ownSessions: Pick<OwnSessions, keyof OwnSessions>;
  readonly services: ConfiguredServices;
  readonly tokenSender: TokenSender;
}

/** As many as browsers follow. */
const MOST_REDIRECTS = 20;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Headers of a body that isn't sent. */
const BODY_HEADERS = ['Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Location', 'Content-Type'];

/**
 * Sends a request with the token of a session, and once more with the next token if the service rejects it. The token
 * goes to the origin of the URL only. If the service says that it needs further scopes, an interactive call asks for a session
 * that has them, too, and sends the request once more.
 * @throws DeviceFlowUsageError if the URL isn't one that a token may be sent to, the request can't be sent, or the call doesn't name
 *   one of several services; DeviceFlowError if there's no such service, no session, or no token, if the session lacks scopes, or if
 *   the server redirects the request to where the token doesn't go; what `fetch` throws; the reason of `init.signal` as soon as
 *   that's aborted
 */
export async function authorizedFetch(
  dependencies: AuthorizedFetchDependencies,
  url: string | URL | Request,
  options?: AuthorizedRequestInit,
): Promise<Response> {
  const { address, init: given } = readRequest(url, options);
  const { service, scopes = [], account, interactive = false, ...init } = given;
  const target = safeUrl(address);
  if (target === undefined) {
    // The address isn't quoted: a query may hold a secret.
    throw new DeviceFlowUsageError(
      'The token isn’t sent: the URL must begin with https:// (or http:// on this machine), without a user name or password.',
    );
  }
  const meant = meantService(dependencies, service);
  const wanted = { interactive, scopes: scopesAt(service, scopes), service: meant };
  const session = await unlessAborted(init, async () => {
    const known = service === undefined ? [] : await dependencies.ownSessions.accountsAt(service);
    const accounts = account === undefined ? known : [account];
    return await requireSession(dependencies, { ...wanted, accounts });
  });
  const outcome = await sendWithSession(dependencies, { init, session, target, wanted });
  if (outcome.missingScopes.length === 0) {
    return outcome.response;
  }
  await outcome.response.body?.cancel();
  const wider = { ...wanted, accounts: [session.account], scopes: [...wanted.scopes, ...outcome.missingScopes] };
  const isRepeatable = !isStream(init.body);
  const widerSession = isRepeatable ? await unlessAborted(init, () => findSession(dependencies, wider)) : undefined;
  if (widerSession === undefined) {
    throw insufficientScope(meant, outcome.missingScopes);
  }
  const repeated = await sendWithSession(dependencies, { init, session: widerSession, target, wanted: wider });
  if (repeated.missingScopes.length > 0) {
    await repeated.response.body?.cancel();
    throw insufficientScope(meant, repeated.missingScopes);
  }
  return repeated.response;
}

/** A request, and the session whose token it carries. */
interface RequestOfSession {
  readonly init: RequestInit & { readonly headers: Headers };
  readonly session: vscode.AuthenticationSession;
  readonly target: URL;
  readonly wanted: Omit<WantedSession, 'accounts'>;
}

/** Sends a request with the token of a session, and once more with its next token if the service rejects it. */
async function sendWithSession(
  dependencies: AuthorizedFetchDependencies,
  { init, session, target, wanted }: RequestOfSession,
): Promise<CheckedResponse<Response>> {
  const { ownSessions, tokenSender } = dependencies;
  const inQuery = wanted.service.accessTokenIn === 'query';
  return await tokenSender.send({
    // A server that rejects one account may accept another one.
    server: `${target.origin} ${session.id}`,
    tokens: {
      current: () => Promise.resolve(session.accessToken),
      replace: async (rejected, mayRefresh) => {
        if (mayRefresh) {
          await unlessAborted(init, () => ownSessions.replaceRejectedToken(rejected));
        }
        const silently = { silent: true, account: session.account };
        return (await unlessAborted(init, () => getSession(dependencies, wanted.scopes, silently)))?.accessToken;
      },
    },
    send: async (accessToken) => {
      const response = await send(dependencies.fetch, inQuery, target, init, accessToken);
      return await checkScopes(response, (needed) => ownSessions.missingScopes(session.id, needed));
    },
    discard: ({ response }) => response.body?.cancel(),
    isRepeatable: !isStream(init.body),
  });
}

/** Gives up on an operation, which may take long, as soon as the caller gives up on the request. */
async function unlessAborted<T>({ signal }: RequestInit, operation: () => PromiseLike<T>): Promise<T> {
  if (signal === undefined || signal === null) {
    return await operation();
  }
  return await untilAborted(signal, async () => await operation());
}

/** What's thrown if the session lacks scopes. */
function insufficientScope({ name }: ConfiguredService, scopes: readonly string[]): DeviceFlowError {
  const message = `This needs more access to your ${name} account: ${scopes.join(' ')}.`;
  return new DeviceFlowError('insufficientScope', message, { scopes });
}

/**
 * The service whose token a request carries.
 * @param service the base URL that the caller names
 * @throws DeviceFlowUsageError if there are several and none is named, or it isn't a string; DeviceFlowError if it isn't there
 */
function meantService({ label, services }: AuthorizedFetchDependencies, service: unknown): ConfiguredService {
  if (service !== undefined && typeof service !== 'string') {
    throw new DeviceFlowUsageError('The token isn’t sent: { service } isn’t a base URL, which is a string.');
  }
  if (services.all.length === 0) {
    throw new DeviceFlowError('noService', `${label} isn’t set up yet. Check the extension’s settings.`);
  }
  if (service === undefined && services.all.length > 1) {
    throw new DeviceFlowUsageError(
      `The token isn’t sent: ${label} has several services. Name one, as in { service: '<base URL>' }.`,
    );
  }
  const meant = service === undefined ? services.default : services.at(service);
  if (meant === undefined) {
    // The name isn't quoted, because it may hold a secret.
    throw new DeviceFlowError(
      'noService',
      `${label} has no service with this base URL. Check the extension’s settings.`,
    );
  }
  return meant;
}

/** Asks VS Code for a session. @throws DeviceFlowError */
async function getSession(
  dependencies: AuthorizedFetchDependencies,
  scopes: readonly string[],
  options: vscode.AuthenticationGetSessionOptions,
): Promise<vscode.AuthenticationSession | undefined> {
  try {
    return await dependencies.getSession(scopes, options);
  } catch (error) {
    throw toDeviceFlowError(error);
  }
}

/** Which session is wanted. */
interface WantedSession {
  /** The account that's meant, or those that may be; none if VS Code decides. */
  readonly accounts: ServiceAccounts;
  readonly interactive: boolean;
  readonly scopes: readonly string[];
  readonly service: ConfiguredService;
}

/** The session whose token is sent. @throws DeviceFlowError if there's none, or it isn't from this extension's own provider */
async function requireSession(
  dependencies: AuthorizedFetchDependencies,
  wanted: WantedSession,
): Promise<vscode.AuthenticationSession> {
  const session = await findSession(dependencies, wanted);
  if (session === undefined) {
    throw new DeviceFlowError(
      'notSignedIn',
      `You aren’t signed in to ${wanted.service.name}, or haven’t allowed this extension to use your account.`,
    );
  }
  return session;
}

/** The same; `undefined` if there's none, and nobody may be asked. @throws DeviceFlowError if it isn't from this extension's own provider */
async function findSession(
  dependencies: AuthorizedFetchDependencies,
  { accounts, interactive, scopes, service }: WantedSession,
): Promise<vscode.AuthenticationSession | undefined> {
  const ask = (options: vscode.AuthenticationGetSessionOptions) => getSession(dependencies, scopes, options);
  const session =
    (await silentSession(ask, accounts)) ??
    (interactive ? await ask({ createIfNone: true, ...onlyAccount(accounts) }) : undefined);
  if (session !== undefined && !(await dependencies.ownSessions.has(session.id, service.id.baseUrl))) {
    throw new DeviceFlowError(
      'unavailable',
      `The session for ${service.name} isn’t from this extension. Another one may have registered the same authentication provider.`,
    );
  }
  return session;
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
  given: RequestOfSession['init'],
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
