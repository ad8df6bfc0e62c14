import type { AuthorizationRequest, OAuthClient } from '../../oauth/client';
import { dialectOf } from '../../oauth/dialect';
import { splitScopes, uniqueScopes } from '../../oauth/scopes';
import { type Service, serviceOf } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/sessions';
import type { SavedRequest } from '../../signin/pendingSignIn';
import type { SecretReader } from '../configuration/clientSecret';
import { completeService } from '../configuration/findService';
import type { ConfiguredService } from '../settings/service';

/** What standard services need to be asked for, to say who signed in and to give a refresh token. */
const DEFAULT_SCOPES = ['openid', 'profile', 'offline_access'];

/**
 * What a sign-in to a service sends: to the endpoints of a service whose dialect doesn't say them, with the client secret for
 * them.
 * @param wanted the scopes that somebody waits for, with spaces between them
 * @param replaced the session that keeps its scopes
 * @throws OAuthError
 */
export async function createRequest(
  client: OAuthClient,
  clientSecrets: SecretReader,
  configured: ConfiguredService,
  { wanted = '', replaced }: { readonly wanted: string | undefined; readonly replaced: SessionInfo | undefined },
  signal: AbortSignal,
): Promise<AuthorizationRequest> {
  const { endpoints, id, parameters, scopes } = configured;
  if (!dialectOf(id).endpointsAreDiscovered) {
    return await withSecret(clientSecrets, id);
  }
  const { scopesSupported = [], ...found } = await completeService(client, id, endpoints, signal);
  const { resource } = parameters;
  const service = { ...found, ...(found.endpoints && resource && { endpoints: { ...found.endpoints, resource } }) };
  const always = scopes ?? DEFAULT_SCOPES.filter((scope) => scopesSupported.includes(scope));
  const wantedScopes = uniqueScopes(splitScopes(wanted));
  const needed = uniqueScopes([...wantedScopes, ...always]);
  const all = uniqueScopes([...needed, ...(replaced?.scopes ?? [])]);
  const fewerScopes = [
    ...(needed.length < all.length ? [needed] : []),
    // Nobody asked for the default ones.
    ...(scopes === undefined && wantedScopes.length < needed.length ? [wantedScopes] : []),
  ];
  return { ...(await withSecret(clientSecrets, service)), parameters, scopes: all, fewerScopes };
}

/** What's sent, with the client secret for where it's sent. */
export async function withSecret<S extends Service>(
  clientSecrets: SecretReader,
  request: S,
): Promise<S & { readonly clientSecret: string }> {
  return { ...request, clientSecret: (await clientSecrets.get(request)) ?? '' };
}

/** What polls of the next window send. The client secret is stored elsewhere. */
export function withoutSecret(request: AuthorizationRequest): SavedRequest {
  const { scopes } = request;
  return { ...serviceOf(request), ...(scopes && { scopes }) };
}
