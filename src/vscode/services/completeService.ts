import { dialectOf } from '../../oauth/dialect';
import type { ServiceId } from '../../oauth/service';
import type { EndpointSettings, Metadata, OAuthClient } from '../../oauth/types';

/**
 * Completes a service with the endpoints that are set, and with what its metadata says, unless its dialect needs none. A
 * client secret is bound to its token endpoint.
 * @param endpoints those that are set
 * @throws OAuthError
 */
export async function completeService<S extends ServiceId>(
  client: OAuthClient,
  service: S,
  endpoints: EndpointSettings,
  signal?: AbortSignal,
): Promise<S & Partial<Metadata>> {
  if (!dialectOf(service).endpointsAreDiscovered) {
    return service;
  }
  return { ...service, ...(await client.discover(service, endpoints, signal)) };
}
