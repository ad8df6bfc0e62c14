import { sameService, type ServiceId } from '../../oauth/service';
import { sessionsOf } from '../../sessions/currentSession';
import type { Choice, List } from '../editor/quickInput';
import type { SettingsEditor } from '../editor/settingsEditor';
import { ExplainedError } from '../failures/failure';
import { serviceLine } from '../services/serviceChoice';
import type { ConfiguredService } from '../settings/service';
import { ASKED_FIELDS, type AskedField } from '../settings/serviceFields';
import { ifValid, validateBaseUrl } from '../settings/validate';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import { AddressForm } from './addressForm';
import type { Configured, ConfigureWiring, SetClientSecret } from './clientSecret';
import { type Form, guide } from './form';
import { matchPreset, type Preset, PRESETS } from './presets';
import { PresetForm } from './presetForm';
import { removeService } from './removeService';
import { ServiceList } from './serviceList';

/** Signs in to the service at a base URL. @param isForAnother whether somebody is signed in there already */
type SignInTo = (baseUrl: string, isForAnother: boolean) => Promise<void>;

/** What the person does with a service. It resolves to `undefined` if they cancel. */
type Action = () => Promise<Configured | undefined>;

type Line = Choice<Action> | { readonly heading: string };

/**
 * Has the person configure services. Methods resolve to `undefined` if they cancel, which changes nothing. They throw an
 * ExplainedError or a WrongSettingError if the settings can't be written, and the store's error if a client secret can't.
 */
export class ConfigureService {
  readonly #list: ServiceList;

  constructor(
    private readonly wiring: ConfigureWiring,
    private readonly secrets: SetClientSecret,
    private readonly editor: SettingsEditor,
    private readonly configurationTexts: ConfigurationTexts,
  ) {
    this.#list = new ServiceList(editor, configurationTexts, wiring.log);
  }

  /**
   * Has the person add the service that a sign-in waits for.
   * @param meantBaseUrl the base URL that an extension asked for, if it named one
   * @param signal closes what's asked when aborted
   */
  async add(meantBaseUrl: string | undefined, signal: AbortSignal): Promise<Configured | undefined> {
    const meant = ifValid(() => validateBaseUrl(meantBaseUrl));
    return meant === undefined ? await this.#add(signal) : await this.#addMeant(meant, signal);
  }

  /**
   * Offers what can be done with each service, and to add one.
   * @param meantBaseUrl the base URL of the service that's meant, if one is
   * @param wrongField which of its fields has to be changed, if that's known: then it asks for that at once
   */
  async show(signIn: SignInTo, meantBaseUrl?: unknown, wrongField?: unknown): Promise<Configured | undefined> {
    const { services } = this.wiring.settings.current;
    const meant = ifValid(() => validateBaseUrl(meantBaseUrl));
    const field = ASKED_FIELDS.find((one) => one === wrongField);
    if (meant !== undefined && services.at(meant) !== undefined) {
      if (field !== undefined) {
        return await this.#change(meant, field);
      }
      return await this.#showService(meant, signIn);
    }
    const [only, ...others] = services.all;
    if (only === undefined) {
      return await this.#add();
    }
    if (others.length === 0) {
      return await this.#showService(only.id.baseUrl, signIn);
    }
    return await this.#choose(() => this.#services(signIn));
  }

  async #choose(list: () => Promise<List<Action> | undefined>): Promise<Configured | undefined> {
    const chosen = await this.wiring.editor.choose<Action>(list);
    return await chosen?.();
  }

  async #services(signIn: SignInTo): Promise<List<Action>> {
    const { sessions, settings, texts } = this.wiring;
    const { services } = settings.current;
    const known = await sessions.list();
    const lines = services.all.map((service) => ({
      ...serviceLine(texts, services, service, known),
      value: () => this.#showService(service.id.baseUrl, signIn),
    }));
    return {
      title: texts.buttons.configure,
      placeholder: texts.sessions.selectService,
      choices: [...lines, { heading: '' }, this.#toAdd()],
    };
  }

  #toAdd(): Line {
    return { icon: 'add', label: this.configurationTexts.addService, value: () => this.#add() };
  }

  /** What can be done with a service, as long as it's configured. */
  async #showService(baseUrl: string, signIn: SignInTo): Promise<Configured | undefined> {
    const { settings, texts } = this.wiring;
    const { change, editInFile, makeDefault, setClientSecret, whatToDo } = this.configurationTexts;
    return await this.#choose(async () => {
      const { services } = settings.current;
      const service = services.at(baseUrl);
      const isSignedIn = service !== undefined && (await this.#isSignedIn(service.id));
      const done = (action: Promise<void>): Promise<undefined> => action.then(() => undefined);
      const label = isSignedIn ? texts.sessions.signInToAnother : texts.buttons.signIn;
      const toSignIn = { icon: 'sign-in', label, value: () => done(signIn(baseUrl, isSignedIn)) };
      const choices: readonly Line[] = [
        ...(isSignedIn ? [] : [toSignIn]),
        { icon: 'edit', label: change, value: () => this.#change(baseUrl) },
        {
          icon: 'key',
          label: setClientSecret,
          value: () => this.secrets.ask({ meantBaseUrl: baseUrl }),
        },
        ...(service === services.default
          ? []
          : [{ icon: 'star', label: makeDefault, value: () => this.#makeDefault(baseUrl) }]),
        { icon: 'json', label: editInFile, value: () => done(this.#openFile()) },
        ...(isSignedIn ? [toSignIn] : []),
        {
          icon: 'trash',
          label: this.configurationTexts.removeService,
          value: () => removeService(this.wiring, this.#list, this.configurationTexts, baseUrl),
        },
        ...(services.all.length === 1 ? [{ heading: '' }, this.#toAdd()] : []),
      ];
      return (
        service && {
          title: this.configurationTexts.configureTitle({ service: service.name }),
          placeholder: whatToDo,
          choices,
        }
      );
    });
  }

  /** Whether somebody is signed in, and no account waits for a sign-in. */
  async #isSignedIn(service: ServiceId): Promise<boolean> {
    const own = sessionsOf(await this.wiring.sessions.list(), service);
    return own.length > 0 && own.every(({ needsUser }) => !needsUser);
  }

  /** Offers the well-known services that aren't configured yet, and any other one. */
  async #add(signal?: AbortSignal): Promise<Configured | undefined> {
    if (!(await this.#list.mayChange())) {
      return undefined;
    }
    const { services } = this.wiring.settings.current;
    const presets = PRESETS.filter(({ service }) => services.at(service.baseUrl) === undefined);
    const forms = presets.map((preset) => ({ preset, form: () => this.#presetForm(preset) }));
    return await this.#chooseForm(forms, () => this.#newAddressForm(signal), signal);
  }

  /** Adds the service that an extension asked for, which may be a well-known one. */
  async #addMeant(meant: string, signal: AbortSignal | undefined): Promise<Configured | undefined> {
    if (!(await this.#list.mayChange())) {
      return undefined;
    }
    const forms = PRESETS.flatMap((preset) => {
      const known = matchPreset(preset, meant);
      return known === undefined ? [] : [{ preset, form: () => this.#presetForm(preset, known) }];
    });
    const other = () => this.#newAddressForm(signal, meant);
    const [only] = forms;
    return forms.length > 1
      ? await this.#chooseForm(forms, other, signal)
      : await this.#fillNew((only?.form ?? other)(), signal);
  }

  /** Offers forms for well-known services, and one for any other. Back in the first box leads to the list. */
  async #chooseForm(
    forms: readonly { readonly preset: Preset; readonly form: () => Form }[],
    other: () => Form,
    signal: AbortSignal | undefined,
  ): Promise<Configured | undefined> {
    const { configurationTexts } = this;
    const lines = forms.map(({ preset, form }) => ({ label: configurationTexts.presets[preset.name], value: form }));
    const choices = [...lines, { heading: '' }, { label: configurationTexts.other, value: other }];
    const list = { title: this.#addTitle, placeholder: configurationTexts.whichService, choices };
    const form = await this.wiring.editor.choose<() => Form>(list, signal);
    return form && (await this.#fillNew(form(), signal, () => this.#chooseForm(forms, other, signal)));
  }

  #newAddressForm(signal: AbortSignal | undefined, meant?: string): AddressForm {
    return new AddressForm(this.wiring, this.configurationTexts, { title: this.#addTitle, meant, signal });
  }

  /** @param known what's in its gaps already */
  #presetForm(preset: Preset, known?: ReturnType<typeof matchPreset>): PresetForm {
    return new PresetForm(this.wiring, this.configurationTexts, this.secrets, this.#list, preset, known);
  }

  /**
   * Has the person fill in a form for a new service, and saves it.
   * @param back what Back in the first box leads to; left out if nothing was asked before
   */
  async #fillNew(form: Form, signal: AbortSignal | undefined, back?: Action): Promise<Configured | undefined> {
    const options = { title: this.#addTitle, signal, canLeaveBack: back !== undefined };
    const ending = await guide(this.wiring.editor, () => form.boxes(), options);
    if (ending !== 'finished') {
      return ending === 'back' ? await back?.() : undefined;
    }
    return await this.#save(form);
  }

  /**
   * Has the person change a service.
   * @param field what they're asked for first
   */
  async #change(baseUrl: string, field: AskedField = 'baseUrl'): Promise<Configured | undefined> {
    const service = this.wiring.settings.current.services.at(baseUrl);
    if (service === undefined || this.#list.at(baseUrl) === undefined) {
      return undefined;
    }
    if (!(await this.#list.mayChange())) {
      return undefined;
    }
    const title = this.configurationTexts.configureTitle({ service: service.name });
    const form = new AddressForm(this.wiring, this.configurationTexts, { title, changed: service });
    const first = ASKED_FIELDS.indexOf(field);
    if ((await guide(this.wiring.editor, () => form.boxes(), { title, first })) !== 'finished') {
      return undefined;
    }
    return await this.#save(form, service);
  }

  /**
   * Saves what the person entered: the settings, and then the secret, which is of no use without them. Nothing is saved if it isn't
   * known where the secret may be sent.
   * @param before the service that's changed, whose place it takes; left out for a new one
   */
  async #save(form: Form, before?: ConfiguredService): Promise<Configured | undefined> {
    const { clientSecrets, log } = this.wiring;
    const asked = form.asked();
    const completed = this.#list.completed(asked, before?.id.baseUrl);
    const secretPlace = form.secret === '' ? undefined : await this.secrets.findPlaceOf(completed);
    if (before === undefined) {
      await this.#list.add(asked);
    } else {
      await this.#list.change(before.id.baseUrl, asked);
    }
    const service = this.#list.configuration.services.at(asked.baseUrl);
    if (service === undefined) {
      // Somebody removed it, or put something else there meanwhile.
      throw new ExplainedError({ text: this.configurationTexts.removedMeanwhile, offers: ['configure'] });
    }
    const { id, name } = service;
    if (secretPlace !== undefined) {
      await clientSecrets.set(secretPlace, form.secret);
    }
    log.info(`The service was configured: ${id.baseUrl}, client ID ${id.clientId}.`);
    const isNewClient = before === undefined || !sameService(before.id, id);
    const mayLackSecret = form.mayHaveSecret && isNewClient;
    const { configured, configuredUnreached } = this.configurationTexts;
    const describe = form.isUnreached ? configuredUnreached : configured;
    return { text: describe({ service: name }), service: id, mayLackSecret };
  }

  get #addTitle(): string {
    const isFirst = this.wiring.settings.current.services.all.length === 0;
    return isFirst ? this.wiring.texts.buttons.configure : this.configurationTexts.addServiceTitle;
  }

  async #makeDefault(baseUrl: string): Promise<Configured | undefined> {
    if (await this.#list.mayChange()) {
      await this.#list.moveToFront(baseUrl);
      const { services } = this.#list.configuration;
      if (services.default !== undefined) {
        const text = this.configurationTexts.nowDefault({ service: services.default.name });
        this.editor.showStatusMessage(text);
      }
    }
    return undefined;
  }

  /** Shows the file that has the list which applies. */
  async #openFile(): Promise<void> {
    const { messages } = this.wiring;
    await ((await this.editor.servicesAreElsewhere()) ? messages.openProfileFile() : messages.openServicesFile());
  }
}
