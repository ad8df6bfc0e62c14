/** A version of VS Code that the tests run in, and where its server comes from. */
export interface HostVersion {
  readonly name: 'newest' | 'oldest';
  /** Version of VS Code. */
  readonly vscode: string;
  /** Version of the npm package `code-server`, which carries that version's server and workbench. */
  readonly codeServer: string;
  /** Version of Node.js that this server is made for. */
  readonly node: string;
  /** What npm needs to be told to install the server's own dependencies. */
  readonly npmArguments: readonly string[];
  /** Whether its workbench keeps the path of a page of this machine that it opens, or opens one address for all. */
  readonly keepsPaths: boolean;
  /** The dependencies that are compiled on this machine. */
  readonly nativeModules: readonly string[];
}

/** Names the environment variable that tells tests which version to run in: `newest` or `oldest`. */
export const VERSION_VARIABLE = 'DEVICE_FLOW_VSCODE';

/** The newest version of VS Code that the tests know. */
export const NEWEST: HostVersion = {
  name: 'newest',
  vscode: '1.139.1',
  codeServer: '4.139.1',
  node: '24.21.0',
  npmArguments: [],
  keepsPaths: true,
  nativeModules: ['@vscode/spdlog', '@vscode/native-watchdog'],
};

/** The oldest version of VS Code that the extension supports: that of `engines.vscode`. */
export const OLDEST: HostVersion = {
  name: 'oldest',
  vscode: '1.103.2',
  codeServer: '4.103.2',
  node: '22.23.3',
  // Its dependencies disagree on a peer that none of them needs here.
  npmArguments: ['--legacy-peer-deps'],
  keepsPaths: false,
  nativeModules: ['@vscode/spdlog', 'native-watchdog'],
};

/**
 * The version that the environment names, or the newest one.
 * @throws RangeError if there is none of this name.
 */
export function hostVersion(): HostVersion {
  const name = process.env[VERSION_VARIABLE] ?? NEWEST.name;
  const found = [NEWEST, OLDEST].find((version) => version.name === name);
  if (found === undefined) throw new RangeError(`There is no version "${name}"; there are "newest" and "oldest".`);
  return found;
}

/** How a report names what it ran in. */
export function describeServer(version: HostVersion): string {
  return `VS Code ${version.vscode}, server host (code-server ${version.codeServer}, Node ${version.node})`;
}
