import { isDeepStrictEqual } from 'node:util';
import { findNodeAtLocation, parse, parseTree, stripComments } from 'jsonc-parser';
import { ConfigurationTarget, workspace } from 'vscode';
import { property, valueAt } from '../../fields';
import type { Log } from '../../log';
import { type Brand, SERVICES_SETTING, servicesSetting } from '../brand';
import type { Disposable } from '../../event';
import { VscodeEditor } from './editor';

/** The part of VS Code that the extension uses. Tests have another one. */
export type SettingsEditor = Pick<VscodeSettingsEditor, keyof VscodeSettingsEditor>;

/** VS Code as the extension uses it: people configure the services in settings. */
export class VscodeSettingsEditor extends VscodeEditor {
  constructor(
    log: Log,
    private readonly brand: Pick<Brand, 'prefix' | 'providerId' | 'fixed'>,
    /** Reads the file of the application's settings; rejects if it isn't on this machine. */
    private readonly applicationSettings: () => Promise<string>,
  ) {
    const own = (name: string): string => `${brand.prefix}.${name}`;
    super(log, { providerId: brand.providerId, command: own, contextKey: own });
  }

  /**
   * The services that the person has set, not validated; in a build for one service, that one. What a workspace or a folder sets is
   * ignored: a stranger's folder must not choose the service that gets tokens and the client secret.
   */
  services(): unknown {
    const { fixed } = this.brand;
    return fixed === undefined
      ? workspace.getConfiguration().inspect(servicesSetting(this.brand))?.globalValue
      : [fixed];
  }

  /** Calls back after each change of the settings. */
  onDidChangeSettings(listener: () => void): Disposable {
    return workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(servicesSetting(this.brand))) {
        listener();
      }
    });
  }

  /**
   * Whether the services that apply aren't those that would be written, but those of a profile or a policy. VS Code writes to the
   * application's settings, but doesn't say from where it has a value.
   */
  async servicesAreElsewhere(): Promise<boolean> {
    const setting = servicesSetting(this.brand);
    const set = workspace.getConfiguration().inspect<unknown>(setting);
    if (Array.isArray(set?.defaultValue) && set.defaultValue.length > 0) {
      // The manifest's default is an empty list, so a policy has set this one.
      return true;
    }
    if (set?.globalValue === undefined) {
      return false;
    }
    const text = await this.applicationSettings().catch(() => undefined);
    // On another machine, the file can't be read.
    return text !== undefined && !isDeepStrictEqual(settingIn(text, setting), set.globalValue);
  }

  /** Whether there are comments in the list that would be written. VS Code replaces it as a whole, and them with it. */
  async servicesHaveComments(): Promise<boolean> {
    const text = await this.applicationSettings().catch(() => '');
    const root = parseTree(text, [], { allowTrailingComma: true });
    const node = root && findNodeAtLocation(root, [servicesSetting(this.brand)]);
    const list = node === undefined ? '' : text.slice(node.offset, node.offset + node.length);
    return stripComments(list) !== list;
  }

  /** Sets the services for the person; none removes the setting. @throws Error if the settings file can't be written */
  async writeServices(list: readonly unknown[]): Promise<void> {
    const value = list.length === 0 ? undefined : list;
    await workspace.getConfiguration(this.brand.prefix).update(SERVICES_SETTING, value, ConfigurationTarget.Global);
  }
}

/**
 * What a file of settings has for one of them, as VS Code reads it: with comments and commas at the end, as much as it can if it
 * isn't valid, the last of the same name, and `{ "a": { "b": 1 } }` for `a.b`.
 */
function settingIn(file: string, name: string): unknown {
  const settings: unknown = parse(file, [], { allowTrailingComma: true });
  return property(settings, name) ?? valueAt(settings, name);
}
