import { asObject, asText } from '../../fields';
import { safeTrace } from '../../log';
import type { OAuthClient } from '../../oauth/client';
import type { ServiceId } from '../../oauth/service';
import { NetworkError } from '../../oauth/errors';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { Build } from '../brand';
import type { Choice, InputBoxOptions, InputBoxResult } from '../editor/quickInput';
import type { SettingsEditor } from '../editor/settingsEditor';
import { plainText, shownAddress, shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { describeFailure } from '../describeFailure';
import { ExplainedError } from '../failure';
import { problemText, secretBox, type Validator } from './clientSecret';
import { completeService, findService, type FoundService, type Protocol } from './findService';
import { SecretLookup, type SecretLookupDependencies, type SecretState } from './secretLookup';
import { showIfSlow } from './showIfSlow';
import { readSetting } from '../settings/readSetting';
import { ifValid, validateBaseUrl, validateName, validateText, withScheme } from '../settings/validate';

/** What the settings are asked for and written with. */
export interface ConfigureDependencies extends SecretLookupDependencies {
  readonly brand: Pick<Build, 'fixed' | 'prefix'>;
  readonly client: Pick<OAuthClient, 'discover' | 'recognize'>;
  readonly clientSecrets: Pick<ClientSecrets, 'get' | 'set'>;
  readonly editor: Pick<SettingsEditor, 'ask' | 'choose' | 'progress' | 'writeSetting'>;
  readonly texts: Texts;
}

/** What a sign-in asks for the settings of the service with. */
export interface ConfigureOptions {
  /** What's offered as the base URL if none is set: an extension asked for a session of that service. */
  readonly meantBaseUrl?: string | undefined;
  /** Closes the input box or list when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called when everything is entered. The settings are saved from here on, and then the client secret. */
  readonly onSaving?: () => void;
}

/** Configures the service with what only the extension has, and the library that other extensions embed doesn't. */
export type ConfigureService = (
  deps: Omit<ConfigureDependencies, 'configurationTexts' | 'editor'>,
  options?: ConfigureOptions,
) => Promise<string | undefined>;

/** The steps: all settings that a sign-in needs, and the client secret. */
const ALL = ['baseUrl', 'clientId', 'clientSecret', 'serviceName'] as const;

type Step = (typeof ALL)[number];

/** What's entered in the steps. An empty secret keeps the stored one; an empty name stands for the host. */
interface Entered extends Readonly<Record<Step, string>> {
  /** `undefined` until it's known. */
  readonly protocol?: Protocol | undefined;
  /** Why a sign-in at the base URL would fail. Who enters it once more wants it anyway. */
  readonly problem?: string | undefined;
  /** Whether the settings that belong to the previous service are removed; `undefined` while the base URL is its own. */
  readonly isCleared?: boolean | undefined;
  /** The base URL of the service that an extension asked for, if it was offered. */
  readonly meantBaseUrl?: string;
  /** Whether the name was emptied because it's that of the previous service, and the host is another one's. */
  readonly isNameForgotten?: boolean;
}

/** How far the person is. */
interface Walk {
  readonly entered: Entered;
  /** What was set before they began. */
  readonly before: Entered;
  /** Closes what's open when aborted. */
  readonly signal: AbortSignal | undefined;
}

/** Settings that belong to one standard service. A different one would get requests that aren't meant for it. */
const OF_ONE_SERVICE = ['endpoints', 'scopes', 'parameters'] as const;

/**
 * Guides the person through the settings that a sign-in needs, step by step, and back. Each step offers the value
 * that's already set, and if all are set, a single one can be changed.
 *
 * @param options of the sign-in that needs the settings
 * @returns what to tell the person, unless they canceled
 * @throws ExplainedError if the settings file couldn't be written, and the store's error if the client secret couldn't
 */
export async function configureService(
  deps: ConfigureDependencies,
  { meantBaseUrl, onSaving, signal }: ConfigureOptions = {},
): Promise<string | undefined> {
  const { raw, services } = deps.settings.current;
  const configured = services.default;
  const values = Object.fromEntries(ALL.map((step) => [step, asText(raw(step)) ?? ''])) as Record<Step, string>;
  const before: Entered = { ...values, protocol: configured && (configured.id.protocol ?? 'draft') };
  const secrets = new SecretLookup(deps);
  const secret = await findSecret(secrets, before);
  const steps = secret === 'missing' ? ALL : await chooseSteps(deps, before, secret, signal);
  if (steps === undefined || signal?.aborted === true) {
    return undefined;
  }
  const meant = before.baseUrl === '' ? ifValid(() => validateBaseUrl(meantBaseUrl)) : undefined;
  const offered = meant === undefined ? before : { ...before, baseUrl: meant, meantBaseUrl: meant };
  const entered = await walk(deps, secrets, steps, { before, entered: offered, signal });
  if (entered === undefined) {
    return undefined;
  }
  onSaving?.();
  await save(deps, entered);
  const isOnlySecret = steps.length === 1 && steps[0] === 'clientSecret' && entered.clientSecret.trim() !== '';
  return isOnlySecret
    ? deps.texts.settings.secretSaved
    : deps.configurationTexts.configured({ service: deps.settings.current.label });
}

/** If everything is set: what the person chooses to change. */
async function chooseSteps(
  { configurationTexts, editor, settings, texts }: ConfigureDependencies,
  { baseUrl, clientId }: Entered,
  secret: Exclude<SecretState, 'missing'>,
  signal: AbortSignal | undefined,
): Promise<readonly Step[] | undefined> {
  const labels = { ...configurationTexts, clientSecret: texts.settings.clientSecret };
  const clientSecret = { stored: labels.secretStored, none: labels.noSecret, unknown: '' }[secret];
  const set = { ...shownService({ baseUrl, clientId }), clientSecret, serviceName: settings.current.label };
  const single = ALL.map((step) => ({ label: labels[step], description: set[step], value: [step] }));
  const title = texts.buttons.configure;
  const choices = [...single, { label: labels.everything, value: ALL }];
  return await editor.choose<readonly Step[]>({ title, placeholder: labels.whatToChange, choices }, signal);
}

/** Asks step by step. After a change of the base URL or client ID, asks for their secret too if none is stored. */
async function walk(
  deps: ConfigureDependencies,
  secrets: SecretLookup,
  chosen: readonly Step[],
  { before, entered: offered, signal }: Walk,
): Promise<Entered | undefined> {
  let entered = offered;
  let steps = chosen;
  let index = 0;
  let step = steps[index];
  while (step !== undefined) {
    const answer = await deps.editor.ask({
      title: deps.texts.buttons.configure,
      value: entered[step],
      ...(await inputBox(deps, secrets, step, entered)),
      canGoBack: index > 0,
      // Without all steps, their number isn't known yet: a change may need the secret too.
      ...(chosen === ALL ? { step: index + 1, totalSteps: steps.length } : {}),
      signal,
    });
    const taken = answer && (await takeAnswer(deps, step, answer, { entered, before, signal }));
    if (answer === undefined || taken === undefined) {
      return undefined;
    }
    ({ entered } = taken);
    if (taken.isAccepted) {
      index += answer.kind === 'back' ? -1 : 1;
    }
    const isLast = index === steps.length;
    if (isLast && !steps.includes('clientSecret') && (await findSecret(secrets, entered)) === 'missing') {
      steps = [...steps, 'clientSecret'];
    }
    step = steps[index];
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
  { before, entered, signal }: Walk,
): Promise<{ readonly entered: Entered; readonly isAccepted: boolean } | undefined> {
  if (step !== 'baseUrl' || kind === 'back') {
    return { entered: { ...entered, [step]: value }, isAccepted: true };
  }
  const baseUrl = withScheme(value);
  if (entered.problem !== undefined && entered.baseUrl === baseUrl) {
    const isAsBefore = before.protocol !== undefined && validateBaseUrl(baseUrl) === validateBaseUrl(before.baseUrl);
    const isKnown = isAsBefore || entered.protocol === 'rfc8628';
    const protocol = isKnown ? (entered.protocol ?? 'draft') : await chooseProtocol(deps, signal);
    return protocol && { entered: { ...entered, protocol }, isAccepted: true };
  }
  const checked = await checkBaseUrl(deps, { before, entered: { ...entered, baseUrl }, signal });
  return checked && { entered: checked, isAccepted: checked.problem === undefined };
}

/**
 * The person entered a base URL: finds out what's there, and what's wrong with it. If it's another service's, asks what
 * happens to the settings of the previous one, and forgets its name. If it's that of the previous one again, all of its
 * settings stay, and its name is back.
 * @returns `undefined` if they canceled
 */
async function checkBaseUrl(
  deps: ConfigureDependencies,
  { before, entered, signal }: Walk,
): Promise<Entered | undefined> {
  const { configurationTexts, settings } = deps;
  const baseUrl = validateBaseUrl(entered.baseUrl);
  const previous = ifValid(() => validateBaseUrl(before.baseUrl));
  const isOther = previous !== undefined && baseUrl !== previous;
  const isCleared = isOther ? (entered.isCleared ?? (await chooseToClear(deps, signal))) : undefined;
  if (isOther && isCleared === undefined) {
    return undefined;
  }
  const isOtherHost = isOther && new URL(baseUrl).host !== new URL(previous).host;
  const endpoints = isCleared ? undefined : ifValid(() => readSetting(settings.current.raw, 'endpoints'));
  const finding = findService(deps.client, deps.log, baseUrl, endpoints ?? {}, before.protocol ?? 'draft');
  const { problem, protocol } = await showIfSlow(deps, baseUrl, finding);
  const text = problem && configurationTexts.enterAgain({ problem: addressProblem(deps, baseUrl, problem) });
  return { ...entered, ...nameAtHost(isOtherHost, entered, before), isCleared, protocol, problem: text };
}

/** The name of the previous service is forgotten at another host, and back at its own. What the person entered stays. */
function nameAtHost(
  isOtherHost: boolean,
  entered: Entered,
  before: Entered,
): Required<Pick<Entered, 'serviceName' | 'isNameForgotten'>> {
  const isStillEmpty = entered.isNameForgotten === true && entered.serviceName === '';
  const name = isStillEmpty ? before.serviceName : entered.serviceName;
  const isNameForgotten = isOtherHost && name === before.serviceName;
  return { serviceName: isNameForgotten ? '' : name, isNameForgotten };
}

/**
 * Shows the settings that belong to the previous service, and asks whether to remove them.
 * @returns `undefined` if the person canceled
 */
async function chooseToClear(
  { configurationTexts, editor, settings, texts }: ConfigureDependencies,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const { raw } = settings.current;
  const isSet = (value: unknown): boolean => Object.keys(asObject(value) ?? {}).length > 0 || Array.isArray(value);
  const previous = OF_ONE_SERVICE.map((name) => [name, raw(name)] as const).filter(([, value]) => isSet(value));
  if (previous.length === 0) {
    return false;
  }
  const detail = plainText(previous.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', '), 200);
  const { clearSettings, keepSettings, settingsOfPrevious } = configurationTexts;
  const title = texts.buttons.configure;
  const choices = [
    { icon: 'clear-all', label: clearSettings, detail, value: true },
    { icon: 'check', label: keepSettings, value: false },
  ];
  return await editor.choose({ title, placeholder: settingsOfPrevious, choices }, signal);
}

/**
 * Asks which protocol a service has that didn't show it.
 * @returns `undefined` if the person canceled
 */
async function chooseProtocol(
  { configurationTexts, editor, texts }: ConfigureDependencies,
  signal: AbortSignal | undefined,
): Promise<Protocol | undefined> {
  const { draftProtocol, standardProtocol, whichProtocol } = configurationTexts;
  const choices: readonly Choice<Protocol>[] = [
    { label: standardProtocol, description: 'rfc8628', value: 'rfc8628' },
    { label: draftProtocol, description: 'draft', value: 'draft' },
  ];
  return await editor.choose({ title: texts.buttons.configure, placeholder: whichProtocol, choices }, signal);
}

/** What it means for a secure connection that there's a server for plain HTTP: it doesn't understand the first bytes. */
const PLAIN_HTTP = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

/** Says what's wrong with an address. */
function addressProblem(
  deps: ConfigureDependencies,
  baseUrl: string,
  problem: NonNullable<FoundService['problem']>,
): string {
  const { addressProblems } = deps.configurationTexts;
  const { host } = new URL(baseUrl);
  const address = shownAddress(baseUrl);
  if (problem === 'no service' || problem === 'not working') {
    return addressProblems[problem]({ address });
  }
  if (problem instanceof NetworkError && PLAIN_HTTP.includes(problem.systemCode ?? '')) {
    return addressProblems['not HTTPS']({ host });
  }
  return describeFailure(deps, problem, { service: host, baseUrl, address }).text;
}

async function inputBox(
  { configurationTexts, texts }: Pick<ConfigureDependencies, 'configurationTexts' | 'texts'>,
  secrets: SecretLookup,
  step: Step,
  entered: Entered,
): Promise<Omit<InputBoxOptions, 'title'>> {
  const required = (validate: Validator) => (text: string) => problemText(texts, validate, text);
  const optional = (validate: Validator) => required((text) => (text.trim() === '' ? undefined : validate(text)));
  switch (step) {
    case 'baseUrl':
      return {
        prompt:
          entered.problem ??
          (entered.baseUrl === entered.meantBaseUrl
            ? configurationTexts.enterMeantBaseUrl
            : configurationTexts.enterBaseUrl),
        placeholder: configurationTexts.baseUrlExample,
        validate: required((text) => validateBaseUrl(withScheme(text))),
      };
    case 'clientId':
      return {
        prompt: configurationTexts.enterClientId,
        placeholder: configurationTexts.clientId,
        validate: required(validateText),
      };
    case 'clientSecret': {
      const { baseUrl, clientId } = entered;
      // Only a service with the default protocol can lack a secret.
      const box = secretBox(texts, { baseUrl, clientId });
      const { enterOptionalSecret, enterOrKeepSecret } = configurationTexts;
      const secret = await findSecret(secrets, entered);
      if (secret === 'missing') {
        return box;
      }
      const prompt = secret === 'stored' ? enterOrKeepSecret : enterOptionalSecret;
      return { ...box, prompt, validate: optional(validateText) };
    }
    case 'serviceName': {
      const host = ifValid(() => new URL(validateBaseUrl(entered.baseUrl)).host) ?? '';
      return {
        prompt: configurationTexts.enterServiceName,
        placeholder: configurationTexts.defaultServiceName({ host }),
        validate: optional(validateName),
      };
    }
  }
}

/** @throws InvalidValueError */
function enteredService({ baseUrl, clientId, protocol }: Entered): ServiceId {
  const service = { baseUrl: validateBaseUrl(baseUrl), clientId: validateText(clientId) };
  return protocol === 'rfc8628' ? { ...service, protocol } : service;
}

/**
 * Whether the client secret of the service that's entered is stored.
 * @throws StoreUnavailableError
 */
async function findSecret(secrets: SecretLookup, entered: Entered): Promise<SecretState> {
  const service = ifValid(() => enteredService(entered));
  return service === undefined ? 'missing' : await secrets.find(service, entered.isCleared === true);
}

/** Writes the settings, then the secret, which is of no use without them. */
async function save(deps: ConfigureDependencies, entered: Entered): Promise<void> {
  const { client, clientSecrets, configurationTexts, editor, log, settings } = deps;
  const service = enteredService(entered);
  const { protocol = 'draft' } = entered;
  const secret = entered.clientSecret.trim();
  try {
    // Remove the settings of the previous service first, so that nothing of the new one goes to its endpoints.
    for (const name of entered.isCleared === true ? OF_ONE_SERVICE : []) {
      await editor.writeSetting(name, undefined);
    }
    await editor.writeSetting('baseUrl', service.baseUrl);
    await editor.writeSetting('clientId', service.clientId);
    await editor.writeSetting('serviceName', entered.serviceName.trim() || undefined);
    if (protocol !== (ifValid(() => readSetting(settings.current.raw, 'protocol')) ?? 'draft')) {
      await editor.writeSetting('protocol', protocol);
    }
  } catch (error) {
    log.error(`The settings couldn't be written. ${safeTrace(error)}`);
    throw new ExplainedError({ text: configurationTexts.notSaved, offers: ['openSettingsFile'] });
  }
  if (secret !== '') {
    const endpoints = readSetting(settings.current.raw, 'endpoints') ?? {};
    const complete = await showIfSlow(deps, service.baseUrl, completeService(client, service, endpoints));
    await clientSecrets.set(complete, secret);
  }
  log.info(`The service was configured: ${service.baseUrl}, client ID ${service.clientId}.`);
}
