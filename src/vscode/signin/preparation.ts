import type { Clock } from '../../clock';
import type { Credentials, OAuthClient } from '../../oauth/client';
import type { Sessions } from '../../sessions/sessions';
import type { PendingSignIns } from '../../signin/pendingSignIn';
import type { Brand } from '../brand';
import type { ConfigurationDependencies } from '../configuration/clientSecret';
import { identifiesUsers, readService, readSetting, serviceLabel } from '../configuration/settings';
import { accountNameProblem, askAccountName } from '../accounts/actions';

/** The command of the sign-in's status bar item, without the prefix that all commands share. */
export const MENU_COMMAND = 'signInMenu';

/** What the sign-in works with. */
export interface SignInDependencies extends ConfigurationDependencies {
  readonly brand: Pick<Brand, 'prefix' | 'displayName'>;
  readonly clock: Clock;
  readonly client: Pick<OAuthClient, 'requestDeviceAuthorization' | 'poll' | 'notify' | 'fetchAccount'>;
  readonly sessions: Pick<Sessions, 'list' | 'add' | 'assignAccount'>;
  /** Saves a sign-in for the next window. */
  readonly pendingSignIns: Pick<PendingSignIns, 'begin' | 'takeOver'>;
}

/** What a sign-in is for. */
export interface SignInRequest {
  /** Name of the account, if it's already known. */
  readonly accountLabel?: string;
  /** ID of the session that the new one replaces, keeping its account. */
  readonly replaces?: string;
}

/** Everything that a sign-in needs to know before it begins. */
export interface PreparedSignIn {
  readonly credentials: Credentials;
  /** What the service is called in messages. */
  readonly serviceName: string;
  /** The only origin that the verification page may have; `undefined` accepts any. */
  readonly verificationOrigin: string | undefined;
  readonly accountLabel: string;
  /** ID of the session that the new one replaces. */
  readonly replaces: string | undefined;
}

/** What the settings and the client secrets say. */
export type ConfiguredSignIn = Omit<PreparedSignIn, 'accountLabel' | 'replaces'>;

/**
 * Reads what a sign-in needs from the settings and the client secrets.
 * @returns `undefined` if something isn't set
 * @throws WrongSettingError, also for the origin of the verification page: a wrong guard lets nothing pass
 */
export async function readConfigured({
  brand,
  settings,
  secrets,
}: SignInDependencies): Promise<ConfiguredSignIn | undefined> {
  const source = settings();
  const service = readService(source);
  const clientSecret = service === undefined ? undefined : await secrets.get(service);
  return service === undefined || clientSecret === undefined
    ? undefined
    : {
        credentials: { ...service, clientSecret },
        serviceName: serviceLabel(source, brand.displayName),
        verificationOrigin: readSetting(source, 'verificationUrl'),
      };
}

/**
 * Chooses the account: an existing one, or a new one. Asks the person for its name unless that's known or comes from
 * the service.
 * @returns `undefined` if the person cancels
 * @throws the signal's reason
 */
export async function chooseAccount(
  deps: SignInDependencies,
  serviceName: string,
  { accountLabel, replaces }: SignInRequest,
  signal: AbortSignal,
): Promise<Pick<PreparedSignIn, 'accountLabel' | 'replaces'> | undefined> {
  const { sessions, texts } = deps;
  const known = await sessions.list();
  signal.throwIfAborted();
  const replaced = known.find((session) => session.id === replaces);
  if (identifiesUsers(deps.settings())) {
    // The service names it at the end. If it doesn't, nobody must get another user's name.
    return { accountLabel: serviceName, replaces: replaced?.id };
  }
  if (replaced !== undefined) {
    return { accountLabel: replaced.account.label, replaces: replaced.id };
  }
  const taken = known.map((session) => session.account.label);
  const wanted = accountLabel ?? (known.length === 0 ? serviceName : '');
  if (accountNameProblem(texts, wanted, taken) === undefined) {
    return { accountLabel: wanted, replaces: undefined };
  }
  const name = await askAccountName(deps, {
    title: texts.signIn.anotherAccount({ service: serviceName }),
    prompt: texts.signIn.nameAccount({ names: taken.join(', ') }),
    value: wanted,
    taken,
    signal,
  });
  signal.throwIfAborted();
  return name === undefined ? undefined : { accountLabel: name, replaces: undefined };
}
