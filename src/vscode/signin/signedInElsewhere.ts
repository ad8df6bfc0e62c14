import type { Event } from '../../event';
import { bestEffort, type Log } from '../../log';
import { coversScopes } from '../../oauth/scopes';
import type { ServiceId } from '../../oauth/service';
import type { CurrentSession, SessionInfo, SessionsChange } from '../../sessions/sessions';
import type { SignInRequest } from '../../signin/pendingSignIn';
import type { Disposable } from '../editor/editor';

/** The sessions, one of which may make a sign-in unnecessary. */
export interface WatchedSessions {
  list(): Promise<readonly CurrentSession[]>;
  readonly onDidChange: Event<SessionsChange>;
}

/** Notices sessions that make a sign-in unnecessary, until it's disposed of. */
export interface AnswerWatch extends Disposable {
  /** Whether it notices them at all. */
  readonly isOpen: boolean;
}

/**
 * Notices that the person gets a session that answers a request for a sign-in in another way, such as in another window. Not if
 * somebody wants a certain account, or such a session was there before: VS Code doesn't say that it wants a new one.
 * @param request `isUnanswered` if this was found out in an earlier window: then such a session may have come since
 * @param isForService whether the sign-in is to this service, as far as that's known by then
 * @param onAnswer called with each such session until the watch is disposed of
 */
export function watchForAnswer(
  sessions: WatchedSessions,
  log: Log,
  request: SignInRequest,
  isForService: (service: ServiceId) => boolean,
  onAnswer: (session: CurrentSession) => void,
): AnswerWatch {
  const { accountId, accountLabel, isForAnother = false, isUnanswered = false, scopes = '' } = request;
  const answers = ({ needsUser, scopes: held, service }: SessionInfo): boolean =>
    !needsUser && coversScopes(held, [scopes]) && isForService(service);
  let isOpen = isUnanswered;
  const note = (known: readonly CurrentSession[]): void => {
    if (isOpen) {
      known.filter(answers).forEach(onAnswer);
    }
  };
  const isForAny = accountId === undefined && accountLabel === undefined && !isForAnother;
  if (isUnanswered || isForAny) {
    void bestEffort(log, 'debug', "The sign-in can't look for sessions", async () => {
      const known = await sessions.list();
      note(known);
      isOpen ||= !known.some(answers);
    });
  }
  const subscription = sessions.onDidChange(({ added, changed }) => {
    note([...added, ...changed]);
  });
  return {
    get isOpen() {
      return isOpen;
    },
    dispose: () => {
      isOpen = false;
      subscription.dispose();
    },
  };
}
