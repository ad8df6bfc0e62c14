import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './paths';
import { runProgram } from './processes';

/** What the manifests of these extensions have in common. */
const COMMON = {
  version: '0.1.0',
  publisher: 'device-flow-sample',
  license: 'MIT',
  private: true,
  engines: { vscode: '^1.103.0' },
  categories: ['Other'],
  extensionKind: ['ui', 'workspace'],
  capabilities: { untrustedWorkspaces: { supported: true }, virtualWorkspaces: true },
  main: './extension.js',
};
/** What the walkthrough of an extension shows, if it has one. */
const WALKTHROUGH = 'walkthrough.md';

/**
 * Packages an extension that is only for trying out or testing: the rest of its manifest is in this folder, and its sources
 * were compiled before. If the package is newer than all of these it stays. Resolves with its path. Several runs may package the same
 * at the same time.
 */
export async function packExtension(folder: string): Promise<string> {
  const dist = path.join(ROOT, 'dist');
  const name = folder.split(path.sep).join('-');
  const vsix = path.join(dist, `${name}.vsix`);
  const compiled = path.join(ROOT, 'out', folder);
  const manifest = path.join(ROOT, folder, 'manifest.json');
  const hasWalkthrough = (await readdir(path.join(ROOT, folder))).includes(WALKTHROUGH);
  const sources = [
    path.join(ROOT, 'LICENSE'),
    ...(await readdir(compiled)).filter((file) => file.endsWith('.js')).map((file) => path.join(compiled, file)),
    ...(hasWalkthrough ? [path.join(ROOT, folder, WALKTHROUGH)] : []),
  ];
  if (await isNewer(vsix, [...sources, manifest, compiled, __filename])) return vsix;

  await mkdir(dist, { recursive: true });
  const staging = await mkdtemp(path.join(dist, `${name}-`));
  try {
    for (const file of sources) await copyFile(file, path.join(staging, path.basename(file)));
    const own = JSON.parse(await readFile(manifest, 'utf8')) as object;
    const packed = { ...COMMON, files: ['*.js', ...(hasWalkthrough ? [WALKTHROUGH] : [])], ...own };
    await writeFile(path.join(staging, 'package.json'), JSON.stringify(packed));
    const vsce = path.join(ROOT, 'node_modules', '@vscode', 'vsce', 'vsce');
    const args = [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '-o', `${staging}.vsix`];
    await runProgram(process.execPath, args, { cwd: staging });
    await rename(`${staging}.vsix`, vsix);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return vsix;
}

/** Whether a file is there, and was changed after all of these. */
async function isNewer(file: string, others: readonly string[]): Promise<boolean> {
  const changed = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  if (changed === undefined) return false;
  return (await Promise.all(others.map((other) => stat(other)))).every(({ mtimeMs }) => mtimeMs < changed);
}
