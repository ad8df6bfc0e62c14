import type { AccountInfo, Credentials, TokenResponse } from '../../oauth/client';
import { OAuthError } from '../../oauth/errors';
import { repeats } from '../../oauth/secrecy';
import type { AssignmentOutcome, CurrentSession } from '../../sessions/sessions';
import { sendDeviceNotification } from '../../signin/deviceNotification';
import { identifiesUsers, readAccount, readNotification, wrongOptionalSettings } from '../configuration/settings';
import { ifValid } from '../configuration/validate';
import { nameProblem, plainText } from '../texts/plainText';
import { type PreparedSignIn, type SignInDependencies } from './preparation';
import { describeWrongSetting, showFailure } from './failures';

/** Leaves room for a number that makes the name unique. */
const LONGEST = 58;

/**
 * The person confirmed: notifies the service of this device, stores the session, assigns its account, and tells the
 * person.
 * @param closing aborted when the window closes
 * @param onStored called when the tokens are stored
 * @throws the store's error if the session can't be stored
 */
export async function completeSignIn(
  deps: SignInDependencies,
  prepared: PreparedSignIn,
  tokens: TokenResponse,
  closing: AbortSignal,
  onStored: () => void,
): Promise<CurrentSession> {
  const { editor, log, sessions, settings } = deps;
  const { credentials, accountLabel, replaces } = prepared;
  const { baseUrl, clientId } = credentials;
  notify(deps, baseUrl, tokens.accessToken, closing);
  // Stored before waiting for anything else, because this is the only copy of the tokens.
  const sessionId = await sessions.add({ service: { baseUrl, clientId }, tokens, label: accountLabel });
  onStored();
  const user = await askUser(deps, credentials, tokens, closing);
  const { session, outcome } = await sessions.assignAccount(sessionId, {
    label: user?.name ?? accountLabel,
    user,
    identified: identifiesUsers(settings()),
    replaces,
  });
  log.info(`Signed in: session ${session.id}, ${outcome}.`);
  void editor.message('information', await describeSuccess(deps, prepared, session, outcome, user));
  for (const wrong of wrongOptionalSettings(settings())) {
    log.warn(wrong.message);
    void showFailure(deps, 'warning', describeWrongSetting(deps, wrong, true));
  }
  return session;
}

/**
 * Notifies the service of this device at once (specification 4.4), waiting for nothing but the token. The person hears
 * about a wrong setting when the sign-in is complete.
 */
function notify(
  deps: SignInDependencies,
  baseUrl: string,
  accessToken: string | undefined,
  closing: AbortSignal,
): void {
  const notification = ifValid(() => readNotification(deps.settings()));
  if (notification !== undefined && accessToken !== undefined) {
    void sendDeviceNotification(deps, { baseUrl, options: notification, accessToken }, closing);
  }
}

/** Who the service says is signed in, safe to show; `undefined` if it isn't asked or says nothing useful. */
async function askUser(
  { client, log, settings }: SignInDependencies,
  { baseUrl, clientSecret }: Credentials,
  { accessToken, refreshToken }: TokenResponse,
  signal: AbortSignal,
): Promise<AccountInfo | undefined> {
  const options = ifValid(() => readAccount(settings()));
  if (options === undefined || accessToken === undefined) {
    return undefined;
  }
  try {
    const { name = '', id } = await client.fetchAccount(baseUrl, options, accessToken, signal);
    // Before the name is made plain: a secret could become different by that, but still be recognizable.
    if ([clientSecret, accessToken, refreshToken ?? ''].some((secret) => secret !== '' && repeats(name, secret))) {
      log.warn("The user's name from the service repeats a secret, so it isn't used.");
      return undefined;
    }
    const plain = plainText(name, LONGEST);
    const isFit = nameProblem(plain) === undefined;
    return isFit || id !== undefined ? { name: isFit ? plain : undefined, id } : undefined;
  } catch (error) {
    if (!(error instanceof OAuthError)) {
      throw error;
    }
    log.warn(`The service didn't say who is signed in. ${error.message}`);
    return undefined;
  }
}

async function describeSuccess(
  { sessions, texts: { signIn } }: SignInDependencies,
  { serviceName, replaces }: PreparedSignIn,
  { account: { label } }: CurrentSession,
  outcome: AssignmentOutcome,
  user: AccountInfo | undefined,
): Promise<string> {
  const previous = (await sessions.list()).find(({ id }) => id === replaces)?.account.label;
  if (outcome !== 'other user' || previous === undefined) {
    return signIn.signedIn(serviceName, label);
  }
  return (user === undefined ? signIn.unknownUser : signIn.otherUser)({
    service: serviceName,
    account: label,
    previous,
  });
}
