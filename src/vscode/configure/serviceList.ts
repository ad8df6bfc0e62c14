import { isDeepStrictEqual } from 'node:util';
import { asObject, type Fields, property } from '../../fields';
import { type Log, safeTrace } from '../../log';
import type { SettingsEditor } from '../editor/settingsEditor';
import { ExplainedError } from '../failures/failure';
import { type Configuration, NO_LIST, readConfiguration } from '../settings/configuration';
import { readService } from '../settings/service';
import { ifValid, validateBaseUrl } from '../settings/validate';
import { WrongSettingError } from '../settings/wrongSetting';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import type { ServiceElement } from './form';

/**
 * The list of services in the person's settings. Each change is one write of the whole list, made from what's set at that moment,
 * and is about the element that's in use, not about others with the same base URL.
 *
 * Methods that change it throw an ExplainedError if it couldn't be written, or if another list applies, and a WrongSettingError if
 * something other than a list is in its place.
 */
export class ServiceList {
  constructor(
    private readonly editor: SettingsEditor,
    private readonly texts: ConfigurationTexts,
    private readonly log: Log,
  ) {}

  /** What's set now. After a write, VS Code may not have told the settings of it yet. */
  get configuration(): Configuration {
    return readConfiguration(this.editor.services(), '');
  }

  /** The element of the service at this base URL, or one that can't be used and has this address; `undefined` if there's none. */
  at(baseUrl: string): Fields | undefined {
    const list = this.#read();
    return asObject(list[indexOf(list, baseUrl)]);
  }

  /**
   * An element with these fields, and with the others of the one whose place it takes. Another base URL is another service, which gets
   * none of them.
   * @param place the base URL of the one whose place it takes
   */
  completed(asked: ServiceElement, place = asked.baseUrl): ServiceElement {
    return asked.baseUrl === place ? { ...this.at(place), ...asked } : asked;
  }

  /** Adds a service, in the place of an element that has its base URL and can't be used, or at the end. */
  async add(asked: ServiceElement): Promise<void> {
    await this.#change((list) => {
      const index = indexOf(list, asked.baseUrl);
      return index < 0 ? [...list, asked] : list.with(index, this.completed(asked));
    });
  }

  /** Changes fields of the service at this base URL, unless it has been removed by now. */
  async change(baseUrl: string, asked: ServiceElement): Promise<void> {
    await this.#change((list) => {
      const index = indexOf(list, baseUrl);
      return index < 0 ? list : list.with(index, this.completed(asked, baseUrl));
    });
  }

  /** Makes the service at this base URL the default one. */
  async moveToFront(baseUrl: string): Promise<void> {
    await this.#change((list) => {
      const index = indexInUse(list, baseUrl);
      return index < 0 ? list : [list[index], ...list.toSpliced(index, 1)];
    });
  }

  /**
   * Whether the list may be changed, before anybody enters anything: it's the one that applies, and if there are comments in it, the
   * person lets them go.
   */
  async mayChange(): Promise<boolean> {
    const { keepsComments, losesComments, removeComments } = this.texts;
    await this.#checkApplies();
    const { editor } = this;
    return (
      !(await editor.servicesHaveComments()) || (await editor.confirm(losesComments, keepsComments, removeComments))
    );
  }

  async #checkApplies(): Promise<void> {
    if (await this.editor.servicesAreElsewhere()) {
      throw new ExplainedError({ text: this.texts.listElsewhere, offers: ['openProfileSettingsFile'] });
    }
  }

  /** Makes sure that the list can be changed, by writing it as it is. */
  async checkWritable(): Promise<void> {
    await this.#change((list) => [...list]);
  }

  /** Removes the service at this base URL. */
  async remove(baseUrl: string): Promise<void> {
    await this.#change((list) => {
      const index = indexInUse(list, baseUrl);
      return index < 0 ? list : list.toSpliced(index, 1);
    });
  }

  /** The list as it is now. @throws WrongSettingError if it's something else */
  #read(): readonly unknown[] {
    const list = this.editor.services() ?? [];
    if (!Array.isArray(list)) {
      throw new WrongSettingError(undefined, NO_LIST);
    }
    return list;
  }

  async #change(change: (list: readonly unknown[]) => readonly unknown[]): Promise<void> {
    const { editor, log, texts } = this;
    const list = this.#read();
    const changed = change(list);
    if (changed === list) {
      return;
    }
    await this.#checkApplies();
    try {
      await editor.writeServices(changed);
    } catch (error) {
      log.error(`The settings couldn't be written. ${safeTrace(error)}`);
      throw new ExplainedError({ text: texts.notSaved, offers: ['openSettingsFile'] });
    }
    if (!isDeepStrictEqual(editor.services() ?? [], changed)) {
      // A profile has a copy, so it couldn't be told from the list that was written.
      log.error('The settings were written, but something else applies.');
      throw new ExplainedError({ text: texts.notApplied, offers: ['openProfileSettingsFile'] });
    }
  }
}

/** Where the element is that's used for this base URL; -1 if there's none. */
function indexInUse(list: readonly unknown[], baseUrl: string): number {
  return list.findIndex((element) => readService(element, 'person').service?.id.baseUrl === baseUrl);
}

/** Where the element is that's used for this base URL, or else one that has the address, but can't be used; -1 if there's none. */
function indexOf(list: readonly unknown[], baseUrl: string): number {
  const inUse = indexInUse(list, baseUrl);
  return inUse >= 0
    ? inUse
    : list.findIndex((element) => ifValid(() => validateBaseUrl(property(element, 'baseUrl'))) === baseUrl);
}
