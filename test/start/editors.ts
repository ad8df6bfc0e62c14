import path from 'node:path';
import { downloadAndUnzipVSCode, resolveCliPathFromVSCodeExecutablePath } from '@vscode/test-electron';
import type { DataFolder } from '../host/dataFolder';
import { editorEnvironment } from '../host/environment';
import { installHost } from '../host/install';
import { runProgram, startProgram } from '../host/processes';
import { startGuardedServer } from '../host/server';
import { find } from '../host/systemPackages';
import { NEWEST } from '../host/versions';

/** An editor for people, with everything that it needs to be opened with. */
export interface EditorOptions {
  readonly data: DataFolder;
  readonly extensions: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Port of a server; any free one where left out. */
  readonly port?: number | undefined;
}

/** An editor that runs. */
export interface RunningEditor {
  /** What to tell the person about it, one line each. */
  readonly lines: readonly string[];
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts VS Code's server; whoever knows the password gets in, with any browser on this machine. */
export async function openServer(options: EditorOptions): Promise<RunningEditor> {
  const host = await installHost(NEWEST);
  const { data, extensions, env, port } = options;
  const server = await startGuardedServer({ host, data, extensions, env, ...(port === undefined ? {} : { port }) });
  return {
    lines: [`VS Code: ${server.url}/`, `VS Code asks for this password: ${server.password ?? ''}`],
    ended: server.ended,
    stop: () => server.stop(),
  };
}

/** Opens the VS Code that is installed, or one that is downloaded, with a window on this machine's display. */
export async function openDesktop({ data, extensions, env }: EditorOptions): Promise<RunningEditor> {
  const program = find({ anyOf: ['code'] }) ?? (await download());
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

/** Downloads VS Code unless it is there, and resolves with the path of its command line. */
async function download(): Promise<string> {
  const executable = await downloadAndUnzipVSCode(NEWEST.vscode);
  return path.resolve(resolveCliPathFromVSCodeExecutablePath(executable));
}
