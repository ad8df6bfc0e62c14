import type { SettingsSource } from '../editor/settingsSource';
import type { SettingProblem } from '../texts/settingTexts';
import { InvalidValueError, type SettingName, VALIDATORS } from './validate';

/** What a setting is if it can be used. */
export type SettingValue<Name extends SettingName> = ReturnType<(typeof VALIDATORS)[Name]>;

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

/** Whether a setting has a value, even if it can't be used. */
export function isSet(settings: SettingsSource, name: SettingName): boolean {
  const value = settings(name);
  return value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');
}

/** The value of a setting; `undefined` if it isn't set. @throws WrongSettingError */
export function readSetting<Name extends SettingName>(
  settings: SettingsSource,
  name: Name,
): SettingValue<Name> | undefined {
  if (!isSet(settings, name)) {
    return undefined;
  }
  try {
    return VALIDATORS[name](settings(name)) as SettingValue<Name>;
  } catch (error) {
    throw error instanceof InvalidValueError ? new WrongSettingError(name, error.problem) : error;
  }
}
