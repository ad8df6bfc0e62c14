import { sameService, type ServiceId } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';

/** The sessions of a service. @throws the store's error */
export async function sessionsOf(
  sessions: Pick<SharedSessions, 'list'>,
  service: ServiceId,
): Promise<readonly SessionInfo[]> {
  return (await sessions.list()).filter((session) => sameService(session.service, service));
}
