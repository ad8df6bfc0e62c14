import { coversScopes } from '../../oauth/scopes';
import type { SessionInfo } from '../../sessions/currentSession';
import { isSameLabel } from '../../sessions/sameLabel';
import { isMeantService } from '../requests/serviceScope';

/** What somebody asks of a sign-in. */
export interface SignInRequest {
  /** Name of a new account, if it's already known. */
  readonly accountLabel?: string | undefined;
  /** ID of the account that the person signs in to again. */
  readonly accountId?: string | undefined;
  /** Whether the person wants another account than those that are there. */
  readonly isForAnother?: boolean;
  /**
   * Until when VS Code waits for it on behalf of another extension, on the monotonic clock; absent if the person asks in another way.
   * As long as it does, VS Code says itself if somebody else signs in than the account that it requested.
   */
  readonly awaitedByEditorUntil?: number | undefined;
  /** The scopes that somebody waits for. An element may hold several, with spaces between them. */
  readonly scopes?: readonly string[];
  /** The base URLs of the services that somebody means who waits for it; the default one if there are none. */
  readonly services?: readonly string[];
}

/** Whether a session is what was requested. If that's another account, none is: it may be one that was there before. */
export function answersRequest(
  { account, needsUser, scopes: held, service }: SessionInfo,
  { accountId, accountLabel, isForAnother = false, scopes = [], services = [] }: SignInRequest,
): boolean {
  const isAccount =
    accountId === undefined
      ? accountLabel === undefined || isSameLabel(accountLabel, account.label)
      : account.id === accountId;
  const isUsable = !needsUser && coversScopes(held, scopes);
  return !isForAnother && isAccount && isUsable && isMeantService(services, service.baseUrl);
}
