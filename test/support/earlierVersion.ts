import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../../scripts/host/paths';
import { runProgram } from '../../scripts/host/processes';

/**
 * The last commit before the folders of `src` were rearranged and the format of session records changed. People may still
 * have its packages.
 */
const COMMIT = '28c05449c41dd4d5aa3762ff1c8d752dcc5d8c55';

/** Its sources are here, with its package when that is made. Not under version control. */
const EARLIER = path.join(ROOT, 'dist', `earlier-${COMMIT.slice(0, 7)}`);

/**
 * Makes the package of the extension as it was at that commit, unless it's there, from the history of this repository.
 * @returns the path of the VSIX
 * @throws Error that says how to get the history if this clone has none
 */
export async function packEarlierExtension(): Promise<string> {
  await provideSources();
  return path.join(EARLIER, 'dist', 'device-flow-authentication.vsix');
}

/**
 * Makes the package of a publisher as it was built at that commit.
 * @param file the publisher's description, without the fields that are newer
 * @returns the path of the VSIX
 */
export async function packEarlierForService(file: string): Promise<string> {
  await provideSources();
  await makePackage(EARLIER, '--service', file);
  const { name } = JSON.parse(await readFile(file, 'utf8')) as { readonly name: string };
  return path.join(EARLIER, 'dist', `${name}.vsix`);
}

async function provideSources(): Promise<void> {
  if (existsSync(EARLIER)) return;
  await mkdir(path.dirname(EARLIER), { recursive: true });
  const unfinished = await mkdtemp(`${EARLIER}-`);
  try {
    const archive = path.join(unfinished, 'sources.tar');
    await runProgram('git', ['archive', '--output', archive, COMMIT], { cwd: ROOT }).catch((error: unknown) => {
      throw new Error(
        `The package of commit ${COMMIT.slice(0, 7)} is made from this repository's history, and it isn't there. ` +
          'Run: git fetch --unshallow',
        { cause: error },
      );
    });
    await runProgram('tar', ['-xf', archive, '-C', unfinished]);
    await symlink(path.join(ROOT, 'node_modules'), path.join(unfinished, 'node_modules'), 'junction');
    // What makes packages of publishers was compiled then; bundling it takes no time.
    await build({
      entryPoints: [path.join(unfinished, 'test', 'package', 'cli.ts')],
      outfile: path.join(unfinished, 'out', 'test', 'package', 'cli.js'),
      bundle: true,
      platform: 'node',
      packages: 'external',
      logLevel: 'silent',
    });
    await makePackage(unfinished);
    await rename(unfinished, EARLIER);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Runs `npm run package` as it was then. */
async function makePackage(folder: string, ...args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEVICE_FLOW_COMPILED: 'yes' };
  await runProgram(process.execPath, [path.join('test', 'bootstrap.js'), 'package', ...args], { cwd: folder, env });
}
