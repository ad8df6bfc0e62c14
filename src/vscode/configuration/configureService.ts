import { asText } from '../../fields';
import { safeTrace } from '../../log';
import { dialectOf, serviceOf, type ServiceId } from '../../oauth/client';
import type { Dependencies } from '../dependencies';
import type { InputBoxOptions } from '../editor/quickInput';
import type { SettingsEditor } from '../editor/settingsEditor';
import { shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { buttonsFor, describeFailure, ExplainedError } from '../failures';
import { completeService, findService, type FoundService } from './findService';
import { readSetting } from '../settings/settings';
import { ifValid, invalidValue, validateBaseUrl, validateName, validateText, withScheme } from '../settings/validate';

/** What the settings are asked for and written with. */
interface ConfigureDependencies extends Dependencies {
  readonly editor: Dependencies['editor'] & Pick<SettingsEditor, 'writeSetting'>;
}

/** The steps: all settings that a sign-in needs, and the client secret. */
const ALL = ['baseUrl', 'clientId', 'clientSecret', 'serviceName'] as const;

type Step = (typeof ALL)[number];

/** What's entered in the steps. An empty secret keeps the stored one; an empty name stands for the host. */
type Entered = Readonly<Record<Step, string>> & { readonly found?: FoundService | undefined };

/**
 * Guides the person through the settings that a sign-in needs, step by step, and back. Each step offers the value
 * that's already set, and if all are set, a single one can be changed.
 *
 * @param signal of the sign-in that needs the settings: closes the input box when aborted
 * @returns what to tell the person, unless they canceled
 * @throws ExplainedError if the settings file couldn't be written, and the store's error if the client secret couldn't
 */
export async function configureService(deps: ConfigureDependencies, signal?: AbortSignal): Promise<string | undefined> {
  const settings = deps.editor.settings();
  const values = Object.fromEntries(ALL.map((step) => [step, asText(settings(step)) ?? ''])) as Record<Step, string>;
  const before: Entered = { ...values, found: deps.configured() };
  const steps = (await hasSecret(deps, before)) ? await chooseSteps(deps, shownService(before)) : ALL;
  const entered = steps === undefined || signal?.aborted === true ? undefined : await walk(deps, steps, before, signal);
  if (entered === undefined) {
    return undefined;
  }
  await save(deps, entered);
  return deps.texts.settings.configured({ service: deps.serviceName() });
}

/** If everything is set: what the person chooses to change. The service is given as messages show it. */
async function chooseSteps(
  { editor, serviceName, texts }: Dependencies,
  service: ServiceId,
): Promise<readonly Step[] | undefined> {
  const labels = texts.settings;
  const set = { ...service, clientSecret: labels.secretStored, serviceName: serviceName() };
  const single = ALL.map((step) => ({ label: labels[step], description: set[step], value: [step] }));
  return await editor.choose<readonly Step[]>({
    title: texts.buttons.configure,
    placeholder: labels.whatToChange,
    choices: [...single, { label: labels.everything, value: ALL }],
  });
}

/** Asks step by step. After a change of the base URL or client ID, asks for their secret too if none is stored. */
async function walk(
  deps: Dependencies,
  chosen: readonly Step[],
  before: Entered,
  signal: AbortSignal | undefined,
): Promise<Entered | undefined> {
  let entered = before;
  let steps = chosen;
  let index = 0;
  for (let step = steps[0]; step !== undefined; step = steps[index]) {
    const result = await deps.editor.ask({
      title: deps.texts.buttons.configure,
      value: entered[step],
      ...inputBoxes(deps.texts, entered, await hasSecret(deps, entered))[step],
      canGoBack: index > 0,
      // Without all steps, their number isn't known yet: a change may need the secret too.
      ...(chosen === ALL ? { step: index + 1, totalSteps: steps.length } : {}),
      signal,
    });
    if (result === undefined) {
      return undefined;
    }
    const isBaseUrl = step === 'baseUrl' && result.kind === 'entered';
    entered = { ...entered, [step]: isBaseUrl ? withScheme(result.value) : result.value };
    if (isBaseUrl) {
      entered = { ...entered, found: (await findService(deps, validateBaseUrl(entered.baseUrl))) ?? before.found };
    }
    index += result.kind === 'back' ? -1 : 1;
    if (index === steps.length && !steps.includes('clientSecret') && !(await hasSecret(deps, entered))) {
      steps = [...steps, 'clientSecret'];
    }
  }
  return entered;
}

/**
 * The input box of each step.
 * @param mayKeepSecret whether a secret is stored for the base URL and the client ID that were entered
 */
export function inputBoxes(
  texts: Texts,
  entered: ServiceId & Pick<Entered, 'found'>,
  mayKeepSecret: boolean,
): Readonly<Record<Step, Omit<InputBoxOptions, 'title'>>> {
  const { settings } = texts;
  const { clientsNeedSecrets } = dialectOf(entered.found ?? {});
  const host = ifValid(() => new URL(validateBaseUrl(entered.baseUrl)).host) ?? '';
  let secretPrompt = mayKeepSecret ? settings.enterOrKeepSecret : settings.enterSecretOf(shownService(entered));
  if (!clientsNeedSecrets) {
    secretPrompt = settings.enterOptionalSecret;
  }
  const required = (validate: Validator) => (text: string) => problemText(texts, validate, text);
  const optional = (validate: Validator) => required((text) => (text.trim() === '' ? undefined : validate(text)));
  return {
    baseUrl: {
      prompt: settings.enterBaseUrl,
      placeholder: settings.baseUrlExample,
      validate: required((text) => validateBaseUrl(withScheme(text))),
    },
    clientId: {
      prompt: settings.enterClientId,
      placeholder: settings.clientId,
      validate: required(validateText),
    },
    clientSecret: {
      prompt: secretPrompt,
      placeholder: settings.clientSecret,
      password: true,
      validate: (mayKeepSecret ? optional : required)(validateText),
    },
    serviceName: {
      prompt: settings.enterServiceName,
      placeholder: settings.defaultServiceName({ host }),
      validate: optional(validateName),
    },
  };
}

/** @throws InvalidValueError */
function enteredService({ baseUrl, clientId, found }: Entered): ServiceId {
  return serviceOf({ ...found, baseUrl: validateBaseUrl(baseUrl), clientId: validateText(clientId) });
}

/** Whether no secret must be entered: one is stored, or the service may have clients without one. */
async function hasSecret({ secrets }: Dependencies, entered: Entered): Promise<boolean> {
  const service = ifValid(() => enteredService(entered));
  return service !== undefined && (await secrets.get(service)) !== undefined;
}

/** The settings first, because a secret alone is of no use. */
async function save(deps: ConfigureDependencies, entered: Entered): Promise<void> {
  const { editor, texts, log, secrets } = deps;
  const service = enteredService(entered);
  const { problem, protocol = 'draft' } = entered.found ?? {};
  const secret = entered.clientSecret.trim();
  try {
    await editor.writeSetting('baseUrl', service.baseUrl);
    await editor.writeSetting('clientId', service.clientId);
    await editor.writeSetting('serviceName', entered.serviceName.trim() || undefined);
    if (protocol !== (ifValid(() => readSetting(editor.settings(), 'protocol')) ?? 'draft')) {
      await editor.writeSetting('protocol', protocol);
    }
  } catch (error) {
    log.error(`The settings couldn't be written. ${safeTrace(error)}`);
    throw new ExplainedError({ text: texts.settings.notSaved, offers: ['openSettingsFile'] });
  }
  await (secret === '' ? undefined : secrets.set(await completeService(deps, service), secret));
  log.info(`The service was configured: ${service.baseUrl}, client ID ${service.clientId}.`);
  if (problem !== undefined) {
    const failure = describeFailure(deps, problem);
    void editor.message('warning', failure.text, buttonsFor(deps, failure.offers, failure));
  }
}

type Validator = (text: string) => unknown;

/** Says what's wrong with a text that somebody entered; `undefined` if nothing is. */
export function problemText({ settings }: Texts, validate: Validator, text: string): string | undefined {
  const invalid = invalidValue(() => validate(text));
  return invalid === undefined ? undefined : settings.problems[invalid.problem];
}
