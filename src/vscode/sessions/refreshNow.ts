import { refreshedRemark, refreshingTitle } from './actionWords';
import type { SessionActionParts } from './sessionActionParts';

/** Refreshes a session because the person wants it, and tells how that ended. */
export async function refreshNow(
  { editor, l10n, sessions, inWords }: Pick<SessionActionParts, 'editor' | 'l10n' | 'sessions' | 'inWords'>,
  sessionId: string,
  account: string,
): Promise<void> {
  const progress = editor.progress(refreshingTitle(l10n, account));
  try {
    await sessions.refreshNow(sessionId);
    editor.remark(refreshedRemark(l10n, account));
  } catch (error) {
    void editor.message('error', inWords(error));
  } finally {
    progress.end();
  }
}
