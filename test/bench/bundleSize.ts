import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { InstalledHost } from '../host/install';
import { ROOT } from '../host/paths';
import { atMost, type Figure, type Results } from './figure';
import { ratios, spreadOf } from './statistics';

const DIST = path.join(ROOT, 'dist');
const LIMIT = 0.4;

/** What the bundling left of itself. */
interface Bundled {
  /** The files that are loaded when VS Code starts; the others only when they are needed. */
  readonly loadedAtStart: readonly string[];
  /** For each file, the bytes by where they come from. */
  readonly files: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Bytes of the minified bundle, as it was packaged, beside VS Code's own GitHub provider. */
export function measureBundle(host: InstalledHost): Results {
  const theirs = sizeOf(path.join(host.vscode, 'extensions', 'github-authentication', 'dist', 'extension.js'));
  const { loadedAtStart, files } = JSON.parse(readFileSync(path.join(DIST, 'sizes.json'), 'utf8')) as Bundled;
  const figure = (what: string, names: readonly string[]): Figure => {
    const ours = names.reduce((sum, name) => sum + sizeOf(path.join(DIST, name)), 0);
    return {
      what: `Size of the bundle, minified: ${what}`,
      unit: 'bytes',
      measured: spreadOf([ours]),
      reference: { what: 'github-authentication', measured: spreadOf([theirs]) },
      ratio: spreadOf(ratios([ours], [theirs])),
      target: atMost(LIMIT, ours / theirs),
    };
  };
  const all = Object.keys(files);
  const bytes = all.map((name) => `${name} ${sizeOf(path.join(DIST, name)).toLocaleString('en')}`).join(', ');
  return {
    figures: [
      { ...figure('what is loaded at the start', loadedAtStart), note: `${loadedAtStart.join(' and ')}.` },
      { ...figure('all of it', all), note: `${bytes}. By where it comes from: ${byOrigin(Object.values(files))}.` },
    ],
  };
}

function sizeOf(file: string): number {
  return statSync(file).size;
}

/** In words, the largest part first. */
function byOrigin(files: readonly Readonly<Record<string, number>>[]): string {
  const sums = new Map<string, number>();
  for (const [from, bytes] of files.flatMap((file) => Object.entries(file))) {
    sums.set(from, (sums.get(from) ?? 0) + bytes);
  }
  return [...sums]
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([from, bytes]) => `${from} ${bytes.toLocaleString('en')}`)
    .join(', ');
}
