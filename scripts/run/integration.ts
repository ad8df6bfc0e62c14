import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { DataFolder } from '../../host/dataFolder';
import { type HostKind, possibleHost } from '../../host/desktop';
import { ROOT } from '../../host/paths';
import { describeServer, type HostVersion, VERSION_VARIABLE } from '../../host/versions';
import { provideEditor, providePackages } from './provided';
import { withResults } from './results';
import type { Step } from './step';

/**
 * The integration tests in one version of VS Code.
 *
 * @param asked the kind of host to run in; the best that this machine can have if omitted
 */
export async function runIntegration(version: HostVersion, asked: HostKind | undefined): Promise<Step> {
  const kind = asked ?? (await possibleHost());
  return {
    on: kind === 'desktop' ? `VS Code ${version.vscode}, desktop host` : describeServer(version),
    editor: 'one window',
    // It loads the bundle, which is made anew for the package.
    prepare: () => (kind === 'server' ? provideEditor(version) : providePackages()),
    run: async () => {
      const results = await withResults(async (env) => {
        const data = await DataFolder.create();
        try {
          await runTests({
            ...(kind === 'desktop'
              ? { version: version.vscode }
              : { vscodeExecutablePath: path.join(ROOT, 'host', 'vscode-cli') }),
            extensionDevelopmentPath: ROOT,
            extensionTestsPath: path.join(ROOT, 'out', 'test', 'integration', 'index'),
            launchArgs: [
              `--user-data-dir=${data.userData}`,
              `--extensions-dir=${data.extensions}`,
              // A desktop's keyring is none of the tests' business, and may ask for a password.
              '--use-inmemory-secretstorage',
            ],
            extensionTestsEnv: { ...env, [VERSION_VARIABLE]: version.name },
          });
          return true;
        } catch (error) {
          console.error(error instanceof Error ? error.message : error);
          return false;
        } finally {
          await data.delete();
        }
      });
      // What they print was shown while they ran: `runTests` does not hand it over.
      return { ...results, output: '' };
    },
  };
}
