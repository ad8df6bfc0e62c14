// The only module that imports node-fetch, so that it's loaded when it's needed.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import nodeFetch from 'node-fetch';
import { property } from '../fields';
import type { Fetch } from './fetch';

/** Node publishes each response here when its head has come, before the sender of the request gets it. */
const RESPONSES = 'http.client.response.finish';

/**
 * The same `fetch`, except that it refuses responses to `https:` requests that didn't come over TLS. VS Code's proxy
 * agent passes on a proxy's response to CONNECT, unless it's 200, as if it came from the service.
 *
 * The observer sees the responses to all requests of this process, those of other extensions too, and tells them apart by host,
 * path, and method. If several requests to the same address are in flight at once, one response without TLS gets all of them
 * refused.
 *
 * @throws an error with a code of its own if the request never left this side, without one if that isn't known; and
 *   whatever `fetch` throws
 */
export function refuseInsecureResponses(fetch: Fetch): Fetch {
  return async (address, init) => {
    const url = new URL(address);
    if (url.protocol !== 'https:') {
      return await fetch(address, init);
    }
    const path = comparablePath(url.pathname + url.search);
    /** For each response to such a request, whether it came over TLS. */
    const secure: boolean[] = [];
    const note = (message: unknown): void => {
      const request = property(message, 'request');
      if (comparablePath(property(request, 'path')) !== path || property(request, 'method') !== init.method) {
        return;
      }
      const isSecure = property(property(request, 'socket'), 'encrypted') === true;
      if (isSecure || hostOf(request) === url.host) {
        secure.push(isSecure);
      }
    };
    subscribe(RESPONSES, note);
    try {
      const response = await fetch(address, init);
      if (secure.length === 0 || secure.includes(false)) {
        const code = secure.length > 0 && !secure.includes(true) ? 'ERR_PROXY_RESPONDED' : undefined;
        throw Object.assign(new Error("The response isn't from the service."), { code });
      }
      return response;
    } finally {
      unsubscribe(RESPONSES, note);
    }
  };
}

/** A path that can be compared: a question mark with nothing after it is sent, but isn't in `search` of an address. */
function comparablePath(path: unknown): string {
  return String(path).replace(/\?$/, '');
}

/** The host that a request is for, with its port, whatever is on the way. */
function hostOf(request: unknown): unknown {
  return request instanceof ClientRequest ? request.getHeader('host') : undefined;
}

/** `node-fetch`, for responses that are really the service's. */
export const fetch: Fetch = refuseInsecureResponses(nodeFetch);
