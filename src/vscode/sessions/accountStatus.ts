import type { SessionInfo } from '../../sessions/sessions';
import type { Choice, Divider } from '../editor/editor';
import { moments } from '../words/moments';
import { askAccountName } from './accountName';
import { refreshNow } from './refreshNow';
import type { SessionActionParts } from './sessionActionParts';
import { signOutOf } from './signOut';
import { facts, needsAttention } from './statusWords';

type Action = () => Promise<void> | void;

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
  const known = facts(l10n, session, moments(language, clock.now()));
  const chosen = await editor.choose<Action>(
    label,
    needsAttention(session)
      ? l10n.t('The last refresh of this account failed. What do you want to do?')
      : l10n.t('What do you want to do with this account?'),
    [
      { label: `$(refresh) ${l10n.t('Refresh now')}`, value: () => shownAgain(refreshNow(parts, session.id, label)) },
      { label: `$(edit) ${l10n.t('Rename')}`, value: () => shownAgain(rename(parts, session)) },
      { label: `$(key) ${l10n.t('Sign in again')}`, value: () => parts.signIn({ replaces: session.id }) },
      { label: `$(sign-out) ${l10n.t('Sign out')}`, value: () => signOutOf(parts, session) },
      ...further,
      { heading: l10n.t({ message: 'Choose one to copy it', comment: ['Heading above facts, such as a date'] }) },
      ...known.map(({ name, value }) => ({ label: name, description: value, value: () => copy(parts, value) })),
    ],
  );
  await chosen?.();
}

async function rename({ editor, l10n, sessions }: SessionActionParts, { id, account }: SessionInfo): Promise<void> {
  const others = (await sessions.list()).filter((session) => session.id !== id);
  const name = await askAccountName(editor, l10n, {
    title: l10n.t('Rename account'),
    prompt: l10n.t({
      message: 'Extensions that you allowed to use {0} will ask again under its new name.',
      args: [account.label],
      comment: ['{0} is the name of an account'],
    }),
    value: account.label,
    taken: others.map((session) => session.account.label),
  });
  if (name !== undefined && name !== account.label) {
    await sessions.rename(id, name);
  }
}

async function copy({ editor, l10n }: SessionActionParts, text: string): Promise<void> {
  await editor.copy(text);
  editor.remark(l10n.t('Copied.'));
}
