import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Fetch } from './http';

/** Node tells here of each answer whose head has come, before whoever sent the request is told. */
const ANSWERS = 'http.client.response.finish';

/** Something on the way answered in place of an `https:` service. */
export class AnsweredOnTheWayError extends Error {
  override readonly name = 'AnsweredOnTheWayError';

  constructor(
    /** A code of its own where the request never left this side; `undefined` where that is not known. */
    readonly code: 'ERR_PROXY_ANSWERED' | undefined,
  ) {
    super('What answered is not the service.');
  }
}

/**
 * The same `fetch`, but for answers to `https:` requests that did not come over TLS: these are refused. The proxy agent
 * of VS Code hands on whatever a proxy says to CONNECT, other than 200, as if the service had said it.
 *
 * Where several requests to the same address are under way at once, Node does not tell their answers apart for an
 * observer. Then one answer without TLS has them all refused.
 *
 * @throws AnsweredOnTheWayError and whatever `fetch` throws
 */
export function onlySecureAnswers(fetch: Fetch): Fetch {
  return async (address, init) => {
    const url = new URL(address);
    if (url.protocol !== 'https:') {
      return await fetch(address, init);
    }
    const path = url.pathname + url.search;
    /** Of each answer to such a request, whether it came over TLS. */
    const secure: boolean[] = [];
    const note = (message: unknown): void => {
      const request = property(message, 'request');
      if (property(request, 'path') === path && property(request, 'method') === init.method) {
        secure.push(property(property(request, 'socket'), 'encrypted') === true);
      }
    };
    subscribe(ANSWERS, note);
    try {
      const response = await fetch(address, init);
      if (secure.length === 0 || secure.includes(false)) {
        throw new AnsweredOnTheWayError(secure.length > 0 && !secure.includes(true) ? 'ERR_PROXY_ANSWERED' : undefined);
      }
      return response;
    } finally {
      unsubscribe(ANSWERS, note);
    }
  };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
