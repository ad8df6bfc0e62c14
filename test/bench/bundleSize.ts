import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { InstalledHost } from '../host/install';
import { ROOT } from '../host/paths';
import { atMost, type Results } from './figure';
import { ratios, spreadOf } from './statistics';

const DIST = path.join(ROOT, 'dist');
/** The file that `package.json` names, which is loaded at the start. */
const MAIN = 'extension.js';

/** Bytes of the minified bundle, as it was packaged, beside VS Code's own GitHub provider. */
export function measureBundle(host: InstalledHost): Results {
  const theirs = statSync(path.join(host.vscode, 'extensions', 'github-authentication', 'dist', 'extension.js')).size;
  const sizes = new Map(
    readdirSync(DIST)
      .filter((name) => name.endsWith('.js'))
      .map((name) => [name, statSync(path.join(DIST, name)).size]),
  );
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const reference = { what: 'github-authentication', measured: spreadOf([theirs]) };
  const figure = (what: string, size: number): Results['figures'][number] => ({
    what,
    unit: 'bytes',
    measured: spreadOf([size]),
    reference,
    ratio: spreadOf(ratios([size], [theirs])),
    target: atMost(0.4, size / theirs),
  });
  return {
    figures: [
      figure('Size of the bundle, all of it', all),
      figure(`Size of the bundle that is loaded at the start (${MAIN})`, sizes.get(MAIN) ?? 0),
    ],
  };
}
