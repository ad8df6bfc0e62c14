import type { AccountOptions, EndpointSettings, NotificationOptions } from '../../oauth/client';
import type { ServiceId } from '../../oauth/service';
import type { SettingsSource } from '../editor/settingsSource';
import { isSet, type ReadSettings, readSettings, type SettingValue, type WrongSettingError } from './readSettings';

/** How the device notification is sent, and when: after each sign-in, or after each refresh too. */
export interface NotificationSettings extends NotificationOptions {
  readonly on: SettingValue<'notify.on'>;
}

/** A service as the settings have it, validated. What can't be used is as if it weren't set. */
export interface ConfiguredService {
  /** Only this decides whose sessions are shown. */
  readonly id: ServiceId;
  /** What it's called in menus and messages. */
  readonly name: string;
  /** Whether its settings are in the list of services, and not settings of their own. */
  readonly isListed: boolean;
  /** The client secret that comes with the extension. Then none that people enter is used. */
  readonly clientSecret: string | undefined;
  /** What carries the access token. Standard services accept it in the header (RFC 6750, section 2.1). */
  readonly accessTokenIn: SettingValue<'accessTokenIn'>;
  /** How the service is asked who is signed in; `undefined` if it isn't. */
  readonly account: AccountOptions | undefined;
  /** Whether the settings say how to ask who is signed in, even if they can't be used. */
  readonly identifiesUsers: boolean;
  /** `undefined` if no notification is sent. The standard has none. */
  readonly notification: NotificationSettings | undefined;
  /** If set, the page where people enter the code must have this origin. */
  readonly verificationOrigin: string | undefined;
  /** For standard services only, as are scopes and parameters. */
  readonly endpoints: EndpointSettings;
  /** Scopes that every sign-in asks for; `undefined` if none are set, not even an empty list. */
  readonly scopes: readonly string[] | undefined;
  /** Further parameters of the request for a code. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The settings that can't be used and that a sign-in needs: a wrong guard, for example, lets nothing pass. */
  readonly wrong: readonly WrongSettingError[];
}

/** What the settings say about one service, even if they don't name it. */
export interface ReadService extends Pick<ConfiguredService, 'wrong'> {
  /** `undefined` if the base URL or the client ID isn't set, or a setting that names the service can't be used. */
  readonly service: ConfiguredService | undefined;
  /** What it's called if the settings say it, or else its host if they have that. */
  readonly name: string | undefined;
  /** All settings that can't be used. */
  readonly problems: readonly WrongSettingError[];
}

/** What a sign-in needs. The other settings stop nothing. */
const NEEDED: readonly string[] = [
  'baseUrl',
  'clientId',
  'protocol',
  'verificationUrl',
  'endpoints',
  'scopes',
  'parameters',
];
/** What only one of the two protocols has. */
export const OF_THE_STANDARD: readonly string[] = ['endpoints', 'scopes', 'parameters'];
const OF_THE_DRAFT: readonly string[] = [
  'accessTokenIn',
  'notify.path',
  'notify.method',
  'notify.parameters',
  'notify.parametersIn',
  'notify.on',
];

/**
 * Reads and validates all settings of one service.
 * @param clientSecret the one that comes with the extension, if any
 */
export function readService(settings: SettingsSource, clientSecret?: string): ReadService {
  const others = settings('protocol') === 'rfc8628' ? OF_THE_DRAFT : OF_THE_STANDARD;
  const { problems, values } = readSettings((name) => (others.includes(name) ? undefined : settings(name)));
  const wrong = problems.filter(({ setting }) => NEEDED.includes(setting));
  const { baseUrl, clientId, protocol = 'draft' } = values;
  const name = values.serviceName ?? (baseUrl === undefined ? undefined : new URL(baseUrl).host);
  const isIdentified = !wrong.some(({ setting }) => setting === 'protocol');
  if (baseUrl === undefined || clientId === undefined || name === undefined || !isIdentified) {
    return { service: undefined, name, wrong, problems };
  }
  const service: ConfiguredService = {
    id: { baseUrl, clientId, ...(protocol === 'rfc8628' && { protocol }) },
    name,
    isListed: false,
    clientSecret,
    accessTokenIn: values.accessTokenIn ?? 'header',
    account: areUsable('account.', problems) ? accountIn(values) : undefined,
    identifiesUsers: isSet(settings, 'account.path') && isSet(settings, 'account.field'),
    notification: areUsable('notify.', problems) ? notificationIn(values) : undefined,
    verificationOrigin: values.verificationUrl,
    endpoints: values.endpoints ?? {},
    scopes: values.scopes,
    parameters: values.parameters ?? {},
    wrong,
  };
  return { service, name, wrong, problems };
}

/** Whether nothing is wrong with the settings of a request: it carries the token, too. */
function areUsable(prefix: string, problems: readonly WrongSettingError[]): boolean {
  return !problems.some(({ setting }) => setting.startsWith(prefix) || setting === 'accessTokenIn');
}

/** @returns `undefined` if it's turned off */
function notificationIn(values: ReadSettings['values']): NotificationSettings | undefined {
  const { accessTokenIn = 'header', 'notify.path': path } = values;
  return path === undefined
    ? undefined
    : {
        path,
        method: values['notify.method'] ?? 'POST',
        parameters: values['notify.parameters'] ?? {},
        parametersIn: values['notify.parametersIn'] ?? 'query',
        accessTokenIn,
        on: values['notify.on'] ?? 'signIn',
      };
}

/** @returns `undefined` unless the path and the field are set */
function accountIn(values: ReadSettings['values']): AccountOptions | undefined {
  const { accessTokenIn = 'header', 'account.field': field, 'account.path': path } = values;
  return path === undefined || field === undefined
    ? undefined
    : { path, field, idField: values['account.idField'], accessTokenIn };
}
