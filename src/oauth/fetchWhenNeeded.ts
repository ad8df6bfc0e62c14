import type { Fetch } from './http';

/** The HTTP client could not be loaded, so nothing was sent. */
export class ClientNotLoadedError extends Error {
  override readonly name = 'ClientNotLoadedError';
  readonly code = 'ERR_CLIENT_NOT_LOADED';
}

/**
 * A `fetch` that is loaded with the first request: many windows never send one, as another refreshes for them.
 *
 * @param load tried again with the next request where it failed
 */
export function fetchWhenNeeded(load: () => Promise<Fetch>): Fetch {
  let loaded: Fetch | undefined;
  return async (url, init) => {
    try {
      loaded ??= await load();
    } catch (cause) {
      throw new ClientNotLoadedError('The HTTP client could not be loaded.', { cause });
    }
    return await loaded(url, init);
  };
}
