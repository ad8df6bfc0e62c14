import { safeTrace } from '../../log';
import type { Commands } from '../signin/signIn';
import { type AccountsDependencies, showFailure, signOut } from './actions';
import { showStatus } from './showStatus';

/** The commands about accounts. */
export function accountCommands(deps: AccountsDependencies): Commands {
  const { log, sessions } = deps;
  const withFailureShown = (action: (deps: AccountsDependencies) => Promise<void>) => async () => {
    try {
      await action(deps);
    } catch (error) {
      log.warn(`An action on the sessions failed. ${safeTrace(error)}`);
      void showFailure(deps, error);
    }
  };
  return {
    signOut: withFailureShown(signOut),
    showStatus: withFailureShown(showStatus),
    /** For other extensions: true if asking for the session again brings another token. Never an error. */
    reportRejectedToken: async (token) => {
      try {
        return typeof token === 'string' && token !== '' && (await sessions.reportRejected(token));
      } catch (error) {
        log.warn(`A token was reported as rejected, and the sessions can't be reached. ${safeTrace(error)}`);
        return false;
      }
    },
  };
}
