import { type Fields, property } from '../../fields';
import type { SettingsEditor } from '../editor/settingsEditor';
import { settingsIn, type SettingsSource } from '../editor/settingsSource';
import type { Configuration } from '../settings/configuration';
import { type ConfiguredService, readService } from '../settings/service';
import { meaningfulSettings, serviceFields, serviceSettings } from '../settings/serviceOptions';
import { ifValid, validateBaseUrl } from '../settings/validate';

/** The setting with the list of further services. */
const LIST = 'services';

/** Where the settings of one service are. */
export interface ServicePlace {
  /** The service that's there; `undefined` if it isn't configured yet. */
  readonly service: ConfiguredService | undefined;
  /** Whether it's one more service, beside those that are configured. */
  readonly isFurther: boolean;
  /** Its settings as they are, not validated. */
  readonly source: SettingsSource;
  /** Changes these settings, in this order; `undefined` removes one. @throws Error if the settings file can't be written */
  write(values: Fields): Promise<void>;
  /** Removes the service. @throws Error if the settings file can't be written */
  remove(): Promise<void>;
}

/** Where the services are configured: one in settings of its own, and further ones in a list. */
export class ServicePlaces {
  /** Of the settings as they are now: whoever changes a service goes by what they said when the person began. */
  constructor(
    private readonly configuration: Configuration,
    private readonly current: () => Configuration,
    private readonly editor: Pick<SettingsEditor, 'writeSetting'>,
  ) {}

  /** Where this service is. */
  of(service: ConfiguredService): ServicePlace {
    return service.id.baseUrl === this.#inSettings?.id.baseUrl ? this.#settings() : this.#element(service);
  }

  /** Where the default service is, or the first one would be: in settings of its own, unless only the list is used. */
  ofDefault(): ServicePlace {
    const { default: service } = this.configuration.services;
    return service === undefined ? this.#settings() : this.of(service);
  }

  /** Where one more service would be. */
  ofNext(): ServicePlace {
    return this.configuration.services.all.length === 0 ? this.#settings() : this.#element(undefined);
  }

  /**
   * Makes a service of the list the default one: the first one of the list, if nothing else is set. At no time is a service
   * missing, because a sign-in to it would be canceled.
   * @throws Error if the settings file can't be written
   */
  async makeDefault(service: ConfiguredService): Promise<void> {
    const { raw } = this.current();
    const list = this.#list();
    const chosen = list.filter((element) => baseUrlOf(element) === service.id.baseUrl).slice(0, 1);
    const others = list.filter((element) => !chosen.includes(element));
    const set = meaningfulSettings(raw).filter((name) => name !== 'protocol');
    const former = set.length === 0 ? [] : [serviceFields(raw)];
    await this.editor.writeSetting(LIST, [...chosen, ...former, ...others]);
    await this.#clear(raw);
  }

  /** The service that has settings of its own. */
  get #inSettings(): ConfiguredService | undefined {
    return readService(this.configuration.raw).service;
  }

  #settings(): ServicePlace {
    const { raw: source } = this.configuration;
    return {
      service: this.#inSettings,
      isFurther: false,
      source,
      write: async (values) => {
        for (const [name, value] of Object.entries(values)) {
          const isDefault = name === 'protocol' && value === (source(name) ?? 'draft');
          if (!isDefault) {
            await this.editor.writeSetting(name, value);
          }
        }
      },
      remove: () => this.#clear(this.current().raw),
    };
  }

  #element(service: ConfiguredService | undefined): ServicePlace {
    const baseUrl = service?.id.baseUrl;
    const isIt = (element: unknown): boolean => baseUrl !== undefined && baseUrlOf(element) === baseUrl;
    const before: Fields = Object(this.#list().find(isIt)) as Fields;
    return {
      service,
      isFurther: service === undefined,
      source: settingsIn(serviceSettings(before)),
      write: async (values) => {
        const list = this.#list();
        const index = list.findIndex(isIt);
        const fields = Object.entries({ ...before, ...values }).filter(([, value]) => value !== undefined);
        const element = Object.fromEntries(fields);
        await this.#writeList(index < 0 ? [...list, element] : list.with(index, element));
      },
      remove: async () => {
        const list = this.#list();
        const index = list.findIndex(isIt);
        if (index >= 0) {
          await this.#writeList(list.toSpliced(index, 1));
        }
      },
    };
  }

  /** The list as it is now. */
  #list(): readonly unknown[] {
    const list = this.current().raw(LIST);
    return Array.isArray(list) ? list : [];
  }

  async #writeList(list: readonly unknown[]): Promise<void> {
    await this.editor.writeSetting(LIST, list.length === 0 ? undefined : list);
  }

  /** Removes the service that has settings of its own, its base URL first: nothing else goes to it meanwhile. */
  async #clear(raw: SettingsSource): Promise<void> {
    for (const name of meaningfulSettings(raw)) {
      await this.editor.writeSetting(name, undefined);
    }
  }
}

function baseUrlOf(element: unknown): string | undefined {
  return ifValid(() => validateBaseUrl(property(element, 'baseUrl')));
}
