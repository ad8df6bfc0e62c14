import { safeTrace, type Log } from '../../log';
import type { ServiceId } from '../../oauth/client';
import type { ClientSecrets } from '../../sessions/createSessions';
import type { Brand } from '../brand';
import { type Editor, offer } from '../editor/editor';
import { plainText, shownAddress } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { readService, type SettingName, type SettingsSource, WrongSettingError } from './settings';
import { validateText } from './validate';

/** What Configure Service and Set Client Secret work with. */
export interface ConfigurationDependencies {
  readonly brand: Pick<Brand, 'prefix'>;
  readonly editor: Editor;
  readonly texts: Texts;
  readonly log: Log;
  readonly secrets: ClientSecrets;
  /** The settings as they are now. */
  readonly settings: () => SettingsSource;
  /**
   * Sets a setting for the person.
   * @throws Error if the settings file can't be written
   */
  readonly writeSetting: (name: SettingName, value: string | undefined) => Promise<void>;
  /** Says what is wrong with the store that secrets and sessions are in. */
  readonly inWords: (error: unknown) => string;
}

/**
 * Stores the client secret of the configured service and client: the argument, or else what the person enters. One that a
 * program hands over makes no message.
 *
 * @param secret the command's argument, which may be anything
 * @returns whether the person entered one, which was stored
 * @throws Error with a message for people if the argument or the settings can't be used, or storing fails
 */
export async function setClientSecret(deps: ConfigurationDependencies, secret: unknown): Promise<boolean> {
  const { editor, texts, log, secrets } = deps;
  const byProgram = secret !== undefined;
  if (byProgram && typeof secret !== 'string') {
    throw new Error(texts.settings.secretNotText);
  }
  const service = await configuredService(deps, byProgram);
  const entered = byProgram || service === undefined ? secret : await askClientSecret(deps, service);
  if (service === undefined || entered === undefined) {
    return false;
  }
  const validated = validateText(entered);
  if ('problem' in validated) {
    throw new Error(texts.settings.wrongSecret(validated.problem));
  }
  try {
    if (byProgram && (await isStored(deps, service, validated.value))) {
      log.debug('The client secret that was handed over is stored already.');
      return false;
    }
    await secrets.set(service, validated.value);
  } catch (error) {
    throw new Error(deps.inWords(error), { cause: error });
  }
  log.info('The client secret was stored.');
  if (byProgram) {
    editor.remark(texts.settings.secretSaved);
  }
  return !byProgram;
}

/** If what is stored can't be read, the secret is stored again: it may be there on the disk, which all windows see. */
async function isStored(
  { log, secrets }: ConfigurationDependencies,
  service: ServiceId,
  secret: string,
): Promise<boolean> {
  try {
    return (await secrets.get(service)) === secret;
  } catch (error) {
    log.debug(`The stored client secret can't be compared. ${safeTrace(error)}`);
    return false;
  }
}

/** The service that the secret belongs to. If there is none, a person is shown the way and a program gets an error. */
async function configuredService(
  { brand, editor, texts, settings }: ConfigurationDependencies,
  byProgram: boolean,
): Promise<ServiceId | undefined> {
  let service: ServiceId | undefined;
  try {
    service = readService(settings());
  } catch (error) {
    throw error instanceof WrongSettingError
      ? new Error(texts.settings.wrong(`${brand.prefix}.${error.setting}`, error.problem), { cause: error })
      : error;
  }
  if (service !== undefined) {
    return service;
  }
  if (byProgram) {
    throw new Error(texts.settings.configureFirst);
  }
  await offer(editor, 'information', texts.settings.configureFirst, {
    [texts.buttons.configureService]: () => editor.run(`${brand.prefix}.configure`),
  });
  return undefined;
}

async function askClientSecret(
  { editor, texts }: ConfigurationDependencies,
  { baseUrl, clientId }: ServiceId,
): Promise<string | undefined> {
  const answer = await editor.ask({
    title: texts.buttons.setClientSecret,
    prompt: texts.settings.enterSecretOf(plainText(clientId), shownAddress(baseUrl)),
    placeholder: texts.settings.clientSecret,
    password: true,
    validate: (value) => {
      const validated = validateText(value);
      return 'problem' in validated ? texts.settings.problem(validated.problem) : undefined;
    },
  });
  return answer.kind === 'entered' ? answer.value : undefined;
}
