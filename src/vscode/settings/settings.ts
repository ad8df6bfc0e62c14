import type { AccountOptions, NotificationOptions } from '../../oauth/client';
import type { ServiceId } from '../../oauth/service';
import type { SettingsSource } from '../editor/settingsSource';
import type { SettingProblem } from '../texts/settingTexts';
import { ifValid, invalidValue, InvalidValueError, type SettingName, VALIDATORS } from './validate';

type Value<Name extends SettingName> = ReturnType<(typeof VALIDATORS)[Name]>;

/** A setting has a value that can't be used. */
export class WrongSettingError extends InvalidValueError {
  constructor(
    readonly setting: SettingName,
    problem: SettingProblem,
  ) {
    super(problem, `The setting ${setting} can't be used: ${problem}.`);
    this.name = 'WrongSettingError';
  }
}

function isSet(settings: SettingsSource, name: SettingName): boolean {
  const value = settings(name);
  return value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');
}

/** The value of a setting; `undefined` if it isn't set. @throws WrongSettingError */
export function readSetting<Name extends SettingName>(settings: SettingsSource, name: Name): Value<Name> | undefined {
  if (!isSet(settings, name)) {
    return undefined;
  }
  try {
    return VALIDATORS[name](settings(name)) as Value<Name>;
  } catch (error) {
    throw error instanceof InvalidValueError ? new WrongSettingError(name, error.problem) : error;
  }
}

/**
 * The configured service: only these settings decide whose sessions are shown.
 * @returns `undefined` if the base URL or the client ID isn't set
 * @throws WrongSettingError
 */
export function readService(settings: SettingsSource): ServiceId | undefined {
  const baseUrl = readSetting(settings, 'baseUrl');
  const clientId = readSetting(settings, 'clientId');
  if (baseUrl === undefined || clientId === undefined) {
    return undefined;
  }
  return isStandard(settings) ? { baseUrl, clientId, protocol: 'rfc8628' } : { baseUrl, clientId };
}

function isStandard(settings: SettingsSource): boolean {
  return readSetting(settings, 'protocol') === 'rfc8628';
}

/** What the service is called in menus and messages: the name that is set, the host of the base URL, or `fallback`. */
export function serviceLabel(settings: SettingsSource, fallback: string): string {
  const name = ifValid(() => readSetting(settings, 'serviceName'));
  if (name !== undefined) {
    return name;
  }
  const baseUrl = ifValid(() => readSetting(settings, 'baseUrl'));
  return baseUrl === undefined ? fallback : new URL(baseUrl).host;
}

/**
 * How the device notification is sent, and when: after each sign-in, or after each refresh too.
 * @returns `undefined` if it's turned off
 * @throws WrongSettingError
 */
export function readNotification(
  settings: SettingsSource,
): (NotificationOptions & { readonly on: Value<'notify.on'> }) | undefined {
  const path = readSetting(settings, 'notify.path');
  // The standard has no notification.
  if (path === undefined || isStandard(settings)) {
    return undefined;
  }
  return {
    path,
    method: readSetting(settings, 'notify.method') ?? 'POST',
    parameters: readSetting(settings, 'notify.parameters') ?? {},
    parametersIn: readSetting(settings, 'notify.parametersIn') ?? 'query',
    accessTokenIn: readTokenPlace(settings),
    on: readSetting(settings, 'notify.on') ?? 'signIn',
  };
}

/** Whether the settings say how to ask the service who is signed in, even if they're wrong. */
export function identifiesUsers(settings: SettingsSource): boolean {
  return isSet(settings, 'account.path') && isSet(settings, 'account.field');
}

/**
 * How to ask the service who is signed in; `undefined` unless the path and the field are set.
 * @throws WrongSettingError
 */
export function readAccount(settings: SettingsSource): AccountOptions | undefined {
  if (!identifiesUsers(settings)) {
    return undefined;
  }
  return {
    path: readSetting(settings, 'account.path') ?? '',
    field: readSetting(settings, 'account.field') ?? '',
    idField: readSetting(settings, 'account.idField'),
    accessTokenIn: readTokenPlace(settings),
  };
}

/**
 * Where requests carry the access token. Standard services accept it in the header (RFC 6750, section 2.1).
 * @throws WrongSettingError
 */
export function readTokenPlace(settings: SettingsSource): Value<'accessTokenIn'> {
  return isStandard(settings) ? 'header' : (readSetting(settings, 'accessTokenIn') ?? 'header');
}

/** The optional settings that can't be used, the first one of each purpose. They stop nothing else. */
export function wrongOptionalSettings(settings: SettingsSource): readonly WrongSettingError[] {
  const purposes = [
    () => readSetting(settings, 'serviceName'),
    () => readSetting(settings, 'verificationUrl'),
    () => readNotification(settings),
    () => readAccount(settings),
  ];
  const errors = purposes.map(invalidValue).filter((error) => error instanceof WrongSettingError);
  // Two purposes may have one setting.
  return [...new Map(errors.map((error) => [error.setting, error])).values()];
}

/** The configuration in a line for the log, without values that may hold a secret. */
export function describeConfiguration(settings: SettingsSource): string {
  const ignored = wrongOptionalSettings(settings).map(({ message }) => message);
  return [describeService(settings), ...ignored].join(' ');
}

function describeService(settings: SettingsSource): string {
  try {
    const service = readService(settings);
    return service === undefined
      ? "The base URL or the client ID isn't set."
      : `Base URL ${service.baseUrl}, client ID ${service.clientId}.`;
  } catch (error) {
    if (error instanceof WrongSettingError) {
      return error.message;
    }
    throw error;
  }
}
