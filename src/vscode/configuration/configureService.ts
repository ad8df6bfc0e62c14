import { safeTrace } from '../../log';
import type { ServiceId } from '../../oauth/client';
import type { InputBoxOptions } from '../editor/quickInput';
import { plainText, shownAddress } from '../texts/plainText';
import type { ConfigurationDependencies } from './clientSecret';
import { readSetting, serviceLabel, type SettingName } from './settings';
import { validateBaseUrl, type Validated, validateName, validateText, withScheme } from './validate';

/** How Configure Service ended. If nothing could be saved, the person has been told so in these words. */
export type ConfigureOutcome =
  { readonly kind: 'saved' } | { readonly kind: 'cancelled' } | { readonly kind: 'not saved'; readonly text: string };

/** What's entered in the steps. */
interface Entered {
  readonly baseUrl: string;
  readonly clientId: string;
  /** Empty: the stored one stays. */
  readonly clientSecret: string;
  /** Empty: the host of the base URL. */
  readonly serviceName: string;
}

type Step = keyof Entered;

const ALL: readonly Step[] = ['baseUrl', 'clientId', 'clientSecret', 'serviceName'];

/**
 * Guides the person through the settings that a sign-in needs, step by step, and back. Each step offers the value
 * that's already set, and if all are set, a single one can be changed.
 *
 * @param signal of the sign-in that needs the settings: closes the input box when aborted
 * @returns `not saved` if the settings file or the client secret couldn't be written
 */
export async function configureService(
  deps: ConfigurationDependencies,
  signal?: AbortSignal,
): Promise<ConfigureOutcome> {
  const setting = (name: SettingName): string => {
    const value = readSetting(deps.settings(), name);
    return typeof value === 'string' ? value : '';
  };
  const before: Entered = {
    baseUrl: setting('baseUrl'),
    clientId: setting('clientId'),
    clientSecret: '',
    serviceName: setting('serviceName'),
  };
  const steps = (await hasSecret(deps, before)) ? await chooseSteps(deps, before) : ALL;
  if (steps === undefined || signal?.aborted === true) {
    return { kind: 'cancelled' };
  }
  const entered = await walk(deps, steps, before, signal);
  return entered === undefined ? { kind: 'cancelled' } : await save(deps, entered);
}

/** If everything is set: what the person chooses to change. */
async function chooseSteps(
  { editor, settings, texts }: ConfigurationDependencies,
  { baseUrl, clientId }: Entered,
): Promise<readonly Step[] | undefined> {
  const labels = texts.settings;
  return await editor.choose<readonly Step[]>({
    title: texts.buttons.configureService,
    placeholder: labels.whatToChange,
    choices: [
      { label: labels.baseUrl, description: shownAddress(baseUrl), value: ['baseUrl'] },
      { label: labels.clientId, description: plainText(clientId), value: ['clientId'] },
      { label: labels.clientSecret, description: labels.secretStored, value: ['clientSecret'] },
      { label: labels.serviceName, description: serviceLabel(settings(), ''), value: ['serviceName'] },
      { label: labels.everything, value: ALL },
    ],
  });
}

/** Asks step by step. After a change of the base URL or client ID, asks for their secret too if none is stored. */
async function walk(
  deps: ConfigurationDependencies,
  chosen: readonly Step[],
  before: Entered,
  signal: AbortSignal | undefined,
): Promise<Entered | undefined> {
  let entered = before;
  let steps = chosen;
  let index = 0;
  for (let step = steps[0]; step !== undefined; step = steps[index]) {
    const result = await deps.editor.ask({
      ...inputBox(deps, step, entered, await hasSecret(deps, entered)),
      canGoBack: index > 0,
      // Without all steps, their number isn't known yet: a change may need the secret too.
      ...(chosen === ALL ? { step: { number: index + 1, of: steps.length } } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    if (result.kind === 'cancelled') {
      return undefined;
    }
    const complete = step === 'baseUrl' && result.kind === 'entered' ? withScheme : String;
    entered = { ...entered, [step]: complete(result.value) };
    index += result.kind === 'back' ? -1 : 1;
    if (index === steps.length && !steps.includes('clientSecret') && !(await hasSecret(deps, entered))) {
      steps = [...steps, 'clientSecret'];
    }
  }
  return entered;
}

/** @param mayKeepSecret whether a secret is stored for the base URL and the client ID that were entered */
function inputBox(
  { texts: { buttons, settings } }: ConfigurationDependencies,
  step: Step,
  entered: Entered,
  mayKeepSecret: boolean,
): InputBoxOptions {
  const validateWith =
    (validate: (value: unknown) => Validated<unknown>, mayBeEmpty = false) =>
    (text: string): string | undefined => {
      const validated = validate(text);
      return 'value' in validated || (mayBeEmpty && text.trim() === '')
        ? undefined
        : settings.problem(validated.problem);
    };
  const common = { title: buttons.configureService, value: entered[step] };
  switch (step) {
    case 'baseUrl':
      return {
        ...common,
        prompt: settings.enterBaseUrl,
        placeholder: settings.baseUrlExample,
        validate: (text) => validateWith(validateBaseUrl)(withScheme(text)),
      };
    case 'clientId':
      return {
        ...common,
        prompt: settings.enterClientId,
        placeholder: settings.clientId,
        validate: validateWith(validateText),
      };
    case 'clientSecret':
      return {
        ...common,
        prompt: mayKeepSecret ? settings.enterOrKeepSecret : settings.enterSecret,
        placeholder: settings.clientSecret,
        password: true,
        validate: validateWith(validateText, mayKeepSecret),
      };
    case 'serviceName':
      return {
        ...common,
        prompt: settings.enterServiceName,
        placeholder: settings.defaultServiceName(hostOf(entered.baseUrl)),
        validate: validateWith(validateName, true),
      };
  }
}

function hostOf(baseUrl: string): string {
  const validated = validateBaseUrl(baseUrl);
  return 'value' in validated ? new URL(validated.value).host : '';
}

function serviceOf(entered: Entered): ServiceId | undefined {
  const baseUrl = validateBaseUrl(entered.baseUrl);
  const clientId = validateText(entered.clientId);
  return 'value' in baseUrl && 'value' in clientId ? { baseUrl: baseUrl.value, clientId: clientId.value } : undefined;
}

async function hasSecret({ secrets }: ConfigurationDependencies, entered: Entered): Promise<boolean> {
  const service = serviceOf(entered);
  return service !== undefined && (await secrets.get(service)) !== undefined;
}

/** The settings first, because a secret alone is of no use. */
async function save(deps: ConfigurationDependencies, entered: Entered): Promise<ConfigureOutcome> {
  const { editor, texts, log, secrets, writeSetting, explain } = deps;
  const service = serviceOf(entered);
  if (service === undefined) {
    throw new Error('A step accepted an invalid value.');
  }
  const name = entered.serviceName.trim();
  const secret = entered.clientSecret.trim();
  try {
    await writeSetting('baseUrl', service.baseUrl);
    await writeSetting('clientId', service.clientId);
    await writeSetting('serviceName', name === '' ? undefined : name);
  } catch (error) {
    log.error(`The settings couldn't be written. ${safeTrace(error)}`);
    const text = texts.settings.notSaved;
    void editor.message('error', text, {
      [texts.buttons.openSettingsFile]: () => editor.run('workbench.action.openSettingsJson'),
    });
    return { kind: 'not saved', text };
  }
  try {
    if (secret !== '') {
      await secrets.set(service, secret);
    }
  } catch (error) {
    log.error(`The client secret couldn't be stored. ${safeTrace(error)}`);
    const text = explain(error);
    void editor.message('error', text);
    return { kind: 'not saved', text };
  }
  log.info(`The service was configured: ${service.baseUrl}, client ID ${service.clientId}.`);
  return { kind: 'saved' };
}
