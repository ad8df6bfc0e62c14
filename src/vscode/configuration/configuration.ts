import type { AccountOptions } from '../../oauth/account';
import type { NotificationOptions, ServiceId } from '../../oauth/client';
import { nameProblem } from '../texts/plainText';
import {
  checkBaseUrl,
  checkField,
  type Checked,
  checkParameters,
  checkPath,
  checkText,
  checkVerificationUrl,
  oneOf,
  type SettingProblem,
} from './settingChecks';

/** When the device notification is sent: after each sign-in, or after each refresh too. */
export type NotifyOn = 'signIn' | 'everyToken';

/** The settings, checked. */
export interface ServiceConfiguration {
  readonly service: ServiceId;
  /** How the service is called in menus and messages: what was set, or the host of the base URL. */
  readonly serviceName: string;
  /** The only origin that the verification page may have; `undefined` where the setting is empty. */
  readonly verificationOrigin: string | undefined;
  /** How the device notification is sent; `undefined` where it is turned off. */
  readonly notification: { readonly shape: NotificationOptions; readonly on: NotifyOn } | undefined;
  /** How the service tells who is signed in; `undefined` where it does not. */
  readonly account: AccountOptions | undefined;
}

/** Names of the settings, without the first part that all of them share. */
export type SettingName =
  | 'baseUrl'
  | 'clientId'
  | 'serviceName'
  | 'verificationUrl'
  | 'accessTokenIn'
  | 'account.path'
  | 'account.field'
  | 'notify.path'
  | 'notify.method'
  | 'notify.parameters'
  | 'notify.parametersIn'
  | 'notify.on';

/** A setting with a value that can't be used. */
export interface ConfigurationProblem {
  readonly setting: SettingName;
  readonly problem: SettingProblem;
}

/** What came of reading the settings. */
export type ConfigurationResult =
  | { readonly kind: 'ready'; readonly configuration: ServiceConfiguration }
  /** The base URL or the client ID is not set yet. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'wrong'; readonly problem: ConfigurationProblem };

/** The settings as the editor has them, such as `workspace.getConfiguration('deviceFlow')`. */
export interface SettingsSource {
  inspect(name: string): { readonly defaultValue?: unknown; readonly globalValue?: unknown } | undefined;
}

/**
 * What a person or the manifest set. What a workspace or a folder sets is never looked at: a stranger's folder must not
 * choose the service that tokens and the client secret go to.
 */
export function readSetting(source: SettingsSource, name: SettingName): unknown {
  const values = source.inspect(name);
  return values?.globalValue ?? values?.defaultValue;
}

class WrongSetting extends Error {
  constructor(readonly problem: ConfigurationProblem) {
    super(`The setting ${problem.setting} is wrong: ${problem.problem}.`);
  }
}

/** Reads and checks all settings. The first wrong one is reported. */
export function readConfiguration(source: SettingsSource): ConfigurationResult {
  const read = <T>(setting: SettingName, check: (value: unknown) => Checked<T>): T => {
    const checked = check(readSetting(source, setting));
    if ('problem' in checked) {
      throw new WrongSetting({ setting, problem: checked.problem });
    }
    return checked.value;
  };
  if (isUnset(source, 'baseUrl') || isUnset(source, 'clientId')) {
    return { kind: 'missing' };
  }
  try {
    const service = { baseUrl: read('baseUrl', checkBaseUrl), clientId: read('clientId', checkText) };
    const configuration = {
      service,
      serviceName: isUnset(source, 'serviceName') ? new URL(service.baseUrl).host : read('serviceName', checkName),
      verificationOrigin: isUnset(source, 'verificationUrl')
        ? undefined
        : read('verificationUrl', checkVerificationUrl),
      notification: readNotification(read),
      account: readAccount(read),
    };
    return { kind: 'ready', configuration };
  } catch (error) {
    if (error instanceof WrongSetting) {
      return { kind: 'wrong', problem: error.problem };
    }
    throw error;
  }
}

type Read = <T>(setting: SettingName, check: (value: unknown) => Checked<T>) => T;

/** Who is signed in is asked only where both settings say how. */
function readAccount(read: Read): ServiceConfiguration['account'] {
  const path = read('account.path', checkPath);
  const field = read('account.field', checkField);
  return path === '' || field === ''
    ? undefined
    : { path, field, accessTokenIn: read('accessTokenIn', oneOf('header', 'query')) };
}

function readNotification(read: Read): ServiceConfiguration['notification'] {
  const shape: NotificationOptions = {
    path: read('notify.path', checkPath),
    method: read('notify.method', oneOf('POST', 'PUT', 'GET')),
    parameters: read('notify.parameters', checkParameters),
    parametersIn: read('notify.parametersIn', oneOf('query', 'form', 'json')),
    accessTokenIn: read('accessTokenIn', oneOf('header', 'query')),
  };
  const on = read('notify.on', oneOf('signIn', 'everyToken'));
  return shape.path === '' ? undefined : { shape, on };
}

function isUnset(source: SettingsSource, setting: SettingName): boolean {
  const value = readSetting(source, setting);
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Checks the name of the service; spaces around it are dropped. */
export function checkName(value: unknown): Checked<string> {
  if (typeof value !== 'string') {
    return { problem: 'not a text' };
  }
  const problem = nameProblem(value);
  return problem === undefined ? { value: value.trim().normalize('NFC') } : { problem };
}

/**
 * How the service is called where the settings are incomplete or wrong too: its name, the host of the base URL, or
 * else `fallback`.
 */
export function serviceLabel(source: SettingsSource, fallback: string): string {
  const name = checkName(readSetting(source, 'serviceName'));
  if ('value' in name) {
    return name.value;
  }
  const baseUrl = checkBaseUrl(readSetting(source, 'baseUrl'));
  return 'value' in baseUrl ? new URL(baseUrl.value).host : fallback;
}
