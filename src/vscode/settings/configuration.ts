import { isMissing } from '../../fields';
import type { ConfiguredBy } from '../brand';
import { type ConfiguredService, readService } from './service';
import { ConfiguredServices } from './services';
import { WrongSettingError } from './wrongSetting';

/** What the settings say, and what's wrong with them. */
export interface Configuration {
  /** Those that can be used. */
  readonly services: ConfiguredServices;
  /**
   * What people sign in to, in a word: the only service or, with several, the extension. The provider is registered under it,
   * so VS Code shows it in its menus and in its questions.
   */
  readonly label: string;
  /** The problems that keep a sign-in to the default service from beginning, even if there's no such service. */
  readonly blocking: readonly WrongSettingError[];
  /** All problems: everything that can't be used. */
  readonly problems: readonly WrongSettingError[];
}

/**
 * Reads and validates the list of services, of which the first is the default. One that can't be used is left out, and harms no
 * other: if it's the first, there's no default, because nobody means the next one.
 * @param fallbackName what the provider is called if there are several services, or nothing says how the only one is called
 * @param configuredBy whose list it is: a person's setting can't have a client secret, and an extension's service with which anything
 *   is wrong isn't used
 */
export function readConfiguration(
  list: unknown,
  fallbackName: string,
  configuredBy: ConfiguredBy = 'person',
): Configuration {
  const isList = Array.isArray(list);
  const notAList = isList || isMissing(list) ? [] : [new WrongSettingError(undefined, NO_LIST)];
  const usable: ConfiguredService[] = [];
  const read = Array.from(isList ? list : [], (element: unknown, index) => {
    const one = readService(element, configuredBy, index);
    const isUsable = configuredBy !== 'extension' || one.problems.length === 0;
    const isTaken = usable.some(({ id }) => id.baseUrl === one.service?.id.baseUrl);
    usable.push(...(one.service === undefined || !isUsable || isTaken ? [] : [one.service]));
    return { ...one, problems: [...one.problems, ...(isTaken ? [new WrongSettingError(index, SAME_SERVICE)] : [])] };
  });
  const [first] = read;
  const [only, ...others] = usable;
  return {
    services: new ConfiguredServices(
      usable,
      usable.find((service) => service === first?.service),
    ),
    label: others.length > 0 ? fallbackName : (only?.name ?? first?.name ?? fallbackName),
    blocking: notAList.length > 0 ? notAList : (first?.blocking ?? []),
    problems: [...notAList, ...read.flatMap(({ problems }) => problems)],
  };
}

/** What's wrong with the address of a service if another one has it. */
const SAME_SERVICE = { field: 'baseUrl', problem: { kind: 'same service' } } as const;

/** What's wrong with the setting if it isn't a list. */
export const NO_LIST = { field: undefined, problem: { kind: 'not a list' } } as const;

/**
 * Makes sure that a sign-in to a service can begin.
 * @param service `undefined` if it isn't configured
 * @throws WrongSettingError if a setting that the sign-in needs can't be used
 */
export function checkUsable({ blocking, services }: Configuration, service: ConfiguredService | undefined): void {
  // If there's a default one, what's wrong with it isn't why another one is missing.
  const whyMissing = services.default === undefined ? blocking : [];
  const [problem] = service === undefined ? whyMissing : service.blocking;
  if (problem !== undefined) {
    throw problem;
  }
}

/** Whether any of these problems, which settings had at some time, is still there. */
export function isAnyLeft(current: Configuration, problems: readonly WrongSettingError[]): boolean {
  const messages = current.problems.map(({ message }) => message);
  return problems.some(({ message }) => messages.includes(message));
}

/** The configuration in a line for the log, without values that may hold a secret. */
export function describeConfiguration({ blocking, problems, services }: Configuration): string {
  const known = services.all.map(({ id }) => `Base URL ${id.baseUrl}, client ID ${id.clientId}.`);
  const isUnset = known.length === 0 && blocking.length === 0;
  return [...known, ...(isUnset ? ['No service is configured.'] : []), ...problems.map(({ message }) => message)].join(
    ' ',
  );
}
