import { type AccountInfo, type Credentials, dialectOf, serviceOf, type TokenResponse } from '../../oauth/client';
import { bestEffort } from '../../log';
import { OAuthError } from '../../oauth/errors';
import type { CurrentSession } from '../../sessions/sessions';
import { sendDeviceNotification } from '../../signin/deviceNotification';
import { identifiesUsers, readAccount, readNotification, wrongOptionalSettings } from '../settings/settings';
import { ifValid } from '../settings/validate';
import type { Dependencies } from '../dependencies';
import { buttonsFor, describeFailure } from '../failures';
import { nameProblem, plainText } from '../texts/plainText';
import { chooseName, type PreparedSignIn } from './preparation';

/** Leaves room for a number that makes the name unique. */
const LONGEST = 58;

/**
 * The person confirmed: notifies the service of this device, stores the session, assigns its account, and tells the
 * person.
 * @param onStored called when the tokens are stored
 * @throws the store's error if the session can't be stored
 */
export async function completeSignIn(
  deps: Dependencies,
  prepared: PreparedSignIn,
  tokens: TokenResponse,
  onStored: () => void,
): Promise<CurrentSession> {
  const { closing, editor, log, sessions } = deps;
  const { credentials, accountLabel, replaced } = prepared;
  const service = deps.serviceName();
  // Notify the service at once (specification 4.4): that needs nothing but the token.
  const notification = ifValid(() => readNotification(editor.settings()));
  if (notification !== undefined && tokens.accessToken !== undefined) {
    void sendDeviceNotification(deps, credentials.baseUrl, notification, tokens.accessToken, closing);
  }
  // Store the tokens before waiting for anything else, because this is the only copy of them.
  const newSession = {
    service: serviceOf({ ...credentials, ...(tokens.endpoints && { endpoints: tokens.endpoints }) }),
    tokens,
    label: accountLabel ?? service,
  };
  const sessionId = await sessions.add(newSession).catch((error: unknown) => {
    revokeUnused(deps, prepared, tokens);
    throw error;
  });
  onStored();
  const user = await askUser(deps, credentials, tokens);
  const known = user?.name ?? accountLabel ?? (dialectOf(credentials).tokensIdentifyUsers ? undefined : service);
  const { session, outcome } = await sessions.assignAccount(sessionId, {
    label: known ?? (await chooseName(deps, undefined, closing)) ?? service,
    user,
    identified: tokens.user !== undefined || identifiesUsers(editor.settings()),
    accountId: replaced?.account.id,
  });
  log.info(`Signed in: session ${session.id}, ${outcome}.`);
  const { otherUser, signedIn, unknownUser } = deps.texts.signIn;
  const account = session.account.label;
  const text =
    outcome === 'other user' && replaced !== undefined && !prepared.isCheckedByEditor
      ? (user === undefined ? unknownUser : otherUser)({ service, account, previous: replaced.account.label })
      : signedIn(service, account);
  void editor.message('information', text);
  for (const wrong of wrongOptionalSettings(editor.settings())) {
    log.warn(wrong.message);
    const ignored = describeFailure(deps, wrong, { settingIs: 'ignored' });
    void editor.message('warning', ignored.text, buttonsFor(deps, ignored.offers, ignored));
  }
  return session;
}

/**
 * Ends tokens that nobody stores, as far as the service can, without waiting for it. Not those for an account that has a
 * session, because several services would end both.
 */
export function revokeUnused(
  { client, log }: Pick<Dependencies, 'client' | 'log'>,
  { credentials, replaced }: PreparedSignIn,
  tokens: TokenResponse,
): void {
  if (replaced !== undefined) {
    return;
  }
  const { endpoints = credentials.endpoints } = tokens;
  const revoke = async (): Promise<void> =>
    await client.revoke?.({ ...credentials, ...(endpoints && { endpoints }) }, tokens);
  void bestEffort(log, 'warn', "Tokens that aren't stored couldn't be revoked", revoke);
}

/** Who the service says is signed in, safe to show; `undefined` if it isn't asked or says nothing useful. */
async function askUser(
  { client, closing: signal, editor, log }: Dependencies,
  credentials: Credentials,
  tokens: TokenResponse,
): Promise<AccountInfo | undefined> {
  const { accessToken, user } = tokens;
  const options = ifValid(() => readAccount(editor.settings()));
  const nameless = user && { id: user.id, name: undefined };
  if (accessToken === undefined) {
    return nameless;
  }
  try {
    const own = user && (user.name ?? (await client.fetchUserName?.(credentials, user, tokens, signal)));
    const mayAsk = own === undefined && options !== undefined;
    const told = mayAsk ? await client.fetchAccount(credentials, options, tokens, signal) : undefined;
    const name = own ?? told?.name ?? '';
    // An ID token identifies, whoever gives the name.
    const id = user === undefined ? told?.id : user.id;
    const plain = plainText(name, LONGEST);
    const isFit = nameProblem(plain) === undefined;
    return isFit || id !== undefined ? { name: isFit ? plain : undefined, id } : undefined;
  } catch (error) {
    if (!(error instanceof OAuthError)) {
      throw error;
    }
    log.warn(`The service didn't say who is signed in. ${error.message}`);
    return nameless;
  }
}
