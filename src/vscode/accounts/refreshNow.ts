import { buttons } from '../words/buttons';
import { refreshedRemark, refreshingTitle } from './actionWords';
import type { SessionActionParts } from './sessionActionParts';

/** Refreshes a session because the person wants it, and tells how that ended. */
export async function refreshNow(
  parts: Pick<SessionActionParts, 'editor' | 'l10n' | 'sessions' | 'inWords' | 'showLog'>,
  sessionId: string,
  account: string,
): Promise<void> {
  const { editor, l10n, sessions } = parts;
  const progress = editor.progress(refreshingTitle(l10n, account));
  try {
    await sessions.refreshNow(sessionId);
    editor.remark(refreshedRemark(l10n, account));
  } catch (error) {
    void tellSessionFailure(parts, error);
  } finally {
    progress.end();
  }
}

/** Tells why something could not be done with a session. */
export async function tellSessionFailure(
  { editor, l10n, inWords, showLog }: Pick<SessionActionParts, 'editor' | 'l10n' | 'inWords' | 'showLog'>,
  error: unknown,
): Promise<void> {
  const labels = buttons(l10n);
  // The editor shows one line of a message without a button.
  if ((await editor.message('error', inWords(error), labels.showLog)) === labels.showLog) {
    showLog();
  }
}
