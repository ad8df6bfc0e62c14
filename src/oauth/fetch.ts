/** What `node-fetch` is called with. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly redirect: 'manual';
  readonly compress: false;
  readonly signal: AbortSignal;
}

/** What is read of `node-fetch`'s response. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array | string> | null;
}

/** The part of `node-fetch` 3 that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** The HTTP client couldn't be loaded, so nothing was sent. */
export class NotLoadedError extends Error {
  override readonly name = 'NotLoadedError';
  readonly code = 'ERR_CLIENT_NOT_LOADED';
}

/**
 * A `fetch` that the first request loads: many windows never send one, because another one refreshes for them.
 *
 * @param load called again by the next request if it fails
 */
export function lazyFetch(load: () => Promise<Fetch>): Fetch {
  let loaded: Fetch | undefined;
  return async (url, init) => {
    try {
      loaded ??= await load();
    } catch (cause) {
      throw new NotLoadedError('The HTTP client could not be loaded.', { cause });
    }
    return await loaded(url, init);
  };
}
