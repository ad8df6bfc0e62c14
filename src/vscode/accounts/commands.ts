import { bestEffort, type Log } from '../../log';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Commands } from '../editor/editor';
import type { AccountActions, AccountsDependencies } from './actions';
import type { Tried } from '../texts/sessionTexts';
import { signOut } from './signOut';
import { StatusPage } from './statusPage';

/** The commands about accounts. */
export function accountCommands(deps: AccountsDependencies, actions: AccountActions): Commands {
  const status = new StatusPage(deps, actions);
  const carryOut = async (tried: Tried, command: () => Promise<void>): Promise<void> => {
    try {
      await command();
    } catch (error) {
      actions.showFailure(error, tried);
    }
  };
  return {
    signOut: () => carryOut('showAccounts', () => signOut(deps, actions)),
    showStatus: () => carryOut('showAccounts', () => status.show()),
    reportRejectedToken: (token) => reportRejectedToken(deps.sessions, deps.log, token),
  };
}

/** For other extensions: true if asking for the session again brings another token. Never an error. */
export async function reportRejectedToken(
  sessions: Pick<SharedSessions, 'reportRejected'>,
  log: Log,
  token: unknown,
): Promise<boolean> {
  const failure = "A token was reported as rejected, and the sessions can't be reached";
  const report = () => typeof token === 'string' && token !== '' && sessions.reportRejected(token);
  return (await bestEffort(log, 'warn', failure, report)) ?? false;
}
