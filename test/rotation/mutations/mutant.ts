import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { ROOT } from '../../../scripts/host/paths';
import type { Mutation } from './mutations';

const BUNDLES = path.join(ROOT, 'out', 'mutations');
const run = promisify(execFile);

/** What a simulation with a fault in it found. */
export interface Played {
  /** Schedules that were played, up to the first that shows the fault. */
  readonly played: number;
  /** What it shows; absent where none does. */
  readonly violation?: string;
}

/**
 * Bundles the simulation with the product as it is, or with a fault in it.
 * @returns the bundle's path
 * @throws Error where the mutated text does not stand in its file exactly once: then the mutation is out of date.
 */
export async function bundle(name: string, mutation?: Mutation): Promise<string> {
  const outfile = path.join(BUNDLES, `${name}.js`);
  await build({
    entryPoints: [path.join(ROOT, 'test', 'rotation', 'mutations', 'player.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
    plugins: mutation === undefined ? [] : [put(mutation)],
  });
  return outfile;
}

/** Plays the recorded schedules and so many of a policy and a seed, in a process of its own. */
export async function playIn(bundlePath: string, runs: number, seed: number, policy = 'draft'): Promise<Played> {
  const { stdout } = await run(process.execPath, [bundlePath, String(runs), String(seed), policy]);
  return JSON.parse(stdout) as Played;
}

function put({ name, file, text, replacement = '' }: Mutation): Plugin {
  const whole = realpathSync(path.join(ROOT, 'src', ...file.split('/')));
  let done = false;
  return {
    name: 'a fault on purpose',
    setup(bundling) {
      bundling.onLoad({ filter: /\.ts$/ }, async ({ path: loaded }) => {
        if (loaded !== whole) return undefined;
        const parts = (await readFile(whole, 'utf8')).split(text);
        if (parts.length !== 2) {
          throw new Error(`${file} has this text ${parts.length - 1} times, and not once: ${text}`);
        }
        done = true;
        return { contents: parts.join(replacement), loader: 'ts' };
      });
      bundling.onEnd(() => ({
        errors: done ? [] : [{ text: `${file} is not in the bundle: "${name}" was not mutated` }],
      }));
    },
  };
}
