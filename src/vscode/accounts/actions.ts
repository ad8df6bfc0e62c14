import type { SessionInfo } from '../../sessions/sessions';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { SignInRequest } from '../../signin/pendingSignIn';
import type { Dependencies } from '../dependencies';
import type { InputBoxOptions } from '../editor/quickInput';
import { buttonsFor } from '../failures';
import { isSameName, nameProblem } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** What the commands and messages about accounts work with. */
export interface AccountsDependencies extends Pick<Dependencies, 'brand' | 'clock' | 'editor' | 'log' | 'texts'> {
  readonly sessions: Pick<
    SharedSessions,
    'list' | 'listHidden' | 'remove' | 'rename' | 'refreshNow' | 'reportRejected'
  >;
  /** Signs in under this name, or replaces this session. */
  readonly signIn: (request: SignInRequest) => Promise<void>;
  /** Whether a sign-in is in progress. */
  readonly isSigningIn: () => boolean;
}

/** Refreshes a session for the person, and says how that ended. */
export async function refreshNow(deps: AccountsDependencies, sessionId: string, account: string): Promise<void> {
  const { editor, sessions, texts } = deps;
  const over = new AbortController();
  editor.progress(texts.sessions.refreshing({ account }), over.signal);
  try {
    await sessions.refreshNow(sessionId);
    editor.showStatusMessage(texts.sessions.refreshed({ account }));
  } catch (error) {
    void tellFailure(deps, error);
  } finally {
    over.abort();
  }
}

/** Asks for a new name for an account, and sets it. */
export async function rename(deps: AccountsDependencies, { account: { label }, id }: SessionInfo): Promise<void> {
  const { sessions, texts } = deps;
  const others = (await sessions.list()).filter((session) => session.id !== id);
  const name = await askAccountName(deps, {
    title: texts.sessions.renameTitle,
    prompt: texts.sessions.askAgain({ account: label }),
    value: label,
    taken: others.map(({ account }) => account.label),
  });
  if (name !== undefined && name !== label) {
    await sessions.rename(id, name);
  }
}

/** Says why something couldn't be done with a session. */
export async function tellFailure(deps: AccountsDependencies, error: unknown): Promise<void> {
  // VS Code shows only one line of a message without a button.
  await deps.editor.message('error', deps.texts.sessions.failure(error), buttonsFor(deps, ['showLog']));
}

/** What the box for the name of an account says. */
export interface AccountNameOptions extends Pick<InputBoxOptions, 'title' | 'prompt' | 'value' | 'signal'> {
  /** Names of the other accounts. Names are unique, because the editor's permissions depend on them. */
  readonly taken: readonly string[];
}

/** Asks for the name of an account; `undefined` if the person canceled. */
export async function askAccountName(
  { editor, texts }: Pick<AccountsDependencies, 'editor' | 'texts'>,
  { taken, ...options }: AccountNameOptions,
): Promise<string | undefined> {
  const result = await editor.ask({
    ...options,
    placeholder: texts.sessions.accountName,
    validate: (name) => accountNameProblem(texts, name, taken),
  });
  return result.kind === 'entered' ? result.value.trim().normalize('NFC') : undefined;
}

/** Says why an account can't have this name; `undefined` if it can. */
export function accountNameProblem(texts: Texts, name: string, taken: readonly string[]): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) {
    return texts.settings.problems[problem];
  }
  return taken.some((other) => isSameName(other, name)) ? texts.sessions.faults['label taken'] : undefined;
}
