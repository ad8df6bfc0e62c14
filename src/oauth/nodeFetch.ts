// The only module that imports node-fetch, so that it's loaded when it's needed.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import nodeFetch from 'node-fetch';
import { property } from '../fields';
import type { Fetch } from './fetch';

/** Node publishes each response here when its head has come, before the sender of the request gets it. */
const RESPONSES = 'http.client.response.finish';

/**
 * The same `fetch`, except that it refuses responses to `https:` requests that didn't come over TLS. VS Code's proxy
 * agent passes on a proxy's response to CONNECT, unless it's 200, as if it came from the service.
 *
 * If several requests to the same address are in flight at once, an observer can't tell their responses apart. Then
 * one response without TLS gets all of them refused.
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
    const path = url.pathname + url.search;
    /** For each response to such a request, whether it came over TLS. */
    const secure: boolean[] = [];
    const note = (message: unknown): void => {
      const request = property(message, 'request');
      if (property(request, 'path') === path && property(request, 'method') === init.method) {
        secure.push(property(property(request, 'socket'), 'encrypted') === true);
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

/** `node-fetch`, for responses that are really the service's. */
export const fetch: Fetch = refuseInsecureResponses(nodeFetch);
