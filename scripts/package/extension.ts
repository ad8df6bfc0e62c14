import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT, VSIX } from '../../host/paths';
import { runProgram } from '../../host/processes';
import { VSCE } from './packager';
import { type Repository, repositoryFields } from './repository';
import { storePage } from './storePage';

/** What's packaged as it is, beside the manifest, its texts, and the page for the stores. `.vscodeignore` says what of it. */
const KEPT = [
  '.vscodeignore',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  path.join('dist', 'extension.js'),
  path.join('dist', 'THIRD_PARTY_NOTICES.txt'),
  'l10n',
  'media',
];

/** The texts of the manifest, in all languages. */
const TEXTS = /^package\.nls.*\.json$/;

/**
 * Packages the extension, which must have been bundled.
 * @param repository what the manifest and the links of the store page lead to
 * @param vsix the file that gets the package
 * @throws Error if the packager fails or warns: users of the extension would see the cause of a warning
 */
export async function packageExtension(repository: Repository | undefined, vsix = VSIX): Promise<void> {
  const staging = await mkdtemp(path.join(os.tmpdir(), 'device-flow-package-'));
  try {
    const texts = (await readdir(ROOT)).filter((name) => TEXTS.test(name));
    for (const name of [...KEPT, ...texts])
      await cp(path.join(ROOT, name), path.join(staging, name), { recursive: true });
    const page = await readFile(path.join(ROOT, 'docs', 'marketplace.md'), 'utf8');
    await writeFile(path.join(staging, 'README.md'), storePage(page, repository));
    const packaged = { ...manifestWithoutTools(), ...repositoryFields(repository) };
    await writeFile(path.join(staging, 'package.json'), JSON.stringify(packaged, undefined, 2));
    await mkdir(path.dirname(vsix), { recursive: true });
    // The page has only links that work in the stores, and the changelog has none.
    const options = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
    const output = await runProgram(process.execPath, [VSCE, 'package', ...options, '-o', `${vsix}.new`], {
      cwd: staging,
      show: true,
    });
    if (/\bwarning\b/i.test(output)) throw new Error('The packager reported a warning; see above.');
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  // Whoever is reading the old package can read it to its end.
  await rename(`${vsix}.new`, vsix);
}

/** The manifest without what only a clone needs. */
export function manifestWithoutTools(): object {
  return Object.fromEntries(
    Object.entries(manifest).filter(([name]) => !['devDependencies', 'scripts'].includes(name)),
  );
}
