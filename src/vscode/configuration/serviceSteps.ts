import type { Clock } from '../../clock';
import { asText } from '../../fields';
import { bestEffort, type Log, safeTrace } from '../../log';
import type { EndpointSettings, OAuthClient } from '../../oauth/client';
import { dialectOf } from '../../oauth/dialect';
import { NetworkError } from '../../oauth/errors';
import type { Service, ServiceId } from '../../oauth/service';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { Build } from '../brand';
import { describeFailure } from '../describeFailure';
import type { Choice, InputBoxOptions } from '../editor/quickInput';
import type { SettingsEditor } from '../editor/settingsEditor';
import { ExplainedError } from '../failure';
import { readSettings } from '../settings/readSettings';
import type { Settings } from '../settings/settings';
import { ifValid, validateBaseUrl, validateName, validateText, withScheme } from '../settings/validate';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import { shownAddress, shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { type Configured, findSecretPlace, problemText, secretBox } from './clientSecret';
import { completeService, findService, type FoundService, type Protocol } from './findService';
import type { ServicePlace } from './servicePlace';

/** What the settings are asked for and written with. */
export interface StepsDependencies {
  readonly brand: Pick<Build, 'fixed' | 'prefix'>;
  readonly client: Pick<OAuthClient, 'discover' | 'recognize'>;
  readonly clientSecrets: Pick<ClientSecrets, 'get' | 'isEntered' | 'set'>;
  readonly clock: Clock;
  readonly configurationTexts: ConfigurationTexts;
  readonly editor: Pick<SettingsEditor, 'ask' | 'choose' | 'progress'>;
  readonly log: Log;
  readonly settings: Pick<Settings, 'current'>;
  readonly texts: Texts;
}

/** What somebody who needs the settings of a service says. */
export interface StepsOptions {
  /** What's offered as the base URL if none is set: an extension asked for a session of that service. */
  readonly meantBaseUrl?: string | undefined;
  /** Closes the input box or list when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The steps: all settings that a sign-in needs, and the client secret. */
export const ALL = ['baseUrl', 'clientId', 'clientSecret', 'serviceName'] as const;

/** What's asked for in one step. */
export type Step = (typeof ALL)[number];

/** What the person has entered so far. An empty secret keeps the stored one; an empty name stands for the host. */
interface Entered extends Readonly<Partial<Record<Step, string>>> {
  /** What the service at the base URL uses; `undefined` if that's still the one that's set. */
  readonly protocol?: Protocol | undefined;
  /** Why a sign-in at the base URL would fail. Who enters it once more wants it anyway. */
  readonly problem?: string | undefined;
}

/** A progress notification that came and went within this time would only flicker. Milliseconds. */
const A_MOMENT = 300;

/** What it means for a secure connection that there's a server for plain HTTP: it doesn't understand the first bytes. */
const PLAIN_HTTP = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

/** Asks for the settings of one service, and saves them. */
export class ServiceSteps {
  /** What's set. The secret is never shown. */
  readonly #set: Readonly<Record<Step, string>>;
  readonly #title: string;

  constructor(
    private readonly deps: StepsDependencies,
    private readonly place: ServicePlace,
  ) {
    const { configurationTexts, texts } = deps;
    const textOf = (name: Step): string => asText(place.source(name)) ?? '';
    this.#set = {
      baseUrl: textOf('baseUrl'),
      clientId: textOf('clientId'),
      clientSecret: '',
      serviceName: textOf('serviceName'),
    };
    this.#title = place.isFurther ? configurationTexts.addServiceTitle : texts.buttons.configure;
  }

  /** Whether a sign-in needs nothing else. @throws StoreUnavailableError */
  async isComplete(): Promise<boolean> {
    return (await this.#secret({})) !== 'missing';
  }

  /** The single steps, and all of them, each with what's set. @throws StoreUnavailableError */
  async choices(): Promise<readonly Choice<readonly Step[]>[]> {
    const { configurationTexts, texts } = this.deps;
    const { baseUrl, clientId } = this.#set;
    const labels = { ...configurationTexts, clientSecret: texts.settings.clientSecret };
    const secrets = {
      stored: labels.secretStored,
      'perhaps stored': '',
      'not needed': labels.noSecret,
      missing: labels.noSecret,
    };
    const set = {
      ...shownService({ baseUrl, clientId }),
      clientSecret: secrets[await this.#secret({})],
      serviceName: this.place.service?.name ?? '',
    };
    const single = ALL.map((step) => ({ label: labels[step], description: set[step], value: [step] }));
    return [...single, { label: labels.everything, value: ALL }];
  }

  /**
   * Guides the person through these steps, and back. Each offers the value that's already set.
   * @returns `undefined` if they canceled
   * @throws ExplainedError if the settings file couldn't be written, and the store's error if the client secret couldn't
   */
  async ask(steps: readonly Step[], { meantBaseUrl, signal }: StepsOptions = {}): Promise<Configured | undefined> {
    const { configurationTexts, settings, texts } = this.deps;
    const meant = this.#set.baseUrl === '' ? ifValid(() => validateBaseUrl(meantBaseUrl)) : undefined;
    const entered = await this.#walk(steps, meant, signal);
    if (entered === undefined) {
      return undefined;
    }
    const service = await this.#save(entered);
    const isOnlySecret = steps.every((step) => step === 'clientSecret');
    if (isOnlySecret && this.#value('clientSecret', entered).trim() !== '') {
      return { text: texts.settings.secretSaved, service };
    }
    const name = settings.current.services.of(service)?.name ?? settings.current.label;
    return { text: configurationTexts.configured({ service: name }), service };
  }

  /**
   * Asks step by step. After a change of the base URL or client ID, asks for their secret too if none is stored.
   * @param meant the base URL of the service that an extension asked for, if it's offered
   * @returns `undefined` if the person canceled
   */
  async #walk(
    chosen: readonly Step[],
    meant: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Entered | undefined> {
    let entered: Entered = meant === undefined ? {} : { baseUrl: meant };
    let steps = chosen;
    let index = 0;
    let step = steps[index];
    while (step !== undefined) {
      const answer = await this.deps.editor.ask({
        title: this.#title,
        value: this.#value(step, entered),
        ...(await this.#box(step, entered, meant)),
        canGoBack: index > 0,
        // Without all steps, their number isn't known yet: a change may need the secret too.
        ...(chosen === ALL ? { step: index + 1, totalSteps: steps.length } : {}),
        signal,
      });
      if (answer === undefined) {
        return undefined;
      }
      const { kind, value } = answer;
      if (kind === 'back') {
        entered = this.#with(step, value, entered);
        index -= 1;
      } else {
        const taken =
          step === 'baseUrl' ? await this.#takeBaseUrl(value, entered, signal) : this.#with(step, value, entered);
        if (taken === undefined) {
          return undefined;
        }
        entered = taken;
        index += entered.problem === undefined ? 1 : 0;
      }
      const isLast = index === steps.length;
      if (isLast && !steps.includes('clientSecret') && (await this.#secret(entered)) === 'missing') {
        steps = [...steps, 'clientSecret'];
      }
      step = steps[index];
    }
    return entered;
  }

  /** What the person entered in a step, or else what's set. The name that's set isn't one for another host. */
  #value(step: Step, entered: Entered): string {
    const value = entered[step] ?? this.#set[step];
    const isOfOther = step === 'serviceName' && entered.serviceName === undefined && this.#isOther(entered, 'host');
    return isOfOther ? '' : value;
  }

  /** What's entered with this value of a step. One that the person left as it was still is what's set. */
  #with(step: Step, value: string, entered: Entered): Entered {
    return value === this.#value(step, entered) ? entered : { ...entered, [step]: value };
  }

  /** Whether the base URL that's entered isn't the one that's set, or even has another host. */
  #isOther(entered: Entered, part: 'host' | 'href'): boolean {
    const urlOf = (text: string): URL | undefined => ifValid(() => new URL(validateBaseUrl(text)));
    const previous = urlOf(this.#set.baseUrl);
    return previous !== undefined && urlOf(this.#value('baseUrl', entered))?.[part] !== previous[part];
  }

  /**
   * The person entered a base URL: finds out what's there, and what's wrong with it, if anything. If they enter that once more,
   * they want it anyway.
   * @returns `undefined` if they canceled
   */
  async #takeBaseUrl(value: string, before: Entered, signal: AbortSignal | undefined): Promise<Entered | undefined> {
    const baseUrl = withScheme(value);
    if (before.problem !== undefined && before.baseUrl === baseUrl) {
      const isKnown = before.protocol === 'rfc8628' || this.place.service?.id.baseUrl === validateBaseUrl(baseUrl);
      const protocol = isKnown ? before.protocol : await this.#chooseProtocol(signal);
      return protocol && { ...before, protocol, problem: undefined };
    }
    const entered = { ...before, baseUrl };
    const { client, configurationTexts, log, texts } = this.deps;
    const normalized = validateBaseUrl(baseUrl);
    const assumed = this.place.service?.id.protocol ?? 'draft';
    const finding = findService(client, log, normalized, this.#endpoints(entered), assumed);
    const { problem, protocol } = await this.#showIfSlow(normalized, finding);
    const text =
      problem && texts.common.sentences(this.#addressProblem(normalized, problem), configurationTexts.enterAgain);
    return { ...entered, protocol, problem: text };
  }

  /**
   * Asks which protocol a service has that didn't show it.
   * @returns `undefined` if the person canceled
   */
  async #chooseProtocol(signal: AbortSignal | undefined): Promise<Protocol | undefined> {
    const { configurationTexts, editor } = this.deps;
    const { draftProtocol, standardProtocol, whichProtocol } = configurationTexts;
    const choices: readonly Choice<Protocol>[] = [
      { label: standardProtocol, description: 'rfc8628', value: 'rfc8628' },
      { label: draftProtocol, description: 'draft', value: 'draft' },
    ];
    return await editor.choose({ title: this.#title, placeholder: whichProtocol, choices }, signal);
  }

  /** Says what's wrong with an address. */
  #addressProblem(baseUrl: string, problem: NonNullable<FoundService['problem']>): string {
    const { addressProblems } = this.deps.configurationTexts;
    const { host } = new URL(baseUrl);
    if (problem === 'no service' || problem === 'not working') {
      return addressProblems[problem]({ address: shownAddress(baseUrl) });
    }
    if (problem instanceof NetworkError && PLAIN_HTTP.includes(problem.systemCode ?? '')) {
      return addressProblems['not HTTPS']({ host });
    }
    return describeFailure(this.deps, problem, { service: host, baseUrl }).text;
  }

  async #box(step: Step, entered: Entered, meant: string | undefined): Promise<Omit<InputBoxOptions, 'title'>> {
    const { configurationTexts: own, texts } = this.deps;
    const problem = (validate: () => unknown) => problemText(texts, validate);
    switch (step) {
      case 'baseUrl': {
        const isMeant = meant !== undefined && entered.baseUrl === meant;
        return {
          prompt: entered.problem ?? (isMeant ? own.enterMeantBaseUrl : own.enterBaseUrl),
          placeholder: own.baseUrlExample,
          validate: (text) =>
            problem(() => validateBaseUrl(withScheme(text))) ?? this.#takenBy(validateBaseUrl(withScheme(text))),
        };
      }
      case 'clientId':
        return {
          prompt: own.enterClientId,
          placeholder: own.clientId,
          validate: (text) => problem(() => validateText(text)),
        };
      case 'clientSecret': {
        const service = { baseUrl: this.#value('baseUrl', entered), clientId: this.#value('clientId', entered) };
        const { keepSecret } = own;
        const ifEmpty = {
          stored: keepSecret,
          'perhaps stored': keepSecret,
          'not needed': texts.settings.useNoSecret,
          missing: undefined,
        };
        return secretBox(texts, service, ifEmpty[await this.#secret(entered)]);
      }
      case 'serviceName': {
        const host = ifValid(() => new URL(validateBaseUrl(this.#value('baseUrl', entered))).host) ?? '';
        return {
          prompt: own.enterServiceName,
          placeholder: own.defaultServiceName({ host }),
          validate: (text) => (text.trim() === '' ? undefined : problem(() => validateName(text))),
        };
      }
    }
  }

  /** Says that another service has this base URL; `undefined` if none has. */
  #takenBy(baseUrl: string): string | undefined {
    const { configurationTexts, settings } = this.deps;
    const own = this.place.service?.id.baseUrl;
    const other = settings.current.services.all.find(({ id }) => id.baseUrl === baseUrl && baseUrl !== own);
    return other && configurationTexts.alreadyConfigured({ service: other.name });
  }

  /** The service that's entered. @throws InvalidValueError */
  #service(entered: Entered): ServiceId {
    const protocol = entered.protocol ?? this.place.service?.id.protocol;
    const service = {
      baseUrl: validateBaseUrl(this.#value('baseUrl', entered)),
      clientId: validateText(this.#value('clientId', entered)),
    };
    return protocol === 'rfc8628' ? { ...service, protocol } : service;
  }

  /**
   * What's known about the client secret of the service that's entered. One that's stored for another token endpoint isn't used.
   * @throws StoreUnavailableError
   */
  async #secret(entered: Entered): Promise<'stored' | 'perhaps stored' | 'not needed' | 'missing'> {
    const { clientSecrets } = this.deps;
    const service = ifValid(() => this.#service(entered));
    if (service === undefined) {
      return 'missing';
    }
    const place = await this.#knownSecretPlace(service, entered);
    const secret = place && (await clientSecrets.get(place));
    if (secret !== undefined && secret !== '') {
      return 'stored';
    }
    if (place === undefined && (await clientSecrets.isEntered(service))) {
      return 'perhaps stored';
    }
    return dialectOf(service).clientsNeedSecrets ? 'missing' : 'not needed';
  }

  /** The service with its token endpoint; `undefined` if only its metadata can say where that is. */
  async #knownSecretPlace(service: ServiceId, entered: Entered): Promise<Service | undefined> {
    const { client, log } = this.deps;
    const endpoints = this.#endpoints(entered);
    const areSet = endpoints.deviceAuthorization !== undefined && endpoints.token !== undefined;
    if (dialectOf(service).endpointsAreDiscovered && !areSet) {
      return undefined;
    }
    return await bestEffort(log, 'info', "The client secret's token endpoint isn't usable", () =>
      completeService(client, service, endpoints),
    );
  }

  /** The endpoints that are set. For another base URL, only paths below it: an address would get the other client's secret. */
  #endpoints(entered: Entered): EndpointSettings {
    const { endpoints = {} } = readSettings(this.place.source).values;
    const isOther = this.#isOther(entered, 'href');
    return Object.fromEntries(Object.entries(endpoints).filter(([, address]) => !isOther || isPath(address)));
  }

  /** Writes the settings, then the secret, which is of no use without them. */
  async #save(entered: Entered): Promise<ServiceId> {
    const { clientSecrets, configurationTexts, log } = this.deps;
    const service = this.#service(entered);
    const endpoints = this.#endpoints(entered);
    await saveSettings(log, configurationTexts, () =>
      this.place.write({
        // First, so that nothing of another service goes to an endpoint of this one.
        ...(this.#isOther(entered, 'href')
          ? { endpoints: Object.keys(endpoints).length > 0 ? endpoints : undefined }
          : {}),
        baseUrl: service.baseUrl,
        clientId: service.clientId,
        serviceName: this.#value('serviceName', entered).trim() || undefined,
        protocol: service.protocol ?? 'draft',
      }),
    );
    const secret = this.#value('clientSecret', entered).trim();
    if (secret !== '') {
      const place = findSecretPlace(this.deps, service, endpoints);
      await clientSecrets.set(await this.#showIfSlow(service.baseUrl, place), secret);
    }
    log.info(`The service was configured: ${service.baseUrl}, client ID ${service.clientId}.`);
    return service;
  }

  /** Shows that this base URL is being checked, unless that's done in a moment. */
  async #showIfSlow<T>(baseUrl: string, check: Promise<T>): Promise<T> {
    const { clock, configurationTexts, editor } = this.deps;
    const checked = new AbortController();
    const show = (): void => {
      editor.progress(configurationTexts.checking({ address: shownAddress(baseUrl) }), checked.signal);
    };
    clock.sleep(A_MOMENT, checked.signal).then(show, () => undefined);
    try {
      return await check;
    } finally {
      checked.abort();
    }
  }
}

/** Whether an endpoint is given as a path, and not as the address of a server. */
function isPath(endpoint: string): boolean {
  const anywhere = 'https://service.example';
  return URL.canParse(endpoint, anywhere) && new URL(endpoint, anywhere).origin === anywhere;
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
