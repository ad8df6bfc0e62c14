import { dialectOf, type Metadata, type ServiceId } from '../../oauth/client';
import { MetadataError, OAuthError } from '../../oauth/errors';
import type { Dependencies } from '../dependencies';
import { readSetting } from '../settings/settings';
import { ifValid } from '../settings/validate';

/** What's at a base URL. */
export interface FoundService extends Pick<ServiceId, 'protocol'> {
  /** Why its metadata isn't enough, if it isn't. */
  readonly problem?: MetadataError;
}

/**
 * Completes a service with what its metadata says, unless its dialect needs none. A client secret is bound to its token
 * endpoint.
 * @throws OAuthError; WrongSettingError
 */
export async function completeService<S extends ServiceId>(
  { client, editor }: Dependencies,
  service: S,
  signal?: AbortSignal,
): Promise<S & Partial<Metadata>> {
  if (!dialectOf(service).endpointsAreDiscovered) {
    return service;
  }
  const endpoints = readSetting(editor.settings(), 'endpoints') ?? {};
  return { ...service, ...(await client.discover?.(service, endpoints, signal)) };
}

/** Looks for the metadata of a standard service; `undefined` if it can't be found out now whether there is any. */
export async function findService(
  { client, editor, log }: Dependencies,
  baseUrl: string,
): Promise<FoundService | undefined> {
  const protocol = 'rfc8628';
  const endpoints = ifValid(() => readSetting(editor.settings(), 'endpoints')) ?? {};
  try {
    return (await client.discover?.({ baseUrl, clientId: '', protocol }, endpoints)) && { protocol };
  } catch (error) {
    log.info(`The service was looked for. ${error instanceof OAuthError ? error.message : 'An unexpected error.'}`);
    if (!(error instanceof MetadataError)) {
      return undefined;
    }
    return error.isFound ? { protocol, problem: error } : {};
  }
}
