import { untilAborted } from '../../clock';
import type { AuthorizationRequest, DeviceAuthorization } from '../../oauth/client';
import { dialectOf } from '../../oauth/dialect';
import { type Credentials, sameService, type Service, serviceOf } from '../../oauth/service';
import { endpointHosts, foreignHosts } from '../../oauth/metadata';
import { coversScopes, isMeantService, splitScopes, uniqueScopes } from '../../oauth/scopes';
import type { SessionInfo } from '../../sessions/sessions';
import type { SavedRequest, PendingSignIn, SignInRequest } from '../../signin/pendingSignIn';
import { accountNameProblem, askAccountName } from '../accountName';
import { completeService } from '../configuration/findService';
import type { Dependencies } from '../dependencies';
import type { List } from '../editor/quickInput';
import { ExplainedError } from '../explainedError';
import { plainText, shownService } from '../texts/plainText';
import { serviceToSignInTo } from '../settings/configuration';

/** How many characters of a list of scopes a message shows. */
const LONGEST_SHOWN_SCOPES = 200;

/** Everything that a sign-in needs to know before it begins. */
export interface PreparedSignIn {
  readonly authorizationRequest: AuthorizationRequest;
  /** Name of the account; `undefined` if it's found at the end. */
  readonly accountLabel: string | undefined;
  /** The session that the new one replaces. */
  readonly replaced: SessionInfo | undefined;
  /** The scopes of all sessions of that account. */
  readonly accountScopes: readonly string[];
  /** Whether the person wants another account than those that are there. */
  readonly isForAnother: boolean;
  /** Whether VS Code says itself if somebody else signs in than the account that was requested, as long as it waits. */
  readonly isCheckedByEditor: boolean;
}

/**
 * What the configured client authenticates with.
 * @returns `undefined` if something isn't set
 * @throws WrongSettingError
 */
export async function readCredentials({ clientSecrets, settings }: Dependencies): Promise<Credentials | undefined> {
  const service = serviceToSignInTo(settings.current)?.id;
  const clientSecret = service && (await clientSecrets.get(service));
  return service === undefined || clientSecret === undefined ? undefined : { ...service, clientSecret };
}

/**
 * Refuses to sign in to the configured service if the caller means another one.
 * @throws ExplainedError
 */
export function checkMeantService({ configuredService, texts }: Dependencies, { services = [] }: SignInRequest): void {
  const service = configuredService();
  if (service !== undefined && !isMeantService({ services }, service)) {
    const meant = plainText(services.join(', '), LONGEST_SHOWN_SCOPES);
    const text = texts.signIn.otherServiceMeant({ meant, configured: shownService(service).baseUrl });
    throw new ExplainedError({ text, offers: ['configure'] });
  }
}

/**
 * Chooses the account: an existing one, or a new one. Asks the person for its name unless that's known or may come from
 * the service.
 * @param resumed the sign-in of an earlier window, where the account was chosen, if this continues it
 * @returns `undefined` if the person cancels
 */
export async function chooseAccount(
  deps: Dependencies,
  credentials: Credentials,
  request: SignInRequest,
  resumed: PendingSignIn | undefined,
  signal: AbortSignal,
): Promise<PreparedSignIn | undefined> {
  const { accountId, accountLabel, isForAnother = false, scopes = '' } = request;
  const known = await deps.sessions.list();
  const ofAccount = known.filter(({ account }) => account.id === accountId);
  // An account has several sessions if the service refuses all of its scopes at once. Only some may need the person.
  const requested =
    ofAccount.find(({ needsUser }) => needsUser) ??
    ofAccount.find((session) => coversScopes(session.scopes, [scopes])) ??
    ofAccount[0];
  const isChosen = resumed !== undefined || requested !== undefined || accountLabel !== undefined || isForAnother;
  const chosen = isChosen ? { replaced: requested, isForAnother } : await chooseReplaced(deps, known, scopes, signal);
  if (chosen === undefined) {
    return undefined;
  }
  const { replaced } = chosen;
  const { sessionsHaveScopes, tokensIdentifyUsers } = dialectOf(credentials);
  const isCheckedByEditor = sessionsHaveScopes && requested !== undefined;
  const accountScopes = known
    .filter(({ account }) => account.id === replaced?.account.id)
    .flatMap((session) => session.scopes ?? []);
  const prepared = { authorizationRequest: credentials, ...chosen, accountScopes, isCheckedByEditor };
  if (deps.settings.current.service?.identifiesUsers === true) {
    // The service will be asked who signed in. If it doesn't say, the account must not get the name of the replaced one.
    return { ...prepared, accountLabel: undefined };
  }
  if (tokensIdentifyUsers || replaced !== undefined) {
    return { ...prepared, accountLabel: replaced?.account.label ?? accountLabel };
  }
  const name = await chooseName(deps, accountLabel, signal);
  return name === undefined ? undefined : { ...prepared, accountLabel: name };
}

/**
 * The name of a further account, which the person is asked for if it isn't known or taken. The first account is named
 * after the service.
 * @returns `undefined` if the person cancels
 */
export async function chooseName(
  deps: Dependencies,
  accountLabel: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { anotherAccount, nameAccount } = deps.texts.signIn;
  const service = deps.serviceName();
  const taken = (await deps.sessions.list()).map((session) => session.account.label);
  const wanted = accountLabel ?? (taken.length === 0 ? service : '');
  if (accountNameProblem(deps.texts, wanted, taken) === undefined) {
    return wanted;
  }
  const texts = { title: anotherAccount({ service }), prompt: nameAccount({ names: taken.join(', ') }) };
  return await askAccountName(deps, taken, { ...texts, value: wanted, signal });
}

/**
 * Chooses the session that a sign-in without a certain account replaces, if there's one: one that can't be used until its
 * person signs in again, or one that lacks the scopes. The person is asked which one it is, or whether it's for another
 * account, unless there's only one account, and nobody else can get into it by signing in.
 * @returns `undefined` if the person cancels
 */
async function chooseReplaced(
  { editor, serviceName, settings, texts }: Dependencies,
  known: readonly SessionInfo[],
  scopes: string,
  signal: AbortSignal,
): Promise<Pick<PreparedSignIn, 'replaced' | 'isForAnother'> | undefined> {
  const accounts = byAccount(known);
  const unusable = accounts.flatMap((sessions) => sessions.find(({ needsUser }) => needsUser) ?? []);
  const narrower = accounts
    .filter((sessions) => sessions.every((one) => !one.needsUser && !coversScopes(one.scopes, [scopes])))
    .flatMap((sessions) => sessions.slice(0, 1));
  const candidates = [...unusable, ...narrower];
  const hasOneAccount = accounts.length === 1;
  // If the service says who signed in, somebody else gets an account of their own.
  const asksForUsers = settings.current.service?.identifiesUsers === true;
  const isIdentified = known.some((session) => session.isIdentified) || asksForUsers;
  if (candidates.length === 0 || (hasOneAccount && isIdentified)) {
    return { replaced: candidates[0], isForAnother: false };
  }
  const list: List<SessionInfo | 'another'> = {
    title: texts.signIn.progress({ service: serviceName() }),
    placeholder: unusable.length > 0 ? texts.signIn.whichAccountAgain : texts.signIn.whichAccount,
    choices: [
      ...candidates.map((session) => ({ icon: 'account', label: session.account.label, value: session })),
      { icon: 'add', label: texts.sessions.signInToAnother, value: 'another' },
    ],
  };
  const chosen = await editor.choose(list, signal);
  if (chosen === 'another') {
    return { replaced: undefined, isForAnother: true };
  }
  return chosen && { replaced: chosen, isForAnother: false };
}

/** The sessions of each account: it has several if the service refuses all of its scopes at once. */
function byAccount(sessions: readonly SessionInfo[]): readonly (readonly SessionInfo[])[] {
  const ids = [...new Set(sessions.map(({ account }) => account.id))];
  return ids.map((id) => sessions.filter(({ account }) => account.id === id));
}

/** What standard services need to be asked for, to say who signed in and to give a refresh token. */
const DEFAULT_SCOPES = ['openid', 'profile', 'offline_access'];

/**
 * Completes what the sign-in sends: the endpoints of a service whose dialect doesn't say them, the client secret for
 * them, and what's asked for.
 * @param saved what the sign-in of an earlier window sends, if this continues it
 * @throws OAuthError
 */
export async function completeRequest(
  deps: Dependencies,
  { authorizationRequest, replaced }: PreparedSignIn,
  { scopes: wanted = '' }: SignInRequest,
  saved: SavedRequest | undefined,
  signal: AbortSignal,
): Promise<AuthorizationRequest> {
  const { client, clientSecrets, settings } = deps;
  if (saved?.endpoints !== undefined) {
    return { ...saved, clientSecret: (await clientSecrets.get(saved)) ?? '' };
  }
  if (!dialectOf(authorizationRequest).endpointsAreDiscovered) {
    return authorizationRequest;
  }
  const { endpoints = {}, parameters = {}, scopes } = serviceToSignInTo(settings.current) ?? {};
  const configured = serviceOf(authorizationRequest);
  const { scopesSupported = [], ...service } = await completeService(client, configured, endpoints, signal);
  const always = scopes ?? DEFAULT_SCOPES.filter((scope) => scopesSupported.includes(scope));
  const needed = uniqueScopes([...splitScopes(wanted), ...always]);
  return {
    ...service,
    parameters,
    clientSecret: (await clientSecrets.get(service)) ?? '',
    scopes: uniqueScopes([...needed, ...(replaced?.scopes ?? [])]),
    neededScopes: needed,
  };
}

/**
 * Before the first sign-in, shows the hosts of a service that has any besides its own. All of them, because a hostile
 * issuer could collect the tokens itself behind the genuine page of another service.
 * @returns whether the person accepts them
 */
export async function confirmHosts(
  deps: Pick<Dependencies, 'editor' | 'serviceName' | 'sessions' | 'texts'>,
  service: Service,
  signal: AbortSignal,
): Promise<boolean> {
  const known = (await deps.sessions.list()).flatMap((session) => foreignHosts(session.service));
  if (foreignHosts(service).every((host) => known.includes(host))) {
    return true;
  }
  const hosts = endpointHosts(service).join(', ');
  return await confirmSignIn(deps, deps.texts.signIn.foreignHosts({ service: deps.serviceName(), hosts }), signal);
}

/**
 * Before the first sign-in to a service whose verification page is on another host, names both. A hostile service could
 * pass on a code that it got from another service, and have its tokens as soon as the person confirms it there.
 * @returns whether the person accepts the page
 */
export async function confirmVerificationPage(
  deps: Dependencies,
  service: Service,
  { verificationUri }: DeviceAuthorization,
  signal: AbortSignal,
): Promise<boolean> {
  const page = new URL(verificationUri).host;
  const host = new URL(service.baseUrl).host;
  const isOwnPage = page === host || endpointHosts(service).includes(page);
  // Trust the service that an extension was built for. One that embeds the library may let people choose the service, so it
  // vouches for a page by its origin. Without discovery, the person had to enter a client secret, which they have from the
  // service.
  const isBuiltFor = deps.brand.fixed?.['baseUrl'] !== undefined;
  const isVouchedFor = isBuiltFor || !dialectOf(service).endpointsAreDiscovered;
  if (isOwnPage || isVouchedFor) {
    return true;
  }
  if ((await deps.sessions.list()).some((session) => sameService(session.service, service))) {
    return true;
  }
  const text = deps.texts.signIn.foreignVerificationPage({ service: deps.serviceName(), host, page });
  return await confirmSignIn(deps, text, signal);
}

/**
 * Asks in a dialog whether to continue the sign-in, because nothing goes on before the person answers: a message would be gone
 * after some seconds, and isn't shown at all while they don't want to be disturbed.
 * @throws the signal's reason
 */
async function confirmSignIn(
  { editor, serviceName, texts }: Pick<Dependencies, 'editor' | 'serviceName' | 'texts'>,
  risk: string,
  signal: AbortSignal,
): Promise<boolean> {
  const question = texts.signIn.continueSignIn({ service: serviceName() });
  return await untilAborted(signal, () => editor.confirm(question, risk, texts.buttons.continue));
}

/**
 * Says which scopes an account gets in addition: all extensions that can use it get them too.
 * @returns `undefined` if it gets none
 */
export function describeWidening(
  { texts }: Pick<Dependencies, 'texts'>,
  { accountScopes, authorizationRequest: { neededScopes = [] }, replaced }: PreparedSignIn,
): string | undefined {
  const further = neededScopes.filter((scope) => !accountScopes.includes(scope));
  if (replaced?.scopes === undefined || further.length === 0) {
    return undefined;
  }
  const scopes = plainText(further.join(', '), LONGEST_SHOWN_SCOPES);
  return texts.signIn.widening({ account: replaced.account.label, scopes });
}
