import * as vscode from 'vscode';
import type { RefreshOutcome, SessionInfo, Sessions } from '../../sessions/sessions';
import { signOutOf } from './signOut';

/** The refresh token's validity in milliseconds (specification 8). For people only: the service has the last word. */
const REFRESH_TOKEN_VALIDITY = 30 * 24 * 60 * 60 * 1000;

/** What Show Status works with. */
export interface StatusParts {
  readonly sessions: Sessions;
  /** Asks for a new name for this account, and gives it. */
  readonly rename: (session: SessionInfo) => Promise<void>;
  readonly signIn: () => Promise<void>;
  readonly showLog: () => void;
  /** Puts an error into words. */
  readonly inWords: (error: unknown) => string;
  /** The language of dates, such as `en`. */
  readonly language: string;
}

interface Choice extends vscode.QuickPickItem {
  readonly run?: () => Promise<void> | void;
}

/** Shows the accounts and how they are, and what can be done with each. */
export async function showStatus(parts: StatusParts): Promise<void> {
  const sessions = await parts.sessions.list();
  const items: Choice[] = sessions.map((session) => ({
    label: `$(account) ${session.account.label}`,
    description: session.service.baseUrl,
    detail: describe(session, parts.language),
    run: () => showAccount(parts, session),
  }));
  items.push(
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    {
      label: `$(add) ${sessions.length === 0 ? vscode.l10n.t('Sign in') : vscode.l10n.t('Sign in to another account')}`,
      run: parts.signIn,
    },
    { label: `$(output) ${vscode.l10n.t('Open log')}`, run: parts.showLog },
  );
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Status'),
    placeHolder:
      sessions.length === 0
        ? vscode.l10n.t('You are not signed in.')
        : vscode.l10n.t('Choose an account to see what you can do with it.'),
  });
  await picked?.run?.();
}

async function showAccount(parts: StatusParts, session: SessionInfo): Promise<void> {
  const items: Choice[] = [
    { label: `$(refresh) ${vscode.l10n.t('Refresh now')}`, run: () => refreshNow(parts, session) },
    { label: `$(edit) ${vscode.l10n.t('Rename')}`, run: () => parts.rename(session) },
    { label: `$(sign-out) ${vscode.l10n.t('Sign out')}`, run: () => signOutOf(parts.sessions, session) },
    { label: `$(output) ${vscode.l10n.t('Open log')}`, run: parts.showLog },
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    ...facts(session, parts.language).map((fact) => ({ label: fact })),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: session.account.label,
    placeHolder: vscode.l10n.t('What do you want to do with this account?'),
  });
  await picked?.run?.();
}

async function refreshNow({ sessions, inWords }: StatusParts, session: SessionInfo): Promise<void> {
  const { label } = session.account;
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Refreshing the session of {0}…', label) },
      () => sessions.refreshNow(session.id),
    );
    void vscode.window.showInformationMessage(vscode.l10n.t('The session of {0} was refreshed.', label));
  } catch (error) {
    void vscode.window.showErrorMessage(inWords(error));
  }
}

function describe(session: SessionInfo, language: string): string {
  const [since, until, next] = facts(session, language);
  return [since, until, next].join(' · ');
}

/** What there is to know of the session, a sentence each. */
function facts(session: SessionInfo, language: string): string[] {
  const date = (time: number): string =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(time);
  const last = session.lastRefresh;
  return [
    vscode.l10n.t('Signed in since {0}', date(session.signedInAt)),
    vscode.l10n.t('Token good until {0}', date(session.tokenUntil)),
    vscode.l10n.t('Next refresh: {0}', date(session.nextRefreshAt)),
    last === undefined
      ? vscode.l10n.t('Last refresh: none yet')
      : vscode.l10n.t('Last refresh: {0}: {1}', date(last.at), outcomeInWords(last.outcome)),
    vscode.l10n.t('Without a refresh the sign-in ends about {0}', date(session.tokenFrom + REFRESH_TOKEN_VALIDITY)),
    vscode.l10n.t('Service: {0}', session.service.baseUrl),
  ];
}

function outcomeInWords(outcome: RefreshOutcome): string {
  switch (outcome) {
    case 'refreshed':
      return vscode.l10n.t('done');
    case 'no answer':
      return vscode.l10n.t('the service did not answer');
    case 'not sent':
      return vscode.l10n.t('the service could not be reached');
    case 'refused':
      return vscode.l10n.t('the service refused');
    case 'unreadable answer':
      return vscode.l10n.t('the answer could not be understood');
    case 'not stored':
      return vscode.l10n.t('the disk refused');
  }
}
