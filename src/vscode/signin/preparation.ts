import type { Clock } from '../../clock';
import type { Credentials, OAuthClient } from '../../oauth/client';
import type { SessionInfo } from '../../sessions/sessions';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { PendingSignIns, SignInRequest } from '../../signin/pendingSignIn';
import { accountNameProblem, askAccountName } from '../accounts/actions';
import type { ConfigurationDependencies } from '../configuration/configureService';
import { identifiesUsers, readService, readSetting, serviceLabel } from '../configuration/settings';

/** The command of the sign-in's status bar item, without the prefix that all commands share. */
export const MENU_COMMAND = 'signInMenu';

/** What the sign-in works with. */
export interface SignInDependencies extends ConfigurationDependencies {
  readonly clock: Clock;
  readonly client: Pick<OAuthClient, 'requestDeviceAuthorization' | 'poll' | 'notify' | 'fetchAccount'>;
  readonly sessions: Pick<SharedSessions, 'list' | 'add' | 'assignAccount'>;
  /** Saves a sign-in for the next window. */
  readonly pendingSignIns: Pick<PendingSignIns, 'begin' | 'takeOver'>;
}

/** Everything that a sign-in needs to know before it begins. */
export interface PreparedSignIn {
  readonly credentials: Credentials;
  /** What the service is called in messages. */
  readonly serviceName: string;
  /** The only origin that the verification page may have; `undefined` accepts any. */
  readonly verificationOrigin: string | undefined;
  readonly accountLabel: string;
  /** The session that the new one replaces. */
  readonly replaced: SessionInfo | undefined;
}

type ChosenAccount = Pick<PreparedSignIn, 'accountLabel' | 'replaced'>;

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
  const clientSecret = service === undefined ? undefined : await deps.secrets.get(service);
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
  { accountLabel, replaces }: SignInRequest,
  signal: AbortSignal,
): Promise<ChosenAccount | undefined> {
  const { sessions, texts } = deps;
  const known = await sessions.list();
  const replaced = known.find((session) => session.id === replaces);
  if (identifiesUsers(deps.settings())) {
    // The service names it at the end. If it doesn't, nobody must get another user's name.
    return { accountLabel: serviceName, replaced };
  }
  if (replaced !== undefined) {
    return { accountLabel: replaced.account.label, replaced };
  }
  const taken = known.map((session) => session.account.label);
  const wanted = accountLabel ?? (known.length === 0 ? serviceName : '');
  if (accountNameProblem(texts, wanted, taken) === undefined) {
    return { accountLabel: wanted, replaced };
  }
  const name = await askAccountName(deps, {
    title: texts.signIn.anotherAccount({ service: serviceName }),
    prompt: texts.signIn.nameAccount({ names: taken.join(', ') }),
    value: wanted,
    taken,
    signal,
  });
  return name === undefined ? undefined : { accountLabel: name, replaced };
}
