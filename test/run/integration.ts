import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { type HostKind, possibleHost, writeDesktopSettings } from '../host/desktop';
import { ROOT } from '../host/paths';
import { describeServer, type HostVersion, VERSION_VARIABLE } from '../host/versions';
import { provideEditor } from './provided';
import { withResults } from './results';
import type { Step } from './stages';

/**
 * The integration tests in one version of VS Code.
 *
 * @param asked the kind of host to run in; the best that this machine can have where left out
 */
export async function runIntegration(version: HostVersion, asked: HostKind | undefined): Promise<Step> {
  const kind = asked ?? (await possibleHost());
  return {
    on: kind === 'desktop' ? `VS Code ${version.vscode}, desktop host` : describeServer(version),
    editor: 'robust',
    run: async () => {
      if (kind === 'server') await provideEditor(version);
      const results = await withResults(async (env) => {
        const profile = await mkdtemp(path.join(os.tmpdir(), 'device-flow-vscode-'));
        const userData = path.join(profile, 'user-data');
        try {
          if (kind === 'desktop') await writeDesktopSettings(userData);
          await runTests({
            ...(kind === 'desktop'
              ? { version: version.vscode }
              : { vscodeExecutablePath: path.join(ROOT, 'test', 'host', 'vscode-cli') }),
            extensionDevelopmentPath: ROOT,
            extensionTestsPath: path.join(ROOT, 'out', 'test', 'integration', 'index'),
            launchArgs: [`--user-data-dir=${userData}`, `--extensions-dir=${path.join(profile, 'extensions')}`],
            extensionTestsEnv: { ...env, [VERSION_VARIABLE]: version.name },
          });
          return true;
        } catch (error) {
          console.error(error instanceof Error ? error.message : error);
          return false;
        } finally {
          await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
        }
      });
      // What they print was shown while they ran: `runTests` does not hand it over.
      return { results, output: '' };
    },
  };
}
