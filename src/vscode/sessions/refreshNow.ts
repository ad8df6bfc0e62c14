import type { SessionActionParts } from './sessionActionParts';

/** Refreshes a session because the person wants it, and tells how that ended. */
export async function refreshNow(
  { editor, l10n, sessions, inWords }: Pick<SessionActionParts, 'editor' | 'l10n' | 'sessions' | 'inWords'>,
  sessionId: string,
  account: string,
): Promise<void> {
  const progress = editor.progress(
    l10n.t({ message: 'Refreshing the session of {0}', args: [account], comment: ['{0} is the name of an account'] }),
  );
  try {
    await sessions.refreshNow(sessionId);
    editor.remark(
      l10n.t({
        message: 'The session of {0} was refreshed.',
        args: [account],
        comment: ['{0} is the name of an account'],
      }),
    );
  } catch (error) {
    void editor.message('error', inWords(error));
  } finally {
    progress.end();
  }
}
