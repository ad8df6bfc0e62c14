import type { SessionInfo } from '../../sessions/sessions';
import type { Choice, Divider } from '../editor/editor';
import { moments } from '../words/moments';
import { showAccount } from './accountStatus';
import type { SessionActionParts } from './sessionActionParts';
import { needsAttention, summary } from './statusWords';

type Action = () => Promise<void> | void;

/** Shows the accounts and how they are, and what can be done. Where there is one account, all of it is shown at once. */
export async function showStatus(parts: SessionActionParts): Promise<void> {
  const known = await parts.sessions.list();
  const [first] = known;
  if (first !== undefined && known.length === 1) {
    await showAccount(parts, first.id, generalActions(parts, known));
    return;
  }
  const { editor, l10n } = parts;
  const now = moments(parts.language, parts.clock.now());
  const chosen = await editor.choose<Action>(
    l10n.t('Status'),
    known.length === 0
      ? l10n.t('You are not signed in. What do you want to do?')
      : l10n.t('Choose an account to see how it is and what you can do with it.'),
    [
      ...known.map((session) => ({
        label: `${needsAttention(session) ? '$(warning)' : '$(account)'} ${session.account.label}`,
        description: session.service.baseUrl,
        detail: summary(l10n, session, now),
        value: () => showAccount(parts, session.id, []),
      })),
      ...generalActions(parts, known),
    ],
  );
  await chosen?.();
}

/** What can be done whichever account is chosen. */
function generalActions(
  { l10n, signIn, configure, showLog, runningSignIn }: SessionActionParts,
  known: readonly SessionInfo[],
): (Choice<Action> | Divider)[] {
  const running = runningSignIn();
  return [
    { heading: '' },
    running === undefined
      ? {
          label: `$(add) ${known.length === 0 ? l10n.t('Sign in') : l10n.t('Sign in to another account')}`,
          value: () => signIn({}),
        }
      : { label: `$(key) ${l10n.t('Go on with the sign-in that is running')}`, value: running },
    { label: `$(gear) ${l10n.t('Configure the service')}`, value: configure },
    { label: `$(output) ${l10n.t('Open log')}`, value: showLog },
  ];
}
