import { LoggableError } from '../../log';
import { SERVICES_SETTING } from '../brand';
import type { Problem } from '../texts/settingTexts';

/** What's wrong with a service as it's given. */
export interface FieldProblem {
  /** Such as `notify.path`; `undefined` for the service itself. */
  readonly field: string | undefined;
  readonly problem: Problem;
  /** Whether the field isn't there, but has to be. */
  readonly isMissing?: boolean;
}

/** The setting for services, or a part of it, has a value that can't be used. */
export class WrongSettingError extends LoggableError implements FieldProblem {
  override readonly name = 'WrongSettingError';
  /** What it's called in messages, without the prefix, such as `services` or `services[1].baseUrl`. */
  readonly place: string;
  readonly field: string | undefined;
  readonly problem: Problem;
  readonly isMissing: boolean;

  /** @param index of the service in the list; `undefined` for the list itself */
  constructor(
    readonly index: number | undefined,
    { field, isMissing = false, problem }: FieldProblem,
  ) {
    const element = index === undefined ? SERVICES_SETTING : `${SERVICES_SETTING}[${index}]`;
    const place = field === undefined ? element : `${element}.${field}`;
    super(`The setting ${place} can't be used: ${problem.kind}.`);
    this.place = place;
    this.field = field;
    this.problem = problem;
    this.isMissing = isMissing;
  }
}
