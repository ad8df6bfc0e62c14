import { sameService, type ServiceId } from '../oauth/service';
import type { JournalEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import { replacedSessions } from './replacedSessions';
import { SessionError } from './sessionError';

/** The sessions that have their account, and that no later sign-in has replaced. */
export class ListedSessions {
  constructor(
    private readonly cache: SessionCache,
    private readonly configuredServices: () => readonly ServiceId[],
  ) {}

  /** Those of the configured services and clients, which are served and refreshed. */
  configured(): readonly JournalEntry[] {
    return this.#all().filter((entry) => this.#isConfigured(entry));
  }

  /** Those of one service and client, if it's configured. */
  configuredOf(service: ServiceId): readonly JournalEntry[] {
    return this.configured().filter(({ record }) => sameService(record.service, service));
  }

  /** Those of services and clients that aren't configured: kept, but neither served nor refreshed. */
  hidden(): readonly JournalEntry[] {
    return this.#all().filter((entry) => !this.#isConfigured(entry));
  }

  /** One of a configured service. @throws SessionError `over` or `not configured` */
  get(sessionId: string): JournalEntry {
    const listed = this.#all().find((entry) => entry.sessionId === sessionId);
    if (listed === undefined) {
      throw new SessionError('over');
    }
    if (!this.#isConfigured(listed)) {
      throw new SessionError('not configured');
    }
    return listed;
  }

  #all(): readonly JournalEntry[] {
    const entries = this.cache.entries();
    const replaced = replacedSessions(entries);
    return entries.filter((entry) => entry.record.listed && !replaced.includes(entry));
  }

  #isConfigured({ record }: JournalEntry): boolean {
    return this.configuredServices().some((service) => sameService(service, record.service));
  }
}
