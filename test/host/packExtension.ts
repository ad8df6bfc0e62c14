import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './paths';
import { runProgram } from './processes';

/**
 * Packages a test's own extension: `package.json` and `README.md` of this folder below `test`, and its sources, compiled
 * before. Resolves with the package's path. Several runs may package the same at the same time.
 */
export async function packExtension(folder: string): Promise<string> {
  const dist = path.join(ROOT, 'dist');
  await mkdir(dist, { recursive: true });
  const name = folder.split(path.sep).join('-');
  const staging = await mkdtemp(path.join(dist, `${name}-`));
  const vsix = path.join(dist, `${name}.vsix`);
  try {
    for (const file of ['package.json', 'README.md']) {
      await copyFile(path.join(ROOT, 'test', folder, file), path.join(staging, file));
    }
    await copyFile(path.join(ROOT, 'LICENSE'), path.join(staging, 'LICENSE'));
    const compiled = path.join(ROOT, 'out', 'test', folder);
    for (const file of (await readdir(compiled)).filter((one) => one.endsWith('.js'))) {
      await copyFile(path.join(compiled, file), path.join(staging, file));
    }
    const vsce = path.join(ROOT, 'node_modules', '@vscode', 'vsce', 'vsce');
    const args = [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '-o', `${staging}.vsix`];
    await runProgram(process.execPath, args, { cwd: staging });
    await rename(`${staging}.vsix`, vsix);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return vsix;
}
