import { sameService, type ServiceId } from '../oauth/client';
import type { CachedSession } from './freshness';

/** The session belongs to another service, or another client of it, than the one that is configured. */
export class OtherServiceError extends Error {
  constructor() {
    super('The session belongs to another service than the one that is configured.');
    this.name = 'OtherServiceError';
  }
}

/** True where the session is the configured service's. */
export function belongsTo({ entry }: CachedSession, configured: ServiceId | undefined): boolean {
  return configured !== undefined && sameService(entry.record.service, configured);
}

/** @throws OtherServiceError where this is not the configured service. */
export function checkService(service: ServiceId, configured: ServiceId | undefined): void {
  if (configured === undefined || !sameService(service, configured)) {
    throw new OtherServiceError();
  }
}
