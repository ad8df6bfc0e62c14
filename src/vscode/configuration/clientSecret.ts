import { safeTrace, type Log } from '../../log';
import type { ServiceId } from '../../oauth/client';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { Brand } from '../brand';
import type { Editor } from '../editor/editor';
import { plainText, shownAddress } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { readService, type SettingName, type SettingsSource, WrongSettingError } from './settings';
import { invalidValue, validateText } from './validate';

/** What Configure Service and Set Client Secret work with. */
export interface ConfigurationDependencies {
  readonly brand: Pick<Brand, 'prefix' | 'displayName'>;
  readonly editor: Editor;
  readonly texts: Texts;
  readonly log: Log;
  readonly secrets: Pick<ClientSecrets, 'get' | 'set'>;
  /** The settings as they are now. */
  readonly settings: () => SettingsSource;
  /**
   * Sets a setting for the person.
   * @throws Error if the settings file can't be written
   */
  readonly writeSetting: (name: SettingName, value: string | undefined) => Promise<void>;
  /** Says what's wrong with the store of secrets and sessions. */
  readonly explain: (error: unknown) => string;
}

/**
 * Asks the person for the client secret of the configured service, and stores it. If no service is configured, offers
 * to configure one.
 * @returns whether one was stored
 * @throws Error with a message for people if a setting can't be used, or storing fails
 */
export async function enterClientSecret(deps: ConfigurationDependencies): Promise<boolean> {
  const { brand, editor, texts } = deps;
  const service = configuredService(deps);
  if (service === undefined) {
    await editor.message('information', texts.settings.configureFirst, {
      [texts.buttons.configureService]: () => editor.run(`${brand.prefix}.configure`),
    });
    return false;
  }
  const result = await editor.ask({
    title: texts.buttons.setClientSecret,
    prompt: texts.settings.enterSecretOf(plainText(service.clientId), shownAddress(service.baseUrl)),
    placeholder: texts.settings.clientSecret,
    password: true,
    validate: (value) => problemText(texts, () => validateText(value)),
  });
  if (result.kind !== 'entered') {
    return false;
  }
  await store(deps, service, result.value.trim());
  return true;
}

/**
 * Stores the client secret that a program hands over, without a message.
 * @param secret may be anything
 * @throws Error with a message for people if it or a setting can't be used, or storing fails
 */
export async function takeClientSecret(deps: ConfigurationDependencies, secret: unknown): Promise<void> {
  const { editor, log, secrets, texts } = deps;
  if (typeof secret !== 'string') {
    throw new Error(texts.settings.secretNotText);
  }
  const service = configuredService(deps);
  if (service === undefined) {
    throw new Error(texts.settings.configureFirst);
  }
  const invalid = invalidValue(() => validateText(secret));
  if (invalid !== undefined) {
    throw new Error(texts.settings.wrongSecret(invalid.problem));
  }
  const stored = await secrets.get(service).catch((error: unknown) => {
    // It's stored again: that may work on the disk, which all windows see.
    log.debug(`The stored client secret can't be compared. ${safeTrace(error)}`);
    return undefined;
  });
  if (stored !== secret.trim()) {
    await store(deps, service, secret.trim());
    editor.showStatusMessage(texts.settings.secretSaved);
  }
}

function configuredService({ brand, settings, texts }: ConfigurationDependencies): ServiceId | undefined {
  try {
    return readService(settings());
  } catch (error) {
    throw error instanceof WrongSettingError
      ? new Error(texts.settings.wrong(`${brand.prefix}.${error.setting}`, error.problem), { cause: error })
      : error;
  }
}

/** Says what's wrong with a value that `read` reads; `undefined` if nothing is. */
export function problemText({ settings }: Texts, read: () => unknown): string | undefined {
  const invalid = invalidValue(read);
  return invalid === undefined ? undefined : settings.problem(invalid.problem);
}

async function store(
  { explain, log, secrets }: ConfigurationDependencies,
  service: ServiceId,
  secret: string,
): Promise<void> {
  try {
    await secrets.set(service, secret);
  } catch (error) {
    throw new Error(explain(error), { cause: error });
  }
  log.info('The client secret was stored.');
}
