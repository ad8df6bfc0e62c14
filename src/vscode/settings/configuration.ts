import type { SettingsSource } from '../editor/settingsSource';
import { readList } from './listedServices';
import { isSet, type WrongSettingError } from './readSettings';
import { type ConfiguredService, readService } from './service';
import { ConfiguredServices } from './services';

/** What the settings say, and what's wrong with them. */
export interface Configuration {
  /** Those that can be used. */
  readonly services: ConfiguredServices;
  /**
   * What people sign in to, in a word: the only service or, with several, the extension. The provider is registered under it,
   * so VS Code shows it in its menus and in its questions.
   */
  readonly label: string;
  /** The settings of the default service that can't be used and that a sign-in needs, even if there's no such service. */
  readonly wrong: readonly WrongSettingError[];
  /** All settings that can't be used, those in the list of further services among them. */
  readonly problems: readonly WrongSettingError[];
}

/**
 * Reads and validates all settings of the services. If only the list of further ones is set, its first one is the default.
 * @param fallbackName what the provider is called if there are several services, or nothing says how the only one is called
 * @param clientSecret the one that comes with the extension, if any
 */
export function readConfiguration(
  settings: SettingsSource,
  fallbackName: string,
  clientSecret?: string,
): Configuration {
  const { name, problems, service, wrong } = readService(settings, clientSecret);
  const list = readList(settings('services'), service?.id.baseUrl);
  const isListAlone = !isSet(settings, 'baseUrl') && !isSet(settings, 'clientId');
  const services = new ConfiguredServices(
    [...(service ? [service] : []), ...list.services],
    isListAlone ? list.services[0] : service,
  );
  const [only, ...others] = services.all;
  return {
    services,
    label: others.length > 0 ? fallbackName : (only?.name ?? name ?? fallbackName),
    wrong,
    problems: [...problems, ...list.problems],
  };
}

/** The configuration of services with which nothing is wrong. The first one is the default. */
export function configurationOf(all: readonly ConfiguredService[], fallbackName: string): Configuration {
  const [first, ...others] = all;
  return {
    services: new ConfiguredServices(all, first),
    label: others.length > 0 || first === undefined ? fallbackName : first.name,
    wrong: [],
    problems: [],
  };
}

/**
 * Makes sure that a sign-in to a service can begin.
 * @param service `undefined` if it isn't configured
 * @throws WrongSettingError if a setting that the sign-in needs can't be used
 */
export function checkUsable({ wrong }: Configuration, service: ConfiguredService | undefined): void {
  const [problem] = service === undefined ? wrong : service.wrong;
  if (problem !== undefined) {
    throw problem;
  }
}

/** The configuration in a line for the log, without values that may hold a secret. */
export function describeConfiguration({ problems, services, wrong }: Configuration): string {
  const known = services.all.map(({ id }) => `Base URL ${id.baseUrl}, client ID ${id.clientId}.`);
  const isUnset = known.length === 0 && wrong.length === 0;
  const unset = isUnset ? ["The base URL or the client ID isn't set."] : [];
  return [...known, ...unset, ...problems.map(({ message }) => message)].join(' ');
}
