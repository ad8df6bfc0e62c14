import type { EndpointSettings, Metadata, OAuthClient } from '../../oauth/client';
import { dialectOf } from '../../oauth/dialect';
import type { ServiceId } from '../../oauth/service';
import type { Log } from '../../log';
import { MetadataError, NetworkError, OAuthError, ServiceError } from '../../oauth/errors';

/** A protocol, by its name in the settings. */
export type Protocol = 'draft' | 'rfc8628';

/** What's at a base URL. */
export interface FoundService {
  /** The one that it has, or that is assumed. */
  readonly protocol: Protocol;
  /**
   * Why a sign-in there would fail: nothing responds, its metadata isn't enough, it's something else than a service, or it
   * doesn't work right now, so what it is isn't known.
   */
  readonly problem?: MetadataError | NetworkError | 'no service' | 'not working';
}

/**
 * Completes a service with the endpoints that are set, and with what its metadata says, unless its dialect needs none. A
 * client secret is bound to its token endpoint.
 * @param endpoints those that are set
 * @throws OAuthError
 */
export async function completeService<S extends ServiceId>(
  client: Pick<OAuthClient, 'discover'>,
  service: S,
  endpoints: EndpointSettings,
  signal?: AbortSignal,
): Promise<S & Partial<Metadata>> {
  if (!dialectOf(service).endpointsAreDiscovered) {
    return service;
  }
  return { ...service, ...(await client.discover(service, endpoints, signal)) };
}

/**
 * Asks the base URL for the metadata of a standard service. A service with the default protocol has none: it's asked for a
 * device code without credentials, because only such a service refuses that with an error code.
 * @param endpoints those that are set
 * @param assumed the protocol if the response doesn't show what's there
 */
export async function findService(
  client: Pick<OAuthClient, 'discover' | 'recognize'>,
  log: Log,
  baseUrl: string,
  endpoints: EndpointSettings,
  assumed: Protocol,
): Promise<FoundService> {
  const service = { baseUrl, clientId: '', protocol: 'rfc8628' } as const;
  let hasNoMetadata = false;
  try {
    const metadata = await requestMetadata(client, service, endpoints);
    if (metadata !== undefined) {
      return { protocol: service.protocol };
    }
  } catch (error) {
    log.info(`The service was looked for. ${messageOf(error)}`);
    if (error instanceof NetworkError) {
      return { protocol: assumed, problem: error };
    }
    if (error instanceof MetadataError && error.isFound) {
      return { protocol: service.protocol, problem: error };
    }
    hasNoMetadata = error instanceof MetadataError;
  }
  if (assumed !== 'draft' && !hasNoMetadata) {
    // The response doesn't show what's there, so the service is taken for what it was before.
    return { protocol: assumed };
  }
  return await findDefaultService(client, log, baseUrl);
}

/** Whether a service with the default protocol is at a base URL. */
async function findDefaultService(
  client: Pick<OAuthClient, 'recognize'>,
  log: Log,
  baseUrl: string,
): Promise<FoundService> {
  const protocol = 'draft';
  try {
    const isService = await client.recognize({ baseUrl, clientId: '' });
    return isService ? { protocol } : { protocol, problem: 'no service' };
  } catch (error) {
    log.info(`The service was asked for its protocol. ${messageOf(error)}`);
    if (error instanceof ServiceError) {
      return { protocol, problem: 'not working' };
    }
    return error instanceof NetworkError ? { protocol, problem: error } : { protocol };
  }
}

function messageOf(error: unknown): string {
  return error instanceof OAuthError ? error.message : 'An unexpected error.';
}

/** Requests the metadata even if all endpoints are set, to learn whether anything responds. @throws OAuthError */
async function requestMetadata(
  client: Pick<OAuthClient, 'discover'>,
  service: ServiceId,
  endpoints: EndpointSettings,
): Promise<Metadata | undefined> {
  try {
    return await client.discover(service, {});
  } catch (error) {
    if (error instanceof MetadataError && Object.keys(endpoints).length > 0) {
      return await client.discover(service, endpoints);
    }
    throw error;
  }
}
