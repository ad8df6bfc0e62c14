import { dialectOf, type EndpointSettings, type Metadata, type ServiceId } from '../../oauth/client';
import { MetadataError, NetworkError, OAuthError } from '../../oauth/errors';
import type { Dependencies } from '../dependencies';
import { readSetting } from '../settings/settings';

/** What's at a base URL. */
export interface FoundService extends Pick<ServiceId, 'protocol'> {
  /** Why a sign-in there would fail: nothing responds, or its metadata isn't enough. */
  readonly problem?: MetadataError | NetworkError;
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

/**
 * Asks the base URL for the metadata of a standard service. Any response shows that the base URL works: a service with
 * the default protocol has no metadata.
 * @param endpoints those that are set
 * @param before what's assumed if the response doesn't show what's there
 */
export async function findService(
  { client, log }: Dependencies,
  baseUrl: string,
  endpoints: EndpointSettings,
  before: Pick<ServiceId, 'protocol'> | undefined,
): Promise<FoundService> {
  const service = { baseUrl, clientId: '', protocol: 'rfc8628' } as const;
  const assumed: FoundService = before?.protocol === undefined ? {} : { protocol: before.protocol };
  try {
    const metadata = await requestMetadata(client, service, endpoints);
    return metadata === undefined ? assumed : { protocol: service.protocol };
  } catch (error) {
    log.info(`The service was looked for. ${error instanceof OAuthError ? error.message : 'An unexpected error.'}`);
    if (error instanceof NetworkError) {
      return { ...assumed, problem: error };
    }
    if (error instanceof MetadataError) {
      return error.isFound ? { protocol: service.protocol, problem: error } : {};
    }
    return assumed;
  }
}

/** Requests the metadata even if all endpoints are set, to learn whether anything responds. @throws OAuthError */
async function requestMetadata(
  client: Dependencies['client'],
  service: ServiceId,
  endpoints: EndpointSettings,
): Promise<Metadata | undefined> {
  try {
    return await client.discover?.(service, {});
  } catch (error) {
    if (error instanceof MetadataError && Object.keys(endpoints).length > 0) {
      return await client.discover?.(service, endpoints);
    }
    throw error;
  }
}
