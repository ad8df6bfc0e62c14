import { safeTrace } from '../../log';
import type { Commands } from '../signin/commands';
import { type AccountsDependencies, showFailure, signOut } from './actions';
import { showStatus } from './showStatus';

/**
 * The commands about accounts.
 * @param prefix first part of their names
 */
export function accountCommands(deps: AccountsDependencies, prefix: string): Commands {
  return {
    [`${prefix}.signOut`]: () => withFailureShown(deps, () => signOut(deps)),
    [`${prefix}.showStatus`]: () => withFailureShown(deps, () => showStatus(deps)),
    [`${prefix}.showLog`]: () => {
      deps.showLog();
      return Promise.resolve();
    },
    [`${prefix}.reportRejectedToken`]: (token) => reportRejectedToken(deps, token),
  };
}

/** For other extensions: true if asking for the session again brings another token. Never an error. */
async function reportRejectedToken({ log, sessions }: AccountsDependencies, token: unknown): Promise<boolean> {
  if (typeof token !== 'string' || token === '') {
    return false;
  }
  try {
    return await sessions.reportRejected(token);
  } catch (error) {
    log.warn(`A token was reported as rejected, and the sessions can't be reached. ${safeTrace(error)}`);
    return false;
  }
}

async function withFailureShown(deps: AccountsDependencies, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    deps.log.warn(`An action on the sessions failed. ${safeTrace(error)}`);
    void showFailure(deps, error);
  }
}
