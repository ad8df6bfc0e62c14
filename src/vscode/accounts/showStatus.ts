import type { SessionInfo } from '../../sessions/sessions';
import type { Choice, Divider } from '../editor/editor';
import { moments } from '../words/moments';
import { shownAddress } from '../texts/plainText';
import { showAccount } from './accountStatus';
import { actionTexts } from './actionWords';
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
  const texts = actionTexts(l10n);
  const now = moments(parts.language, parts.clock.now());
  const chosen = await editor.choose<Action>(
    texts.status,
    known.length === 0 ? texts.notSignedIn : texts.chooseAccount,
    [
      ...known.map((session) => ({
        icon: needsAttention(session) ? 'warning' : 'account',
        label: session.account.label,
        description: shownAddress(session.service.baseUrl),
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
  const texts = actionTexts(l10n);
  const running = runningSignIn();
  return [
    { heading: '' },
    running === undefined
      ? {
          icon: 'add',
          label: known.length === 0 ? texts.signIn : texts.signInToAnother,
          value: () => signIn({}),
        }
      : { icon: 'key', label: texts.goOn, value: running },
    { icon: 'gear', label: texts.configure, value: configure },
    { icon: 'output', label: texts.showLog, value: showLog },
  ];
}
