import type { AccountOptions, NotificationOptions, ServiceId } from '../../oauth/client';
import {
  oneOf,
  type SettingProblem,
  validateBaseUrl,
  type Validated,
  validateField,
  validateName,
  validateOrigin,
  validateParameters,
  validatePath,
  validateText,
} from './validate';

/** Names of the settings, without the prefix that all of them share. */
export type SettingName =
  | 'baseUrl'
  | 'clientId'
  | 'serviceName'
  | 'verificationUrl'
  | 'accessTokenIn'
  | 'account.path'
  | 'account.field'
  | 'account.idField'
  | 'notify.path'
  | 'notify.method'
  | 'notify.parameters'
  | 'notify.parametersIn'
  | 'notify.on';

/** The settings as the editor has them. */
export interface SettingsSource {
  inspect(name: string): { readonly defaultValue?: unknown; readonly globalValue?: unknown } | undefined;
}

/** A setting has a value that can't be used. */
export class WrongSettingError extends Error {
  constructor(
    readonly setting: SettingName,
    readonly problem: SettingProblem,
  ) {
    super(`The setting ${setting} can't be used: ${problem}.`);
    this.name = 'WrongSettingError';
  }
}

/**
 * The settings that share a prefix, as they are now. The editor is asked for all of them at once: each call costs a good
 * part of a millisecond, and activation waits for it.
 */
export function settingsOf(configuration: SettingsSource, prefix: string): SettingsSource {
  const all = configuration.inspect(prefix);
  return {
    inspect: (name) => ({
      defaultValue: valueAt(all?.defaultValue, name),
      globalValue: valueAt(all?.globalValue, name),
    }),
  };
}

/** @param name with dots between the names of nested objects, such as `notify.path` */
function valueAt(settings: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce(
      (within: unknown, part) =>
        typeof within === 'object' && within !== null && Object.hasOwn(within, part)
          ? (Reflect.get(within, part) as unknown)
          : undefined,
      settings,
    );
}

/**
 * What a person or the manifest set. What a workspace or a folder sets is never looked at: a stranger's folder must not
 * choose the service that tokens and the client secret go to.
 */
export function readSetting(settings: SettingsSource, name: SettingName): unknown {
  const values = settings.inspect(name);
  return values?.globalValue ?? values?.defaultValue;
}

/**
 * The configured service: these two settings alone say whose sessions are shown.
 * @returns `undefined` if the base URL or the client ID isn't set
 * @throws WrongSettingError
 */
export function readService(settings: SettingsSource): ServiceId | undefined {
  return isUnset(settings, 'baseUrl') || isUnset(settings, 'clientId')
    ? undefined
    : { baseUrl: read(settings, 'baseUrl', validateBaseUrl), clientId: read(settings, 'clientId', validateText) };
}

/** What the service is called in menus and messages: the name that is set, the host of the base URL, or `fallback`. */
export function serviceLabel(settings: SettingsSource, fallback: string): string {
  const name = validateName(readSetting(settings, 'serviceName'));
  if ('value' in name) {
    return name.value;
  }
  const baseUrl = validateBaseUrl(readSetting(settings, 'baseUrl'));
  return 'value' in baseUrl ? new URL(baseUrl.value).host : fallback;
}

/**
 * The only origin that the verification page may have; `undefined` if the setting is empty.
 * @throws WrongSettingError
 */
export function readVerificationOrigin(settings: SettingsSource): string | undefined {
  return isUnset(settings, 'verificationUrl') ? undefined : read(settings, 'verificationUrl', validateOrigin);
}

/** The device notification. */
export interface NotificationSettings {
  readonly options: NotificationOptions;
  /** When it is sent: after each sign-in, or after each refresh too. */
  readonly on: 'signIn' | 'everyToken';
}

/**
 * How and when the device notification is sent; `undefined` if it is turned off.
 * @throws WrongSettingError
 */
export function readNotification(settings: SettingsSource): NotificationSettings | undefined {
  return isUnset(settings, 'notify.path')
    ? undefined
    : {
        options: {
          path: read(settings, 'notify.path', validatePath),
          method: read(settings, 'notify.method', oneOf('POST', 'PUT', 'GET')),
          parameters: read(settings, 'notify.parameters', validateParameters),
          parametersIn: read(settings, 'notify.parametersIn', oneOf('query', 'form', 'json')),
          accessTokenIn: readAccessTokenIn(settings),
        },
        on: read(settings, 'notify.on', oneOf('signIn', 'everyToken')),
      };
}

/** Whether the settings say how to ask the service who is signed in, rightly or wrongly. */
export function identifiesUsers(settings: SettingsSource): boolean {
  return !isUnset(settings, 'account.path') && !isUnset(settings, 'account.field');
}

/**
 * How to ask the service who is signed in; `undefined` unless the path and the field are set.
 * @throws WrongSettingError
 */
export function readAccount(settings: SettingsSource): AccountOptions | undefined {
  return identifiesUsers(settings)
    ? {
        path: read(settings, 'account.path', validatePath),
        field: read(settings, 'account.field', validateField),
        idField: isUnset(settings, 'account.idField') ? undefined : read(settings, 'account.idField', validateField),
        accessTokenIn: readAccessTokenIn(settings),
      }
    : undefined;
}

/** The optional settings that can't be used, one for each thing that they are for. They stop nothing else. */
export function wrongOptionalSettings(settings: SettingsSource): readonly WrongSettingError[] {
  const readers = [
    () => (isUnset(settings, 'serviceName') ? undefined : read(settings, 'serviceName', validateName)),
    () => readVerificationOrigin(settings),
    () => readNotification(settings),
    () => readAccount(settings),
  ];
  return readers.flatMap((reader) => {
    const error = wrongSetting(reader);
    return error === undefined ? [] : [error];
  });
}

/** What `read` reads, or `undefined` if a setting is wrong. */
export function ifRight<T>(read: () => T): T | undefined {
  return wrongSetting(read) === undefined ? read() : undefined;
}

function wrongSetting(read: () => unknown): WrongSettingError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof WrongSettingError) {
      return error;
    }
    throw error;
  }
}

/** The configuration in a line for the log. Values that may hold a secret are left out. */
export function describeConfiguration(settings: SettingsSource): string {
  const wrong = wrongOptionalSettings(settings).map(({ message }) => ` ${message}`);
  const error = wrongSetting(() => readService(settings));
  if (error !== undefined) {
    return error.message;
  }
  const service = readService(settings);
  return service === undefined
    ? 'The base URL or the client ID is not set.'
    : `Base URL ${service.baseUrl}, client ID ${service.clientId}.${wrong.join('')}`;
}

function readAccessTokenIn(settings: SettingsSource): 'header' | 'query' {
  return read(settings, 'accessTokenIn', oneOf('header', 'query'));
}

function read<T>(settings: SettingsSource, setting: SettingName, validate: (value: unknown) => Validated<T>): T {
  const validated = validate(readSetting(settings, setting));
  if ('problem' in validated) {
    throw new WrongSettingError(setting, validated.problem);
  }
  return validated.value;
}

function isUnset(settings: SettingsSource, setting: SettingName): boolean {
  const value = readSetting(settings, setting);
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
