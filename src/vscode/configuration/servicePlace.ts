import { type Fields, property } from '../../fields';
import type { SettingsEditor } from '../editor/settingsEditor';
import { settingsIn, type SettingsSource } from '../editor/settingsSource';
import { isSet } from '../settings/readSettings';
import type { ConfiguredService } from '../settings/service';
import { serviceFields, serviceSettings } from '../settings/serviceOptions';
import type { ConfiguredServices } from '../settings/services';
import { ifValid, SETTING_NAMES, validateBaseUrl } from '../settings/validate';

/** The setting with the list of further services. */
const LIST = 'services';

/** Where the settings of one service are. */
export interface ServicePlace {
  /** The service that's there; `undefined` if it isn't configured yet. */
  readonly service: ConfiguredService | undefined;
  /** Whether it's one more service, beside those that are configured. */
  readonly isFurther: boolean;
  /** Its settings when the person began, as they set them, not validated. */
  readonly source: SettingsSource;
  /** Changes these settings, in this order; `undefined` removes one. @throws Error if the settings file can't be written */
  write(values: Fields): Promise<void>;
  /** Removes the service. @throws Error if the settings file can't be written */
  remove(): Promise<void>;
}

/** Where the services are configured: one in settings of its own, and further ones in a list. */
export class ServicePlaces {
  constructor(
    private readonly services: ConfiguredServices,
    private readonly editor: Pick<SettingsEditor, 'ownSettings' | 'writeSetting'>,
  ) {}

  /** Where this service is. */
  of(service: ConfiguredService): ServicePlace {
    return service.isListed ? this.#inList(service) : this.#inSettings(service);
  }

  /** Where the default service is, or would be. */
  ofDefault(): ServicePlace {
    const { default: service } = this.services;
    return service === undefined ? this.#inSettings(undefined) : this.of(service);
  }

  /** Where the service at this base URL is, or would be. */
  at(baseUrl: string): ServicePlace {
    const service = this.services.meant([baseUrl]);
    return service === undefined ? this.ofNext() : this.of(service);
  }

  /** Where one more service would be: the first one has settings of its own. */
  ofNext(): ServicePlace {
    return this.services.all.length === 0 ? this.#inSettings(undefined) : this.#inList(undefined);
  }

  /**
   * Makes a service of the list the default one: the first one of the list, if no service has settings of its own. At no time is a
   * service missing, because a sign-in to it would be canceled.
   * @throws Error if the settings file can't be written
   */
  async makeDefault(service: ConfiguredService): Promise<void> {
    const own = this.editor.ownSettings();
    const list = this.#list();
    const chosen = list.filter((element) => baseUrlOf(element) === service.id.baseUrl).slice(0, 1);
    const others = list.filter((element) => !chosen.includes(element));
    const hasFormer = isSet(own, 'baseUrl') || isSet(own, 'clientId');
    const former = hasFormer ? [serviceFields(own)] : [];
    await this.editor.writeSetting(LIST, [...chosen, ...former, ...others]);
    if (hasFormer) {
      await this.#clear();
    }
  }

  #inSettings(service: ConfiguredService | undefined): ServicePlace {
    const source = this.editor.ownSettings();
    return {
      service,
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
      remove: () => this.#clear(),
    };
  }

  #inList(service: ConfiguredService | undefined): ServicePlace {
    const isIt = (element: unknown): boolean => service !== undefined && baseUrlOf(element) === service.id.baseUrl;
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
    const list = this.editor.ownSettings()(LIST);
    return Array.isArray(list) ? list : [];
  }

  async #writeList(list: readonly unknown[]): Promise<void> {
    await this.editor.writeSetting(LIST, list.length === 0 ? undefined : list);
  }

  /** Removes the service that has settings of its own, its base URL first: nothing else goes to it meanwhile. */
  async #clear(): Promise<void> {
    const own = this.editor.ownSettings();
    for (const name of SETTING_NAMES.filter((one) => own(one) !== undefined)) {
      await this.editor.writeSetting(name, undefined);
    }
  }
}

function baseUrlOf(element: unknown): string | undefined {
  return ifValid(() => validateBaseUrl(property(element, 'baseUrl')));
}
