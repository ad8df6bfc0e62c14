import type { Disposable } from '../../event';
import { bestEffort, type Log } from '../../log';
import { coversScopes } from '../../oauth/scopes';
import { isMeantService } from '../requests/serviceScope';
import type { ServiceId } from '../../oauth/service';
import { isSameLabel } from '../../sessions/sameLabel';
import type { CurrentSession, SessionInfo } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { SignInRequest } from '../../signin/pendingSignIn';

/** The sessions, one of which may make a sign-in unnecessary. */
export type WatchedSessions = Pick<SharedSessions, 'list' | 'onDidChange'>;

/** A sign-in that a session may make unnecessary. */
interface WatchedSignIn {
  readonly request: SignInRequest;
  /** When an earlier window had the code, in wall-clock milliseconds: what came since counts, too. */
  readonly resumedFrom: number | undefined;
  /** Whether the sign-in is to this service, as far as that's known by then. */
  readonly isForService: (service: ServiceId) => boolean;
  /** Called with each session that answers the request, until the watch is disposed of. */
  readonly onAnswer: (session: CurrentSession) => void;
}

/**
 * Notices that the person gets a session that answers a request for a sign-in in another way, such as in another window. Not if
 * somebody wants a certain account, or such a session was there before: VS Code doesn't say that it wants a new one.
 */
export function watchForAnswer(
  { log, sessions }: { readonly log: Log; readonly sessions: WatchedSessions },
  { request, resumedFrom, isForService, onAnswer }: WatchedSignIn,
): Disposable {
  const { accountId, accountLabel, isForAnother = false, scopes = '' } = request;
  const answers = ({ needsUser, scopes: held, service }: SessionInfo): boolean =>
    !needsUser && coversScopes(held, [scopes]) && isForService(service);
  let isWatching = false;
  if (accountId === undefined && accountLabel === undefined && !isForAnother) {
    void bestEffort(log, 'debug', "The sign-in can't look for sessions", async () => {
      const known = (await sessions.list()).filter(answers);
      isWatching = !known.some(({ signedInAt }) => resumedFrom === undefined || signedInAt < resumedFrom);
      if (isWatching) {
        known.forEach(onAnswer);
      }
    });
  }
  return sessions.onDidChange(({ added, changed }) => {
    if (isWatching) {
      [...added, ...changed].filter(answers).forEach(onAnswer);
    }
  });
}

/** Whether a session is what was requested. If that's another account, none is: it may be one that was there before. */
export function answersRequest(
  { account, needsUser, scopes: held, service }: SessionInfo,
  { accountId, accountLabel, isForAnother = false, scopes = '', services = [] }: SignInRequest,
): boolean {
  const isAccount =
    accountId === undefined
      ? accountLabel === undefined || isSameLabel(accountLabel, account.label)
      : account.id === accountId;
  const isUsable = !needsUser && coversScopes(held, [scopes]);
  return !isForAnother && isAccount && isUsable && isMeantService(services, service.baseUrl);
}
