import { bestEffort } from '../../log';
import type { Commands } from '../editor/editor';
import type { AccountsDependencies, showSessionFailure } from './actions';
import type { signOut } from './signOut';
import type { showStatus } from './statusPage';

/** What's loaded when a person first runs one of the commands. */
export interface AccountParts {
  readonly showSessionFailure: typeof showSessionFailure;
  readonly showStatus: typeof showStatus;
  readonly signOut: typeof signOut;
}

/**
 * The commands about accounts.
 * @param load rejects with an error that the person has seen
 */
export function accountCommands(deps: AccountsDependencies, load: () => Promise<AccountParts>): Commands {
  const carryOut = async (act: (parts: AccountParts) => Promise<void>): Promise<void> => {
    const parts = await bestEffort(deps.log, 'debug', "The command can't be carried out", load);
    if (parts === undefined) {
      return;
    }
    try {
      await act(parts);
    } catch (error) {
      parts.showSessionFailure(deps, error);
    }
  };
  return {
    signOut: () => carryOut(({ signOut }) => signOut(deps)),
    showStatus: () => carryOut(({ showStatus }) => showStatus(deps)),
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
