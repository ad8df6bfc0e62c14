import { asObject, asText } from '../../fields';
import { type Log, safeTrace } from '../../log';
import type { OAuthClient } from '../../oauth/client';
import type { ServiceId } from '../../oauth/service';
import { NetworkError } from '../../oauth/errors';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { Build } from '../brand';
import type { Choice, InputBoxOptions, InputBoxResult } from '../editor/quickInput';
import type { SettingsEditor } from '../editor/settingsEditor';
import { plainText, shownAddress, shownService } from '../texts/plainText';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import type { Texts } from '../texts/texts';
import { describeFailure } from '../describeFailure';
import { ExplainedError } from '../failure';
import { type Configured, problemText, secretBox, type Validator } from './clientSecret';
import { completeService, findService, type FoundService, type Protocol } from './findService';
import { SecretLookup, type SecretLookupDependencies, type SecretState } from './secretLookup';
import type { ServicePlace } from './servicePlace';
import { showIfSlow } from './showIfSlow';
import { readSettings } from '../settings/readSettings';
import type { Settings } from '../settings/settings';
import type { ConfiguredServices } from '../settings/services';
import { ifValid, validateBaseUrl, validateName, validateText, withScheme } from '../settings/validate';

/** What the settings are asked for and written with. */
export interface StepsDependencies extends SecretLookupDependencies {
  readonly brand: Pick<Build, 'fixed' | 'prefix'>;
  readonly client: Pick<OAuthClient, 'discover' | 'recognize'>;
  readonly clientSecrets: Pick<ClientSecrets, 'get' | 'set'>;
  readonly editor: Pick<SettingsEditor, 'ask' | 'choose' | 'progress'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly texts: Texts;
}

/** What somebody who needs the settings of a service says. */
export interface StepsOptions {
  /** What's offered as the base URL if none is set: an extension asked for a session of that service. */
  readonly meantBaseUrl?: string | undefined;
  /** Closes the input box or list when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called when everything is entered. The settings are saved from here on, and then the client secret. */
  readonly onSaving?: () => void;
}

/** The steps: all settings that a sign-in needs, and the client secret. */
export const ALL = ['baseUrl', 'clientId', 'clientSecret', 'serviceName'] as const;

/** What's asked for in one step. */
export type Step = (typeof ALL)[number];

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
  readonly place: ServicePlace;
  readonly entered: Entered;
  /** What was set before they began. */
  readonly before: Entered;
  /** Closes what's open when aborted. */
  readonly signal: AbortSignal | undefined;
}

/** Settings that belong to one standard service. A different one would get requests that aren't meant for it. */
const OF_ONE_SERVICE = ['endpoints', 'scopes', 'parameters'] as const;

/** The settings of one service, what's entered in them, and whether its client secret is stored. */
export class ServiceSteps {
  readonly #before: Entered;
  readonly #secrets: SecretLookup;

  constructor(
    private readonly deps: StepsDependencies,
    private readonly place: ServicePlace,
  ) {
    const { service, source } = place;
    const values = Object.fromEntries(ALL.map((step) => [step, asText(source(step)) ?? ''])) as Record<Step, string>;
    this.#before = { ...values, protocol: service && (service.id.protocol ?? 'draft') };
    this.#secrets = new SecretLookup(deps, source);
  }

  /** Whether a sign-in needs nothing else. @throws StoreUnavailableError */
  async isComplete(): Promise<boolean> {
    return (await findSecret(this.#secrets, this.#before)) !== 'missing';
  }

  /** The single steps, and all of them, each with what's set. @throws StoreUnavailableError */
  async choices(): Promise<readonly Choice<readonly Step[]>[]> {
    const { configurationTexts, texts } = this.deps;
    const { baseUrl, clientId } = this.#before;
    const labels = { ...configurationTexts, clientSecret: texts.settings.clientSecret };
    const secret = await findSecret(this.#secrets, this.#before);
    const clientSecret = { stored: labels.secretStored, none: labels.noSecret, unknown: '', missing: labels.noSecret };
    const serviceName = this.place.service?.name ?? '';
    const set = { ...shownService({ baseUrl, clientId }), clientSecret: clientSecret[secret], serviceName };
    const single = ALL.map((step) => ({ label: labels[step], description: set[step], value: [step] }));
    return [...single, { label: labels.everything, value: ALL }];
  }

  /**
   * Guides the person through these steps, and back. Each offers the value that's already set.
   * @returns `undefined` if they canceled
   * @throws ExplainedError if the settings file couldn't be written, and the store's error if the client secret couldn't
   */
  async ask(
    steps: readonly Step[],
    { meantBaseUrl, onSaving, signal }: StepsOptions = {},
  ): Promise<Configured | undefined> {
    const { configurationTexts, settings, texts } = this.deps;
    const before = this.#before;
    const { place } = this;
    const meant = before.baseUrl === '' ? ifValid(() => validateBaseUrl(meantBaseUrl)) : undefined;
    const offered = meant === undefined ? before : { ...before, baseUrl: meant, meantBaseUrl: meant };
    const entered = await walk(this.deps, this.#secrets, steps, { place, before, entered: offered, signal });
    if (entered === undefined) {
      return undefined;
    }
    onSaving?.();
    const service = await save(this.deps, place, entered);
    const done = place.isFurther ? configurationTexts.added : configurationTexts.configured;
    const isOnlySecret = steps.length === 1 && steps[0] === 'clientSecret' && entered.clientSecret.trim() !== '';
    const name = settings.current.services.of(service)?.name ?? settings.current.label;
    return {
      text: isOnlySecret ? texts.settings.secretSaved : done({ service: name }),
      service,
    };
  }
}

/** What the steps are called: they add a service, or change it. */
function titleFor({ configurationTexts, texts }: StepsDependencies, { isFurther }: ServicePlace): string {
  return isFurther ? configurationTexts.addServiceTitle : texts.buttons.configure;
}

/** Asks step by step. After a change of the base URL or client ID, asks for their secret too if none is stored. */
async function walk(
  deps: StepsDependencies,
  secrets: SecretLookup,
  chosen: readonly Step[],
  { before, entered: offered, place, signal }: Walk,
): Promise<Entered | undefined> {
  let entered = offered;
  let steps = chosen;
  let index = 0;
  let step = steps[index];
  while (step !== undefined) {
    const answer = await deps.editor.ask({
      title: titleFor(deps, place),
      value: entered[step],
      ...(await inputBox(deps, secrets, step, { place, before, entered, signal })),
      canGoBack: index > 0,
      // Without all steps, their number isn't known yet: a change may need the secret too.
      ...(chosen === ALL ? { step: index + 1, totalSteps: steps.length } : {}),
      signal,
    });
    const taken = answer && (await takeAnswer(deps, step, answer, { place, entered, before, signal }));
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
  deps: StepsDependencies,
  step: Step,
  { kind, value }: NonNullable<InputBoxResult>,
  { before, entered, place, signal }: Walk,
): Promise<{ readonly entered: Entered; readonly isAccepted: boolean } | undefined> {
  if (step !== 'baseUrl' || kind === 'back') {
    return { entered: { ...entered, [step]: value }, isAccepted: true };
  }
  const baseUrl = withScheme(value);
  if (entered.problem !== undefined && entered.baseUrl === baseUrl) {
    const isAsBefore = before.protocol !== undefined && validateBaseUrl(baseUrl) === validateBaseUrl(before.baseUrl);
    const isKnown = isAsBefore || entered.protocol === 'rfc8628';
    const protocol = isKnown ? (entered.protocol ?? 'draft') : await chooseProtocol(deps, place, signal);
    return protocol && { entered: { ...entered, protocol }, isAccepted: true };
  }
  const checked = await checkBaseUrl(deps, { place, before, entered: { ...entered, baseUrl }, signal });
  return checked && { entered: checked, isAccepted: checked.problem === undefined };
}

/**
 * The person entered a base URL: finds out what's there, and what's wrong with it. If it's another service's, asks what
 * happens to the settings of the previous one, and forgets its name. If it's that of the previous one again, all of its
 * settings stay, and its name is back.
 * @returns `undefined` if they canceled
 */
async function checkBaseUrl(
  deps: StepsDependencies,
  { before, entered, place, signal }: Walk,
): Promise<Entered | undefined> {
  const { configurationTexts } = deps;
  const baseUrl = validateBaseUrl(entered.baseUrl);
  const previous = ifValid(() => validateBaseUrl(before.baseUrl));
  const isOther = previous !== undefined && baseUrl !== previous;
  const isCleared = isOther ? (entered.isCleared ?? (await chooseToClear(deps, place, signal))) : undefined;
  if (isOther && isCleared === undefined) {
    return undefined;
  }
  const isOtherHost = isOther && new URL(baseUrl).host !== new URL(previous).host;
  const endpoints = isCleared ? undefined : readSettings(place.source).values.endpoints;
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
  deps: StepsDependencies,
  place: ServicePlace,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const { configurationTexts, editor } = deps;
  const { source } = place;
  const isSet = (value: unknown): boolean => Object.keys(asObject(value) ?? {}).length > 0 || Array.isArray(value);
  const previous = OF_ONE_SERVICE.map((name) => [name, source(name)] as const).filter(([, value]) => isSet(value));
  if (previous.length === 0) {
    return false;
  }
  const detail = plainText(previous.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', '), 200);
  const { clearSettings, keepSettings, settingsOfPrevious } = configurationTexts;
  const title = titleFor(deps, place);
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
  deps: StepsDependencies,
  place: ServicePlace,
  signal: AbortSignal | undefined,
): Promise<Protocol | undefined> {
  const { configurationTexts, editor } = deps;
  const { draftProtocol, standardProtocol, whichProtocol } = configurationTexts;
  const choices: readonly Choice<Protocol>[] = [
    { label: standardProtocol, description: 'rfc8628', value: 'rfc8628' },
    { label: draftProtocol, description: 'draft', value: 'draft' },
  ];
  return await editor.choose({ title: titleFor(deps, place), placeholder: whichProtocol, choices }, signal);
}

/** What it means for a secure connection that there's a server for plain HTTP: it doesn't understand the first bytes. */
const PLAIN_HTTP = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

/** Says what's wrong with an address. */
function addressProblem(
  deps: StepsDependencies,
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
  { configurationTexts, settings, texts }: Pick<StepsDependencies, 'configurationTexts' | 'settings' | 'texts'>,
  secrets: SecretLookup,
  step: Step,
  { entered, place }: Walk,
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
        validate: (text) =>
          problemText(texts, (address) => validateBaseUrl(withScheme(address)), text) ??
          takenBy(settings.current.services, place, validateBaseUrl(withScheme(text)), configurationTexts),
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

/** Says that another service has this base URL; `undefined` if none has. */
function takenBy(
  { all }: ConfiguredServices,
  { service: own }: ServicePlace,
  baseUrl: string,
  { alreadyConfigured }: ConfigurationTexts,
): string | undefined {
  const other = all.find(({ id }) => id.baseUrl === baseUrl && id.baseUrl !== own?.id.baseUrl);
  return other && alreadyConfigured({ service: other.name });
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
async function save(deps: StepsDependencies, place: ServicePlace, entered: Entered): Promise<ServiceId> {
  const { client, clientSecrets, configurationTexts, log } = deps;
  const service = enteredService(entered);
  const { isCleared = false, protocol = 'draft' } = entered;
  const secret = entered.clientSecret.trim();
  await saveSettings(log, configurationTexts, () =>
    place.write({
      // Remove the settings of the previous service first, so that nothing of the new one goes to its endpoints.
      ...(isCleared ? Object.fromEntries(OF_ONE_SERVICE.map((name) => [name, undefined])) : {}),
      baseUrl: service.baseUrl,
      clientId: service.clientId,
      serviceName: entered.serviceName.trim() || undefined,
      protocol,
    }),
  );
  if (secret !== '') {
    const endpoints = isCleared ? {} : (readSettings(place.source).values.endpoints ?? {});
    const complete = await showIfSlow(deps, service.baseUrl, completeService(client, service, endpoints));
    await clientSecrets.set(complete, secret);
  }
  log.info(`The service was configured: ${service.baseUrl}, client ID ${service.clientId}.`);
  return service;
}

/** Writes settings. @throws ExplainedError if the settings file can't be written */
export async function saveSettings(
  log: Log,
  { notSaved }: ConfigurationTexts,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    log.error(`The settings couldn't be written. ${safeTrace(error)}`);
    throw new ExplainedError({ text: notSaved, offers: ['openSettingsFile'] });
  }
}
