import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import type { InstalledHost } from '../host/install';
import { ROOT } from '../host/paths';
import { atMost, type Results } from './figure';
import { spreadOf } from './statistics';

const DIST = path.join(ROOT, 'dist');
const LIMIT = 0.7;

/** Bytes of the minified bundle, as it was packaged, beside VS Code's own GitHub provider. */
export function measureBundle(host: InstalledHost): Results {
  const ours = statSync(path.join(DIST, 'extension.js')).size;
  const theirs = statSync(path.join(host.vscode, 'extensions', 'github-authentication', 'dist', 'extension.js')).size;
  return {
    figures: [
      {
        what: 'Size of the bundle, minified',
        unit: 'bytes',
        measured: spreadOf([ours]),
        reference: { what: 'github-authentication', measured: spreadOf([theirs]) },
        ratio: spreadOf([ours / theirs]),
        target: atMost(LIMIT, ours / theirs),
        note: `By where it comes from: ${origins()}.`,
      },
    ],
  };
}

/** Bytes by where they come from, a package or a folder of the sources, in words, the largest part first. */
function origins(): string {
  const { outputs } = JSON.parse(readFileSync(path.join(DIST, 'meta.json'), 'utf8')) as Metafile;
  const sums = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(outputs['dist/extension.js']?.inputs ?? {})) {
    const from = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? /^src\/[^/]+/.exec(input)?.[0] ?? input;
    sums.set(from, (sums.get(from) ?? 0) + bytesInOutput);
  }
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .map(([from, bytes]) => `${from} ${bytes.toLocaleString('en')}`)
    .join(', ');
}
