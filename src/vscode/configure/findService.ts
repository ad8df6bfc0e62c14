import type { OAuthClient } from '../../oauth/types';
import type { Protocol } from '../../oauth/service';
import { type Log, loggedAs } from '../../log';
import { MetadataError, NetworkError, ServiceError } from '../../oauth/errors';

/** What's at a base URL. */
export interface FoundService {
  /** `undefined` if nobody can tell. */
  readonly protocol?: Protocol;
  /**
   * Why a sign-in there would fail: nothing responds, its metadata isn't enough, it's something else than a service, or it
   * doesn't work right now, so what it is isn't known.
   */
  readonly problem?: MetadataError | NetworkError | 'no service' | 'not working';
}

/**
 * Asks the base URL for the metadata of a standard service. A service of the draft has none: it's asked for a device code without
 * credentials, because only such a service refuses that with an error code.
 */
export async function findService(client: OAuthClient, log: Log, baseUrl: string): Promise<FoundService> {
  try {
    const metadata = await client.discover({ baseUrl, clientId: '', protocol: 'rfc8628' }, {});
    if (metadata !== undefined) {
      return { protocol: 'rfc8628' };
    }
  } catch (error) {
    log.info(`The service was looked for. ${loggedAs(error)}`);
    if (error instanceof NetworkError) {
      return { problem: error };
    }
    if (error instanceof MetadataError && error.isFound) {
      return { protocol: 'rfc8628', problem: error };
    }
  }
  return await findDraftService(client, log, baseUrl);
}

/** Whether a service of the draft is at a base URL. */
async function findDraftService(client: OAuthClient, log: Log, baseUrl: string): Promise<FoundService> {
  try {
    const isService = await client.recognize({ baseUrl, clientId: '', protocol: 'draft' });
    return isService ? { protocol: 'draft' } : { problem: 'no service' };
  } catch (error) {
    log.info(`The service was asked for its protocol. ${loggedAs(error)}`);
    if (error instanceof ServiceError) {
      return { problem: 'not working' };
    }
    return error instanceof NetworkError ? { problem: error } : { protocol: 'draft' };
  }
}
