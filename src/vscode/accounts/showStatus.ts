import type { SessionInfo } from '../../sessions/sessions';
import type { Choice, Divider, List } from '../editor/quickInput';
import { plainText, shownAddress } from '../texts/plainText';
import { hasTrouble } from '../texts/sessionTexts';
import { type AccountsDependencies, refreshNow, rename, signOutOf } from './actions';

type Action = () => Promise<void> | void;
type Line = Choice<Action> | Divider;

/** A longer detail is shown without its end, but copied as a whole. */
const LONGEST_DETAIL = 120;

/** Shows the accounts, their state, and what can be done. If there is one account, shows everything at once. */
export async function showStatus(deps: AccountsDependencies): Promise<void> {
  await show(deps, (known, hidden) => {
    const { clock, texts } = deps;
    const [only] = known;
    const general = [...generalActions(deps, known.length > 0), ...hiddenAccounts(deps, hidden)];
    if (only !== undefined && known.length === 1) {
      return accountPage(deps, only, () => showStatus(deps), general);
    }
    const now = clock.now();
    const accounts = known.map((session) => ({
      icon: hasTrouble(session) ? 'warning' : 'account',
      label: session.account.label,
      description: plainText(session.userName ?? shownAddress(session.service.baseUrl), LONGEST_DETAIL),
      detail: texts.sessions.summary(session, now),
      value: () => showAccount(deps, session.id),
    }));
    return {
      title: texts.sessions.status,
      placeholder: known.length === 0 ? texts.sessions.notSignedIn : texts.sessions.selectAccount,
      choices: [...accounts, ...general],
    };
  });
}

/** Shows one account, hidden or not, and what can be done with it. */
async function showAccount(deps: AccountsDependencies, sessionId: string): Promise<void> {
  await show(deps, (known, hidden) => {
    const session = known.find(({ id }) => id === sessionId);
    const hiddenSession = hidden.find(({ id }) => id === sessionId);
    return session === undefined
      ? hiddenSession && hiddenPage(deps, hiddenSession)
      : accountPage(deps, session, () => showAccount(deps, sessionId), []);
  });
}

/** Shows what `contents` makes of the accounts, as they change, and does what the person selects. */
async function show(
  { editor, sessions }: AccountsDependencies,
  contents: (known: readonly SessionInfo[], hidden: readonly SessionInfo[]) => List<Action> | undefined,
): Promise<void> {
  const chosen = await editor.choose(async () => contents(await sessions.list(), await sessions.listHidden()));
  await chosen?.();
}

/**
 * The most important actions come first.
 * @param show keeps the page in view after actions that change the account
 */
function accountPage(
  deps: AccountsDependencies,
  session: SessionInfo,
  show: () => Promise<void>,
  further: readonly Line[],
): List<Action> {
  const { clock, signIn } = deps;
  const { id, account } = session;
  const texts = deps.texts.sessions;
  return {
    title: account.label,
    placeholder: texts.summary(session, clock.now()),
    choices: [
      { icon: 'refresh', label: texts.refreshNow, value: () => refreshNow(deps, id, account.label).then(show) },
      { icon: 'edit', label: texts.rename, value: () => rename(deps, session).then(show) },
      { icon: 'key', label: texts.signInAgain, value: () => signIn({ replaces: id }) },
      signOutLine(deps, session),
      ...further,
      ...details(deps, session),
    ],
  };
}

function hiddenPage(deps: AccountsDependencies, session: SessionInfo): List<Action> {
  return {
    title: session.account.label,
    placeholder: toShow(deps, session),
    choices: [configureLine(deps), signOutLine(deps, session), ...details(deps, session)],
  };
}

function details({ clock, editor, texts }: AccountsDependencies, session: SessionInfo): readonly Line[] {
  const copy = async (text: string): Promise<void> => {
    await editor.copy(text);
    editor.showStatusMessage(texts.sessions.copied);
  };
  return [
    { heading: texts.sessions.selectToCopy },
    ...texts.sessions.details(session, clock.now()).map(([label, value]) => ({
      label,
      description: plainText(value, LONGEST_DETAIL),
      value: () => copy(value),
    })),
  ];
}

/** What can be done whichever account is selected. */
function generalActions(deps: AccountsDependencies, isSignedIn: boolean): readonly Line[] {
  const { isSigningIn, run, signIn } = deps;
  const { buttons, sessions } = deps.texts;
  const newSignIn = isSignedIn ? sessions.signInToAnother : buttons.signIn;
  return [
    { heading: '' },
    isSigningIn()
      ? { icon: 'key', label: sessions.showRunningSignIn, value: () => run('signInMenu') }
      : { icon: 'add', label: newSignIn, value: () => signIn({}) },
    configureLine(deps),
    { icon: 'output', label: buttons.showLog, value: () => run('showLog') },
  ];
}

function configureLine({ run, texts }: AccountsDependencies): Line {
  return { icon: 'gear', label: texts.buttons.configureService, value: () => run('configure') };
}

function signOutLine(deps: AccountsDependencies, session: SessionInfo): Line {
  return { icon: 'sign-out', label: deps.texts.sessions.signOut, value: () => signOutOf(deps, session) };
}

/** Accounts of services or clients that aren't configured. */
function hiddenAccounts(deps: AccountsDependencies, hidden: readonly SessionInfo[]): readonly Line[] {
  const lines = hidden.map((session) => ({
    icon: 'eye-closed',
    label: session.account.label,
    detail: toShow(deps, session),
    value: () => showAccount(deps, session.id),
  }));
  return lines.length === 0 ? [] : [{ heading: deps.texts.sessions.hiddenAccounts }, ...lines];
}

function toShow({ texts }: AccountsDependencies, { service: { baseUrl, clientId } }: SessionInfo): string {
  return texts.sessions.toShow({ baseUrl: shownAddress(baseUrl), clientId: plainText(clientId) });
}
