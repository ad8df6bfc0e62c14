import type { Clock } from '../../clock';
import { type AuthorizationRequest, dialectOf, type OAuthClient, serviceOf } from '../../oauth/client';
import type { SessionInfo } from '../../sessions/sessions';
import { hasScopes } from '../../storage/record';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { PendingService, PendingSignIns, SignInRequest } from '../../signin/pendingSignIn';
import { accountNameProblem, type AccountNameOptions, askAccountName } from '../accounts/actions';
import type { ConfigurationDependencies } from '../configuration/configureService';
import { completeService } from '../configuration/findService';
import { identifiesUsers, readService, readSetting, readStandard, serviceLabel } from '../configuration/settings';

/** The command of the sign-in's status bar item, without the prefix that all commands share. */
export const MENU_COMMAND = 'signInMenu';

/** What the sign-in works with. */
export interface SignInDependencies extends ConfigurationDependencies {
  readonly clock: Clock;
  readonly client: Omit<OAuthClient, 'refresh' | 'revoke'>;
  readonly sessions: Pick<SharedSessions, 'list' | 'add' | 'assignAccount'>;
  /** Saves a sign-in for the next window. */
  readonly pendingSignIns: Pick<PendingSignIns, 'begin' | 'takeOver'>;
}

/** Everything that a sign-in needs to know before it begins. */
export interface PreparedSignIn {
  readonly credentials: AuthorizationRequest;
  /** What the service is called in messages. */
  readonly serviceName: string;
  /** The only origin that the verification page may have; `undefined` accepts any. */
  readonly verificationOrigin: string | undefined;
  readonly accountLabel: string;
  /** Whether the person is asked for the label at the end, if the service doesn't name the account. */
  readonly isNamedLater?: boolean;
  /** The session that the new one replaces. */
  readonly replaced: SessionInfo | undefined;
}

type ChosenAccount = Pick<PreparedSignIn, 'accountLabel' | 'isNamedLater' | 'replaced'>;

/**
 * Reads what a sign-in needs from the settings and the client secrets.
 * @returns `undefined` if something isn't set
 * @throws WrongSettingError, also for the origin of the verification page: a wrong guard lets nothing pass
 */
export async function readConfigured(
  deps: SignInDependencies,
): Promise<Omit<PreparedSignIn, keyof ChosenAccount> | undefined> {
  const settings = deps.settings();
  const service = readService(settings);
  const stored = service === undefined ? undefined : await deps.secrets.get(service);
  const clientSecret = stored ?? (service === undefined || dialectOf(service).needsSecret ? undefined : '');
  return service === undefined || clientSecret === undefined
    ? undefined
    : {
        credentials: { ...service, clientSecret },
        serviceName: serviceLabel(settings, deps.brand.displayName),
        verificationOrigin: readSetting(settings, 'verificationUrl'),
      };
}

/**
 * Chooses the account: an existing one, or a new one. Asks the person for its name unless that's known or comes from
 * the service.
 * @returns `undefined` if the person cancels
 */
export async function chooseAccount(
  deps: SignInDependencies,
  serviceName: string,
  { accountLabel, replaces, scopes = '' }: SignInRequest,
  signal: AbortSignal,
): Promise<ChosenAccount | undefined> {
  const { sessions, texts } = deps;
  const known = await sessions.list();
  const service = readService(deps.settings());
  let replaced: SessionInfo | undefined = known.find((session) => session.id === replaces);
  const narrower = known.filter((session) => !hasScopes(session.scopes, [scopes]));
  if (replaced === undefined && narrower.length > 0) {
    const chosen = await chooseSession(deps, serviceName, narrower);
    if (chosen === undefined) {
      return undefined;
    }
    replaced = chosen === 'another' ? undefined : chosen;
  }
  if (identifiesUsers(deps.settings())) {
    // The service names it at the end. If it doesn't, nobody must get another user's name.
    return { accountLabel: serviceName, replaced };
  }
  if (service !== undefined && dialectOf(service).hasScopes) {
    return {
      accountLabel: replaced?.account.label ?? accountLabel ?? serviceName,
      replaced,
      isNamedLater: replaced === undefined,
    };
  }
  if (replaced !== undefined) {
    return { accountLabel: replaced.account.label, replaced };
  }
  const taken = known.map((session) => session.account.label);
  const wanted = accountLabel ?? (known.length === 0 ? serviceName : '');
  if (accountNameProblem(texts, wanted, taken) === undefined) {
    return { accountLabel: wanted, replaced };
  }
  const name = await nameAccount(deps, { service: serviceName, taken, value: wanted, signal });
  return name === undefined ? undefined : { accountLabel: name, replaced };
}

/** Asks which account gets further scopes. All extensions that can use it get them too. */
async function chooseSession(
  { editor, texts }: SignInDependencies,
  service: string,
  sessions: readonly SessionInfo[],
): Promise<SessionInfo | 'another' | undefined> {
  return await editor.choose<SessionInfo | 'another'>({
    title: texts.signIn.progress({ service }),
    placeholder: texts.signIn.whichAccount,
    choices: [
      ...sessions.map((session) => ({ icon: 'account', label: session.account.label, value: session })),
      { icon: 'add', label: texts.sessions.signInToAnother, value: 'another' },
    ],
  });
}

/** Asks the person for the name of a further account. */
export async function nameAccount(
  deps: SignInDependencies,
  { service, taken, ...box }: { readonly service: string } & Pick<AccountNameOptions, 'taken' | 'value' | 'signal'>,
): Promise<string | undefined> {
  const { anotherAccount, nameAccount: prompt } = deps.texts.signIn;
  const texts = { title: anotherAccount({ service }), prompt: prompt({ names: taken.join(', ') }) };
  return await askAccountName(deps, { ...texts, taken, ...box });
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
  deps: SignInDependencies,
  { credentials, replaced }: PreparedSignIn,
  { scopes: wanted = '' }: SignInRequest,
  pending: PendingService | undefined,
  signal: AbortSignal,
): Promise<AuthorizationRequest> {
  const { secrets, settings } = deps;
  if (pending?.endpoints !== undefined) {
    return { ...pending, clientSecret: (await secrets.get(pending)) ?? '' };
  }
  if (!dialectOf(credentials).hasScopes) {
    return credentials;
  }
  const { parameters = {}, scopes } = readStandard(settings());
  const { scopesSupported = [], ...service } = await completeService(deps, serviceOf(credentials), signal);
  const always = scopes ?? DEFAULT_SCOPES.filter((scope) => scopesSupported.includes(scope));
  const needed = unique([...wanted.split(' '), ...always]);
  return {
    ...{ ...service, parameters, clientSecret: (await secrets.get(service)) ?? '' },
    scopes: unique([...needed, ...(replaced?.scopes ?? [])]),
    neededScopes: needed,
  };
}

function unique(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)].filter((scope) => scope !== '');
}
