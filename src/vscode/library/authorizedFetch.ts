import type * as vscode from 'vscode';
import { untilAborted } from '../../clock';
import { safeUrl } from '../../oauth/address';

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
  readonly reportRejectedToken: (accessToken: string) => Promise<boolean>;
  /** What carries the token. */
  readonly tokenIn: () => 'header' | 'query';
}

/** As many as browsers follow. */
const MOST_REDIRECTS = 20;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Headers with secrets, which another origin must not get. */
const SECRET_HEADERS = ['Authorization', 'Cookie', 'Proxy-Authorization'];
/** Headers of a body that isn't sent. */
const BODY_HEADERS = ['Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Location', 'Content-Type'];

/**
 * Sends a request with the token of a session, and once more with the next token if the service rejects it. The token
 * goes to the origin of the URL only.
 * @throws Error if nobody is signed in, another extension's provider has the same ID, the request could reveal the token, or
 *   `fetch` throws; the reason of `init.signal` as soon as that's aborted
 */
export async function authorizedFetch(
  deps: AuthorizedFetchDependencies,
  url: string | URL,
  { scopes = [], account, interactive = false, ...init }: AuthorizedRequestInit = {},
): Promise<Response> {
  const target = sendable(String(url));
  const unlessAborted = <T>(operation: () => PromiseLike<T>): PromiseLike<T> =>
    init.signal ? untilAborted(init.signal, async () => await operation()) : operation();
  const getSession = (options: vscode.AuthenticationGetSessionOptions) =>
    unlessAborted(() => deps.getSession(scopes, options));
  const of = account === undefined ? {} : { account };
  const session =
    (await getSession({ silent: true, ...of })) ??
    (interactive ? await getSession({ createIfNone: true, ...of }) : undefined);
  if (session === undefined) {
    throw new Error(
      `Nobody is signed in to ${deps.label}, or this extension can't use the account yet. ` +
        'To ask the person, pass { interactive: true } when they run a command.',
    );
  }
  // If two extensions register one ID, VS Code asks the first for sessions: its tokens are for another service, perhaps.
  if (!(await unlessAborted(() => deps.hasSession(session.id)))) {
    throw new Error(
      `The token isn’t sent: the session of ${deps.label} isn’t from this extension. Another one may have registered the same authentication provider.`,
    );
  }
  const { response, isFromTarget } = await send(deps, target, init, session.accessToken);
  if (response.status !== 401 || !isFromTarget || isStream(init.body)) {
    return response;
  }
  const isReplaced = await unlessAborted(() => deps.reportRejectedToken(session.accessToken));
  const next = isReplaced ? await getSession({ silent: true, account: session.account }) : undefined;
  if (next === undefined || next.accessToken === session.accessToken) {
    return response;
  }
  await response.body?.cancel();
  return (await send(deps, target, init, next.accessToken)).response;
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
  readonly init: RequestInit & { readonly headers: Headers };
  /** Whether no redirect has led to another origin yet: only then, the request carries the token. */
  readonly isFromTarget: boolean;
}

/**
 * Sends a request and follows redirects as the web's `fetch` does, by itself: other clients keep the token for another
 * port of the same host, for example.
 */
async function send(
  deps: Pick<AuthorizedFetchDependencies, 'fetch' | 'tokenIn'>,
  target: URL,
  given: RequestInit,
  accessToken: string,
): Promise<{ readonly response: Response; readonly isFromTarget: boolean }> {
  const redirect = given.redirect === 'error' ? 'error' : 'manual';
  const init = { ...given, redirect, headers: new Headers(given.headers) } as const;
  let hop: Hop = { url: target, init, isFromTarget: true };
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await sendOnce(deps, hop, accessToken);
    const location = REDIRECTS.includes(response.status) ? response.headers.get('Location') : null;
    if (location === null || given.redirect === 'manual') {
      return { response, isFromTarget: hop.isFromTarget };
    }
    await response.body?.cancel();
    hop = redirected(hop, response.status, location, accessToken);
  }
  throw new TypeError('The service redirected the request too often.');
}

/** Sends a request, with the token if that's for where it goes. */
async function sendOnce(
  { fetch, tokenIn }: Pick<AuthorizedFetchDependencies, 'fetch' | 'tokenIn'>,
  { url, init, isFromTarget }: Hop,
  accessToken: string,
): Promise<Response> {
  if (!isFromTarget) {
    return await fetch(url.href, init);
  }
  if (tokenIn() === 'query') {
    return await fetch(withToken(url, accessToken), init);
  }
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${accessToken}`);
  return await fetch(url.href, { ...init, headers });
}

/**
 * The request that a redirect leads to. Servers repeat the query of a request in it, and with that the token, which is sent again
 * only where it may go.
 * @throws TypeError if it can't be sent there
 */
function redirected({ url, init, isFromTarget }: Hop, status: number, location: string, accessToken: string): Hop {
  if (!URL.canParse(location, url.href)) {
    // The error of `new URL` quotes the address, which may repeat the token.
    throw new TypeError('The service redirected the request to something that isn’t an address.');
  }
  const next = withoutToken(sendable(new URL(location, url).href), accessToken);
  const headers = new Headers(init.headers);
  const staysAtTarget = isFromTarget && next.origin === url.origin;
  if (!staysAtTarget && containsToken(next, accessToken)) {
    throw new TypeError('The service redirected the request to another origin with the token in the address.');
  }
  if (!staysAtTarget) {
    remove(headers, SECRET_HEADERS);
  }
  const method = init.method?.toUpperCase() ?? 'GET';
  const losesBody = status === 303 || (status <= 302 && method === 'POST');
  if (losesBody) {
    remove(headers, BODY_HEADERS);
    const bodiless = { ...init, headers, method: method === 'HEAD' ? 'HEAD' : 'GET', body: null };
    return { url: next, init: bodiless, isFromTarget: staysAtTarget };
  }
  if (isStream(init.body)) {
    throw new TypeError('The service redirected the request, and its body can be read only once.');
  }
  return { url: next, init: { ...init, headers }, isFromTarget: staysAtTarget };
}

function remove(headers: Headers, names: readonly string[]): void {
  names.forEach((name) => {
    headers.delete(name);
  });
}

/** The address without this token as a parameter of its query, which is otherwise left as it is. */
function withoutToken(url: URL, accessToken: string): URL {
  const result = new URL(url);
  const parameters = url.search.slice(1).split('&');
  const isToken = (parameter: string): boolean => new URLSearchParams(parameter).get('access_token') === accessToken;
  if (parameters.some(isToken)) {
    result.search = parameters.filter((parameter) => !isToken(parameter)).join('&');
  }
  return result;
}

/** Whether the token is anywhere in the address, such as in one that a parameter holds. */
function containsToken({ href }: URL, accessToken: string): boolean {
  const encoded = encodeURIComponent(accessToken);
  return [accessToken, encoded, encodeURIComponent(encoded)].some((text) => href.includes(text));
}

/** The address with the token in its query, which is otherwise left as it is. */
function withToken(url: URL, accessToken: string): string {
  const result = new URL(url);
  result.search += `${result.search === '' ? '?' : '&'}access_token=${encodeURIComponent(accessToken)}`;
  return result.href;
}
