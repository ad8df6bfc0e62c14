import type { TokenResponse } from '../oauth/types';
import { uniqueScopes } from '../oauth/scopes';
import type { SessionRecord } from '../storage/record';

/** Lifetime of an access token if no response has said it in a usable way. Most services have this one. Milliseconds. */
const DEFAULT_LIFETIME = 3_600_000;

/** So much of a refresh token's life is too little to plan with. Milliseconds. */
const SHORTEST_REFRESH_LIFETIME = 60_000;

/** How long the scopes of a session may be in all: a response may hold hardly anything else, and its record must fit. Characters. */
const LONGEST_SCOPES = 32 * 1024;

/** As many of the scopes, from the first on, as a record has room for: those at the beginning are what the person agreed to. */
function firstScopes(scopes: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  for (const scope of scopes) {
    length += scope.length + 1;
    if (length > LONGEST_SCOPES) {
      break;
    }
    kept.push(scope);
  }
  return kept;
}

/** The scopes of a session after a refresh: one goes only if an earlier response listed it, and this one lists others without it. */
function scopesAfterRefresh(old: SessionRecord, listedNow: readonly string[] = old.listedScopes): readonly string[] {
  const before = new Set(old.listedScopes);
  const now = new Set(listedNow);
  return uniqueScopes([...old.scopes, ...listedNow]).filter((scope) => now.has(scope) || !before.has(scope));
}

/**
 * For how long the refresh token is valid from this response on, in milliseconds. If the response neither says so nor replaces the
 * token, its life goes on. Near its end, it isn't known anymore: each refresh would plan the next one sooner, and if the service
 * prolongs it, there's nothing to plan.
 */
function refreshLifetime(tokens: TokenResponse, old: SessionRecord | undefined): number | undefined {
  if (tokens.refreshExpiresIn !== undefined) {
    return tokens.refreshExpiresIn * 1000;
  }
  const isReplaced = tokens.refreshToken !== undefined && tokens.refreshToken !== old?.refreshToken;
  if (old?.refreshLifetime === undefined || isReplaced) {
    return undefined;
  }
  const left = old.refreshLifetime - Math.max(0, tokens.requestedAt - old.obtainedAt);
  return left >= SHORTEST_REFRESH_LIFETIME ? left : undefined;
}

/** How long the access token lives: as the response says or, if it doesn't, as long as the last one of which the service said it. */
function accessLifetime(
  { expiresIn = 0 }: TokenResponse,
  old: SessionRecord | undefined,
): Pick<SessionRecord, 'lifetime' | 'isLifetimeStated'> {
  if (expiresIn > 0 && Number.isFinite(expiresIn)) {
    return { lifetime: expiresIn * 1000, isLifetimeStated: true };
  }
  if (old?.isLifetimeStated === true) {
    return { lifetime: old.lifetime, isLifetimeStated: true };
  }
  return { lifetime: expiresIn > 0 ? undefined : DEFAULT_LIFETIME, isLifetimeStated: false };
}

/** The part of the record that comes with a token response. */
export function tokenFields(
  tokens: TokenResponse,
  old: SessionRecord | undefined,
): Pick<
  SessionRecord,
  | 'refreshToken'
  | 'accessToken'
  | 'idToken'
  | 'obtainedAt'
  | 'lifetime'
  | 'isLifetimeStated'
  | 'refreshLifetime'
  | 'scopes'
  | 'listedScopes'
  | 'requestedScopes'
> {
  const { accessToken, expiresIn, listedScopes, refreshToken, scopes = [] } = tokens;
  const life = accessLifetime(tokens, old);
  // Services with lifetimes say so of the last token of a session that is about to end there.
  const isOver = expiresIn === 0 && life.isLifetimeStated;
  return {
    refreshToken: refreshToken ?? old?.refreshToken ?? '',
    accessToken: isOver ? undefined : accessToken,
    idToken: tokens.idToken ?? old?.idToken,
    obtainedAt: tokens.requestedAt,
    ...life,
    refreshLifetime: refreshLifetime(tokens, old),
    scopes: firstScopes(old === undefined ? uniqueScopes(scopes) : scopesAfterRefresh(old, listedScopes)),
    listedScopes: firstScopes(listedScopes ?? old?.listedScopes ?? []),
    requestedScopes: tokens.requestedScopes ?? old?.requestedScopes ?? [],
  };
}
