import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { InstalledHost } from '../host/install';
import { ROOT } from '../host/paths';
import { bundleAtStart } from './bundleAtStart';
import { bundleEmbedder } from './embedder';
import { compared, type Figure } from './report';

const LIMIT = 0.66;
/** The library has no more than the extension, and a little that only it has. */
const LIBRARY_LIMIT = 1.05;

/** Bytes of the minified bundles: the extension's beside VS Code's own GitHub provider, and the library's beside ours. */
export async function measureBundle({ vscode }: InstalledHost): Promise<Figure[]> {
  const [atStart, all] = [sizeOf((await bundleAtStart()).scripts), sizeOf(await allScripts())];
  const github = sizeOf([path.join(vscode, 'extensions', 'github-authentication', 'dist', 'extension.js')]);
  const embedder = Buffer.byteLength(await bundleEmbedder());
  return [
    compared(
      {
        what: 'Size of what’s loaded at the start, minified',
        unit: 'bytes',
        note: `With what’s loaded when a person first does something, or a request is first sent, it’s ${all.toLocaleString('en')} bytes.`,
      },
      [atStart],
      { what: 'github-authentication', values: [github] },
      LIMIT,
    ),
    compared(
      { what: 'Size of an extension that embeds the library and does nothing else, minified', unit: 'bytes' },
      [embedder],
      { what: 'all files of this extension', values: [all] },
      LIBRARY_LIMIT,
    ),
  ];
}

/** All scripts of the extension. */
async function allScripts(): Promise<readonly string[]> {
  const parts = path.join(ROOT, 'dist', 'extension');
  return [`${parts}.js`, ...(await readdir(parts)).map((name) => path.join(parts, name))];
}

function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}
