import type { Clock } from '../clock';
import { codeOf } from '../log';
import type { Credentials, ServiceId } from '../oauth/client';
import { type JournalEntry, successor } from '../storage/record';
import { SessionError } from './errors';
import type { SessionsContext } from './context';
import { LockedSession, writeEntry } from './lockedSession';
import { pauseLeft } from './refreshFailure';
import { RefreshResults } from './refreshResults';

/** How long to wait for the lock: longer than a normal refresh takes. Milliseconds. */
const LOCK_PATIENCE = 5_000;
/** If a window died while sending, the service may still be working on its request for a moment. Milliseconds. */
const REPLAY_PAUSE = 1_000;

/** Replaces token pairs, one refresh at a time per session over all windows. */
export class Refresher {
  readonly #running = new Map<string, Promise<void>>();
  readonly #results: RefreshResults;
  readonly #clock: Clock;

  constructor(private readonly context: SessionsContext) {
    this.#results = new RefreshResults(context);
    this.#clock = context.clock;
  }

  /**
   * Makes sure that the session has a later token pair than `generation`. Calls during a refresh share it.
   * @param force even after a recent failure or refusal. If a refresh in progress fails, another follows, because it
   *   may have begun before a person changed something
   * @throws SessionError if the session has no later pair
   */
  async refresh(sessionId: string, generation: number, force = false): Promise<void> {
    let running = this.#running.get(sessionId);
    while (force && running !== undefined) {
      await running.catch(() => undefined);
      running = this.#running.get(sessionId);
    }
    if (running === undefined) {
      running = this.#refresh(sessionId, generation, force).finally(() => {
        this.#running.delete(sessionId);
      });
      this.#running.set(sessionId, running);
    }
    await running;
  }

  /** Resolves when no response is on its way to the disk anymore. Called when the window closes. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
    await this.#results.settled();
  }

  /** The next refusal of credentials for this service is new to the person. */
  credentialsChanged(service: ServiceId): void {
    this.#results.credentialsChanged(service);
  }

  async #refresh(sessionId: string, generation: number, force: boolean): Promise<void> {
    const { cache } = this.context;
    try {
      await LockedSession.use(this.context, sessionId, LOCK_PATIENCE, async (session) => {
        if (session.current.generation <= generation) {
          await this.#refreshLocked(session, force);
        }
      });
    } catch (error) {
      if (error instanceof SessionError && error.fault === 'busy') {
        await cache.update();
        if ((cache.get(sessionId)?.entry.generation ?? generation) > generation) {
          return;
        }
        throw cache.isOver(sessionId) ? new SessionError('over') : error;
      }
      throw error;
    }
  }

  async #refreshLocked(session: LockedSession, force: boolean): Promise<void> {
    const { current } = session;
    const { lastRefresh, needsUser, retryAt, service } = current.record;
    if (needsUser && !force) {
      throw new SessionError('needs user');
    }
    // Even a person waits until every other window could write what it knows of a restored session.
    const isRestored = lastRefresh === undefined;
    if (pauseLeft(retryAt, this.#clock.now()) > 0 && (!force || isRestored)) {
      throw lastFault(current);
    }
    if (current.state === 'sending') {
      await this.#clock.sleep(REPLAY_PAUSE);
    }
    const clientSecret = await this.context.clientSecrets.get(service);
    if (clientSecret === undefined) {
      throw new SessionError('credentials');
    }
    await this.#send(session, { ...service, clientSecret });
  }

  async #send(session: LockedSession, credentials: Credentials): Promise<void> {
    const { client, isClosing, journal, log } = this.context;
    const { current } = session;
    const isReplay = current.state !== 'stable';
    const sending = successor(current, 'sending', this.#clock.now(), {
      replays: current.record.replays + (isReplay ? 1 : 0),
    });
    if (isClosing()) {
      throw new SessionError('not sent');
    }
    try {
      await journal.reserve(sending);
      await writeEntry(this.context, sending);
    } catch (error) {
      if (error instanceof SessionError) {
        throw error;
      }
      log.error(`Session ${current.sessionId} isn't refreshed: the disk refuses (${codeOf(error)}).`);
      throw new SessionError('not stored');
    }
    if (isClosing()) {
      const unsent = successor(sending, current.state, this.#clock.now(), {});
      await writeEntry(this.context, unsent, () => undefined);
      throw new SessionError('not sent');
    }
    if (isReplay) {
      log.warn(
        `Session ${current.sessionId}: generation ${current.generation} is sent again, as no response had come.`,
      );
    }
    await client.refresh(credentials, current.record.refreshToken).then(
      (tokens) => this.#results.commitRefresh(session, sending, tokens),
      (error: unknown) => this.#results.failRefresh(session, sending, error),
    );
  }
}

/** What to say while nothing may be sent yet. */
function lastFault({ record: { lastRefresh } }: JournalEntry): SessionError {
  const outcome = lastRefresh?.outcome ?? 'refreshed';
  const faults = { refreshed: 'busy', incomplete: 'invalid response' } as const;
  return new SessionError(outcome === 'refreshed' || outcome === 'incomplete' ? faults[outcome] : outcome);
}
