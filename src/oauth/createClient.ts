import type { OAuthClient, ServiceId } from './client';
import { createDraftClient } from './draftClient';
import type { OAuthDependencies } from './sendRequest';
import { createStandardClient } from './standardClient';

/** The operations of each service in its own dialect: windows may have sessions of several. */
export function createClient(deps: OAuthDependencies): OAuthClient {
  const draft: OAuthClient = createDraftClient(deps);
  const standard = createStandardClient(deps);
  const of = ({ protocol }: ServiceId): OAuthClient => (protocol === undefined ? draft : standard);
  return {
    // The last two don't depend on the dialect.
    ...draft,
    discover: async (service, ...rest) => await of(service).discover?.(service, ...rest),
    requestDeviceAuthorization: (request, ...rest) => of(request).requestDeviceAuthorization(request, ...rest),
    poll: (request, ...rest) => of(request).poll(request, ...rest),
    refresh: (credentials, ...rest) => of(credentials).refresh(credentials, ...rest),
    revoke: async (credentials, ...rest) => {
      await of(credentials).revoke?.(credentials, ...rest);
    },
    fetchUserName: async (service, ...rest) => await of(service).fetchUserName?.(service, ...rest),
  };
}
