import type { ClientSecrets } from '../../sessions/createSessions';
import type { ServiceId } from '../../oauth/client';
import { safeTrace } from '../../log';
import { buttons } from '../words/buttons';
import { type ClientSecretParts } from './clientSecret';
import { readConfiguration, readSetting, type SettingName, type SettingsSource } from './configuration';
import { type ConfigureStep, configureQuestion, configureTexts, type Entered } from './configureSteps';
import { checkBaseUrl, checkText, withScheme } from './settingChecks';

/** What Configure Service works with. */
export interface ConfigureServiceParts extends ClientSecretParts {
  /**
   * Sets a setting for the person.
   * @throws Error where the settings file can't be written
   */
  readonly writeSetting: (name: SettingName, value: string | undefined) => Promise<void>;
}

/** What came of Configure Service. Where nothing could be saved, the person has been told in these words. */
export type ConfigureOutcome =
  { readonly kind: 'saved' } | { readonly kind: 'cancelled' } | { readonly kind: 'not saved'; readonly text: string };

const ALL: readonly ConfigureStep[] = ['baseUrl', 'clientId', 'clientSecret', 'serviceName'];

/**
 * Guides the person through the settings that a sign-in needs, step by step, with a way back. What is set already is
 * offered to be kept, and where all is set, one thing alone can be changed.
 *
 * @param signal of the sign-in that needs the settings: takes the question away when aborted, and nothing is asked where
 *   all was set in the meantime, for example by a companion extension
 * @returns unless it is `saved`, nothing has changed
 */
export async function configureService(parts: ConfigureServiceParts, signal?: AbortSignal): Promise<ConfigureOutcome> {
  const source = parts.settings();
  const before: Entered = {
    baseUrl: textOf(source, 'baseUrl'),
    clientId: textOf(source, 'clientId'),
    clientSecret: '',
    serviceName: textOf(source, 'serviceName'),
  };
  if (signal !== undefined && (await isComplete(parts, before))) {
    return { kind: 'saved' };
  }
  const steps = await chooseSteps(parts, before);
  if (steps === undefined || signal?.aborted === true) {
    return { kind: 'cancelled' };
  }
  const entered = await walk(parts, steps, before, signal);
  return entered === undefined ? { kind: 'cancelled' } : await save(parts, entered);
}

function textOf(source: SettingsSource, name: SettingName): string {
  const value = readSetting(source, name);
  return typeof value === 'string' ? value : '';
}

async function isComplete({ secrets, settings }: ConfigureServiceParts, entered: Entered): Promise<boolean> {
  return readConfiguration(settings()).kind === 'ready' && (await hasSecret(secrets, entered));
}

/** All steps, or the one that the person chooses where everything is set already. */
async function chooseSteps(
  parts: ConfigureServiceParts,
  before: Entered,
): Promise<readonly ConfigureStep[] | undefined> {
  const { editor, l10n, settings } = parts;
  const result = readConfiguration(settings());
  if (result.kind !== 'ready' || !(await isComplete(parts, before))) {
    return ALL;
  }
  const texts = configureTexts(l10n);
  return await editor.choose<readonly ConfigureStep[]>(buttons(l10n).configureService, texts.whatToChange, [
    { label: texts.baseUrl, description: result.configuration.service.baseUrl, value: ['baseUrl'] },
    { label: texts.clientId, description: result.configuration.service.clientId, value: ['clientId'] },
    { label: texts.clientSecret, description: texts.secretStored, value: ['clientSecret'] },
    { label: texts.serviceName, description: result.configuration.serviceName, value: ['serviceName'] },
    { label: texts.all, value: ALL },
  ]);
}

/** Asks step by step. Another base URL or client ID asks for its secret too, where none is stored for it. */
async function walk(
  parts: ConfigureServiceParts,
  chosen: readonly ConfigureStep[],
  before: Entered,
  signal: AbortSignal | undefined,
): Promise<Entered | undefined> {
  let entered = before;
  let steps = chosen;
  let index = 0;
  while (index < steps.length) {
    const step = steps[index];
    if (step === undefined) {
      break;
    }
    const mayKeepSecret = await hasSecret(parts.secrets, entered);
    const answer = await parts.editor.ask({
      ...configureQuestion(parts.l10n, step, entered, mayKeepSecret),
      canGoBack: index > 0,
      // How many there are is known only where all are asked for: a change may need the secret too.
      ...(chosen === ALL ? { step: { number: index + 1, of: steps.length } } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer.kind === 'cancelled') {
      return undefined;
    }
    const complete = step === 'baseUrl' && answer.kind === 'entered' ? withScheme : String;
    entered = { ...entered, [step]: complete(answer.value) };
    index += answer.kind === 'back' ? -1 : 1;
    if (index === steps.length && !steps.includes('clientSecret') && !(await hasSecret(parts.secrets, entered))) {
      steps = [...steps, 'clientSecret'];
    }
  }
  return entered;
}

async function hasSecret(secrets: ClientSecrets, entered: Entered): Promise<boolean> {
  const baseUrl = checkBaseUrl(entered.baseUrl);
  const clientId = checkText(entered.clientId);
  if ('problem' in baseUrl || 'problem' in clientId) {
    return false;
  }
  return (await secrets.get({ baseUrl: baseUrl.value, clientId: clientId.value })) !== undefined;
}

async function save(parts: ConfigureServiceParts, entered: Entered): Promise<ConfigureOutcome> {
  const { editor, l10n, log, secrets, writeSetting, inWords } = parts;
  const baseUrl = checkBaseUrl(entered.baseUrl);
  const clientId = checkText(entered.clientId);
  if ('problem' in baseUrl || 'problem' in clientId) {
    throw new Error('A step let a wrong value through.');
  }
  const service = { baseUrl: baseUrl.value, clientId: clientId.value };
  const secret = entered.clientSecret.trim();
  let secretBefore: string | undefined;
  try {
    if (secret !== '') {
      secretBefore = await secrets.get(service);
      await secrets.set(service, secret);
    }
  } catch (error) {
    log.error(`The client secret could not be stored. ${safeTrace(error)}`);
    const text = inWords(error);
    void editor.message('error', text);
    return { kind: 'not saved', text };
  }
  try {
    await writeSetting('baseUrl', baseUrl.value);
    await writeSetting('clientId', clientId.value);
    const name = entered.serviceName.trim();
    await writeSetting('serviceName', name === '' ? undefined : name);
  } catch (error) {
    log.error(`The settings could not be written. ${safeTrace(error)}`);
    await putSecretBack(parts, service, secretBefore);
    const text = configureTexts(l10n).notWritten;
    void tellNotWritten(parts, text);
    return { kind: 'not saved', text };
  }
  log.info(`The service was configured: ${service.baseUrl}, client ID ${service.clientId}.`);
  return { kind: 'saved' };
}

async function tellNotWritten({ editor, l10n }: ConfigureServiceParts, text: string): Promise<void> {
  const { openSettingsFile } = buttons(l10n);
  if ((await editor.message('error', text, openSettingsFile)) === openSettingsFile) {
    await editor.run('workbench.action.openSettingsJson');
  }
}

/** Nothing is to have changed: the secret that was stored before may be the only good one. */
async function putSecretBack(
  { log, secrets }: ConfigureServiceParts,
  service: ServiceId,
  secret: string | undefined,
): Promise<void> {
  if (secret === undefined) {
    return;
  }
  try {
    await secrets.set(service, secret);
  } catch (error) {
    log.error(`The client secret of before could not be put back. ${safeTrace(error)}`);
  }
}
