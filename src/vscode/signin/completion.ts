import { bestEffort, loggedAs } from '../../log';
import type { AccountInfo, AuthorizationRequest, TokenResponse } from '../../oauth/types';
import { ServiceError } from '../../oauth/errors';
import { type Service, serviceOf } from '../../oauth/service';
import { retry } from '../../retry';
import { sessionsOf } from '../../sessions/currentSession';
import type { AssignedAccount } from '../../sessions/newSessions';
import { accountLabel, labelForms, LONGEST_LABEL } from '../services/accountName';
import type { Configuration } from '../settings/configuration';
import type { ConfiguredService } from '../settings/service';
import { nameProblem, plainText, withoutService } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import type { ChosenAccount } from './chooseAccount';
import type { SignInWiring } from './wiring';

/**
 * A service may take ten seconds to know its new token, and is asked each second. The name that the account gets meanwhile would be its
 * name for good. Milliseconds.
 */
const WHILE_TOKEN_IS_NEW: readonly number[] = Array<number>(10).fill(1_000);

/** A sign-in that the person has confirmed. */
interface ConfirmedSignIn {
  readonly service: ConfiguredService;
  readonly request: AuthorizationRequest;
  readonly account: ChosenAccount;
  readonly tokens: TokenResponse;
}

/**
 * Notifies the service of this device, and stores the tokens before waiting for anything else, because this is the only copy
 * of them.
 * @returns the ID of the session
 * @throws the store's error; then the tokens are revoked, unless somebody is signed in
 */
export async function storeTokens(wiring: SignInWiring, confirmed: ConfirmedSignIn): Promise<string> {
  const { notifier, sessions, settings, texts } = wiring;
  const { account, request, service, tokens } = confirmed;
  if (service.notification !== undefined && tokens.accessToken !== undefined) {
    // It needs nothing but the token, and nobody waits for it.
    void notifier.send(request.baseUrl, service.notification, tokens.accessToken);
  }
  try {
    return await sessions.add({
      service: serviceWith(request, tokens),
      tokens,
      label: account.label ?? unnamedLabels(settings.current, texts, service)[0],
    });
  } catch (error) {
    revokeUnused(wiring, request, tokens);
    throw error;
  }
}

/** Gives a stored session its account, after asking the service who signed in. */
export async function assignAccount(
  wiring: SignInWiring,
  sessionId: string,
  confirmed: ConfirmedSignIn,
): Promise<AssignedAccount> {
  const { log, sessions } = wiring;
  const { account, service, tokens } = confirmed;
  const user = await askUser(wiring, confirmed);
  const assigned = await sessions.assignAccount(sessionId, {
    ...labelFor(wiring, confirmed, user),
    user,
    mustShowUser: tokens.user !== undefined || service.isAskedForUser,
    accountId: account.replaced?.account.id,
  });
  log.info(`Signed in: session ${assigned.session.id}, ${assigned.outcome}.`);
  return assigned;
}

/**
 * Ends tokens that nobody stores, as far as the service can, without waiting for it. Not while anybody is signed in to that
 * service: nobody knows yet whose tokens they are, and several services would end that account's session as well.
 */
export function revokeUnused(
  { log, revoker, sessions }: SignInWiring,
  request: AuthorizationRequest,
  tokens: TokenResponse,
): void {
  const revoke = async (): Promise<void> => {
    // Another service may be configured by now.
    if (sessionsOf(await sessions.listAll(), request).length === 0) {
      await revoker.revoke({ ...tokens, service: serviceWith(request, tokens) });
    }
  };
  void bestEffort(log, 'warn', "Tokens that aren't stored couldn't be revoked", revoke);
}

/**
 * What an account is called, and what it may have been called when it was added, which it keeps. The service knows best who signed
 * in, then whoever chose the account.
 */
function labelFor(
  { settings, texts }: SignInWiring,
  { account, service }: ConfirmedSignIn,
  user: AccountInfo | undefined,
): { readonly label: string; readonly otherLabels: readonly string[] } {
  if (user?.name !== undefined) {
    const otherLabels = Object.values(labelForms(service, user.name));
    return { label: accountLabel(settings.current.services, service, user.name), otherLabels };
  }
  const [unnamed, earlier] = unnamedLabels(settings.current, texts, service);
  const label = account.label ?? unnamed;
  return { label, otherLabels: label === unnamed ? [earlier] : [] };
}

/**
 * What an account is called that nobody names, and what it may have been called earlier. VS Code shows the provider's label beside
 * it: if that's the service's name, it isn't said twice.
 */
function unnamedLabels(
  { label }: Configuration,
  { signIn: { unnamedAccount } }: Texts,
  { name }: ConfiguredService,
): readonly [label: string, earlier: string] {
  return label === name ? [unnamedAccount, name] : [name, unnamedAccount];
}

/** Who the service says is signed in, safe to show; `undefined` if it isn't asked or says nothing useful. */
async function askUser(
  wiring: SignInWiring,
  { request, service, tokens }: ConfirmedSignIn,
): Promise<AccountInfo | undefined> {
  const { client, closing } = wiring;
  const { accessToken, user } = tokens;
  if (accessToken === undefined) {
    return user;
  }
  const ask = <T>(call: () => Promise<T>): Promise<T | undefined> => askUntilKnown(wiring, call);
  const named = user?.name ?? (user && (await ask(() => client.fetchUserName(request, user, accessToken, closing))));
  const options = named === undefined ? service.account : undefined;
  const account = options && (await ask(() => client.fetchAccount(request.baseUrl, options, accessToken, closing)));
  // An ID token identifies, whoever gives the name.
  const id = user === undefined ? account?.id : user.id;
  const name = usableName(named ?? account?.name);
  return id === undefined && name === undefined ? undefined : { name, id };
}

/** What the service says; `undefined` if it can't be asked, refuses, or doesn't respond, or if the window closes. */
async function askUntilKnown<T>({ clock, closing, log }: SignInWiring, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await retry(clock, WHILE_TOKEN_IS_NEW, ask, mayNotKnowToken, closing);
  } catch (error) {
    log.warn(`The service didn't say who is signed in. ${loggedAs(error)}`);
    return undefined;
  }
}

/** Whether a service may not know its new token yet: what checks tokens may hear of them a moment later than what issues them. */
function mayNotKnowToken(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 401 || error.status === 404);
}

/**
 * Says that somebody else signed in than the person expected, or nobody else although they wanted another account, because the
 * browser was still signed in to this one.
 * @returns `undefined` if all is as expected
 */
export function describeSurprise(
  { sessions, signIn }: Texts,
  service: string,
  { isForAnother, replaced }: ChosenAccount,
  { outcome, session }: AssignedAccount,
): string | undefined {
  const { label } = session.account;
  if (isForAnother && outcome === 'replaced') {
    return signIn.sameUser({ service, account: sessions.accountAt(label, service) });
  }
  if (outcome !== 'other user' || replaced === undefined) {
    return undefined;
  }
  const previous = withoutService(replaced.account.label, service);
  return session.userName === undefined
    ? signIn.unknownUser({ service, previous })
    : signIn.otherUser({ service, account: withoutService(label, service), previous });
}

/** The service as its session keeps it: with the endpoints and the way of authentication that brought the tokens. */
function serviceWith(request: AuthorizationRequest, { endpoints = request.endpoints }: TokenResponse): Service {
  return serviceOf({ ...request, ...(endpoints && { endpoints }) });
}

/** The name as it can be shown; `undefined` if there's none. */
function usableName(name = ''): string | undefined {
  const plain = plainText(name, LONGEST_LABEL);
  return nameProblem(plain) === undefined ? plain : undefined;
}
