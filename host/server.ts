import { randomBytes } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DataFolder } from './dataFolder';
import { editorEnvironment } from './environment';
import { extensionHostsOf } from './processTable';
import type { InstalledHost } from './install';
import { type Program, runProgram, startProgram } from './processes';

/** How to start VS Code's server. */
export interface ServerOptions {
  readonly host: InstalledHost;
  readonly data: DataFolder;
  /** Packages to install. */
  readonly extensions?: readonly string[];
  /** Port on loopback; any free one if omitted. */
  readonly port?: number;
  /**
   * Lets mocha run inside the extension host. It also suppresses information messages, so it's off if a person's
   * view is tested.
   */
  readonly smokeTestDriver?: boolean;
  /** Whether folders are untrusted until the person says otherwise. They're trusted if omitted. */
  readonly workspaceTrust?: boolean;
  /** Further environment variables of the server and, through it, of extension hosts. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Leaves out built-in extensions that have nothing to do with signing in, such as those for languages: a window then
   * opens with a fifth less work. Those that are named here stay.
   */
  readonly fewBuiltIn?: readonly string[];
  /** Folder of extensions that take the place of VS Code's own. */
  readonly builtIn?: string;
}

/** A running VS Code server, on loopback. */
export class Server {
  /** Address of the workbench, without a path. */
  readonly url: string;

  constructor(
    readonly host: InstalledHost,
    readonly data: DataFolder,
    readonly port: number,
    private readonly program: Program,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Resolves when it has ended. */
  get ended(): Promise<number> {
    return this.program.ended;
  }

  /** Process IDs of its extension hosts, one for each window. */
  extensionHosts(): number[] {
    return extensionHostsOf(this.program.pid);
  }

  /** Installs packages while it runs, or updates what's installed. Windows that open from now on have them. */
  install(...extensions: readonly string[]): Promise<void> {
    return installExtensions(this.host, this.data, extensions);
  }

  /** Ends it with all of its extension hosts. Idempotent. */
  stop(): Promise<void> {
    return this.program.stop();
  }
}

/** A server on a busy machine takes some seconds to start; one that takes longer than this does not start. */
const START_LIMIT = 60_000;
/** What it says of packages that it installs while it starts. */
const ONE_INSTALLED = 'was successfully installed\\.';
const NOT_INSTALLED = 'Failed Installing Extensions';
const SIGN_IN_EXTENSIONS = ['theme-defaults', 'theme-seti', 'github-authentication', 'microsoft-authentication'];

/**
 * Starts VS Code's own server, for tests. It lets every process of this machine in, and secrets last only while
 * `/mint-key` is answered for it.
 * @throws Error with what it printed if it doesn't start, or doesn't install a package
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { host, data, extensions = [] } = options;
  const builtIn = options.builtIn ?? (options.fewBuiltIn && (await linkFewBuiltIn(host, data, options.fewBuiltIn)));
  const args = [
    host.server,
    '--host',
    '127.0.0.1',
    '--port',
    String(options.port ?? 0),
    '--without-connection-token',
    '--accept-server-license-terms',
    '--telemetry-level',
    'off',
    ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
    ...folderArguments(data),
    ...(options.smokeTestDriver === true ? ['--enable-smoke-test-driver'] : []),
    ...(builtIn === undefined ? [] : ['--builtin-extensions-dir', builtIn]),
    // A process that only installs would cost as much as the start.
    ...(extensions.length === 0 ? [] : ['--start-server', ...installArguments(extensions)]),
  ];
  const program = await startProgram(host.node, args, { env: editorEnvironment(options.env) });
  const server = await listening(options, program, /Extension host agent listening on (\d+)/);
  try {
    await untilInstalled(program, extensions.length);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/**
 * Starts the server with code-server's wrapper around it, for people: it asks for a password, made at random, and keeps
 * secrets over a reload.
 * @throws Error with what it printed if it doesn't start.
 */
export async function startGuardedServer(
  options: ServerOptions,
): Promise<{ readonly server: Server; readonly password: string }> {
  const { host, data } = options;
  await installExtensions(host, data, options.extensions ?? []);
  const password = randomBytes(15).toString('base64url');
  const config = path.join(data.root, 'code-server.json');
  const texts = path.join(data.root, 'texts.json');
  // JSON is YAML. In a file of this user's rather than in the environment, which extension hosts inherit.
  await writeFile(config, JSON.stringify({ auth: 'password', password, cert: false }), { mode: 0o600 });
  // Its own text sends people to the file above.
  await writeFile(texts, JSON.stringify({ LOGIN_PASSWORD: 'Enter the password that npm start printed.' }));
  const args = [
    host.wrapper,
    '--config',
    config,
    '--i18n',
    texts,
    '--bind-addr',
    `127.0.0.1:${options.port ?? 0}`,
    '--user-data-dir',
    data.userData,
    '--extensions-dir',
    data.extensions,
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-workspace-trust',
    '--disable-proxy',
    '--disable-getting-started-override',
    '--ignore-last-opened',
    data.workspace,
  ];
  // Otherwise it keeps logs and an ID of the machine in the home folder.
  const folders = { XDG_RUNTIME_DIR: data.root, XDG_DATA_HOME: data.root, XDG_CACHE_HOME: data.root };
  const env = editorEnvironment({ ...options.env, ...folders });
  const program = await startProgram(host.node, args, { env });
  return {
    server: await listening(options, program, /HTTP server listening on http:\/\/127\.0\.0\.1:(\d+)/),
    password,
  };
}

/** Makes a folder that has only some of the built-in extensions. */
async function linkFewBuiltIn(
  { vscode }: InstalledHost,
  { root }: DataFolder,
  further: readonly string[],
): Promise<string> {
  const folder = path.join(root, 'built-in');
  await mkdir(folder);
  for (const name of [...SIGN_IN_EXTENSIONS, ...further])
    await symlink(path.join(vscode, 'extensions', name), path.join(folder, name));
  return folder;
}

/** The server that this program is, as soon as it listens. */
async function listening({ host, data }: ServerOptions, program: Program, announced: RegExp): Promise<Server> {
  try {
    const [, port] = await program.printed(announced, START_LIMIT);
    return new Server(host, data, Number(port), program);
  } catch (error) {
    await program.stop();
    throw error;
  }
}

/** Installs packages as a person would. */
async function installExtensions(host: InstalledHost, data: DataFolder, extensions: readonly string[]): Promise<void> {
  if (extensions.length === 0) return;
  await runProgram(host.node, [host.server, ...installArguments(extensions), ...folderArguments(data)], {
    env: editorEnvironment(),
  });
}

function installArguments(extensions: readonly string[]): string[] {
  return [...extensions.flatMap((file) => ['--install-extension', file]), '--force'];
}

/** Waits until a server that has started has installed so many packages: windows that open before may lack them. */
async function untilInstalled(program: Program, count: number): Promise<void> {
  const end = new RegExp(`(?:${ONE_INSTALLED}[^]*?){${count}}|${NOT_INSTALLED}`);
  const [said] = await program.printed(end, START_LIMIT);
  if (said === NOT_INSTALLED) throw new Error(`A package couldn't be installed:\n${program.output().slice(-5_000)}`);
}

function folderArguments(data: DataFolder): string[] {
  return ['--server-data-dir', data.server, '--extensions-dir', data.extensions];
}
