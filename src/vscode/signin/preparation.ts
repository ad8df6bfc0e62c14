import { untilAborted } from '../../clock';
import { type AuthorizationRequest, type Credentials, dialectOf, type Service, serviceOf } from '../../oauth/client';
import { endpointHosts, foreignHosts } from '../../oauth/metadata';
import { coversScopes, splitScopes, uniqueScopes } from '../../oauth/scopes';
import type { SessionInfo } from '../../sessions/sessions';
import type { PendingService, SignInRequest } from '../../signin/pendingSignIn';
import { accountNameProblem, askAccountName } from '../accounts/accountName';
import { completeService } from '../configuration/findService';
import type { Dependencies } from '../dependencies';
import { plainText } from '../texts/plainText';
import { identifiesUsers, readService, readSetting } from '../configuration/settings';

/** Everything that a sign-in needs to know before it begins. */
export interface PreparedSignIn {
  readonly credentials: AuthorizationRequest;
  /** Name of the account; `undefined` if it's found at the end. */
  readonly accountLabel: string | undefined;
  /** The session that the new one replaces. */
  readonly replaced: SessionInfo | undefined;
  /** Whether VS Code says itself if somebody else signs in than the account that was requested. */
  readonly isCheckedByEditor: boolean;
}

/**
 * What the configured client authenticates with.
 * @returns `undefined` if something isn't set
 * @throws WrongSettingError
 */
export async function readCredentials({ editor, secrets }: Dependencies): Promise<Credentials | undefined> {
  const service = readService(editor.settings());
  const clientSecret = service && (await secrets.get(service));
  return service === undefined || clientSecret === undefined ? undefined : { ...service, clientSecret };
}

/**
 * Chooses the account: an existing one, or a new one. Asks the person for its name unless that's known or may come from
 * the service.
 * @returns `undefined` if the person cancels
 */
export async function chooseAccount(
  deps: Dependencies,
  credentials: Credentials,
  { accountLabel, replaces, scopes }: SignInRequest,
  signal: AbortSignal,
): Promise<PreparedSignIn | undefined> {
  const known = await deps.sessions.list();
  const requested = known.find((session) => session.id === replaces);
  const narrower = known.filter((session) => !coversScopes(session.scopes, [scopes ?? '']));
  const chosen = requested ?? (narrower.length > 0 ? await chooseSession(deps, narrower) : 'another');
  if (chosen === undefined) {
    return undefined;
  }
  const replaced = chosen === 'another' ? undefined : chosen;
  const { sessionsHaveScopes, tokensIdentifyUsers } = dialectOf(credentials);
  const isCheckedByEditor = sessionsHaveScopes && requested !== undefined && scopes !== undefined;
  const prepared = { credentials, replaced, isCheckedByEditor };
  if (identifiesUsers(deps.editor.settings())) {
    // If the service is asked who it is and doesn't say it, nobody must get another user's name.
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

/** Asks which account gets further scopes. */
async function chooseSession(
  { editor, serviceName, texts }: Dependencies,
  sessions: readonly SessionInfo[],
): Promise<SessionInfo | 'another' | undefined> {
  return await editor.choose<SessionInfo | 'another'>({
    title: texts.signIn.progress({ service: serviceName() }),
    placeholder: texts.signIn.whichAccount,
    choices: [
      ...sessions.map((session) => ({ icon: 'account', label: session.account.label, value: session })),
      { icon: 'add', label: texts.sessions.signInToAnother, value: 'another' },
    ],
  });
}

/** What standard services need to be asked for, to say who signed in and to give a refresh token. */
const DEFAULT_SCOPES = ['openid', 'profile', 'offline_access'];

/**
 * Completes what the sign-in sends: the endpoints of a service whose dialect doesn't say them, the client secret for
 * them, and what's asked for.
 * @param pending what the sign-in of an earlier window sends, if this continues it
 * @throws OAuthError; WrongSettingError
 */
export async function completeRequest(
  deps: Dependencies,
  { credentials, replaced }: PreparedSignIn,
  { scopes: wanted = '' }: SignInRequest,
  pending: PendingService | undefined,
  signal: AbortSignal,
): Promise<AuthorizationRequest> {
  const { editor, secrets } = deps;
  if (pending?.endpoints !== undefined) {
    return { ...pending, clientSecret: (await secrets.get(pending)) ?? '' };
  }
  if (!dialectOf(credentials).endpointsAreDiscovered) {
    return credentials;
  }
  const settings = editor.settings();
  const parameters = readSetting(settings, 'parameters') ?? {};
  const { scopesSupported = [], ...service } = await completeService(deps, serviceOf(credentials), signal);
  const always = readSetting(settings, 'scopes') ?? DEFAULT_SCOPES.filter((scope) => scopesSupported.includes(scope));
  const needed = uniqueScopes([...splitScopes(wanted), ...always]);
  return {
    ...{ ...service, parameters, clientSecret: (await secrets.get(service)) ?? '' },
    scopes: uniqueScopes([...needed, ...(replaced?.scopes ?? [])]),
    neededScopes: needed,
  };
}

/** As many characters of scopes are shown. */
const LONGEST_SCOPES = 200;

/**
 * Before the first sign-in, shows the hosts of a service that has any besides its own. All of them, because a hostile
 * issuer could collect the tokens itself behind the genuine page of another service.
 * @returns whether the person accepts them
 */
export async function confirmHosts(
  { editor, serviceName, sessions, texts }: Pick<Dependencies, 'editor' | 'serviceName' | 'sessions' | 'texts'>,
  service: Service,
  signal: AbortSignal,
): Promise<boolean> {
  const known = (await sessions.list()).flatMap((session) => foreignHosts(session.service));
  let isConfirmed = foreignHosts(service).every((host) => known.includes(host));
  if (!isConfirmed) {
    const text = texts.signIn.foreignHosts({ service: serviceName(), hosts: endpointHosts(service).join(', ') });
    const confirm = (): void => {
      isConfirmed = true;
    };
    await untilAborted(signal, () => editor.message('warning', text, { [texts.buttons.continue]: confirm }));
  }
  return isConfirmed;
}

/** Says which scopes an account gets: all extensions that can use it get them too. */
export function tellWidening(
  { editor, texts }: Pick<Dependencies, 'editor' | 'texts'>,
  replaced: SessionInfo | undefined,
  wanted: readonly string[] = [],
): void {
  if (replaced === undefined) {
    return;
  }
  const further = wanted.filter((scope) => !coversScopes(replaced.scopes, [scope]));
  if (further.length > 0) {
    const scopes = plainText(further.join(' '), LONGEST_SCOPES);
    void editor.message('information', texts.signIn.widening({ account: replaced.account.label, scopes }));
  }
}
