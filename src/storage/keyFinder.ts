import { BrowserKeyFinder } from './browserKeyFinder';
import { DesktopKeyFinder } from './desktopKeyFinder';
import { KeyMaker, type KeyProblem } from './keyMaker';
import { type KeyNote, KeyNotes } from './keyNotes';
import type { Platform } from './platform';
import type { SharedRows } from './rows';
import type { SecretContents, SecretItem } from './secretItem';

/** Finds the key that all windows of a store share, and makes it if necessary: once, and never changed. */
export interface KeyFinder {
  /**
   * The item with the key. If there's none, but another window may have made one, waits a while for it, once.
   * @returns `undefined` if there is none. In a browser, the first window makes one
   * @throws StoreUnavailableError `reload` if another window of this browser may have made the key, which this one sees only
   *   after a reload. What the disk, the locks or SecretStorage throw
   */
  forReading(): Promise<SecretContents | undefined>;
  /**
   * The item with the key, which is made if there is none, or it's lost.
   * @throws as above; StoreUnavailableError `secret storage` if another window is making a key
   */
  forWriting(): Promise<SecretContents>;
}

/**
 * The finder for this kind of window. Created when the window opens.
 * @param notify called for each problem that people should know of
 */
export function createKeyFinder(
  platform: Platform,
  item: SecretItem,
  notify: (problem: KeyProblem) => void,
): KeyFinder {
  const { clock, locks, log, random, rows, secretsNeedReload } = platform;
  const notes = new KeyNotes(platform);
  const maker = new KeyMaker({ item, locks, log, notes, notify, random });
  if (!secretsNeedReload) {
    return new DesktopKeyFinder({ clock, item, maker, notes, notify });
  }
  const openedAt = clock.now();
  return new BrowserKeyFinder({ maker, notes, openedAt, notesAtOpening: readAtOpening(rows, notes) });
}

/** The notes, if none can have been written between the opening and the reading. */
async function readAtOpening(rows: SharedRows, notes: KeyNotes): Promise<readonly KeyNote[]> {
  const version = rows.version();
  const noted = await notes.all().catch(() => []);
  return version === undefined || version === rows.version() ? noted : [];
}
