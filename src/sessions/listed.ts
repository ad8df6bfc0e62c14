import { sameService, type ServiceId } from '../oauth/service';
import type { JournalEntry } from '../storage/record';
import type { SessionsContext } from './context';
import { replacedSessions } from './replacement';
import { SessionError } from './sessions';

/** The listed sessions of a service and client that no other one has replaced; those of all if it's left out. */
export function listedSessions(
  { cache }: Pick<SessionsContext, 'cache'>,
  service?: ServiceId,
): readonly JournalEntry[] {
  const entries = cache.entries();
  const replaced = replacedSessions(entries);
  return entries.filter(
    (entry) =>
      entry.record.listed &&
      !replaced.includes(entry) &&
      (service === undefined || sameService(entry.record.service, service)),
  );
}

/** The listed sessions of the configured service and client; none while there is none. */
export function shownSessions(context: Pick<SessionsContext, 'cache' | 'configuredService'>): readonly JournalEntry[] {
  const service = context.configuredService();
  return service === undefined ? [] : listedSessions(context, service);
}

/** The session of the configured service. @throws SessionError `over` or `other service` */
export function getShown(
  context: Pick<SessionsContext, 'cache' | 'configuredService'>,
  sessionId: string,
): JournalEntry {
  const listed = listedSessions(context).find((entry) => entry.sessionId === sessionId);
  if (listed === undefined) {
    throw new SessionError('over');
  }
  if (!shownSessions(context).includes(listed)) {
    throw new SessionError('other service');
  }
  return listed;
}
