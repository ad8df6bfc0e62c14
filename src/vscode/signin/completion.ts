import type { AccountInfo, Credentials, TokenResponse } from '../../oauth/client';
import { OAuthError } from '../../oauth/errors';
import { repeats } from '../../oauth/secrecy';
import type { CurrentSession } from '../../sessions/sessions';
import { sendDeviceNotification } from '../../signin/deviceNotification';
import { wrongSettingText } from '../configuration/configureService';
import { identifiesUsers, readAccount, readNotification, wrongOptionalSettings } from '../configuration/settings';
import { ifValid } from '../configuration/validate';
import { nameProblem, plainText } from '../texts/plainText';
import { showFailure } from './failures';
import type { PreparedSignIn, SignInDependencies } from './preparation';

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
  { credentials, accountLabel, replaced, serviceName: service }: PreparedSignIn,
  tokens: TokenResponse,
  closing: AbortSignal,
  onStored: () => void,
): Promise<CurrentSession> {
  const { editor, log, sessions, settings } = deps;
  const { baseUrl, clientId } = credentials;
  // At once (specification 4.4), waiting for nothing but the token.
  const notification = ifValid(() => readNotification(settings()));
  if (notification !== undefined && tokens.accessToken !== undefined) {
    const request = { baseUrl, options: notification, accessToken: tokens.accessToken };
    void sendDeviceNotification(deps, request, closing);
  }
  // Stored before waiting for anything else, because this is the only copy of the tokens.
  const sessionId = await sessions.add({ service: { baseUrl, clientId }, tokens, label: accountLabel });
  onStored();
  const user = await askUser(deps, credentials, tokens, closing);
  const { session, outcome } = await sessions.assignAccount(sessionId, {
    label: user?.name ?? accountLabel,
    user,
    identified: identifiesUsers(settings()),
    replaces: replaced?.id,
  });
  log.info(`Signed in: session ${session.id}, ${outcome}.`);
  const { otherUser, signedIn, unknownUser } = deps.texts.signIn;
  const account = session.account.label;
  const text =
    outcome === 'other user' && replaced !== undefined
      ? (user === undefined ? unknownUser : otherUser)({ service, account, previous: replaced.account.label })
      : signedIn(service, account);
  void editor.message('information', text);
  for (const wrong of wrongOptionalSettings(settings())) {
    log.warn(wrong.message);
    const text = wrongSettingText(deps, wrong, 'ignored');
    void showFailure(deps, 'warning', { text, offers: ['openSettings'], setting: wrong.setting });
  }
  return session;
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
