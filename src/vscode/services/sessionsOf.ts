import { sameService, type ServiceId } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';

/** Those of these sessions that are of a service. */
export function ofService<S extends { readonly service: ServiceId }>(
  sessions: readonly S[],
  service: ServiceId,
): readonly S[] {
  return sessions.filter((session) => sameService(session.service, service));
}

/** The sessions of a service. @throws the store's error */
export async function sessionsOf(
  sessions: Pick<SharedSessions, 'list'>,
  service: ServiceId,
): Promise<readonly SessionInfo[]> {
  return ofService(await sessions.list(), service);
}
