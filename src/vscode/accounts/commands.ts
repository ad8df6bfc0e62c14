import { bestEffort } from '../../log';
import type { Commands } from '../editor/editor';
import { type AccountsDependencies, showSessionFailure, signOutOf } from './actions';
import { accountLine, showStatus } from './statusPage';

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
