import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { InstalledHost } from '../host/install';
import { ROOT } from '../host/paths';
import { atMost, type Results } from './figure';
import { ratios, spreadOf } from './statistics';

const DIST = path.join(ROOT, 'dist');

/** Bytes of the minified bundle, as it was packaged, beside VS Code's own GitHub provider. */
export function measureBundle(host: InstalledHost): Results {
  const theirs = statSync(path.join(host.vscode, 'extensions', 'github-authentication', 'dist', 'extension.js')).size;
  const all = readdirSync(DIST)
    .filter((name) => name.endsWith('.js'))
    .reduce((sum, name) => sum + statSync(path.join(DIST, name)).size, 0);
  return {
    figures: [
      {
        what: 'Size of the bundle, minified',
        unit: 'bytes',
        measured: spreadOf([all]),
        reference: { what: 'github-authentication', measured: spreadOf([theirs]) },
        ratio: spreadOf(ratios([all], [theirs])),
        target: atMost(0.4, all / theirs),
        note: whereTheBytesAre(),
      },
    ],
  };
}

/** In words, the largest part first, from what the bundling left. */
function whereTheBytesAre(): string {
  const parts = JSON.parse(readFileSync(path.join(DIST, 'sizes.json'), 'utf8')) as Record<string, number>;
  return Object.entries(parts)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([from, bytes]) => `${from} ${bytes.toLocaleString('en')}`)
    .join(', ');
}
