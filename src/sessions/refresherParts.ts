import type { Clock } from '../clock';
import type { Log } from '../log';
import type { OAuthClient, ServiceId } from '../oauth/client';
import type { Journal } from '../storage/journal';
import type { Locks } from '../storage/locks';
import type { EndReason, JournalEntry, RecoveryCopy } from '../storage/record';
import type { View } from './view';

/** What the refresher works with. */
export interface RefresherParts {
  readonly journal: Journal;
  readonly view: View;
  readonly locks: Locks;
  readonly protocol: OAuthClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyId: string;
  /** The secret entered last for this service, if any. */
  readonly clientSecret: (service: ServiceId) => Promise<string | undefined>;
  /** The copies in SecretStorage, to be read when the journal leaves a question open. */
  readonly recovery: {
    read(sessionId: string): Promise<RecoveryCopy | undefined>;
    /** Best effort: never rejects, and nothing waits for it. */
    save(entry: JournalEntry): void;
  };
  readonly events: RefreshEvents;
}

/** What this window's refreshes bring about. Only the window that sent the request calls these. */
export interface RefreshEvents {
  /** A new token pair was stored. */
  rotated(entry: JournalEntry): void;
  /** The session is over by the service's word. */
  ended(entry: JournalEntry, reason: EndReason): void;
  /** The client's credentials were refused; the session is kept. */
  credentialsRefused(entry: JournalEntry): void;
  /** A person must decide what is next; the session is kept. */
  stopped(entry: JournalEntry): void;
  /** New tokens came and the disk does not take them; they are in use and kept in memory. */
  notStored(entry: JournalEntry): void;
}
