import { bestEffort, type Log } from '../../log';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Commands } from '../editor/editor';
import { type AccountsDependencies, showSessionFailure } from './actions';
import { signOut } from './signOut';
import { showStatus } from './statusPage';

/** The commands about accounts. */
export function accountCommands(deps: AccountsDependencies): Commands {
  const carryOut = async (command: (deps: AccountsDependencies) => Promise<void>): Promise<void> => {
    try {
      await command(deps);
    } catch (error) {
      showSessionFailure(deps, error);
    }
  };
  return {
    signOut: () => carryOut(signOut),
    showStatus: () => carryOut(showStatus),
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
