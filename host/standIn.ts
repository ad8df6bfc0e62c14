import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, parseArgs } from 'node:util';
import { launchBrowser } from './browser';
import { DataFolder } from './dataFolder';
import { installHost } from './install';
import { ARTIFACTS } from './paths';
import { runScript } from './processes';
import { startServer } from './server';
import { hostVersion } from './versions';

/**
 * Takes the arguments that `runTests` gives to a desktop VS Code, and does with VS Code's server and a browser what that
 * would do: it loads the extension under development, runs its tests inside the extension host, and ends with their code.
 */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    // The flags among these are for the desktop alone: the server has no sandbox, no updates and no welcome.
    strict: false,
    allowPositionals: true,
    options: {
      extensionDevelopmentPath: { type: 'string' },
      extensionTestsPath: { type: 'string' },
      'user-data-dir': { type: 'string' },
      'extensions-dir': { type: 'string' },
    },
  });
  const text = (name: string): string => {
    const value = values[name];
    if (typeof value !== 'string') throw new Error(`The argument --${name}=… is missing.`);
    return value;
  };
  const host = await installHost(hostVersion());
  const data = await DataFolder.at(text('user-data-dir'), {}, text('extensions-dir'));
  const log = path.join(ARTIFACTS, `integration-${host.version.name}.log`);
  mkdirSync(ARTIFACTS, { recursive: true });
  writeFileSync(log, '');
  const server = await startServer({ host, data, smokeTestDriver: true });
  const browser = await launchBrowser();
  try {
    const profile = await browser.newProfile();
    let exit: (code: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => {
      exit = resolve;
    });
    await profile.context.exposeFunction('codeAutomationLog', (type: string, args: readonly unknown[]) => {
      const line = `${format(...args)}\n`;
      appendFileSync(log, `${type}: ${line}`);
      // The report of the tests. What is wrong with the network or the editor itself is in the file.
      if (type === 'info' || type === 'log') process.stdout.write(line);
    });
    await profile.context.exposeFunction('codeAutomationExit', exit);
    const remote = (file: string): string => `vscode-remote://127.0.0.1:${server.port}${file}`;
    const opening = profile.openWindow(server, {
      folder: positionals[0] ?? data.workspace,
      payload: [
        ['extensionDevelopmentPath', remote(text('extensionDevelopmentPath'))],
        ['extensionTestsPath', remote(text('extensionTestsPath'))],
      ],
    });
    // The tests may end before the window is seen to be complete.
    return await Promise.race([ended, opening.then(() => ended)]);
  } finally {
    await browser.close();
    await server.stop();
  }
}

runScript(main, (error) => error);
