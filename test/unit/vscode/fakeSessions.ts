import { type CurrentSession, currentSession, type SessionInfo } from '../../../src/sessions/currentSession';

/** The service that all sessions here belong to. */
export const SERVICE = { protocol: 'draft', baseUrl: 'https://service.example', clientId: 'the client' } as const;

/** A session of the account with this label. */
export function sessionOf(label: string, id = label, fields: Partial<SessionInfo> = {}): CurrentSession {
  const hasFailed = fields.lastRefresh !== undefined && fields.lastRefresh.outcome !== 'refreshed';
  return currentSession(
    {
      id,
      account: { id: `account of ${id}`, label },
      userName: undefined,
      isIdentified: false,
      service: SERVICE,
      signedInAt: 0,
      obtainedAt: 0,
      refreshLifetime: undefined,
      expiresAt: 0,
      nextRefreshAt: 0,
      canRefresh: true,
      lastRefresh: undefined,
      needsUser: false,
      standing: fields.needsUser === true ? 'left out' : hasFailed ? 'retrying' : 'fine',
      ...fields,
    },
    'not a real access token',
  );
}
