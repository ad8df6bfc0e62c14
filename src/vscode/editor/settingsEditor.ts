import vscode = require('vscode');
import type { Log } from '../../log';
import type { Brand } from '../brand';
import { type Disposable, type Listeners, VscodeEditor } from './editor';
import { settingsOf, type SettingsSource } from './settingsSource';

/** VS Code as the extension uses it: people configure the service in settings, and there's a walkthrough. */
export class SettingsEditor extends VscodeEditor {
  constructor(
    log: Log,
    private readonly brand: Pick<Brand, 'prefix' | 'providerId' | 'fixed'>,
  ) {
    const own = (name: string): string => `${brand.prefix}.${name}`;
    super(log, { providerId: brand.providerId, command: own, contextKey: own });
  }

  /** Whether the editor shows a page of its own, which may be the walkthrough. */
  get showsPage(): boolean {
    return vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isPage));
  }

  listen({ settings, windowState, pages }: Listeners): Disposable {
    return vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(this.brand.prefix)) {
          settings();
        }
      }),
      vscode.window.onDidChangeWindowState(windowState),
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
        if ([...opened, ...closed].some(isPage)) {
          pages();
        }
      }),
    );
  }

  /** Reads all settings with one call: each takes a good part of a millisecond, and activation waits. */
  settings(): SettingsSource {
    return settingsOf(vscode.workspace.getConfiguration().inspect(this.brand.prefix), this.brand.fixed);
  }

  /** Sets a setting for the person. @throws Error if the settings file can't be written */
  async writeSetting(name: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration(this.brand.prefix).update(name, value, vscode.ConfigurationTarget.Global);
  }
}

/** Whether this is one of VS Code's own pages, such as a walkthrough: extensions don't learn which. */
function isPage({ input }: vscode.Tab): boolean {
  return input === undefined;
}
