import { bestEffort, safeTrace } from '../../log';
import { sameService, type ServiceId } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/sessions';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { ClientSecrets } from '../../storage/clientSecrets';
import { endSessions } from '../endSessions';
import type { Choice } from '../editor/quickInput';
import type { SettingsEditor } from '../editor/settingsEditor';
import type { ConfiguredService } from '../settings/service';
import { ifValid, validateBaseUrl } from '../settings/validate';
import { withoutService } from '../texts/plainText';
import { serviceLine } from '../serviceChoice';
import type { Configured } from './clientSecret';
import { ExplainedError } from '../failure';
import { ServicePlaces } from './servicePlace';
import { ALL, saveSettings, ServiceSteps, type StepsDependencies, type StepsOptions } from './serviceSteps';

/** What services are configured with. */
export interface ConfigureDependencies extends StepsDependencies {
  readonly clientSecrets: Pick<ClientSecrets, 'get' | 'isEntered' | 'remove' | 'set'>;
  readonly editor: Pick<SettingsEditor, 'ask' | 'choose' | 'confirm' | 'ownSettings' | 'progress' | 'writeSetting'>;
  readonly sessions: Pick<SharedSessions, 'list' | 'remove'>;
}

/** What the person does with a service. It resolves to `undefined` if they cancel. */
type Action = () => Promise<Configured | undefined>;

type Line = Choice<Action> | { readonly heading: string };

/** Has the person configure services. */
export class ConfigureService {
  constructor(private readonly deps: ConfigureDependencies) {}

  /**
   * Guides the person through the settings of the service that a sign-in waits for: one more service if it isn't configured yet.
   * @returns `undefined` if they canceled
   * @throws ExplainedError if the settings file couldn't be written, and the store's error if the client secret couldn't
   */
  async askFor(options: StepsOptions = {}): Promise<Configured | undefined> {
    const places = new ServicePlaces(this.deps.settings.current.services, this.deps.editor);
    const meant = ifValid(() => validateBaseUrl(options.meantBaseUrl));
    const place = meant === undefined ? places.ofDefault() : places.at(meant);
    return await new ServiceSteps(this.deps, place).ask(ALL, options);
  }

  /**
   * Offers what can be done with each service, and to add one.
   * @param signIn signs in to the service at a base URL
   * @returns `undefined` if the person canceled
   * @throws the same
   */
  async showMenu(signIn: (baseUrl: string) => Promise<void>): Promise<Configured | undefined> {
    const { services } = this.deps.settings.current;
    const places = new ServicePlaces(services, this.deps.editor);
    return services.all.length === 0 ? await this.askFor() : await new ServiceMenu(this.deps, places, signIn).show();
  }
}

/** What can be done with the services that are configured. */
class ServiceMenu {
  constructor(
    private readonly deps: ConfigureDependencies,
    private readonly places: ServicePlaces,
    private readonly signIn: (baseUrl: string) => Promise<void>,
  ) {}

  /** With one service, shows at once what can be done with it. */
  async show(): Promise<Configured | undefined> {
    const { editor, settings, texts } = this.deps;
    const [only, ...others] = settings.current.services.all;
    if (only !== undefined && others.length === 0) {
      const steps = new ServiceSteps(this.deps, this.places.of(only));
      return (await steps.isComplete()) ? await this.#showService(only, steps) : await steps.ask(ALL);
    }
    const choices = [...(await this.#services()), { heading: '' }, this.#toAdd()];
    const list = { title: texts.buttons.configure, placeholder: texts.sessions.selectService, choices };
    const chosen = await editor.choose<Action>(list);
    return await chosen?.();
  }

  async #services(): Promise<readonly Line[]> {
    const { settings } = this.deps;
    const { all, default: meantByDefault } = settings.current.services;
    const sessions = await this.deps.sessions.list();
    return all.map((service) => {
      const line = serviceLine(this.deps.texts, service, sessions);
      const { description = '' } = line;
      return {
        ...line,
        description:
          service === meantByDefault ? `${description} · ${this.deps.texts.sessions.isDefault}` : description,
        value: () => this.#showService(service, new ServiceSteps(this.deps, this.places.of(service))),
      };
    });
  }

  #toAdd(): Line {
    const { addService } = this.deps.configurationTexts;
    return {
      icon: 'add',
      label: addService,
      value: () => new ServiceSteps(this.deps, this.places.ofNext()).ask(ALL),
    };
  }

  /** Its settings, and what else can be done with it. */
  async #showService(service: ConfiguredService, steps: ServiceSteps): Promise<Configured | undefined> {
    const { configurationTexts, editor, settings, texts } = this.deps;
    const { makeDefault, removeService, whatToChange } = configurationTexts;
    const { services } = settings.current;
    const isOnly = services.all.length === 1;
    const changes = (await steps.choices()).map((step) => ({ ...step, value: () => steps.ask(step.value) }));
    const choices: readonly Line[] = [
      ...changes,
      { heading: '' },
      { icon: 'key', label: texts.buttons.signIn, value: () => this.#signInTo(service) },
      ...(service.id.baseUrl === services.default?.id.baseUrl
        ? []
        : [{ icon: 'star', label: makeDefault, value: () => this.#makeDefault(service) }]),
      { icon: 'trash', label: removeService, value: () => this.#remove(service) },
      ...(isOnly ? [this.#toAdd()] : []),
    ];
    const title = isOnly ? texts.buttons.configure : service.name;
    const chosen = await editor.choose<Action>({ title, placeholder: whatToChange, choices });
    return await chosen?.();
  }

  async #signInTo({ id }: ConfiguredService): Promise<undefined> {
    await this.signIn(id.baseUrl);
  }

  async #makeDefault(service: ConfiguredService): Promise<Configured> {
    const { configurationTexts, log } = this.deps;
    await saveSettings(log, configurationTexts, () => this.places.makeDefault(service));
    return { text: configurationTexts.madeDefault({ service: service.name }), offers: ['configure'] };
  }

  /**
   * Signs out of its accounts first: without its settings, its tokens couldn't be revoked anymore.
   * @throws ExplainedError if an account can't be signed out of, or the settings can't be written; the store's error
   */
  async #remove(service: ConfiguredService): Promise<Configured | undefined> {
    const { clientSecrets, configurationTexts, editor, log, texts } = this.deps;
    const { confirmRemoval, losesAccounts, losesSettings, remove, removed } = configurationTexts;
    const { sentences } = texts.common;
    const { name } = service;
    const sessions = await this.#sessionsOf(service.id);
    const accounts = labelsOf(sessions, name);
    const detail = sentences(losesSettings, accounts === '' ? undefined : losesAccounts({ accounts }));
    if (!(await editor.confirm(confirmRemoval({ service: name }), detail, remove))) {
      return undefined;
    }
    const ended = await this.#sessionsOf(service.id);
    const areRevoked = await this.#signOut(name, ended);
    await saveSettings(log, configurationTexts, () => this.places.of(service).remove());
    await bestEffort(log, 'warn', "The client secret couldn't be deleted", () => clientSecrets.remove(service.id));
    log.info(`The service was removed: ${service.id.baseUrl}, client ID ${service.id.clientId}.`);
    const [first] = ended;
    const signedOut = first && texts.sessions.signedOut(labelsOf(ended, name), first.service, areRevoked);
    return { text: sentences(removed({ service: name }), signedOut), offers: ['configure'] };
  }

  /** @throws ExplainedError if the store fails */
  async #signOut(service: string, sessions: readonly SessionInfo[]): Promise<boolean | undefined> {
    const { clock, log, sessions: store, texts } = this.deps;
    try {
      return await endSessions(clock, store, sessions);
    } catch (error) {
      log.error(`The accounts of a service can't be signed out of. ${safeTrace(error)}`);
      throw new ExplainedError({ text: texts.sessions.failure(error, service, 'signOut'), offers: ['showLog'] });
    }
  }

  async #sessionsOf(service: ServiceId): Promise<readonly SessionInfo[]> {
    return (await this.deps.sessions.list()).filter((session) => sameService(session.service, service));
  }
}

/** The accounts of these sessions, in a text that names their service anyway. */
function labelsOf(sessions: readonly SessionInfo[], service: string): string {
  return [...new Set(sessions.map(({ account }) => withoutService(account.label, service)))].join(', ');
}
