import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { downloadAndUnzipVSCode, resolveCliPathFromVSCodeExecutablePath } from '@vscode/test-electron';
import { messageOf } from '../../host/commandLine';
import type { DataFolder } from '../../host/dataFolder';
import { hasDisplay } from '../../host/desktop';
import { editorEnvironment } from '../../host/environment';
import { installHost } from '../../host/install';
import { runProgram, startProgram } from '../../host/processes';
import { startGuardedServer } from '../../host/server';
import { find } from '../../host/systemPackages';
import { NEWEST } from '../../host/versions';
import { startLoginLink } from './loginLink';

/** How to open a VS Code for people. */
export interface EditorOptions {
  readonly data: DataFolder;
  /** Packages to install in it. */
  readonly extensions: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** A running VS Code. */
export interface RunningEditor {
  /** What to tell people about it, one line each. */
  readonly lines: readonly string[];
  /** Resolves when it has ended on its own. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * @param user of the port, such as `The service`
 * @param option of the command line that chooses another one
 * @throws Error with a message for people if another program is using this port
 */
export async function checkPort(port: number, user: string, option: string): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const problem = taken ? 'another program is using it' : String(error);
    throw new Error(`${user} can't listen on port ${port}: ${problem}. Choose another one with ${option}.`);
  });
  server.close();
  await once(server, 'close');
}

/** The command line of the VS Code that is installed on this machine. */
export function findDesktop(
  system: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  // On Windows, the file without an ending is for other shells.
  const name = system === 'win32' ? 'code.cmd' : 'code';
  return hasDisplay(system, environment) ? find({ anyOf: [name] }, environment) : undefined;
}

/**
 * The command line of a desktop VS Code, which is downloaded if none is installed.
 * @throws Error with a message for people if this machine can't have one
 */
export async function provideDesktop(): Promise<string> {
  const instead = 'use VS Code in a browser: npm start -- --host server';
  if (!hasDisplay())
    throw new Error(`A desktop VS Code can't be opened, because there is no display. Instead, ${instead}`);
  const installed = findDesktop();
  if (installed !== undefined) return installed;
  const downloaded = await downloadAndUnzipVSCode(NEWEST.vscode).catch((error: unknown) => {
    throw new Error(
      `A desktop VS Code isn't installed, and it couldn't be downloaded (${messageOf(error)}). Install one, or ${instead}`,
      { cause: error },
    );
  });
  return path.resolve(resolveCliPathFromVSCodeExecutablePath(downloaded));
}

/** Starts VS Code's server for any browser on this machine; it lets in those who know the password, or follow a link first. */
export async function openServer(port: number, { data, extensions, env }: EditorOptions): Promise<RunningEditor> {
  const host = await installHost(NEWEST);
  const { server, password } = await startGuardedServer({ host, data, extensions, env, port });
  const link = await startLoginLink(server.url, password);
  return {
    lines: [
      `VS Code: ${link.url} (this link works once)`,
      `Password: ${password} (for ${server.url}/ in another browser)`,
    ],
    ended: server.ended,
    stop: async () => {
      await link.close();
      await server.stop();
    },
  };
}

/** Opens a window of a desktop VS Code, given its command line. */
export async function openDesktop(program: string, { data, extensions, env }: EditorOptions): Promise<RunningEditor> {
  const folders = ['--user-data-dir', data.userData, '--extensions-dir', data.extensions];
  // Electron has no sandbox for root.
  const common = process.getuid?.() === 0 ? [...folders, '--no-sandbox'] : folders;
  const environment = editorEnvironment(env);
  const install = extensions.flatMap((file) => ['--install-extension', file]);
  await runProgram(program, [...common, ...install, '--force'], { env: environment });
  const window = ['--new-window', '--wait', '--disable-workspace-trust', data.workspace];
  const editor = await startProgram(program, [...common, ...window], { env: environment });
  return { lines: ['VS Code: desktop'], ended: editor.ended, stop: () => editor.stop() };
}
