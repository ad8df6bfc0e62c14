import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import nodeFetch from 'node-fetch';
import { property } from '../fields';
import { type FetchedHead, isSuccess } from './responseHead';

/** The connection that a request is sent on. */
export interface Connection {
  /** False as long as nothing can have been sent: with TLS, until the end of the handshake. */
  readonly isEstablished: boolean;
}

/** What `node-fetch` is called with. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
  /** Whether `fetch` decompresses a body that says in its head that it's compressed. */
  readonly compress?: boolean;
  /** Called when there's a request, by a `fetch` that can tell how its connection is. */
  readonly onConnecting?: (connection: Connection) => void;
}

/** What is read of `node-fetch`'s response. */
export interface FetchResponse extends FetchedHead {
  readonly body: AsyncIterable<Uint8Array | string> | null;
}

/** The part of `node-fetch` 3 that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Node.js publishes each HTTP request of the process there, before it's sent. */
const REQUESTS = 'http.client.request.created';

/** Which call of `fetch` a request belongs to. */
const caller = new AsyncLocalStorage<symbol>();

/**
 * Wraps `fetch` so that it tells how the connection is, and refuses responses to `https:` requests that didn't come over
 * TLS. VS Code's proxy agent passes on a proxy's response to CONNECT, unless it's 200, as if it came from the service. A success
 * is never refused: it may hold the only copy of tokens. Nor is a response whose request isn't known.
 *
 * @throws an error with a code of its own if the response isn't the service's, and whatever `fetch` throws
 */
export function observeConnections(fetch: Fetch): Fetch {
  return async (address, init) => {
    let request: ClientRequest | undefined;
    const response = await observeRequest(
      () => fetch(address, init),
      (sent) => {
        request = sent;
        init.onConnecting?.(connectionOf(sent));
      },
    );
    const isInsecure = request !== undefined && property(request.socket, 'encrypted') !== true;
    if (new URL(address).protocol === 'https:' && isInsecure && !isSuccess(response.status)) {
      throw Object.assign(new Error("The response isn't from the service."), { code: 'ERR_PROXY_RESPONDED' });
    }
    return response;
  };
}

/** The connection of a request, whose socket may be another one than at first. */
function connectionOf(request: ClientRequest): Connection {
  let isEstablished = false;
  const watch = (socket: Socket): void => {
    const isSecure = property(socket, 'encrypted') === true;
    // A connection that's used again, or that an agent hands over, may stand already.
    isEstablished = isSecure ? property(socket, 'secureConnecting') === false : !socket.connecting;
    socket.once(isSecure ? 'secureConnect' : 'connect', () => (isEstablished = true));
  };
  if (request.socket === null) {
    request.once('socket', watch);
  } else {
    watch(request.socket);
  }
  return {
    get isEstablished() {
      return isEstablished;
    },
  };
}

/** Sends an HTTP request, and tells which one of the process's requests it is. */
async function observeRequest<T>(send: () => Promise<T>, onRequest: (request: ClientRequest) => void): Promise<T> {
  const call = Symbol('call');
  let isKnown = false;
  const note = (message: unknown): void => {
    const request = property(message, 'request');
    if (caller.getStore() === call && request instanceof ClientRequest && !isKnown) {
      isKnown = true;
      onRequest(request);
    }
  };
  subscribe(REQUESTS, note);
  try {
    return await caller.run(call, send);
  } finally {
    unsubscribe(REQUESTS, note);
  }
}

/** `node-fetch`, for responses that are really the service's. */
export const fetch: Fetch = observeConnections(nodeFetch);
