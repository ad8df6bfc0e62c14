import { newId, type Random } from '../storage/cipher';
import type { JournalEntry, SessionRecord } from '../storage/record';
import type { NewSession } from './sessions';
import { fingerprint, lifetimeOf } from './tokens';

/**
 * The first entry of the session that a sign-in brought, made at this place.
 * @param replaced the session that it takes the place of, if any
 */
export function firstEntry(
  { tokens, credentials }: NewSession,
  label: string,
  replaced: SessionRecord | undefined,
  keyId: string,
  place: string,
  random: Random,
  now: number,
): JournalEntry {
  return {
    sessionId: newId(random),
    keyId,
    generation: 1,
    revision: 1,
    state: 'stable',
    time: now,
    record: {
      account: { id: replaced?.account.id ?? newId(random), label },
      service: { baseUrl: credentials.baseUrl, clientId: credentials.clientId },
      clientSecret: credentials.clientSecret,
      place,
      signedInAt: now,
      refreshToken: tokens.refreshToken ?? '',
      accessToken: tokens.accessToken,
      tokenFrom: now,
      lifetime: lifetimeOf(tokens),
      superseded: replaced?.accessToken === undefined ? [] : [fingerprint(replaced.accessToken)],
      lastRefresh: undefined,
      failures: 0,
      retryAt: 0,
      stopped: false,
      copied: 'no',
      replays: 0,
    },
  };
}
