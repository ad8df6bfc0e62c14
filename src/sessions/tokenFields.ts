import type { TokenResponse } from '../oauth/types';
import { uniqueScopes } from '../oauth/scopes';
import { NO_EXPIRY, type SessionRecord } from '../storage/record';

/** Lifetime of an access token if the response doesn't say it, in seconds. Most services of this kind have this one. */
const DEFAULT_LIFETIME = 3600;

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

/** The scopes of the session from now on. Those that an earlier response listed, and this one's list lacks, are gone. */
function remainingScopes(
  { listedScopes, scopes = [] }: TokenResponse,
  old: SessionRecord | undefined,
): readonly string[] {
  if (old === undefined || listedScopes === undefined) {
    return uniqueScopes([...(old?.scopes ?? []), ...scopes]);
  }
  const listedBefore = new Set(old.listedScopes);
  const listedNow = new Set(listedScopes);
  const isGone = (scope: string): boolean => listedBefore.has(scope) && !listedNow.has(scope);
  return uniqueScopes([...old.scopes, ...listedScopes]).filter((scope) => !isGone(scope));
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
  | 'refreshLifetime'
  | 'scopes'
  | 'listedScopes'
  | 'requestedScopes'
> {
  const { accessToken, expiresIn = DEFAULT_LIFETIME, refreshExpiresIn, refreshToken } = tokens;
  return {
    refreshToken: refreshToken ?? old?.refreshToken ?? '',
    accessToken,
    idToken: tokens.idToken ?? old?.idToken,
    obtainedAt: tokens.requestedAt,
    lifetime: Math.min(expiresIn * 1000, NO_EXPIRY),
    refreshLifetime: refreshExpiresIn && refreshExpiresIn * 1000,
    scopes: firstScopes(remainingScopes(tokens, old)),
    listedScopes: firstScopes(tokens.listedScopes ?? old?.listedScopes ?? []),
    requestedScopes: tokens.requestedScopes ?? old?.requestedScopes ?? [],
  };
}
