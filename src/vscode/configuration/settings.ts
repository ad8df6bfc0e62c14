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

/** The settings, without the prefix that all of them share, and how each is validated. */
const VALIDATORS = {
  baseUrl: validateBaseUrl,
  clientId: validateText,
  serviceName: validateName,
  verificationUrl: validateOrigin,
  accessTokenIn: oneOf('header', 'query'),
  'account.path': validatePath,
  'account.field': validateField,
  'account.idField': validateField,
  'notify.path': validatePath,
  'notify.method': oneOf('POST', 'PUT', 'GET'),
  'notify.parameters': validateParameters,
  'notify.parametersIn': oneOf('query', 'form', 'json'),
  'notify.on': oneOf('signIn', 'everyToken'),
};

/** Names of the settings, without the prefix that all of them share. */
export type SettingName = keyof typeof VALIDATORS;

type Value<Name extends SettingName> = ReturnType<(typeof VALIDATORS)[Name]> extends Validated<infer T> ? T : never;

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
 * The settings that share a prefix, as they are now. They're read with one call: each call takes a good part of a
 * millisecond, and activation waits for it.
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
 * The value from the user settings or the manifest. Those of workspaces and folders are ignored: a stranger's folder
 * must not choose the service that gets tokens and the client secret.
 */
export function readSetting(settings: SettingsSource, name: SettingName): unknown {
  const values = settings.inspect(name);
  return values?.globalValue ?? values?.defaultValue;
}

/**
 * The configured service: only these two settings decide whose sessions are shown.
 * @returns `undefined` if the base URL or the client ID isn't set
 * @throws WrongSettingError
 */
export function readService(settings: SettingsSource): ServiceId | undefined {
  const baseUrl = read(settings, 'baseUrl');
  const clientId = read(settings, 'clientId');
  return baseUrl === undefined || clientId === undefined ? undefined : { baseUrl, clientId };
}

/** What the service is called in menus and messages: the name that is set, the host of the base URL, or `fallback`. */
export function serviceLabel(settings: SettingsSource, fallback: string): string {
  const name = ifRight(() => read(settings, 'serviceName'));
  const baseUrl = ifRight(() => read(settings, 'baseUrl'));
  return name ?? (baseUrl === undefined ? fallback : new URL(baseUrl).host);
}

/**
 * The only origin that the verification page may have; `undefined` if the setting is empty.
 * @throws WrongSettingError
 */
export function readVerificationOrigin(settings: SettingsSource): string | undefined {
  return read(settings, 'verificationUrl');
}

/** The device notification. */
export interface NotificationSettings {
  readonly options: NotificationOptions;
  /** When it is sent: after each sign-in, or after each refresh too. */
  readonly on: Value<'notify.on'>;
}

/**
 * How and when the device notification is sent; `undefined` if it is turned off.
 * @throws WrongSettingError
 */
export function readNotification(settings: SettingsSource): NotificationSettings | undefined {
  const path = read(settings, 'notify.path');
  return path === undefined
    ? undefined
    : {
        options: {
          path,
          method: read(settings, 'notify.method') ?? 'POST',
          parameters: read(settings, 'notify.parameters') ?? {},
          parametersIn: read(settings, 'notify.parametersIn') ?? 'query',
          accessTokenIn: read(settings, 'accessTokenIn') ?? 'header',
        },
        on: read(settings, 'notify.on') ?? 'signIn',
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
    path: read(settings, 'account.path') ?? '',
    field: read(settings, 'account.field') ?? '',
    idField: read(settings, 'account.idField'),
    accessTokenIn: read(settings, 'accessTokenIn') ?? 'header',
  };
}

/** The optional settings that can't be used, one for each purpose. They stop nothing else. */
export function wrongOptionalSettings(settings: SettingsSource): readonly WrongSettingError[] {
  const readers = [
    () => read(settings, 'serviceName'),
    () => readVerificationOrigin(settings),
    () => readNotification(settings),
    () => readAccount(settings),
  ];
  return readers.map(wrongSetting).filter((error) => error !== undefined);
}

/** What `read` reads, or `undefined` if a setting is wrong. */
export function ifRight<T>(read: () => T): T | undefined {
  return wrongSetting(read) === undefined ? read() : undefined;
}

/** The configuration in a line for the log, without values that may hold a secret. */
export function describeConfiguration(settings: SettingsSource): string {
  const wrong = wrongSetting(() => readService(settings));
  if (wrong !== undefined) {
    return wrong.message;
  }
  const service = readService(settings);
  return service === undefined
    ? "The base URL or the client ID isn't set."
    : [
        `Base URL ${service.baseUrl}, client ID ${service.clientId}.`,
        ...wrongOptionalSettings(settings).map(({ message }) => message),
      ].join(' ');
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

/** @returns `undefined` if it isn't set. @throws WrongSettingError */
function read<Name extends SettingName>(settings: SettingsSource, name: Name): Value<Name> | undefined {
  if (!isSet(settings, name)) {
    return undefined;
  }
  const validated = VALIDATORS[name](readSetting(settings, name));
  if ('problem' in validated) {
    throw new WrongSettingError(name, validated.problem);
  }
  return validated.value as Value<Name>;
}

function isSet(settings: SettingsSource, name: SettingName): boolean {
  const value = readSetting(settings, name);
  return value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');
}
