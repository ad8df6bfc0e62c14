import { BrowserKeyFinder } from './browserKeyFinder';
import { DesktopKeyFinder } from './desktopKeyFinder';
import type { KeyFinder } from './keyFinder';
import type { KeyMaker, KeyProblem } from './keyMaker';
import type { KeyNote, KeyNotes } from './keyNotes';
import type { Platform } from './platform';
import type { SharedRows } from './rows';
import type { SecretItem } from './secretItem';

/**
 * The finder for this kind of window. Created when the window opens.
 * @param notify called for each problem that people should know of
 */
export function createKeyFinder(
  platform: Platform,
  item: SecretItem,
  notes: KeyNotes,
  maker: KeyMaker,
  notify: (problem: KeyProblem) => void,
): KeyFinder {
  const { clock, rows, secretsNeedReload } = platform;
  if (!secretsNeedReload) {
    return new DesktopKeyFinder(maker, notes, item, clock, notify);
  }
  const openedAt = clock.now();
  return new BrowserKeyFinder(maker, notes, openedAt, readAtOpening(rows, notes));
}

/** The notes, if none can have been written between the opening and the reading. */
async function readAtOpening(rows: SharedRows, notes: KeyNotes): Promise<readonly KeyNote[]> {
  const version = rows.version();
  const noted = await notes.all().catch(() => []);
  return version === undefined || version === rows.version() ? noted : [];
}
