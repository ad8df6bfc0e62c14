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
  const chosen = await deps.editor.choose<Action>(async () => {
    const { clock, sessions, texts } = deps;
    const [known, hidden] = await Promise.all([sessions.list(), sessions.listHidden()]);
    const [only] = known;
    const general = [...generalActions(deps, known.length > 0), ...hiddenAccounts(deps, hidden)];
    if (only !== undefined && known.length === 1) {
      return accountPage(deps, only, general);
    }
    const now = clock.now();
    return {
      title: texts.sessions.status,
      placeholder: known.length === 0 ? texts.sessions.notSignedIn : texts.sessions.selectAccount,
      choices: [
        ...known.map((session) => ({
          icon: hasTrouble(session) ? 'warning' : 'account',
          label: session.account.label,
          description: plainText(session.userName ?? shownAddress(session.service.baseUrl), LONGEST_DETAIL),
          detail: texts.sessions.summary(session, now),
          value: () => showAccount(deps, session.id),
        })),
        ...general,
      ],
    };
  });
  await chosen?.();
}

/** Shows one account, hidden or not, and what can be done with it. */
async function showAccount(deps: AccountsDependencies, sessionId: string): Promise<void> {
  const chosen = await deps.editor.choose<Action>(async () => {
    const { sessions } = deps;
    const [known, hidden] = await Promise.all([sessions.list(), sessions.listHidden()]);
    const session = known.find(({ id }) => id === sessionId);
    const hiddenSession = hidden.find(({ id }) => id === sessionId);
    return session === undefined ? hiddenSession && hiddenPage(deps, hiddenSession) : accountPage(deps, session, []);
  });
  await chosen?.();
}

/** The account's page stays in view after actions that change the account. The most important ones come first. */
function accountPage(deps: AccountsDependencies, session: SessionInfo, further: readonly Line[]): List<Action> {
  const { clock, signIn, texts } = deps;
  const { id, account } = session;
  const again = (action: Promise<void>): Promise<void> =>
    action.then(() => (further.length > 0 ? showStatus(deps) : showAccount(deps, id)));
  return {
    title: account.label,
    placeholder: texts.sessions.summary(session, clock.now()),
    choices: [
      {
        icon: 'refresh',
        label: texts.sessions.refreshNow,
        value: () => again(refreshNow(deps, id, account.label)),
      },
      { icon: 'edit', label: texts.sessions.rename, value: () => again(rename(deps, session)) },
      { icon: 'key', label: texts.sessions.signInAgain, value: () => signIn({ replaces: id }) },
      { icon: 'sign-out', label: texts.sessions.signOut, value: () => signOutOf(deps, session) },
      ...further,
      ...details(deps, session),
    ],
  };
}

function hiddenPage(deps: AccountsDependencies, session: SessionInfo): List<Action> {
  const { configure, texts } = deps;
  return {
    title: session.account.label,
    placeholder: toShow(deps, session),
    choices: [
      { icon: 'gear', label: texts.buttons.configureService, value: configure },
      { icon: 'sign-out', label: texts.sessions.signOut, value: () => signOutOf(deps, session) },
      ...details(deps, session),
    ],
  };
}

function details({ clock, editor, texts }: AccountsDependencies, session: SessionInfo): readonly Line[] {
  const copy = async (text: string): Promise<void> => {
    await editor.copy(text);
    editor.showStatusMessage(texts.sessions.copied);
  };
  return [
    { heading: texts.sessions.selectToCopy },
    ...texts.sessions.details(session, clock.now()).map(({ name, value }) => ({
      label: name,
      description: plainText(value, LONGEST_DETAIL),
      value: () => copy(value),
    })),
  ];
}

/** What can be done whichever account is selected. */
function generalActions(deps: AccountsDependencies, isSignedIn: boolean): readonly Line[] {
  const { configure, runningSignIn, showLog, signIn, texts } = deps;
  const running = runningSignIn();
  return [
    { heading: '' },
    running === undefined
      ? {
          icon: 'add',
          label: isSignedIn ? texts.sessions.signInToAnother : texts.buttons.signIn,
          value: () => signIn({}),
        }
      : { icon: 'key', label: texts.sessions.showRunningSignIn, value: running },
    { icon: 'gear', label: texts.buttons.configureService, value: configure },
    { icon: 'output', label: texts.buttons.showLog, value: showLog },
  ];
}

/** Accounts of services or clients that aren't configured. */
function hiddenAccounts(deps: AccountsDependencies, hidden: readonly SessionInfo[]): readonly Line[] {
  return hidden.length === 0
    ? []
    : [
        { heading: deps.texts.sessions.hiddenAccounts },
        ...hidden.map((session) => ({
          icon: 'eye-closed',
          label: session.account.label,
          detail: toShow(deps, session),
          value: () => showAccount(deps, session.id),
        })),
      ];
}

function toShow({ texts }: AccountsDependencies, { service }: SessionInfo): string {
  return texts.sessions.toShow(shownAddress(service.baseUrl), plainText(service.clientId));
}
