import { statSync } from 'node:fs';
import path from 'node:path';
import type { InstalledHost } from '../host/install';
import { ROOT } from '../host/paths';
import { bundleEmbedder } from './embedder';
import { compared, type Figure } from './report';

const LIMIT = 0.7;
/** The library has no more than the extension, and a little that only it has. */
const LIBRARY_LIMIT = 1.05;

/** Bytes of the minified bundles: the extension's beside VS Code's own GitHub provider, and the library's beside ours. */
export async function measureBundle({ vscode }: InstalledHost): Promise<Figure[]> {
  const [ours = 0, theirs = 0] = [ROOT, path.join(vscode, 'extensions', 'github-authentication')].map(
    (folder) => statSync(path.join(folder, 'dist', 'extension.js')).size,
  );
  const embedder = Buffer.byteLength(await bundleEmbedder());
  return [
    compared(
      { what: 'Size of the bundle, minified', unit: 'bytes' },
      [ours],
      { what: 'github-authentication', values: [theirs] },
      LIMIT,
    ),
    compared(
      { what: 'Size of an extension that embeds the library and does nothing else, minified', unit: 'bytes' },
      [embedder],
      { what: 'this extension', values: [ours] },
      LIBRARY_LIMIT,
    ),
  ];
}
