import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import ts from 'typescript';
import { ROOT } from '../../../host/paths';
import type { Mutation } from './mutations';
import { findCode } from './pattern';

const BUNDLES = path.join(ROOT, 'out', 'mutations');
const SOURCES = path.join(ROOT, 'src');
const run = promisify(execFile);

/** What a simulation with a fault in it found. */
export interface Played {
  /** Schedules that were played, up to the first that shows the fault. */
  readonly played: number;
  /** What it shows; absent if none does. */
  readonly violation?: string;
}

/** A source with a fault in it. */
export interface Mutant {
  readonly file: string;
  readonly text: string;
}

/**
 * Bundles the simulation with the product as it is, or with a fault in it.
 * @returns the bundle's path
 * @throws Error if the mutated file isn't in the bundle
 */
export async function bundle(name: string, mutant?: Mutant): Promise<string> {
  const outfile = path.join(BUNDLES, `${name}.js`);
  await build({
    entryPoints: [path.join(ROOT, 'test', 'rotation', 'mutations', 'player.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
    plugins: mutant === undefined ? [] : [put(mutant)],
  });
  return outfile;
}

/** Plays the recorded schedules, and this many of a policy and a seed, in a process of its own. */
export async function playIn(bundlePath: string, runs: number, seed: number, policy = 'draft'): Promise<Played> {
  const { stdout } = await run(process.execPath, [bundlePath, String(runs), String(seed), policy]);
  return JSON.parse(stdout) as Played;
}

function put({ file, text }: Mutant): Plugin {
  const whole = realpathSync(file);
  let done = false;
  return {
    name: 'a fault on purpose',
    setup(bundling) {
      bundling.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) => {
        if (loaded !== whole) return undefined;
        done = true;
        return { contents: text, loader: 'ts' };
      });
      bundling.onEnd(() => ({ errors: done ? [] : [{ text: `${file} isn't in the bundle, so nothing was mutated` }] }));
    },
  };
}

/**
 * Puts a fault into the product.
 * @throws Error if the mutation doesn't find its place anymore, exactly once: then the code was changed, and
 *   mutations.ts must say where the same step is now
 */
export function mutate({ name, where, find, put: replacement = '' }: Mutation): Mutant {
  const places = declarations().get(where) ?? [];
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(`"${name}": src has ${places.length} declarations of ${where}, and not one.`);
  }
  const source = place.getSourceFile();
  const all = findCode(place, find);
  const [found] = all;
  if (found === undefined || all.length > 1) {
    const file = path.relative(ROOT, source.fileName);
    throw new Error(`"${name}": ${where} in ${file} has this ${all.length} times, and not once: ${find}`);
  }
  const { node, captured } = found;
  const replaced = replacement === '' ? wholeStatement(node) : node;
  const text = replacement.replaceAll(/\$\w+/g, (variable) => captured.get(variable) ?? variable);
  return {
    file: source.fileName,
    text: source.text.slice(0, replaced.getStart()) + text + source.text.slice(replaced.end),
  };
}

/** What must go with an expression if that is left out. */
function wholeStatement(node: ts.Node): ts.Node {
  const { parent } = node;
  return ts.isAwaitExpression(parent) || ts.isExpressionStatement(parent) ? wholeStatement(parent) : node;
}

let found: ReadonlyMap<string, readonly ts.Node[]> | undefined;

/** All functions, methods such as `Journals.write`, and constants of the product, by their names. */
function declarations(): ReadonlyMap<string, readonly ts.Node[]> {
  if (found !== undefined) return found;
  const all = new Map<string, ts.Node[]>();
  const add = (name: string, node: ts.Node): void => void all.set(name, [...(all.get(name) ?? []), node]);
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const file = path.join(SOURCES, name);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) {
      if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) add(statement.name.text, statement);
      if (ts.isVariableStatement(statement)) {
        for (const { name: variable } of statement.declarationList.declarations) add(variable.getText(), statement);
      }
      if (ts.isClassDeclaration(statement)) {
        for (const member of statement.members) {
          if (member.name !== undefined) add(`${statement.name?.text ?? ''}.${member.name.getText()}`, member);
        }
      }
    }
  }
  found = all;
  return found;
}
