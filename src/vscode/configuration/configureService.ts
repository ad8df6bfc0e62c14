import { asObject, asText } from '../../fields';
import { safeTrace } from '../../log';
import { serviceOf, type ServiceId } from '../../oauth/client';
import { MetadataError } from '../../oauth/errors';
import type { Dependencies } from '../dependencies';
import type { InputBoxOptions, InputBoxResult } from '../editor/quickInput';
import type { SettingsEditor } from '../editor/settingsEditor';
import { plainText, shownAddress, type ShownService, shownService } from '../texts/plainText';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import { describeFailure, ExplainedError } from '../failures';
import { problemText, secretBox, type Validator } from './clientSecret';
import { completeService, findService, type FoundService } from './findService';
import { readSetting } from '../settings/settings';
import { ifValid, validateBaseUrl, validateName, validateText, withScheme } from '../settings/validate';

/** What the settings are asked for and written with. */
interface ConfigureDependencies extends Dependencies {
  readonly configurationTexts: ConfigurationTexts;
  readonly editor: Dependencies['editor'] & Pick<SettingsEditor, 'writeSetting'>;
}

/** The steps: all settings that a sign-in needs, and the client secret. */
const ALL = ['baseUrl', 'clientId', 'clientSecret', 'serviceName'] as const;

type Step = (typeof ALL)[number];

/** What's entered in the steps. An empty secret keeps the stored one; an empty name stands for the host. */
interface Entered extends Readonly<Record<Step, string>> {
  readonly found?: Pick<ServiceId, 'protocol'> | undefined;
  /** Why a sign-in at the base URL would fail. Who enters it once more wants it anyway. */
  readonly problem?: string | undefined;
  /** Whether the settings that belong to the previous service are removed. */
  readonly isCleared?: boolean;
}

/** Settings that belong to one standard service. A different one would get requests that aren't meant for it. */
const OF_ONE_SERVICE = ['endpoints', 'scopes', 'parameters'] as const;

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
  const secret = await storedSecret(deps, before);
  const steps = secret === undefined ? ALL : await chooseSteps(deps, shownService(before), secret !== '');
  const entered = steps === undefined || signal?.aborted === true ? undefined : await walk(deps, steps, before, signal);
  if (entered === undefined) {
    return undefined;
  }
  await save(deps, entered);
  return deps.configurationTexts.configured({ service: deps.serviceName() });
}

/** If everything is set: what the person chooses to change. The service is given as messages show it. */
async function chooseSteps(
  { configurationTexts, editor, serviceName, texts }: ConfigureDependencies,
  service: ShownService,
  isSecretStored: boolean,
): Promise<readonly Step[] | undefined> {
  const labels = { ...configurationTexts, clientSecret: texts.settings.clientSecret };
  const clientSecret = isSecretStored ? labels.secretStored : labels.noSecret;
  const set = { ...service, clientSecret, serviceName: serviceName() };
  const single = ALL.map((step) => ({ label: labels[step], description: set[step], value: [step] }));
  return await editor.choose<readonly Step[]>({
    title: texts.buttons.configure,
    placeholder: labels.whatToChange,
    choices: [...single, { label: labels.everything, value: ALL }],
  });
}

/** Asks step by step. After a change of the base URL or client ID, asks for their secret too if none is stored. */
async function walk(
  deps: ConfigureDependencies,
  chosen: readonly Step[],
  before: Entered,
  signal: AbortSignal | undefined,
): Promise<Entered | undefined> {
  let entered = before;
  let steps = chosen;
  let index = 0;
  for (let step = steps[0]; step !== undefined; step = steps[index]) {
    const answer = await deps.editor.ask({
      title: deps.texts.buttons.configure,
      value: entered[step],
      ...inputBoxes(deps, entered, await storedSecret(deps, entered))[step],
      canGoBack: index > 0,
      // Without all steps, their number isn't known yet: a change may need the secret too.
      ...(chosen === ALL ? { step: index + 1, totalSteps: steps.length } : {}),
      signal,
    });
    const taken = answer && (await takeAnswer(deps, step, answer, entered, before));
    if (answer === undefined || taken === undefined) {
      return undefined;
    }
    ({ entered } = taken);
    if (taken.isAccepted) {
      index += answer.kind === 'back' ? -1 : 1;
    }
    const isLast = index === steps.length;
    if (isLast && !steps.includes('clientSecret') && (await storedSecret(deps, entered)) === undefined) {
      steps = [...steps, 'clientSecret'];
    }
  }
  return entered;
}

/**
 * What's entered when the person has answered a step, whether they go on or back.
 * @returns `isAccepted`: false if there's something wrong with it. They see what, and correct it, or enter it once more
 *   because they want it anyway. `undefined` if they canceled
 */
async function takeAnswer(
  deps: ConfigureDependencies,
  step: Step,
  { kind, value }: NonNullable<InputBoxResult>,
  entered: Entered,
  before: Entered,
): Promise<{ readonly entered: Entered; readonly isAccepted: boolean } | undefined> {
  if (step !== 'baseUrl' || kind === 'back') {
    return { entered: { ...entered, [step]: value }, isAccepted: true };
  }
  const baseUrl = withScheme(value);
  if (entered.problem !== undefined && entered.baseUrl === baseUrl) {
    return { entered, isAccepted: true };
  }
  const checked = await checkBaseUrl(deps, { ...entered, baseUrl }, before);
  return checked && { entered: checked, isAccepted: checked.problem === undefined };
}

/**
 * The person entered a base URL: finds out what's there, and what's wrong with it. If it's another service's, asks what
 * happens to the settings of the previous one, and forgets its name.
 * @returns `undefined` if they canceled
 */
async function checkBaseUrl(
  deps: ConfigureDependencies,
  entered: Entered,
  before: Entered,
): Promise<Entered | undefined> {
  const { configurationTexts, editor } = deps;
  const baseUrl = validateBaseUrl(entered.baseUrl);
  const previous = ifValid(() => validateBaseUrl(before.baseUrl));
  const isOther = previous !== undefined && baseUrl !== previous;
  const isCleared = isOther ? (entered.isCleared ?? (await chooseToClear(deps))) : false;
  if (isCleared === undefined) {
    return undefined;
  }
  const isOtherHost = isOther && new URL(baseUrl).host !== new URL(previous).host;
  const serviceName = isOtherHost && entered.serviceName === before.serviceName ? '' : entered.serviceName;
  const endpoints = isCleared ? undefined : ifValid(() => readSetting(editor.settings(), 'endpoints'));
  const address = shownAddress(baseUrl);
  const checked = new AbortController();
  editor.progress(configurationTexts.checking({ address }), checked.signal);
  const { problem, ...found } = await findService(deps, baseUrl, endpoints ?? {}, before.found).finally(() => {
    checked.abort();
  });
  const text = problem && configurationTexts.enterAgain({ problem: addressProblem(deps, baseUrl, problem) });
  return { ...entered, serviceName, found, problem: text, ...(isOther && { isCleared }) };
}

/**
 * Shows the settings that belong to the previous service, and asks whether to remove them.
 * @returns `undefined` if the person canceled
 */
async function chooseToClear({
  configurationTexts,
  editor,
  texts,
}: ConfigureDependencies): Promise<boolean | undefined> {
  const settings = editor.settings();
  const isSet = (value: unknown): boolean => Object.keys(asObject(value) ?? {}).length > 0 || Array.isArray(value);
  const previous = OF_ONE_SERVICE.map((name) => [name, settings(name)] as const).filter(([, value]) => isSet(value));
  if (previous.length === 0) {
    return false;
  }
  const detail = plainText(previous.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', '), 200);
  const { clearSettings, keepSettings, settingsOfPrevious } = configurationTexts;
  return await editor.choose({
    title: texts.buttons.configure,
    placeholder: settingsOfPrevious,
    choices: [
      { icon: 'clear-all', label: clearSettings, detail, value: true },
      { icon: 'check', label: keepSettings, value: false },
    ],
  });
}

/** Says what's wrong with an address. */
function addressProblem(
  deps: ConfigureDependencies,
  baseUrl: string,
  problem: NonNullable<FoundService['problem']>,
): string {
  const { addressProblems } = deps.configurationTexts;
  const { host } = new URL(baseUrl);
  const address = shownAddress(baseUrl);
  if (problem instanceof MetadataError) {
    return describeFailure({ ...deps, serviceName: () => host }, problem, { address }).text;
  }
  if (problem === 'no service') {
    return addressProblems[problem]({ address });
  }
  const { reason, systemCode: code = 'TLS' } = problem;
  const isPlainHttp =
    reason === 'TLS' && /^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/.test(code);
  return addressProblems[isPlainHttp ? 'not HTTPS' : reason]({ address, host, code, setting: 'http.proxy' });
}

/**
 * The input box of each step.
 * @param secret see `storedSecret`
 */
function inputBoxes(
  { configurationTexts, texts }: Pick<ConfigureDependencies, 'configurationTexts' | 'texts'>,
  entered: ServiceId & Pick<Entered, 'problem'>,
  secret: string | undefined,
): Readonly<Record<Step, Omit<InputBoxOptions, 'title'>>> {
  const { baseUrlExample, clientId, defaultServiceName, enterBaseUrl, enterClientId } = configurationTexts;
  const { enterOptionalSecret, enterOrKeepSecret, enterServiceName } = configurationTexts;
  const host = ifValid(() => new URL(validateBaseUrl(entered.baseUrl)).host) ?? '';
  const required = (validate: Validator) => (text: string) => problemText(texts, validate, text);
  const optional = (validate: Validator) => required((text) => (text.trim() === '' ? undefined : validate(text)));
  const newSecret = secretBox(texts, entered);
  const otherSecret = {
    ...newSecret,
    prompt: secret === '' ? enterOptionalSecret : enterOrKeepSecret,
    validate: optional(validateText),
  };
  return {
    baseUrl: {
      prompt: entered.problem ?? enterBaseUrl,
      placeholder: baseUrlExample,
      validate: required((text) => validateBaseUrl(withScheme(text))),
    },
    clientId: {
      prompt: enterClientId,
      placeholder: clientId,
      validate: required(validateText),
    },
    clientSecret: secret === undefined ? newSecret : otherSecret,
    serviceName: {
      prompt: enterServiceName,
      placeholder: defaultServiceName({ host }),
      validate: optional(validateName),
    },
  };
}

/** @throws InvalidValueError */
function enteredService({ baseUrl, clientId, found }: Entered): ServiceId {
  return serviceOf({ ...found, baseUrl: validateBaseUrl(baseUrl), clientId: validateText(clientId) });
}

/** The secret that's stored for the service; empty if it may have clients without one, `undefined` if one is missing. */
async function storedSecret({ secrets }: Dependencies, entered: Entered): Promise<string | undefined> {
  const service = ifValid(() => enteredService(entered));
  return service && (await secrets.get(service));
}

/** Writes the settings, then the secret, which is of no use without them. */
async function save(deps: ConfigureDependencies, entered: Entered): Promise<void> {
  const { configurationTexts, editor, log, secrets } = deps;
  const service = enteredService(entered);
  const { protocol = 'draft' } = entered.found ?? {};
  const secret = entered.clientSecret.trim();
  try {
    // Remove the settings of the previous service first, so that nothing of the new one goes to its endpoints.
    for (const name of entered.isCleared === true ? OF_ONE_SERVICE : []) {
      await editor.writeSetting(name, undefined);
    }
    await editor.writeSetting('baseUrl', service.baseUrl);
    await editor.writeSetting('clientId', service.clientId);
    await editor.writeSetting('serviceName', entered.serviceName.trim() || undefined);
    if (protocol !== (ifValid(() => readSetting(editor.settings(), 'protocol')) ?? 'draft')) {
      await editor.writeSetting('protocol', protocol);
    }
  } catch (error) {
    log.error(`The settings couldn't be written. ${safeTrace(error)}`);
    throw new ExplainedError({ text: configurationTexts.notSaved, offers: ['openSettingsFile'] });
  }
  if (secret !== '') {
    await secrets.set(await completeService(deps, service), secret);
  }
  log.info(`The service was configured: ${service.baseUrl}, client ID ${service.clientId}.`);
}
