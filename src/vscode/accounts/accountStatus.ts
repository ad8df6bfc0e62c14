import type { SessionInfo } from '../../sessions/sessions';
import type { Choice, Divider } from '../editor/editor';
import { moments } from '../words/moments';
import { plainText } from '../texts/plainText';
import { createTexts } from '../texts/texts';
import { askAccountName } from './accountName';
import { actionTexts, renamePrompt } from './actionWords';
import { refreshNow } from './refreshNow';
import type { SessionActionParts } from './sessionActionParts';
import { signOutOf } from './signOut';
import { facts, summary } from './statusWords';

type Action = () => Promise<void> | void;

/** A longer one is shown without its end; copied is all of it. */
const LONGEST_FACT = 120;

/**
 * Shows what there is to know of one account, and what can be done with it; again after each action that changes it.
 * @param further what else is offered in the list
 */
export async function showAccount(
  parts: SessionActionParts,
  sessionId: string,
  further: readonly (Choice<Action> | Divider)[],
): Promise<void> {
  const session = (await parts.sessions.list()).find(({ id }) => id === sessionId);
  if (session === undefined) {
    return;
  }
  const { editor, l10n, clock, language } = parts;
  const { label } = session.account;
  const shownAgain = async (action: Promise<void>): Promise<void> => {
    await action;
    await showAccount(parts, sessionId, further);
  };
  const texts = actionTexts(l10n);
  const now = moments(language, clock.now());
  const known = facts(l10n, session, now);
  // The most important first: in a low window the facts are out of sight.
  const chosen = await editor.choose<Action>(label, summary(l10n, session, now), [
    { icon: 'refresh', label: texts.refreshNow, value: () => shownAgain(refreshNow(parts, session.id, label)) },
    { icon: 'edit', label: texts.rename, value: () => shownAgain(rename(parts, session)) },
    { icon: 'key', label: texts.signInAgain, value: () => parts.signIn({ replaces: session.id }) },
    { icon: 'sign-out', label: texts.signOut, value: () => signOutOf(parts, session) },
    ...further,
    { heading: texts.chooseToCopy },
    ...known.map(({ name, value }) => ({
      label: name,
      description: plainText(value, LONGEST_FACT),
      value: () => copy(parts, value),
    })),
  ]);
  await chosen?.();
}

async function rename(
  { editor, l10n, language, sessions }: SessionActionParts,
  { id, account }: SessionInfo,
): Promise<void> {
  const others = (await sessions.list()).filter((session) => session.id !== id);
  const name = await askAccountName(
    { editor, texts: createTexts(l10n, language) },
    {
      title: actionTexts(l10n).renameTitle,
      prompt: renamePrompt(l10n, account.label),
      value: account.label,
      taken: others.map((session) => session.account.label),
    },
  );
  if (name !== undefined && name !== account.label) {
    await sessions.rename(id, name);
  }
}

async function copy({ editor, l10n }: SessionActionParts, text: string): Promise<void> {
  await editor.copy(text);
  editor.remark(actionTexts(l10n).copied);
}
