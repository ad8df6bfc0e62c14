import type { AuthorizationRequest, OAuthClient } from '../../oauth/types';
import { dialectOf } from '../../oauth/dialect';
import { splitScopes, uniqueScopes } from '../../oauth/scopes';
import type { Service } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/currentSession';
import type { ClientSecrets } from '../../storage/clientSecrets';
import { completeService } from '../services/completeService';
import type { ConfiguredService } from '../settings/service';

/** What standard services need to be asked for, to say who signed in and to give a refresh token. */
const DEFAULT_SCOPES = ['openid', 'profile', 'offline_access'];

/**
 * What a sign-in to a service sends, with the client secret. The endpoints are found out first, unless the dialect says them.
 * @param wanted the scopes that somebody waits for
 * @param replaced the session that keeps its scopes
 * @throws OAuthError
 */
export async function createRequest(
  client: OAuthClient,
  clientSecrets: Pick<ClientSecrets, 'get'>,
  configured: ConfiguredService,
  {
    wanted = [],
    replaced,
  }: { readonly wanted: readonly string[] | undefined; readonly replaced: SessionInfo | undefined },
  signal: AbortSignal,
): Promise<AuthorizationRequest> {
  const { id, parameters } = configured;
  if (!dialectOf(id).endpointsAreDiscovered) {
    return await withSecret(clientSecrets, id);
  }
  const found = await completeService(client, id, configured.endpoints, signal);
  const { endpoints, scopesSupported = [], supportsPkce = false } = found;
  const { resource } = parameters;
  const service = { ...id, ...(endpoints && { endpoints: { ...endpoints, ...(resource && { resource }) } }) };
  const request = await withSecret(clientSecrets, service);
  const pkce = configured.pkce || supportsPkce;
  return { ...request, parameters, pkce, ...scopesToRequest(configured.scopes, scopesSupported, wanted, replaced) };
}

/**
 * Which scopes are requested, and which if the service refuses some: those that the replaced session had aren't needed, and nobody
 * asked for the default ones.
 */
function scopesToRequest(
  set: readonly string[] | undefined,
  supported: readonly string[],
  wanted: readonly string[],
  replaced: SessionInfo | undefined,
): Required<Pick<AuthorizationRequest, 'scopes' | 'fewerScopes'>> {
  const wantedScopes = uniqueScopes(wanted.flatMap(splitScopes));
  const always = set ?? DEFAULT_SCOPES.filter((scope) => supported.includes(scope));
  const needed = uniqueScopes([...wantedScopes, ...always]);
  const scopes = uniqueScopes([...needed, ...(replaced?.scopes ?? [])]);
  return {
    scopes,
    fewerScopes: [
      ...(needed.length < scopes.length ? [needed] : []),
      ...(set === undefined && wantedScopes.length < needed.length ? [wantedScopes] : []),
    ],
  };
}

/** What's sent, with the client secret for where it's sent. */
async function withSecret<S extends Service>(
  clientSecrets: Pick<ClientSecrets, 'get'>,
  request: S,
): Promise<S & { readonly clientSecret: string }> {
  return { ...request, clientSecret: (await clientSecrets.get(request, dialectOf(request).clientsNeedSecrets)) ?? '' };
}
