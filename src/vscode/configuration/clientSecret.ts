import { safeTrace } from '../../log';
import type { ServiceId } from '../../oauth/client';
import { plainText, shownAddress } from '../texts/plainText';
import { type ConfigurationDependencies, problemText } from './configureService';
import { readService, WrongSettingError } from './settings';
import { validateText } from './validate';

/**
 * Stores the client secret of the configured service: the one that a program hands over, or else what the person enters.
 * If no service is configured, offers the person to configure one.
 * @param handedOver may be anything; `undefined` asks the person
 * @returns whether the person entered one
 * @throws Error with a message for people if a secret that's handed over or a setting can't be used, or storing fails
 */
export async function setClientSecret(deps: ConfigurationDependencies, handedOver: unknown): Promise<boolean> {
  const { brand, editor, explain, log, secrets, texts } = deps;
  if (handedOver !== undefined && typeof handedOver !== 'string') {
    throw new Error(texts.settings.secretNotText);
  }
  const service = configuredService(deps);
  if (service === undefined) {
    if (handedOver !== undefined) {
      throw new Error(texts.settings.configureFirst);
    }
    await editor.message('information', texts.settings.configureFirst, {
      [texts.buttons.configureService]: () => editor.run(`${brand.prefix}.configure`),
    });
    return false;
  }
  const secret = (handedOver ?? (await askSecret(deps, service)))?.trim();
  const problem = secret === undefined ? undefined : problemText(texts, () => validateText(secret));
  if (problem !== undefined) {
    throw new Error(texts.settings.wrongSecret({ problem }));
  }
  if (secret === undefined || (handedOver !== undefined && secret === (await storedSecret(deps, service)))) {
    return false;
  }
  try {
    await secrets.set(service, secret);
  } catch (error) {
    throw new Error(explain(error), { cause: error });
  }
  log.info('The client secret was stored.');
  if (handedOver !== undefined) {
    editor.showStatusMessage(texts.settings.secretSaved);
  }
  return handedOver === undefined;
}

function configuredService({ brand, settings, texts }: ConfigurationDependencies): ServiceId | undefined {
  try {
    return readService(settings());
  } catch (error) {
    if (!(error instanceof WrongSettingError)) {
      throw error;
    }
    const problem = texts.settings.problems[error.problem];
    throw new Error(texts.settings.wrong({ name: `${brand.prefix}.${error.setting}`, problem }), { cause: error });
  }
}

async function askSecret(
  { editor, texts }: ConfigurationDependencies,
  { baseUrl, clientId }: ServiceId,
): Promise<string | undefined> {
  const result = await editor.ask({
    title: texts.buttons.setClientSecret,
    prompt: texts.settings.enterSecretOf({ clientId: plainText(clientId), baseUrl: shownAddress(baseUrl) }),
    placeholder: texts.settings.clientSecret,
    password: true,
    validate: (value) => problemText(texts, () => validateText(value)),
  });
  return result.kind === 'entered' ? result.value : undefined;
}

/** If it can't be read, what's handed over is stored again: that may work on the disk, which all windows see. */
async function storedSecret(
  { log, secrets }: ConfigurationDependencies,
  service: ServiceId,
): Promise<string | undefined> {
  try {
    return await secrets.get(service);
  } catch (error) {
    log.debug(`The stored client secret can't be compared. ${safeTrace(error)}`);
    return undefined;
  }
}
