import { type Log, safeTrace } from '../../log';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Commands } from '../signin/commands';
import { tellSessionFailure } from './refreshNow';
import type { SessionActionParts } from './sessionActionParts';
import { showStatus } from './showStatus';
import { signOut } from './signOut';

/** What the commands work with. */
export interface SessionCommandParts extends SessionActionParts {
  readonly prefix: string;
  readonly sessions: SessionActionParts['sessions'] & Pick<SharedSessions, 'reportRejected'>;
  readonly log: Log;
}

/** The commands that deal with sessions. */
export function sessionCommands(parts: SessionCommandParts): Commands {
  const { prefix, showLog } = parts;
  return {
    [`${prefix}.signOut`]: () => told(parts, () => signOut(parts)),
    [`${prefix}.showStatus`]: () => told(parts, () => showStatus(parts)),
    [`${prefix}.showLog`]: () => {
      showLog();
      return Promise.resolve();
    },
    [`${prefix}.reportRejectedToken`]: (token) => reportRejectedToken(parts, token),
  };
}

/** For other extensions: true where asking for the session again brings another token. Never an error. */
async function reportRejectedToken({ sessions, log }: SessionCommandParts, token: unknown): Promise<boolean> {
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

/** Carries out an action, and tells the person where it fails. */
async function told(parts: SessionCommandParts, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    parts.log.warn(`An action on the sessions failed. ${safeTrace(error)}`);
    void tellSessionFailure(parts, error);
  }
}
