import { bestEffort, type Log } from '../../../src/log';
import type { StoredSessions } from '../../../src/sessions/storedSessions';
import { changedEntry } from '../../../src/storage/record';

/** What CONTRIBUTING.md shows of a write to a journal. */
export function forgetIdToken(storedSessions: StoredSessions, sessionId: string, log: Log): void {
  void bestEffort(log, 'debug', `Session ${sessionId} can't be changed`, () =>
    storedSessions.change((sessions) => {
      const entry = sessions.get(sessionId);
      if (entry.record.idToken !== undefined) {
        sessions.put(changedEntry(entry, sessions.now, { idToken: undefined }));
      }
    }),
  );
}
