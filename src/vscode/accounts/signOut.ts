import type { SessionInfo } from '../../sessions/sessions';
import { moments } from '../words/moments';
import { actionTexts, signedOutMessage } from './actionWords';
import type { SessionActionParts } from './sessionActionParts';
import { summary } from './statusWords';

type SignOutParts = Pick<SessionActionParts, 'editor' | 'l10n' | 'clock' | 'sessions' | 'language'>;

/** Signs out of one account: of the only one without asking, otherwise of the one that the person picks. */
export async function signOut(parts: SignOutParts): Promise<void> {
  const { editor, l10n, sessions } = parts;
  const known = await sessions.list();
  if (known.length === 0) {
    void editor.message('information', actionTexts(l10n).nothingToSignOutOf);
    return;
  }
  const session = known.length > 1 ? await pick(parts, known) : known[0];
  if (session !== undefined) {
    await signOutOf(parts, session);
  }
}

/** Signs out of this account and says so. */
export async function signOutOf({ editor, l10n, sessions }: SignOutParts, session: SessionInfo): Promise<void> {
  await sessions.remove(session.id);
  void editor.message('information', signedOutMessage(l10n, session.account.label));
}

async function pick(
  { editor, l10n, clock, language }: SignOutParts,
  sessions: readonly SessionInfo[],
): Promise<SessionInfo | undefined> {
  const now = moments(language, clock.now());
  const texts = actionTexts(l10n);
  return await editor.choose(
    texts.signOut,
    texts.chooseToSignOut,
    sessions.map((session) => ({
      icon: 'account',
      label: session.account.label,
      detail: summary(l10n, session, now),
      value: session,
    })),
  );
}
