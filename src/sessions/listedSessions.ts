import { sameService, type ServiceId } from '../oauth/service';
import type { JournalEntry } from '../storage/record';
import type { SessionCache } from './cache';
import { replacedSessions } from './replacement';
import { SessionError } from './sessions';

/** The sessions that have their account, and that no later sign-in has replaced. */
export class ListedSessions {
  constructor(
    private readonly cache: SessionCache,
    private readonly configuredServices: () => readonly ServiceId[],
  ) {}

  /** Those of these services and clients. */
  of(services: readonly ServiceId[]): readonly JournalEntry[] {
    return this.#all().filter((entry) => isOf(services, entry));
  }

  /** Those of the configured services and clients, which are served and refreshed. */
  configured(): readonly JournalEntry[] {
    return this.of(this.configuredServices());
  }

  /** Those of one service and client, if it's configured. */
  configuredOf(service: ServiceId): readonly JournalEntry[] {
    return this.of(this.configuredServices().filter((one) => sameService(one, service)));
  }

  /** Those of services and clients that aren't configured: kept, but neither served nor refreshed. */
  hidden(): readonly JournalEntry[] {
    const services = this.configuredServices();
    return this.#all().filter((entry) => !isOf(services, entry));
  }

  /** One of a configured service. @throws SessionError `over` or `not configured` */
  get(sessionId: string): JournalEntry {
    const listed = this.#all().find((entry) => entry.sessionId === sessionId);
    if (listed === undefined) {
      throw new SessionError('over');
    }
    if (!isOf(this.configuredServices(), listed)) {
      throw new SessionError('not configured');
    }
    return listed;
  }

  #all(): readonly JournalEntry[] {
    const entries = this.cache.entries();
    const replaced = replacedSessions(entries);
    return entries.filter((entry) => entry.record.listed && !replaced.includes(entry));
  }
}

function isOf(services: readonly ServiceId[], { record }: JournalEntry): boolean {
  return services.some((service) => sameService(service, record.service));
}
