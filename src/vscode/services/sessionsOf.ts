import { sameService, type ServiceId } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/currentSession';

/** The sessions of a service. @throws the store's error */
export async function sessionsOf(
  sessions: { list(): Promise<readonly SessionInfo[]> },
  service: ServiceId,
): Promise<readonly SessionInfo[]> {
  return (await sessions.list()).filter((session) => sameService(session.service, service));
}
