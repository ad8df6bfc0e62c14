import { bestEffort, safeTrace } from '../../log';
import { dialectOf } from '../../oauth/client';
import { SessionError, type SessionInfo } from '../../sessions/sessions';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Dependencies } from '../dependencies';
import type { Commands } from '../editor/editor';
import type { Choice, List } from '../editor/quickInput';
import { buttonsFor } from '../failures';
import type { SignIn } from '../signin/signIn';
import { plainText, shownAddress, shownService } from '../texts/plainText';
import { hasTrouble } from '../texts/sessionTexts';
import type { Texts } from '../texts/texts';
import { askAccountName } from '../accountName';

/** What the commands and messages about accounts work with. */
export interface AccountsDependencies extends Pick<Dependencies, 'brand' | 'clock' | 'editor' | 'log' | 'texts'> {
  readonly sessions: Pick<
    SharedSessions,
    'list' | 'listHidden' | 'remove' | 'rename' | 'refreshNow' | 'reportRejected'
  >;
  readonly signIn: Pick<SignIn, 'start' | 'running'>;
}

type Action = () => Promise<void> | void;
type Line = List<Action>['choices'][number];

/** A longer detail is shown without its end, but copied as a whole. */
const LONGEST_DETAIL = 120;

/** The commands about accounts. */
export function accountCommands(deps: AccountsDependencies): Commands {
  const withFailureShown = (action: (deps: AccountsDependencies) => Promise<void>) => async () => {
    try {
      await action(deps);
    } catch (error) {
      showSessionFailure(deps, error);
    }
  };
  return {
    signOut: withFailureShown(signOut),
    showStatus: withFailureShown(showStatus),
    reportRejectedToken: (token) => reportRejectedToken(deps, token),
  };
}

/** For other extensions: true if asking for the session again brings another token. Never an error. */
export async function reportRejectedToken(
  { log, sessions }: Pick<AccountsDependencies, 'log' | 'sessions'>,
  token: unknown,
): Promise<boolean> {
  const failure = "A token was reported as rejected, and the sessions can't be reached";
  const report = () => typeof token === 'string' && token !== '' && sessions.reportRejected(token);
  return (await bestEffort(log, 'warn', failure, report)) ?? false;
}

/** Signs out of the only account, or of the one that the person selects. */
async function signOut(deps: AccountsDependencies): Promise<void> {
  const { editor, sessions, texts } = deps;
  const { notSignedIn, selectSignOut, signOut: title } = texts.sessions;
  const accounts = new Map((await sessions.list()).map((session) => [session.account.id, session]));
  const [only] = accounts.values();
  if (only === undefined) {
    void editor.message('information', notSignedIn);
  } else if (accounts.size === 1) {
    await signOutOf(deps, only);
  } else {
    const choices = [...accounts.values()].map((session) => accountLine(deps, session, () => signOutOf(deps, session)));
    const chosen = await editor.choose({ title, placeholder: selectSignOut, choices });
    await chosen?.();
  }
}

/**
 * Asks as VS Code's Accounts menu does, and then ends all sessions of an account, which has several if a service refused to
 * widen its first one.
 */
async function signOutOf(deps: AccountsDependencies, session: SessionInfo): Promise<void> {
  const { editor, sessions, texts } = deps;
  const { confirmSignOut, losesAccess, signOut } = texts.sessions;
  if (!(await editor.confirm(confirmSignOut({ account: session.account.label }), losesAccess, signOut))) {
    return;
  }
  try {
    for (const { account, id } of [...(await sessions.list()), ...(await sessions.listHidden())]) {
      if (account.id === session.account.id) {
        await sessions.remove(id);
      }
    }
  } catch (error) {
    showSessionFailure(deps, error, texts.sessions.notSignedOut);
    return;
  }
  const text = texts.sessions.signedOut[accessAfterSignOut(session)];
  void editor.message('information', text({ account: session.account.label }));
}

/** What becomes of the access at the service once its person has signed out. */
function accessAfterSignOut({ service }: SessionInfo): keyof Texts['sessions']['signedOut'] {
  if (!dialectOf(service).signOutCanRevoke) {
    return 'expires';
  }
  return service.endpoints?.revocation === undefined ? 'remains' : 'revoked';
}

/**
 * Shows the accounts as they change, and what can be done. If there's one account, shows everything at once.
 * @param selected the ID of the only session to show, hidden or not
 */
async function showStatus(deps: AccountsDependencies, selected?: string): Promise<void> {
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
    const placeholder = known.length === 0 ? texts.notSignedIn : texts.selectAccount;
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
      { icon: 'sign-out', label: texts.signOut, value: () => signOutOf(deps, session) },
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

/** How to get a hidden account back. */
function hiddenText({ texts }: AccountsDependencies, { service }: SessionInfo): string {
  return texts.sessions.toShow(shownService(service));
}

function accountLine({ clock, texts }: AccountsDependencies, session: SessionInfo, value: Action): Choice<Action> {
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

/** Refreshes a session for the person, and says how that ended. */
export async function refreshNow(deps: AccountsDependencies, sessionId: string, account: string): Promise<void> {
  const { editor, sessions, texts } = deps;
  const ended = new AbortController();
  editor.progress(texts.sessions.refreshing({ account }), ended.signal);
  try {
    await sessions.refreshNow(sessionId);
    editor.showStatusMessage(texts.sessions.refreshed({ account }));
  } catch (error) {
    showSessionFailure(deps, error);
  } finally {
    ended.abort();
  }
}

/** Asks for a new name for an account, and sets it. */
async function rename(deps: AccountsDependencies, { account, id }: SessionInfo): Promise<void> {
  const { sessions, texts } = deps;
  const others = (await sessions.list()).filter((session) => session.account.id !== account.id);
  const taken = others.map((session) => session.account.label);
  const name = await askAccountName(deps, taken, {
    title: texts.sessions.renameTitle,
    prompt: texts.sessions.askAgain({ account: account.label }),
    value: account.label,
  });
  if (name === undefined || name === account.label) {
    return;
  }
  try {
    await sessions.rename(id, name);
  } catch (error) {
    showSessionFailure(deps, error, texts.sessions.notRenamed);
  }
}

/**
 * Shows why something couldn't be done with a session.
 * @param unexpected what to say of an error that has no text of its own
 */
function showSessionFailure(deps: AccountsDependencies, error: unknown, unexpected?: string): void {
  const { editor, log } = deps;
  const { failure, withoutCommand } = deps.texts.sessions;
  log.warn(`An action on the sessions failed. ${safeTrace(error)}`);
  const needsUser = error instanceof SessionError && error.fault === 'needs user';
  // The usual text leads to Show Status, which the person has just used.
  const text = needsUser ? withoutCommand['needs user'] : failure(error, unexpected);
  // VS Code shows only one line of a message without a button.
  void editor.message('error', text, buttonsFor(deps, ['showLog']));
}
