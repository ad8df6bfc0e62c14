// The only module that imports node-fetch, so that it's loaded when it's needed.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import nodeFetch from 'node-fetch';
import type { Fetch } from './fetch';

/** Node publishes each response here when its head has come, before the sender of the request gets it. */
const RESPONSES = 'http.client.response.finish';

/** Something on the way responded instead of an `https:` service. */
export class ProxyResponseError extends Error {
  override readonly name = 'ProxyResponseError';

  constructor(
    /** A code of its own if the request never left this side; `undefined` if that isn't known. */
    readonly code: 'ERR_PROXY_RESPONDED' | undefined,
  ) {
    super("The response isn't from the service.");
  }
}

/**
 * The same `fetch`, except that it refuses responses to `https:` requests that didn't come over TLS. VS Code's proxy
 * agent passes on a proxy's response to CONNECT, unless it's 200, as if it came from the service.
 *
 * If several requests to the same address are in flight at once, an observer can't tell their responses apart. Then
 * one response without TLS gets all of them refused.
 *
 * @throws ProxyResponseError and whatever `fetch` throws
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
        throw new ProxyResponseError(secure.length > 0 && !secure.includes(true) ? 'ERR_PROXY_RESPONDED' : undefined);
      }
      return response;
    } finally {
      unsubscribe(RESPONSES, note);
    }
  };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** `node-fetch`, for responses that are really the service's. */
export const fetch: Fetch = refuseInsecureResponses(nodeFetch);
