import type { Clock } from '../clock';
import type { EventEmitter } from '../event';
import type { Log } from '../log';
import type { FreshnessPolicy } from './freshness';
import type { Notice } from './notice';
import type { RecoveryCopies } from './recoveryCopies';
import type { SessionCache } from './sessionCache';
import type { StoredSessions } from './storedSessions';

/** What the classes that need many of them are wired from, made once when the store is open. */
export interface SessionParts {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly freshness: FreshnessPolicy;
  /** Whether the window has begun to close: nothing is sent from then on. */
  readonly isClosing: () => boolean;
  readonly log: Log;
  /** Fires what a person should know. */
  readonly notices: EventEmitter<Notice>;
  readonly recoveryCopies: RecoveryCopies;
  readonly storedSessions: StoredSessions;
}
