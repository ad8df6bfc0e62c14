import type { Log } from '../../log';
import { dialectOf, type Metadata, type OAuthClient, type ServiceId } from '../../oauth/client';
import { MetadataError, OAuthError } from '../../oauth/errors';
import { ifValid } from './validate';
import { readStandard, type SettingsSource } from './settings';

/** What services are looked for with. */
export interface FindServiceDependencies {
  readonly client: Pick<OAuthClient, 'discover'>;
  readonly log: Log;
  /** The settings as they are now. */
  readonly settings: () => SettingsSource;
}

/** What's at a base URL. */
export interface FoundService extends Pick<ServiceId, 'protocol'> {
  /** The endpoint that the settings must name, if one is missing. */
  readonly missing?: string | undefined;
}

/**
 * Completes a service with what its metadata says, unless its dialect needs none. A client secret is bound to its token
 * endpoint.
 * @throws OAuthError; WrongSettingError
 */
export async function completeService<S extends ServiceId>(
  { client, settings }: FindServiceDependencies,
  service: S,
  signal?: AbortSignal,
): Promise<S & Partial<Metadata>> {
  const isComplete = !dialectOf(service).hasScopes;
  const found = isComplete ? undefined : await client.discover?.(service, readStandard(settings()).endpoints, signal);
  return { ...service, ...found };
}

/** Looks for the metadata of a standard service; `undefined` if it can't be found out now whether there is any. */
export async function findService(
  { client, log, settings }: FindServiceDependencies,
  baseUrl: string,
): Promise<FoundService | undefined> {
  const protocol = 'rfc8628';
  const { endpoints = {} } = ifValid(() => readStandard(settings())) ?? {};
  try {
    return (await client.discover?.({ baseUrl, clientId: '', protocol }, endpoints)) && { protocol };
  } catch (error) {
    log.info(`The service was looked for. ${error instanceof OAuthError ? error.message : 'An unexpected error.'}`);
    if (!(error instanceof MetadataError)) {
      return undefined;
    }
    return error.isFound ? { protocol, missing: error.endpoint } : {};
  }
}
