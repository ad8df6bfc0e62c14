import { commands, ConfigurationTarget, workspace } from 'vscode';
import { bestEffort, type Log } from '../../log';
import type { Brand } from '../brand';
import type { Disposable } from '../../event';
import { VscodeEditor } from './editor';
import { valueAt } from '../../fields';
import { settingsOf, type SettingsSource } from './settingsSource';

/** ID of the walkthrough in the manifest. */
const WALKTHROUGH = 'firstSteps';

/** VS Code as the extension uses it: people configure the service in settings, and there's a walkthrough. */
export class SettingsEditor extends VscodeEditor {
  constructor(
    log: Log,
    private readonly brand: Pick<Brand, 'extensionId' | 'prefix' | 'providerId' | 'fixed'>,
  ) {
    const own = (name: string): string => `${brand.prefix}.${name}`;
    super(log, { providerId: brand.providerId, command: own, contextKey: own });
  }

  /** The settings as they are now, not validated. One call reads all: each takes a good part of a millisecond, and activation waits. */
  settings(): SettingsSource {
    return settingsOf(workspace.getConfiguration().inspect(this.brand.prefix), this.brand.fixed);
  }

  /** What the person has set, not validated. */
  ownSettings(): SettingsSource {
    const all = workspace.getConfiguration().inspect(this.brand.prefix);
    return (name) => valueAt(all?.globalValue, name);
  }

  /** Calls back after each change of the settings. */
  onDidChangeSettings(listener: () => void): Disposable {
    return workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(this.brand.prefix)) {
        listener();
      }
    });
  }

  /** Checks off a step of the walkthrough. */
  async checkOff(step: string): Promise<void> {
    const name = `${this.brand.extensionId}#${WALKTHROUGH}#${step}`;
    const execute = () => commands.executeCommand('welcome.markStepComplete', name);
    // Other editors have no walkthroughs.
    await bestEffort(this.log, 'debug', "A step of the walkthrough can't be checked off", execute);
  }

  /** Sets a setting for the person. @throws Error if the settings file can't be written */
  async writeSetting(name: string, value: unknown): Promise<void> {
    await workspace.getConfiguration(this.brand.prefix).update(name, value, ConfigurationTarget.Global);
  }
}
