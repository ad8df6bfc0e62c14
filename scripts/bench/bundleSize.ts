import { statSync } from 'node:fs';
import path from 'node:path';
import type { InstalledHost } from '../host/install';
import { ROOT } from '../host/paths';
import { compared, type Figure } from './report';

const LIMIT = 0.7;

/** Bytes of the minified bundle, as it was packaged, beside VS Code's own GitHub provider. */
export function measureBundle({ vscode }: InstalledHost): Promise<Figure[]> {
  const [ours, theirs] = [ROOT, path.join(vscode, 'extensions', 'github-authentication')].map((folder) => [
    statSync(path.join(folder, 'dist', 'extension.js')).size,
  ]);
  const what = { what: 'Size of the bundle, minified', unit: 'bytes' } as const;
  return Promise.resolve([compared(what, ours ?? [], { what: 'github-authentication', values: theirs ?? [] }, LIMIT)]);
}
