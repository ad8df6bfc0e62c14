import type * as vscode from 'vscode';
import { untilAborted } from '../../clock';
import { safeUrl } from '../../oauth/address';
import type { TokenSender } from '../tokenSender';
import { DeviceFlowError, toDeviceFlowError } from './deviceFlowError';

/** What is called like the web's `fetch`, such as that of Node.js. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What a request with the token of a session can be sent with, besides what the web's `fetch` takes. */
export interface AuthorizedRequestInit extends RequestInit {
  /** The scopes of the session; none by default, which any session has. */
  readonly scopes?: readonly string[];
  /** The account of the session. By default, the one that the person chose for your extension. */
  readonly account?: vscode.AuthenticationSessionAccountInformation;
  /** Whether to ask the person to sign in if there is no session. By default, the call fails. */
  readonly interactive?: boolean;
}

/** What `authorizedFetch` works with. */
export interface AuthorizedFetchDependencies {
  readonly fetch: Fetch;
  /** Asks VS Code for a session of the provider. */
  readonly getSession: (
    scopes: readonly string[],
    options: vscode.AuthenticationGetSessionOptions,
  ) => Thenable<vscode.AuthenticationSession | undefined>;
  /** Whether a session is of this extension's own provider. */
  readonly hasSession: (sessionId: string) => Promise<boolean>;
  /** What the service is called. */
  readonly label: string;
  /** Gets another token in place of one that was rejected, if that's possible, and never rejects. */
  readonly replaceRejectedToken: (accessToken: string) => Promise<unknown>;
  /** What carries the token. */
  readonly tokenIn: () => 'header' | 'query';
  readonly tokenSender: TokenSender;
}

/** As many as browsers follow. */
const MOST_REDIRECTS = 20;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Headers of a body that isn't sent. */
const BODY_HEADERS = ['Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Location', 'Content-Type'];

/**
 * Sends a request with the token of a session, and once more with the next token if the service rejects it. The token
 * goes to the origin of the URL only.
 * @throws DeviceFlowError if there's no session; TypeError if the request could reveal the token; Error if another extension's
 *   provider has the same ID; what `fetch` throws; the reason of `init.signal` as soon as that's aborted
 */
export async function authorizedFetch(
  deps: AuthorizedFetchDependencies,
  url: string | URL,
  { scopes = [], account, interactive = false, ...init }: AuthorizedRequestInit = {},
): Promise<Response> {
  const target = sendable(String(url));
  const unlessAborted = <T>(operation: () => PromiseLike<T>): PromiseLike<T> =>
    init.signal ? untilAborted(init.signal, async () => await operation()) : operation();
  const session = await unlessAborted(() => requireSession(deps, scopes, account, interactive));
  return await deps.tokenSender.send(
    target.origin,
    {
      current: () => Promise.resolve(session.accessToken),
      replace: async (rejected, mayRefresh) => {
        if (isStream(init.body)) {
          return undefined;
        }
        if (mayRefresh) {
          await unlessAborted(() => deps.replaceRejectedToken(rejected));
        }
        const options = { silent: true, account: session.account };
        return (await unlessAborted(() => deps.getSession(scopes, options)))?.accessToken;
      },
    },
    (accessToken) => send(deps, target, init, accessToken),
    (response) => response.body?.cancel(),
  );
}

/** The session whose token is sent. @throws DeviceFlowError if there's none; Error if it isn't from this extension's own provider */
async function requireSession(
  { getSession, hasSession, label }: AuthorizedFetchDependencies,
  scopes: readonly string[],
  account: vscode.AuthenticationSessionAccountInformation | undefined,
  interactive: boolean,
): Promise<vscode.AuthenticationSession> {
  const of = account === undefined ? {} : { account };
  const askForSession = async () => {
    try {
      return await getSession(scopes, { createIfNone: true, ...of });
    } catch (error) {
      throw toDeviceFlowError(error);
    }
  };
  const session =
    (await getSession(scopes, { silent: true, ...of })) ?? (interactive ? await askForSession() : undefined);
  if (session === undefined) {
    throw new DeviceFlowError(
      'notSignedIn',
      `Nobody is signed in to ${label}, or this extension can't use the account yet. ` +
        'To ask the person, pass { interactive: true } when they run a command.',
    );
  }
  // If two extensions register one ID, VS Code asks the first for sessions: its tokens are for another service, perhaps.
  if (!(await hasSession(session.id))) {
    throw new Error(
      `The token isn’t sent: the session of ${label} isn’t from this extension. Another one may have registered the same authentication provider.`,
    );
  }
  return session;
}

/** An address that a token may be sent to. The error doesn't quote it: a query may hold a secret. */
function sendable(address: string): URL {
  const url = safeUrl(address);
  if (url === undefined) {
    throw new TypeError(
      'The token isn’t sent: the URL must begin with https:// (or http:// on this machine), without a user name or password.',
    );
  }
  return url;
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

/** Sends a request, and follows redirects within its origin as the web's `fetch` does. @throws TypeError on any other redirect */
async function send(
  { fetch, tokenIn }: Pick<AuthorizedFetchDependencies, 'fetch' | 'tokenIn'>,
  target: URL,
  given: RequestInit,
  accessToken: string,
): Promise<Response> {
  const inQuery = tokenIn() === 'query';
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
  throw new TypeError('The service redirected the request too often.');
}

/** The request that a redirect leads to. @throws TypeError if it leads to another origin, or can't be sent there */
function redirected({ url, init }: Hop, status: number, location: string): Hop {
  if (!URL.canParse(location, url.href)) {
    // The error of `new URL` quotes the address, which may repeat the token.
    throw new TypeError('The service redirected the request to something that isn’t an address.');
  }
  const next = sendable(new URL(location, url).href);
  if (next.origin !== url.origin) {
    throw new TypeError(
      `The service redirected the request to another origin, ${next.origin}, which doesn’t get the token. If you trust it, send the request there.`,
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
    throw new TypeError('The service redirected the request, and its body can be read only once.');
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
