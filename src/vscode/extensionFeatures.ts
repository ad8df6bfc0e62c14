import { bestEffort } from '../log';
import { configureService } from './configuration/configureService';
import type { Dependencies } from './dependencies';
import type { SettingsEditor } from './editor/settingsEditor';
import { createConfigurationTexts } from './texts/configurationTexts';
import type { L10n } from './texts/l10n';

/** What only the extension has, and the library that other extensions embed doesn't. */
export interface ExtensionFeatures {
  /** Guides the person through the settings. Absent from a build for one service. */
  readonly configureService?: Dependencies['configureService'];
  /** Checks off the steps of the walkthrough that are done. */
  readonly checkOffSteps: (deps: Pick<Dependencies, 'configured' | 'log' | 'secrets' | 'sessions'>) => Promise<void>;
}

/**
 * @param commands those that people have, without the prefix
 * @param l10n looks up translations
 */
export function extensionFeatures(
  commands: readonly string[],
  editor: Pick<SettingsEditor, keyof SettingsEditor>,
  l10n: L10n,
): ExtensionFeatures {
  const configurationTexts = createConfigurationTexts(l10n);
  return {
    configureService: commands.includes('configure')
      ? (deps, signal) => configureService({ ...deps, configurationTexts, editor }, signal)
      : undefined,
    checkOffSteps: (deps) => checkOffSteps({ ...deps, editor }),
  };
}

/**
 * Checks off the steps of the walkthrough that are done: the service is configured, somebody is signed in. VS Code
 * checks off what becomes true while it knows the steps, but not what was true before, so nothing is true until the
 * page is shown.
 */
async function checkOffSteps({
  configured,
  editor,
  log,
  secrets,
  sessions,
}: Pick<Dependencies, 'configured' | 'log' | 'secrets' | 'sessions'> & {
  readonly editor: Pick<SettingsEditor, 'setContext' | 'showsPage'>;
}): Promise<void> {
  await bestEffort(log, 'debug', "The walkthrough's steps can't be checked off", async () => {
    const service = editor.showsPage ? configured() : undefined;
    const isSignedIn = editor.showsPage && (await sessions.list()).length > 0;
    editor.setContext('signedIn', isSignedIn);
    const hasSecret = isSignedIn || (service && (await secrets.get(service))) !== undefined;
    editor.setContext('configured', service !== undefined && hasSecret);
  });
}
