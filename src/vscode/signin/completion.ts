import type { AccountInfo, TokenResponse } from '../../oauth/client';
import { dialectOf } from '../../oauth/dialect';
import { type Credentials, sameService, type Service, serviceOf } from '../../oauth/service';
import { bestEffort } from '../../log';
import { OAuthError } from '../../oauth/errors';
import type { AssignedAccount, CurrentSession } from '../../sessions/sessions';
import { sendDeviceNotification } from '../../signin/deviceNotification';
import type { Dependencies } from '../dependencies';
import { buttonsFor, describeFailure } from '../failures';
import { nameProblem, plainText } from '../texts/plainText';
import { chooseName, type PreparedSignIn } from './preparation';

/** Leaves room for a number that makes the name unique. */
const LONGEST = 58;

/** The sign-in that's completed. */
export interface SignInInProgress {
  /** Called when the tokens are stored. */
  readonly onStored: () => void;
  /** Whether VS Code waits for it. */
  readonly isAwaitedByEditor: () => boolean;
}

/**
 * The person confirmed: notifies the service of this device, stores the session, assigns its account, and tells the
 * person.
 * @throws the store's error if the session can't be stored
 */
export async function completeSignIn(
  deps: Dependencies,
  prepared: PreparedSignIn,
  tokens: TokenResponse,
  { isAwaitedByEditor, onStored }: SignInInProgress,
): Promise<CurrentSession> {
  notifyOfDevice(deps, prepared, tokens);
  // Store the tokens before waiting for anything else, because this is the only copy of them.
  const sessionId = await storeTokens(deps, prepared, tokens);
  onStored();
  const user = await askUser(deps, prepared.authorizationRequest, tokens);
  const assigned = await assignAccount(deps, prepared, { sessionId, user, isNamedByToken: tokens.user !== undefined });
  const { outcome, session } = assigned;
  deps.log.info(`Signed in: session ${session.id}, ${outcome}.`);
  void deps.editor.message(
    'information',
    resultText(deps, prepared, { assigned, user, isAwaitedByEditor: isAwaitedByEditor() }),
  );
  warnOfWrongSettings(deps);
  return session;
}

/** Notifies the service at once (specification 4.4): that needs nothing but the token. Nobody waits for it. */
function notifyOfDevice(
  deps: Dependencies,
  { authorizationRequest }: PreparedSignIn,
  { accessToken }: TokenResponse,
): void {
  const options = deps.settings.current.service?.notification;
  if (options !== undefined && accessToken !== undefined) {
    void sendDeviceNotification(deps, authorizationRequest.baseUrl, options, accessToken, deps.closing);
  }
}

/** @throws the store's error if the session can't be stored; then the tokens are revoked, unless somebody is signed in */
async function storeTokens(deps: Dependencies, prepared: PreparedSignIn, tokens: TokenResponse): Promise<string> {
  const { accountLabel, authorizationRequest } = prepared;
  const service = serviceOf({ ...authorizationRequest, ...(tokens.endpoints && { endpoints: tokens.endpoints }) });
  try {
    return await deps.sessions.add({ service, tokens, label: accountLabel ?? deps.serviceName() });
  } catch (error) {
    revokeUnused(deps, prepared, tokens);
    throw error;
  }
}

/** Whose session it is. */
interface SessionOwner {
  readonly sessionId: string;
  readonly user: AccountInfo | undefined;
  /** Whether an ID token says it. */
  readonly isNamedByToken: boolean;
}

/** Gives the session its account. Asks the person for its name if nobody has said one. */
async function assignAccount(
  deps: Dependencies,
  { accountLabel, authorizationRequest, replaced }: PreparedSignIn,
  { isNamedByToken, sessionId, user }: SessionOwner,
): Promise<AssignedAccount> {
  const service = deps.serviceName();
  const isNamedAfterService = !dialectOf(authorizationRequest).tokensIdentifyUsers;
  const known = user?.name ?? accountLabel ?? (isNamedAfterService ? service : undefined);
  return await deps.sessions.assignAccount(sessionId, {
    label: known ?? (await chooseName(deps, undefined, deps.closing)) ?? service,
    user,
    mustShowUser: isNamedByToken || deps.settings.current.service?.identifiesUsers === true,
    accountId: replaced?.account.id,
  });
}

/** What came of a sign-in. */
interface SignInResult {
  readonly assigned: AssignedAccount;
  /** Who the service says it is; `undefined` if it says nothing. */
  readonly user: AccountInfo | undefined;
  /** Whether VS Code still waits for it. */
  readonly isAwaitedByEditor: boolean;
}

/**
 * Says who signed in. Also says so if it isn't the expected account, unless VS Code does, and if the person wanted another
 * account but the browser was still signed in to this one.
 */
function resultText(
  deps: Dependencies,
  { isCheckedByEditor, isForAnother, replaced }: PreparedSignIn,
  { assigned: { outcome, session }, isAwaitedByEditor, user }: SignInResult,
): string {
  const { otherUser, sameUser, signedIn, unknownUser } = deps.texts.signIn;
  const service = deps.serviceName();
  const account = session.account.label;
  if (isForAnother && outcome === 'replaced') {
    return sameUser({ service, account });
  }
  if (outcome !== 'other user' || replaced === undefined || (isCheckedByEditor && isAwaitedByEditor)) {
    return signedIn(service, account);
  }
  const text = user === undefined ? unknownUser : otherUser;
  return text({ service, account, previous: replaced.account.label });
}

/** Says which optional settings can't be used: the sign-in succeeded without them. */
function warnOfWrongSettings(deps: Dependencies): void {
  for (const wrong of deps.settings.current.ignored) {
    deps.log.warn(wrong.message);
    const ignored = describeFailure(deps, wrong, { settingIs: 'ignored' });
    void deps.editor.message('warning', ignored.text, buttonsFor(deps, ignored.offers, ignored));
  }
}

/**
 * Ends tokens that nobody stores, as far as the service can, without waiting for it. Not while anybody is signed in to that service:
 * nobody knows yet whose tokens they are, and several services would end that account's session as well.
 */
export function revokeUnused(
  { client, log, sessions }: Pick<Dependencies, 'client' | 'log' | 'sessions'>,
  { authorizationRequest }: PreparedSignIn,
  tokens: TokenResponse,
): void {
  const { endpoints = authorizationRequest.endpoints } = tokens;
  const revoke = async (): Promise<void> => {
    // Another service may be configured by now.
    const known = [...(await sessions.list()), ...(await sessions.listHidden())];
    if (!known.some(({ service }) => sameService(service, authorizationRequest))) {
      await client.revoke({ ...authorizationRequest, ...(endpoints && { endpoints }) }, tokens);
    }
  };
  void bestEffort(log, 'warn', "Tokens that aren't stored couldn't be revoked", revoke);
}

/** Who the service says is signed in, safe to show; `undefined` if it isn't asked or says nothing useful. */
async function askUser(
  deps: Dependencies,
  credentials: Credentials,
  tokens: TokenResponse,
): Promise<AccountInfo | undefined> {
  const fromToken = tokens.user;
  if (tokens.accessToken === undefined) {
    // The service can't be asked for the name then. The ID token's own isn't used either: the person names the account.
    return fromToken && { id: fromToken.id, name: undefined };
  }
  const name = fromToken?.name ?? (await askUserName(deps, credentials, tokens));
  const account = name === undefined ? await askAccount(deps, credentials, tokens) : undefined;
  // An ID token identifies, whoever gives the name.
  const id = fromToken === undefined ? account?.id : fromToken.id;
  const shown = usableName(name ?? account?.name);
  return id === undefined && shown === undefined ? undefined : { name: shown, id };
}

/** The name of the user whom the ID token identifies; `undefined` if there is none, or the service doesn't say it. */
async function askUserName(
  { client, closing, log }: Dependencies,
  service: Service,
  { accessToken, user }: TokenResponse,
): Promise<string | undefined> {
  if (user === undefined || accessToken === undefined) {
    return undefined;
  }
  return await unlessRefused(log, () => client.fetchUserName(service, user, accessToken, closing));
}

/** The account as the settings say how to ask for it; `undefined` if they don't, or the service doesn't say it. */
async function askAccount(
  { client, closing, log, settings }: Dependencies,
  { baseUrl }: Service,
  { accessToken }: TokenResponse,
): Promise<AccountInfo | undefined> {
  const options = settings.current.service?.account;
  if (options === undefined || accessToken === undefined) {
    return undefined;
  }
  return await unlessRefused(log, () => client.fetchAccount(baseUrl, options, accessToken, closing));
}

/** The name as it can be shown; `undefined` if there's none. */
function usableName(name = ''): string | undefined {
  const plain = plainText(name, LONGEST);
  return nameProblem(plain) === undefined ? plain : undefined;
}

/** What the service says; `undefined` if it refuses or doesn't respond. */
async function unlessRefused<T>(log: Dependencies['log'], ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OAuthError)) {
      throw error;
    }
    log.warn(`The service didn't say who is signed in. ${error.message}`);
    return undefined;
  }
}
