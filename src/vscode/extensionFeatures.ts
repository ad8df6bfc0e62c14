import { bestEffort } from '../log';
import { configureService } from './configuration/configureService';
import type { Dependencies } from './dependencies';
import type { SettingsEditor } from './editor/settingsEditor';
import { createConfigurationTexts } from './texts/configurationTexts';
import type { L10n } from './texts/l10n';

/** What decides which steps of the walkthrough are done. */
type StepsDependencies = Pick<Dependencies, 'configuredService' | 'log'> & {
  readonly clientSecrets: Pick<Dependencies['clientSecrets'], 'get'>;
  readonly sessions: Pick<Dependencies['sessions'], 'list'>;
};

/** What only the extension has, and the library that other extensions embed doesn't. */
export interface ExtensionFeatures {
  /** Guides the person through the settings. Absent from a build for one service. */
  readonly configureService?: Dependencies['configureService'];
  /** Checks off the steps of the walkthrough that are done. */
  readonly checkOffSteps: (deps: StepsDependencies) => Promise<void>;
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
  const isConfigurable = commands.includes('configure');
  const marked = new Map<string, boolean>();
  const markStep = async (step: string, isDone: boolean): Promise<void> => {
    // The walkthrough of a build for one service has no such step.
    const exists = step !== 'configure' || isConfigurable;
    if (exists && marked.get(step) !== isDone) {
      marked.set(step, isDone);
      await editor.markStep(step, isDone);
    }
  };
  // One after the other: a look that began earlier may have seen less, so it mustn't have the last word.
  let last = Promise.resolve();
  return {
    configureService: isConfigurable
      ? (deps, options) =>
          configureService({ ...deps, configurationTexts: createConfigurationTexts(l10n), editor }, options)
      : undefined,
    checkOffSteps: async (deps) => {
      last = last.then(() => checkOffSteps(deps, markStep));
      await last;
    },
  };
}

/**
 * Checks off the steps of the walkthrough that are done, and the others no longer: after another service was configured,
 * nobody is signed in to it. VS Code's own events for that can only check off. So in the manifest, no event does
 * (`onContext:false`), because without any, a click on a step's button would.
 *
 * The last step is only to be read, and VS Code checks it off when it's opened. VS Code tells no provider whether an extension
 * gets the session that it asked for.
 */
async function checkOffSteps(
  { clientSecrets, configuredService, log, sessions }: StepsDependencies,
  markStep: (step: string, isDone: boolean) => Promise<void>,
): Promise<void> {
  await bestEffort(log, 'debug', "The walkthrough's steps can't be checked off", async () => {
    const service = configuredService();
    const isSignedIn = (await sessions.list()).length > 0;
    const hasSecret = isSignedIn || (service && (await clientSecrets.get(service))) !== undefined;
    await markStep('configure', service !== undefined && hasSecret);
    await markStep('signIn', isSignedIn);
  });
}
