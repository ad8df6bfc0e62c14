import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import pRetry, { type Options } from 'p-retry';
import { runProgram } from './processes';

/** Something the machine must have: any of these programs will do. */
export interface SystemProgram {
  /** What a person would call it. */
  readonly title: string;
  /** Names or absolute paths; the first found is taken. */
  readonly anyOf: readonly string[];
  /** The package that brings it on Debian and its like. */
  readonly debianPackage: string;
}

/** A browser that Playwright can drive. Without a window of its own, it opens a page with a quarter less work. */
export const CHROMIUM: SystemProgram = {
  title: 'the browser Chromium',
  anyOf: [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  debianPackage: 'chromium-headless-shell',
};

/** What compiles the native modules of VS Code's server. */
export const BUILD_TOOLS: readonly SystemProgram[] = [
  { title: 'Python 3', anyOf: ['python3'], debianPackage: 'python3' },
  { title: 'make', anyOf: ['make', 'gmake'], debianPackage: 'make' },
  { title: 'a C++ compiler', anyOf: ['g++', 'c++', 'clang++'], debianPackage: 'g++' },
];

/** How long an installation waits for another one. Seconds. */
const LOCK_PATIENCE = 300;

/** How to do again what needs the network, and say so. */
export const TRY_AGAIN: Options = {
  minTimeout: 3_000,
  onFailedAttempt: ({ error, retriesLeft }) => {
    process.stderr.write(`${error.message}\n${retriesLeft > 0 ? 'Trying again…\n' : ''}`);
  },
};

/**
 * The paths of these programs, in their order. What's missing is installed if this runs as root on Debian.
 * @throws Error that names each missing program and the package to install, if it can't be installed from here.
 */
export async function providePrograms(programs: readonly SystemProgram[]): Promise<string[]> {
  const missing = programs.filter((program) => find(program) === undefined);
  if (missing.length > 0) await install(missing);
  return programs.map((program) => {
    const found = find(program);
    if (found === undefined) throw new Error(`${program.title} is still missing after its package was installed.`);
    return found;
  });
}

async function install(missing: readonly SystemProgram[]): Promise<void> {
  const packages = missing.map((program) => program.debianPackage);
  const apt = find({ anyOf: ['apt-get'] });
  if (apt === undefined || process.getuid?.() !== 0) {
    throw new Error(
      `This machine lacks ${missing.map((program) => program.title).join(', ')}. ` +
        `Please install it and try again; on Debian or Ubuntu: sudo apt-get install ${packages.join(' ')}`,
    );
  }
  process.stderr.write(`Installing ${packages.join(', ')} with apt-get…\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Another installation may be running, of this process too.
  const options = ['-q', '-o', `DPkg::Lock::Timeout=${LOCK_PATIENCE}`];
  const installing = async (): Promise<void> => {
    await runProgram(apt, ['update', ...options], { env });
    await runProgram(apt, ['install', ...options, '-y', '--no-install-recommends', ...packages], { env });
  };
  await pRetry(installing, { ...TRY_AGAIN, retries: 4 });
}

/** The path of a program, or `undefined` if this machine lacks it. */
export function find(
  program: Pick<SystemProgram, 'anyOf'>,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const folders = (environment['PATH'] ?? '').split(path.delimiter);
  const candidates = program.anyOf.flatMap((name) =>
    path.isAbsolute(name) ? [name] : folders.map((folder) => path.join(folder, name)),
  );
  return candidates.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Every reason for which it can't be run is the same here.
    return false;
  }
}
