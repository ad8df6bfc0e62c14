import { type Log, loggedAs } from '../../log';
import type { Clock } from '../../clock';
import { dialectOf } from '../../oauth/dialect';
import type { Service, ServiceId } from '../../oauth/service';
import type { OAuthClient } from '../../oauth/types';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { ShownBrand } from '../brand';
import type { Editor } from '../editor/editor';
import type { InputBoxOptions } from '../editor/quickInput';
import { namesOf } from '../failures/describeFailure';
import { ExplainedError, type Offer } from '../failures/failure';
import type { Messages } from '../failures/messages';
import { completeService } from '../services/completeService';
import { findPersonsService } from '../services/serviceChoice';
import type { Configuration } from '../settings/configuration';
import { type ConfiguredService, readService } from '../settings/service';
import type { CurrentSettings } from '../settings/settings';
import { ifValid, validateBaseUrl, validateText } from '../settings/validate';
import type { Texts } from '../texts/texts';
import { problemText, secretBox, type ServiceElement } from './form';

/** What Set Client Secret, Configure Service, and messages about wrong settings are wired from. */
export interface ConfigureWiring {
  readonly brand: ShownBrand;
  readonly client: OAuthClient;
  readonly clientSecrets: Pick<ClientSecrets, 'get' | 'remove' | 'set'>;
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly messages: Messages;
  readonly sessions: Pick<SharedSessions, 'list' | 'remove'>;
  readonly settings: CurrentSettings;
  readonly texts: Texts;
}

/** What came of Configure Service or Set Client Secret. */
export interface Configured {
  /** What to tell the person. */
  readonly text: string;
  /** The service that they may want to sign in to now. */
  readonly service?: ServiceId;
  /** Whether the client may have a secret that nobody entered. */
  readonly mayLackSecret?: boolean;
  /** What a message offers that takes more than the one line which VS Code shows without a button. */
  readonly offers?: readonly Offer[];
}

/** The settings that say which service a client secret is for, and where it's sent. */
const NEEDED: readonly string[] = ['baseUrl', 'clientId', 'protocol', 'endpoints'];

/** Stores the client secret of a service that's configured. */
export class SetClientSecret {
  constructor(private readonly wiring: ConfigureWiring) {}

  /**
   * Stores the client secret that a program hands over.
   * @param meantBaseUrl the base URL of the service that it's for; `undefined` for the default one
   * @throws ExplainedError if it can't be used or is for another service, the service isn't found, or the extension has a secret of
   *   its own; WrongSettingError; the store's error
   */
  async store(handedOver: unknown, meantBaseUrl: unknown): Promise<void> {
    const { log, texts } = this.wiring;
    const secret = this.#valid(handedOver);
    const service = this.#meantService(meantBaseUrl);
    if (service === undefined) {
      throw new ExplainedError({ text: texts.settings.configureFirst, offers: [] });
    }
    this.#checkTakesSecret(service);
    const complete = await this.findPlace(service);
    if (!(await this.#isStored(complete, secret))) {
      await this.#save(complete, secret);
      log.info('The client secret was stored.');
    }
  }

  /**
   * Asks the person for the client secret of a service, and stores it. If they enter none, and the service doesn't need one, the
   * stored one is removed. They're asked which service it's for if there are several and none is meant. If none is configured,
   * offers them to configure one if that's possible.
   * @returns what to tell them; `undefined` if nothing changed
   * @throws ExplainedError if the service isn't found, the extension has a secret of its own, or there's no service and no way to
   *   configure one; WrongSettingError; the store's error
   */
  async ask({
    meantBaseUrl,
    signal,
  }: {
    readonly meantBaseUrl?: unknown;
    readonly signal?: AbortSignal | undefined;
  }): Promise<Configured | undefined> {
    const { log, messages, texts } = this.wiring;
    const title = texts.buttons.setClientSecret;
    const service = await this.#serviceToAskFor(title, meantBaseUrl, signal);
    if (service === 'canceled') {
      return undefined;
    }
    if (service === undefined) {
      const text = texts.settings.configureFirst;
      await messages.show({ severity: 'information', text, offers: ['configure'] });
      return undefined;
    }
    this.#checkTakesSecret(service);
    const mayBeEmpty = !dialectOf(service.id).clientsNeedSecrets;
    const box = { title, ...secretBox(texts, service.id, { mayBeEmpty }), signal };
    const answer = await this.#askForSecretOf(service, box);
    if (answer === undefined) {
      return undefined;
    }
    const { complete, entered } = answer;
    const isRemoved = mayBeEmpty && entered.trim() === '';
    const secret = isRemoved ? '' : this.#valid(entered);
    const { noSecret, secretRemoved, secretSaved } = texts.settings;
    if (isRemoved && (await this.#isStored(complete, secret))) {
      return { text: noSecret({ service: service.name }), service: service.id };
    }
    await this.#save(complete, secret);
    log.info(isRemoved ? 'The client secret was removed.' : 'The client secret was stored.');
    const describe = isRemoved ? secretRemoved : secretSaved;
    return { text: describe({ service: service.name }), service: service.id };
  }

  /**
   * Finds the token endpoint of a service, which its client secret is bound to.
   * @throws ExplainedError, which names this service
   */
  async findPlace(service: ConfiguredService): Promise<Service> {
    const { client, log, messages, settings } = this.wiring;
    try {
      return await completeService(client, service.id, service.endpoints);
    } catch (error) {
      log.warn(`The token endpoint for a client secret isn't known. ${loggedAs(error)}`);
      throw new ExplainedError(messages.describe(error, namesOf(settings.current, service)));
    }
  }

  /**
   * Finds the token endpoint of a service that isn't in the settings yet; `undefined` if the service can't be used.
   * @throws ExplainedError, which names this service
   */
  async findPlaceOf(element: ServiceElement): Promise<Service | undefined> {
    const { service } = readService(element, 'person');
    return service && (await this.findPlace(service));
  }

  /**
   * What a box says of a failure, after which the person can try again.
   * @throws the error itself if that doesn't help, or if it isn't explained yet
   */
  whyAgain(error: unknown): string {
    const { common, settings } = this.wiring.texts;
    if (!(error instanceof ExplainedError) || !error.failure.offers.includes('tryAgain')) {
      throw error;
    }
    return common.sentences(error.message, settings.tryAgain);
  }

  /**
   * Asks for the client secret of a service. If it isn't known where that may be sent, such as without a network, the person sees why,
   * and can try again without entering it once more.
   * @returns what they entered, and the service with its endpoints; `undefined` if they canceled
   * @throws ExplainedError if trying again doesn't help
   */
  async #askForSecretOf(
    service: ConfiguredService,
    box: InputBoxOptions,
  ): Promise<{ readonly complete: Service; readonly entered: string } | undefined> {
    const { editor, settings } = this.wiring;
    let entered = '';
    let warning: string | undefined;
    for (;;) {
      const answer = await editor.ask({ ...box, value: entered, warning });
      if (answer === undefined) {
        return undefined;
      }
      entered = answer.value;
      // While the box is open, the person may have set the endpoints of the service.
      const current = settings.current.services.of(service.id) ?? service;
      try {
        return { complete: await this.findPlace(current), entered };
      } catch (error) {
        warning = this.whyAgain(error);
      }
    }
  }

  /** The service that's meant, or that the person chooses if none is; `undefined` and errors as in `#meantService`. */
  async #serviceToAskFor(
    title: string,
    meantBaseUrl: unknown,
    signal: AbortSignal | undefined,
  ): Promise<ConfiguredService | 'canceled' | undefined> {
    const { editor, sessions, settings, texts } = this.wiring;
    if (meantBaseUrl === undefined) {
      const chosen = await findPersonsService(editor, settings.current.services, sessions, texts, { title, signal });
      if (chosen !== 'none') {
        return chosen;
      }
    }
    return this.#meantService(meantBaseUrl);
  }

  /**
   * The service with this base URL, or the default one if there's none.
   * @returns `undefined` if no service is configured yet, and the person can do that
   * @throws WrongSettingError if that's why there's none; ExplainedError if it's another one, or nobody can configure one here
   */
  #meantService(meantBaseUrl: unknown): ConfiguredService | undefined {
    const { brand, settings, texts } = this.wiring;
    const { blocking, label, services } = settings.current;
    const meant = ifValid(() => validateBaseUrl(meantBaseUrl));
    const named = meant === undefined ? undefined : services.at(meant);
    const service = meantBaseUrl === undefined ? services.default : named;
    if (service !== undefined) {
      return service;
    }
    checkSettings(blocking);
    if (services.all.length > 0) {
      throw new ExplainedError({ text: texts.settings.secretOfNone, offers: ['configure'] });
    }
    if (!brand.commands.includes('configure')) {
      throw new ExplainedError({ text: texts.settings.noService({ service: label }), offers: [] });
    }
    return undefined;
  }

  /** @throws ExplainedError if the extension has a client secret of its own for this service; WrongSettingError */
  #checkTakesSecret({ blocking, clientSecret, name }: ConfiguredService): void {
    checkSettings(blocking);
    if (clientSecret !== undefined) {
      const text = this.wiring.texts.settings.secretBuiltIn({ service: name });
      throw new ExplainedError({ text, offers: [] });
    }
  }

  /** A client secret in its normal form. @throws ExplainedError if it can't be used */
  #valid(secret: unknown): string {
    const { texts } = this.wiring;
    const problem = problemText(texts, () => validateText(secret));
    if (problem !== undefined) {
      throw new ExplainedError({ text: texts.settings.wrongSecret({ problem }), offers: [] });
    }
    return validateText(secret);
  }

  /** Saves the secret of a service. @throws ExplainedError if that was removed meanwhile; the store's error */
  async #save(service: Service, secret: string): Promise<void> {
    const { clientSecrets, settings, texts } = this.wiring;
    if (settings.current.services.of(service) === undefined) {
      throw new ExplainedError({ text: texts.settings.secretOfNone, offers: ['configure'] });
    }
    await clientSecrets.set(service, secret);
  }

  /** Whether this is the secret that's stored. One that can't be read isn't: writing this one to the disk may work. */
  async #isStored(service: Service, secret: string): Promise<boolean> {
    return secret === (await this.wiring.clientSecrets.get(service, false).catch(() => undefined));
  }
}

/** @throws WrongSettingError if one of these settings says where a client secret is sent */
function checkSettings(problems: Configuration['blocking']): void {
  const needed = problems.find(({ field }) => field === undefined || NEEDED.includes(field.split('.')[0] ?? ''));
  if (needed !== undefined) {
    throw needed;
  }
}
