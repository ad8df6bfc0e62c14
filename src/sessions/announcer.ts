import { sameService, type ServiceId } from '../oauth/client';
import type { CachedSession } from './freshness';
import { belongsTo } from './ofService';
import type { ServedSession } from './sessions';
import type { SessionsChange } from './served';
import type { ViewChange } from './view';

/** Tells listeners of changes to the sessions of the configured service. */
export class Announcer {
  readonly #listeners = new Set<(change: SessionsChange) => void>();
  #announced: ServiceId | undefined;

  /** @param service the configured service */
  constructor(
    private readonly service: () => ServiceId | undefined,
    private readonly served: (held: CachedSession) => ServedSession,
  ) {
    this.#announced = service();
  }

  /** Calls back after each change. Returns how to stop. */
  onDidChange(listener: (change: SessionsChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Tells of a change to one session, where that is one of the configured service. */
  tell({ kind, held }: ViewChange): void {
    if (kind !== 'noted' && belongsTo(held, this.service())) {
      this.#fire({ added: [], changed: [], removed: [], [kind]: [this.served(held)] });
    }
  }

  /**
   * Where another service is configured than before, announces its sessions and takes back those of the one before.
   * @param all the sessions of all services
   * @returns those that were taken back; `undefined` where no other service is configured
   */
  serviceMayHaveChanged(all: () => readonly CachedSession[]): readonly ServedSession[] | undefined {
    const before = this.#announced;
    const after = this.service();
    if (before !== undefined && after !== undefined && sameService(before, after)) {
      return undefined;
    }
    this.#announced = after;
    const held = all();
    const of = (service: ServiceId | undefined): ServedSession[] =>
      held.filter((session) => belongsTo(session, service)).map(this.served);
    const removed = of(before);
    this.#fire({ added: of(after), changed: [], removed });
    return removed;
  }

  #fire(change: SessionsChange): void {
    for (const listener of this.#listeners) {
      listener(change);
    }
  }
}
