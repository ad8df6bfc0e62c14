import type * as vscode from 'vscode';
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
  readonly isOwn: (sessionId: string) => Promise<boolean>;
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
 *   `fetch` throws
 */
export async function authorizedFetch(
  deps: AuthorizedFetchDependencies,
  url: string | URL,
  { scopes = [], account, interactive = false, ...init }: AuthorizedRequestInit = {},
): Promise<Response> {
  const target = sendable(String(url));
  const of = account === undefined ? {} : { account };
  const session =
    (await deps.getSession(scopes, { silent: true, ...of })) ??
    (interactive ? await deps.getSession(scopes, { createIfNone: true, ...of }) : undefined);
  if (session === undefined) {
    throw new Error(
      `Nobody is signed in to ${deps.label}, or this extension can't use the account yet. ` +
        'To ask the person, pass { interactive: true } when they run a command.',
    );
  }
  // If two extensions register one ID, VS Code asks the first for sessions: its tokens are for another service, perhaps.
  if (!(await deps.isOwn(session.id))) {
    throw new Error(
      `The token isn’t sent: the session of ${deps.label} isn’t from this extension. Another one may have registered the same authentication provider.`,
    );
  }
  const { response, isFromTarget } = await send(deps, target, init, session.accessToken);
  if (response.status !== 401 || !isFromTarget || isStream(init.body)) {
    return response;
  }
  const isReplaced = await deps.reportRejectedToken(session.accessToken);
  const next = isReplaced ? await deps.getSession(scopes, { silent: true, account: session.account }) : undefined;
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

/**
 * Sends a request and follows redirects as the web's `fetch` does, by itself: other clients keep the token for another
 * port of the same host, for example.
 */
async function send(
  { fetch, tokenIn }: Pick<AuthorizedFetchDependencies, 'fetch' | 'tokenIn'>,
  target: URL,
  given: RequestInit,
  accessToken: string,
): Promise<{ readonly response: Response; readonly isFromTarget: boolean }> {
  const headers = new Headers(given.headers);
  const init: RequestInit = { ...given, headers, redirect: given.redirect === 'error' ? 'error' : 'manual' };
  let url = target;
  let isFromTarget = true;
  for (let redirects = 0; ; redirects++) {
    if (isFromTarget && tokenIn() === 'header') {
      headers.set('Authorization', `Bearer ${accessToken}`);
    }
    const response = await fetch(isFromTarget && tokenIn() === 'query' ? withToken(url, accessToken) : url.href, init);
    const location = REDIRECTS.includes(response.status) ? response.headers.get('Location') : null;
    if (location === null || given.redirect === 'manual') {
      return { response, isFromTarget };
    }
    if (redirects === MOST_REDIRECTS) {
      throw new TypeError('The service redirected the request too often.');
    }
    await response.body?.cancel();
    const next = sendable(new URL(location, url).href);
    if (next.origin !== target.origin) {
      isFromTarget = false;
      SECRET_HEADERS.forEach((name) => {
        headers.delete(name);
      });
    }
    const isPost = (init.method ?? 'GET').toUpperCase() === 'POST';
    if (response.status === 303 || (response.status <= 302 && isPost)) {
      Object.assign(init, { method: init.method?.toUpperCase() === 'HEAD' ? 'HEAD' : 'GET', body: null });
      BODY_HEADERS.forEach((name) => {
        headers.delete(name);
      });
    } else if (isStream(init.body)) {
      throw new TypeError('The service redirected the request, and its body can be read only once.');
    }
    url = next;
  }
}

/** The address with the token in its query, which is otherwise left as it is. */
function withToken(url: URL, accessToken: string): string {
  const result = new URL(url);
  result.search += `${result.search === '' ? '?' : '&'}access_token=${encodeURIComponent(accessToken)}`;
  return result.href;
}
