import type { SessionInfo } from '../../sessions/sessions';
import { moments } from '../words/moments';
import type { SessionActionParts } from './sessionActionParts';
import { summary } from './statusWords';

type SignOutParts = Pick<SessionActionParts, 'editor' | 'l10n' | 'clock' | 'sessions' | 'language'>;

/** Signs out of one account: of the only one without asking, otherwise of the one that the person picks. */
export async function signOut(parts: SignOutParts): Promise<void> {
  const { editor, l10n, sessions } = parts;
  const known = await sessions.list();
  if (known.length === 0) {
    void editor.message('information', l10n.t('You are not signed in, so there is nothing to sign out of.'));
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
  void editor.message(
    'information',
    l10n.t({
      message:
        'Signed out of {0}. Its tokens are forgotten here; the service has no call to end them, so there they end by themselves, within 30 days.',
      args: [session.account.label],
      comment: ['{0} is the name of an account'],
    }),
  );
}

async function pick(
  { editor, l10n, clock, language }: SignOutParts,
  sessions: readonly SessionInfo[],
): Promise<SessionInfo | undefined> {
  const now = moments(language, clock.now());
  return await editor.choose(
    l10n.t('Sign Out'),
    l10n.t('Which account do you want to sign out of?'),
    sessions.map((session) => ({
      label: `$(account) ${session.account.label}`,
      detail: summary(l10n, session, now),
      value: session,
    })),
  );
}
