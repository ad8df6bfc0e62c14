import type { Clock } from '../../clock';
import type { Log } from '../../log';
import type { SessionInfo, Sessions } from '../../sessions/sessions';
import type { Editor } from '../editor/editor';
import { isSameName, nameProblem } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** What the commands and messages about accounts work with. */
export interface AccountsDependencies {
  readonly editor: Editor;
  readonly texts: Texts;
  readonly clock: Clock;
  readonly log: Log;
  readonly sessions: Pick<Sessions, 'list' | 'listHidden' | 'remove' | 'rename' | 'refreshNow' | 'reportRejected'>;
  /** Signs in under this name, or replaces this session. */
  readonly signIn: (request: { readonly accountLabel?: string; readonly replaces?: string }) => Promise<void>;
  /** Opens the menu of the sign-in that's in progress; `undefined` if there is none. */
  readonly runningSignIn: () => (() => Promise<void>) | undefined;
  readonly configure: () => Promise<void>;
  readonly setClientSecret: () => Promise<void>;
  readonly showLog: () => void;
}

/** Signs out of the only account without asking, otherwise of the one that the person selects. */
export async function signOut(deps: AccountsDependencies): Promise<void> {
  const { clock, editor, sessions, texts } = deps;
  const known = await sessions.list();
  if (known.length === 0) {
    void editor.message('information', texts.sessions.notSignedIn);
    return;
  }
  const now = clock.now();
  const choices = known.map((session) => ({
    icon: 'account',
    label: session.account.label,
    detail: texts.sessions.summary(session, now),
    value: session,
  }));
  const chosen =
    known.length > 1
      ? await editor.choose({ title: texts.sessions.signOut, placeholder: texts.sessions.selectSignOut, choices })
      : known[0];
  if (chosen !== undefined) {
    await signOutOf(deps, chosen);
  }
}

/** Signs out of this account and says so. */
export async function signOutOf(
  { editor, sessions, texts }: AccountsDependencies,
  session: SessionInfo,
): Promise<void> {
  await sessions.remove(session.id);
  void editor.message('information', texts.sessions.signedOut(session.account.label));
}

/** Refreshes a session for the person, and says how that ended. */
export async function refreshNow(deps: AccountsDependencies, sessionId: string, account: string): Promise<void> {
  const { editor, sessions, texts } = deps;
  const progress = editor.progress(texts.sessions.refreshing(account));
  try {
    await sessions.refreshNow(sessionId);
    editor.showStatusMessage(texts.sessions.refreshed(account));
  } catch (error) {
    void showFailure(deps, error);
  } finally {
    progress.end();
  }
}

/** Asks for a new name for an account, and sets it. */
export async function rename(deps: AccountsDependencies, { account, id }: SessionInfo): Promise<void> {
  const { sessions, texts } = deps;
  const others = (await sessions.list()).filter((session) => session.id !== id);
  const name = await askAccountName(deps, {
    title: texts.sessions.renameTitle,
    prompt: texts.sessions.askAgain(account.label),
    value: account.label,
    taken: others.map((session) => session.account.label),
  });
  if (name !== undefined && name !== account.label) {
    await sessions.rename(id, name);
  }
}

/** Says why something couldn't be done with a session. */
export async function showFailure({ editor, showLog, texts }: AccountsDependencies, error: unknown): Promise<void> {
  // VS Code shows only one line of a message without a button.
  await editor.message('error', texts.sessions.failure(error), { [texts.buttons.showLog]: showLog });
}

/** What the box for the name of an account says. */
export interface AccountNameOptions {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
  /** Names of the other accounts. Names are unique, because the editor's permissions depend on them. */
  readonly taken: readonly string[];
  readonly signal?: AbortSignal;
}

/** Asks for the name of an account; `undefined` if the person canceled. */
export async function askAccountName(
  { editor, texts }: { readonly editor: Pick<Editor, 'ask'>; readonly texts: Texts },
  { title, prompt, value, taken, signal }: AccountNameOptions,
): Promise<string | undefined> {
  const result = await editor.ask({
    title,
    prompt,
    placeholder: texts.sessions.accountName,
    value,
    validate: (name) => accountNameProblem(texts, name, taken),
    ...(signal === undefined ? {} : { signal }),
  });
  return result.kind === 'entered' ? result.value.trim().normalize('NFC') : undefined;
}

/** Says why an account can't have this name; `undefined` if it can. */
export function accountNameProblem(texts: Texts, name: string, taken: readonly string[]): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) {
    return texts.settings.problem(problem);
  }
  return taken.some((other) => isSameName(other, name)) ? texts.sessions.nameTaken : undefined;
}
