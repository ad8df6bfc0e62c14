import type { SettingsSource } from '../editor/settingsSource';
import type { SettingProblem } from '../texts/settingTexts';
import { InvalidValueError, SETTING_NAMES, type SettingName, VALIDATORS } from './validate';

/** What a setting is if it can be used. */
export type SettingValue<Name extends SettingName> = ReturnType<(typeof VALIDATORS)[Name]>;

/** Where in the list of services a value is that can't be used. */
export interface ElementField {
  readonly index: number;
  /** Such as `notify.path`; `undefined` for the element itself. */
  readonly field: string | undefined;
}

/** A setting has a value that can't be used. */
export class WrongSettingError extends InvalidValueError {
  /** What it's called in messages, without the prefix, such as `baseUrl` or `services[1].baseUrl`. */
  readonly place: string;

  /** @param element which part of the list of services, if it's that setting */
  constructor(
    readonly setting: SettingName | 'services',
    problem: SettingProblem,
    readonly element?: ElementField,
  ) {
    const place = placeOf(setting, element);
    super(problem, `The setting ${place} can't be used: ${problem}.`);
    this.name = 'WrongSettingError';
    this.place = place;
  }
}

function placeOf(setting: string, element: ElementField | undefined): string {
  if (element === undefined) {
    return setting;
  }
  const { field, index } = element;
  return `${setting}[${index}]${field === undefined ? '' : `.${field}`}`;
}

/** Whether a setting has a value, even if it can't be used. */
export function isSet(settings: SettingsSource, name: SettingName): boolean {
  const value = settings(name);
  return value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');
}

/** The settings that are set. */
export interface ReadSettings {
  /** The values of those that can be used. */
  readonly values: { readonly [Name in SettingName]?: SettingValue<Name> };
  /** A problem for each of the others. */
  readonly problems: readonly WrongSettingError[];
}

/** Validates all settings of one service, each once. */
export function readSettings(settings: SettingsSource): ReadSettings {
  const values: Partial<Record<SettingName, unknown>> = {};
  const problems: WrongSettingError[] = [];
  for (const name of SETTING_NAMES.filter((one) => isSet(settings, one))) {
    try {
      values[name] = VALIDATORS[name](settings(name));
    } catch (error) {
      if (!(error instanceof InvalidValueError)) {
        throw error;
      }
      problems.push(new WrongSettingError(name, error.problem));
    }
  }
  return { values: values as ReadSettings['values'], problems };
}
