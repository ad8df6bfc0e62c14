import type { AccountOptions, EndpointSettings, NotificationOptions } from '../../oauth/client';
import type { ServiceId } from '../../oauth/service';
import type { SettingsSource } from '../editor/settingsSource';
import { isSet, readSetting, type SettingValue, WrongSettingError } from './readSetting';

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
  readonly isListed?: boolean;
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
  /** The settings that can't be used and stop nothing, the first one of each purpose. */
  readonly ignored: readonly WrongSettingError[];
}

/** What the settings say about one service, even if they don't name it. */
export interface ReadService extends Pick<ConfiguredService, 'wrong' | 'ignored'> {
  /** `undefined` if the base URL or the client ID isn't set, or a setting that names the service can't be used. */
  readonly service: ConfiguredService | undefined;
  /** What it's called if the settings say it, or else its host if they have that. */
  readonly name: string | undefined;
}

/** Reads and validates all settings of one service. */
export function readService(settings: SettingsSource): ReadService {
  const needed = new Map<string, WrongSettingError>();
  const optional = new Map<string, WrongSettingError>();
  const baseUrl = unlessWrong(needed, () => readSetting(settings, 'baseUrl'));
  const clientId = unlessWrong(needed, () => readSetting(settings, 'clientId'));
  const protocol = unlessWrong(needed, () => readSetting(settings, 'protocol') ?? 'draft');
  const isStandard = protocol === 'rfc8628';
  const name =
    unlessWrong(optional, () => readSetting(settings, 'serviceName')) ??
    (baseUrl === undefined ? undefined : new URL(baseUrl).host);
  const options = {
    verificationOrigin: unlessWrong(needed, () => readSetting(settings, 'verificationUrl')),
    accessTokenIn: unlessWrong(optional, () => readTokenPlace(settings, isStandard)) ?? 'header',
    notification: unlessWrong(optional, () => (isStandard ? undefined : readNotification(settings))),
    account: unlessWrong(optional, () => readAccount(settings, isStandard)),
    identifiesUsers: identifiesUsers(settings),
    ...(isStandard ? readStandardOptions(settings, needed) : { endpoints: {}, scopes: undefined, parameters: {} }),
  };
  const problems = { wrong: [...needed.values()], ignored: [...optional.values()] };
  if (baseUrl === undefined || clientId === undefined || protocol === undefined || name === undefined) {
    return { service: undefined, name, ...problems };
  }
  const id = { baseUrl, clientId, ...(protocol === 'rfc8628' && { protocol }) };
  return { service: { id, name, ...options, ...problems }, name, ...problems };
}

/** What `read` returns; `undefined` if a setting can't be used, which then is among the problems. */
function unlessWrong<T>(problems: Map<string, WrongSettingError>, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof WrongSettingError) {
      // Two purposes may have one setting.
      problems.set(error.setting, error);
      return undefined;
    }
    throw error;
  }
}

/** What only standard services have. */
function readStandardOptions(
  settings: SettingsSource,
  problems: Map<string, WrongSettingError>,
): Pick<ConfiguredService, 'endpoints' | 'scopes' | 'parameters'> {
  return {
    endpoints: unlessWrong(problems, () => readSetting(settings, 'endpoints')) ?? {},
    scopes: unlessWrong(problems, () => readSetting(settings, 'scopes')),
    parameters: unlessWrong(problems, () => readSetting(settings, 'parameters')) ?? {},
  };
}

/** @throws WrongSettingError */
function readTokenPlace(settings: SettingsSource, isStandard: boolean): SettingValue<'accessTokenIn'> {
  return isStandard ? 'header' : (readSetting(settings, 'accessTokenIn') ?? 'header');
}

/** @returns `undefined` if it's turned off @throws WrongSettingError */
function readNotification(settings: SettingsSource): NotificationSettings | undefined {
  const path = readSetting(settings, 'notify.path');
  if (path === undefined) {
    return undefined;
  }
  return {
    path,
    method: readSetting(settings, 'notify.method') ?? 'POST',
    parameters: readSetting(settings, 'notify.parameters') ?? {},
    parametersIn: readSetting(settings, 'notify.parametersIn') ?? 'query',
    accessTokenIn: readTokenPlace(settings, false),
    on: readSetting(settings, 'notify.on') ?? 'signIn',
  };
}

function identifiesUsers(settings: SettingsSource): boolean {
  return isSet(settings, 'account.path') && isSet(settings, 'account.field');
}

/** @returns `undefined` unless the path and the field are set @throws WrongSettingError */
function readAccount(settings: SettingsSource, isStandard: boolean): AccountOptions | undefined {
  if (!identifiesUsers(settings)) {
    return undefined;
  }
  return {
    path: readSetting(settings, 'account.path') ?? '',
    field: readSetting(settings, 'account.field') ?? '',
    idField: readSetting(settings, 'account.idField'),
    accessTokenIn: readTokenPlace(settings, isStandard),
  };
}
