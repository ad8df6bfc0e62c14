import { RefreshError } from './refreshError';
import type { RefresherParts } from './refresherParts';
import { isNewer, remembered, restored, type JournalEntry } from '../storage/record';

/**
 * The latest that is known of a session, to be asked with its lock held: by its journal, which is the truth wherever
 * it can be read; by this window's memory; and, where the journal leaves open what became of the last sending, or
 * `doubtful` is set, by the recovery copy.
 * @throws RefreshError `over` where the session is over, or nothing is known of it; `busy elsewhere` where a newer
 *   version of the extension has taken it over.
 */
export async function latest(
  parts: Pick<RefresherParts, 'journal' | 'view' | 'recovery' | 'keyId' | 'clock' | 'log'>,
  sessionId: string,
  doubtful = false,
): Promise<JournalEntry> {
  const { journal, view, recovery, keyId, clock, log } = parts;
  const decoded = await journal.read(sessionId);
  // In this order: a journal that is gone because of a sign-out has left a tombstone.
  const ended = await journal.ended(sessionId);
  if (ended !== undefined || view.isOver(sessionId)) {
    view.end(sessionId, ended ?? 'signed out');
    throw new RefreshError('over');
  }
  if (decoded?.kind === 'newer') {
    throw new RefreshError('busy elsewhere');
  }
  const mine = view.get(sessionId)?.entry;
  if (decoded?.kind === 'damaged' || (decoded?.kind === 'foreign' && mine !== undefined)) {
    log.warn(`The journal of session ${sessionId} can't be read; it is set aside.`);
    await journal.setAside(sessionId);
  }
  let newest = decoded?.kind === 'entry' ? decoded.entry : undefined;
  if (mine !== undefined && (newest === undefined || isNewer(mine, newest))) {
    newest = remembered(mine, newest);
  }
  if (newest?.state !== 'stable' || doubtful) {
    const copy = await recovery.read(sessionId);
    if (copy !== undefined && copy.generation > (newest?.generation ?? -1)) {
      newest = restored(sessionId, keyId, copy, clock.now());
    }
  }
  if (newest === undefined) {
    throw new RefreshError('over');
  }
  return newest;
}
