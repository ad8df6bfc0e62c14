import { sameService, type ServiceId } from '../oauth/service';
import type { JournalEntry } from '../storage/record';
import type { SessionCache } from './cache';
import { replacedSessions } from './replacement';
import { SessionError } from './sessions';

/** The sessions that have their account, and that no later sign-in has replaced. */
export class ListedSessions {
  constructor(
    private readonly cache: SessionCache,
    private readonly configuredService: () => ServiceId | undefined,
  ) {}

  /** Those of this service and client. */
  of(service: ServiceId): readonly JournalEntry[] {
    return this.#all().filter(({ record }) => sameService(record.service, service));
  }

  /** Those of the configured service and client, which are served and refreshed; none while there is none. */
  configured(): readonly JournalEntry[] {
    const service = this.configuredService();
    return service === undefined ? [] : this.of(service);
  }

  /** Those of other services and clients: kept, but neither served nor refreshed. */
  hidden(): readonly JournalEntry[] {
    const configured = this.configured();
    return this.#all().filter((entry) => !configured.includes(entry));
  }

  /** One of the configured service. @throws SessionError `over` or `other service` */
  get(sessionId: string): JournalEntry {
    const listed = this.#all().find((entry) => entry.sessionId === sessionId);
    if (listed === undefined) {
      throw new SessionError('over');
    }
    if (!this.configured().includes(listed)) {
      throw new SessionError('other service');
    }
    return listed;
  }

  #all(): readonly JournalEntry[] {
    const entries = this.cache.entries();
    const replaced = replacedSessions(entries);
    return entries.filter((entry) => entry.record.listed && !replaced.includes(entry));
  }
}
