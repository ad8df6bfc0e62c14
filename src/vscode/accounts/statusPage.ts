import type { SessionInfo } from '../../sessions/sessions';
import type { Choice, List } from '../editor/quickInput';
import { plainText, shownAddress, shownService } from '../texts/plainText';
import { hasTrouble } from '../texts/sessionTexts';
import { type AccountsDependencies, refreshNow, rename, signOutOf } from './actions';

type Action = () => Promise<void> | void;
type Line = List<Action>['choices'][number];

/** A longer detail is shown without its end, but copied as a whole. */
const LONGEST_DETAIL = 120;

/**
 * Shows the accounts as they change, and what can be done. If there's one account, shows everything at once.
 * @param selected the ID of the only session to show, hidden or not
 */
export async function showStatus(deps: AccountsDependencies, selected?: string): Promise<void> {
  const chosen = await deps.editor.choose(() => statusPage(deps, selected));
  await chosen?.();
}

/** The list of accounts, or one account with its details; `undefined` if the selected one is gone. */
async function statusPage(deps: AccountsDependencies, selected: string | undefined): Promise<List<Action> | undefined> {
  const texts = deps.texts.sessions;
  const known = await deps.sessions.list();
  // Sessions of services or clients that aren't configured.
  const hidden = await deps.sessions.listHidden();
  const general = generalLines(deps, known.length > 0, hidden);
  if (selected === undefined && known.length !== 1) {
    const toLine = (session: SessionInfo): Line => accountLine(deps, session, () => showStatus(deps, session.id));
    const placeholder = known.length === 0 ? noAccountText(deps) : texts.selectAccount;
    return { title: texts.status, placeholder, choices: [...known.map(toLine), ...general] };
  }
  const session = selected === undefined ? known[0] : [...known, ...hidden].find(({ id }) => id === selected);
  if (session === undefined) {
    return undefined;
  }
  const isHidden = hidden.includes(session);
  return {
    title: session.account.label,
    placeholder: isHidden ? hiddenText(deps, session) : texts.summary(session, deps.clock.now()),
    choices: [
      ...(isHidden ? configureLines(deps) : renewalLines(deps, session, () => showStatus(deps, selected))),
      { icon: 'sign-out', label: texts.signOut, value: () => signOutOf(deps, session, isHidden) },
      ...(selected === undefined ? general : []),
      ...details(deps, session, isHidden),
    ],
  };
}

/** What can be done whichever account there is, and the accounts of services that aren't configured. */
function generalLines(
  deps: AccountsDependencies,
  isSignedIn: boolean,
  hidden: readonly SessionInfo[],
): readonly Line[] {
  const { editor, signIn } = deps;
  const { buttons, sessions: texts } = deps.texts;
  const toSignIn: Line = isSignedIn
    ? { icon: 'add', label: texts.signInToAnother, value: () => signIn.start({ isForAnother: true }) }
    : { icon: 'add', label: buttons.signIn, value: () => signIn.start() };
  const toHiddenLine = (session: SessionInfo): Line => ({
    icon: 'eye-closed',
    label: session.account.label,
    detail: hiddenText(deps, session),
    value: () => showStatus(deps, session.id),
  });
  return [
    { heading: '' },
    signIn.running
      ? { icon: 'key', label: texts.showRunningSignIn, value: () => editor.runOwn('signInMenu') }
      : toSignIn,
    ...configureLines(deps),
    { icon: 'output', label: buttons.showLog, value: () => editor.runOwn('showLog') },
    ...(hidden.length > 0 ? [{ heading: texts.hiddenAccounts }, ...hidden.map(toHiddenLine)] : []),
  ];
}

/** None in a build for one service, which can't be configured. */
function configureLines({ brand, editor, texts }: AccountsDependencies): readonly Line[] {
  const line: Line = { icon: 'gear', label: texts.buttons.configure, value: () => editor.runOwn('configure') };
  return brand.commands.includes('configure') ? [line] : [];
}

/**
 * What can be done with an account of the configured service, besides signing out.
 * @param again shows the page again, with what was changed
 */
function renewalLines(deps: AccountsDependencies, session: SessionInfo, again: Action): readonly Line[] {
  const texts = deps.texts.sessions;
  const { account, canRefresh, id } = session;
  const refresh = () => refreshNow(deps, id, account.label).then(again);
  return [
    ...(canRefresh ? [{ icon: 'refresh', label: texts.refreshNow, value: refresh }] : []),
    { icon: 'edit', label: texts.rename, value: () => rename(deps, session).then(again) },
    { icon: 'key', label: texts.signInAgain, value: () => deps.signIn.start({ accountId: account.id }) },
  ];
}

/** Why there's no account. */
function noAccountText({ signIn, texts }: AccountsDependencies): string {
  return signIn.running ? texts.sessions.signInRunning : texts.sessions.notSignedIn;
}

/** How to get a hidden account back. */
function hiddenText({ texts }: AccountsDependencies, { service }: SessionInfo): string {
  return texts.sessions.toShow(shownService(service));
}

/** An account in a list: whose it is, and how it is. */
export function accountLine(
  { clock, texts }: AccountsDependencies,
  session: SessionInfo,
  value: Action,
): Choice<Action> {
  const { account, service, userName } = session;
  // The account may have the user's name, which doesn't have to be said twice.
  const description = userName === undefined || userName === account.label ? shownAddress(service.baseUrl) : userName;
  return {
    icon: hasTrouble(session) ? 'warning' : 'account',
    label: account.label,
    description: plainText(description, LONGEST_DETAIL),
    detail: texts.sessions.summary(session, clock.now()),
    value,
  };
}

function details(
  { clock, editor, texts }: AccountsDependencies,
  session: SessionInfo,
  isHidden: boolean,
): readonly Line[] {
  return [
    { heading: texts.sessions.selectToCopy },
    ...texts.sessions.details(session, clock.now(), isHidden).map(([label, value]) => ({
      label,
      description: plainText(value, LONGEST_DETAIL),
      value: async () => {
        await editor.copy(value);
        editor.showStatusMessage(texts.sessions.copied);
      },
    })),
  ];
}
