import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Argument } from 'commander';
import { command } from '../../host/commandLine';
import { type InstalledHost, installHost } from '../../host/install';
import { ARTIFACTS, ROOT } from '../../host/paths';
import { runProgram, runScript } from '../../host/processes';
import { describeServer, NEWEST } from '../../host/versions';
import { measureBundle } from './bundleSize';
import { measureInEditor } from './editor';
import { measureServices } from './editor/services';
import { updatePage } from './page';
import { type Figure, type Machine, report } from './report';
import { measureWindows } from './windows';

/** The parts, in the order of the report. Each is measured alone. */
const PARTS: Readonly<Record<string, (host: InstalledHost) => Promise<readonly Figure[]>>> = {
  bundle: measureBundle,
  editor: measureInEditor,
  services: measureServices,
  ...Object.fromEntries(
    ['warm', 'reading', 'rotation', 'signIn', 'memory'].map((part) => [part, (host) => measureSessions(part, host)]),
  ),
  windows: measureWindows,
};

/** Measures one part of `sessions` on the editor's Node.js, in a process of its own: none sees what another left behind. */
async function measureSessions(part: string, host: InstalledHost): Promise<Figure[]> {
  const script = path.join(__dirname, 'sessions', 'main.js');
  const output = await runProgram(host.node, ['--expose-gc', script, part]);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Figure[];
}

/** What the parts gave, and which of them gave nothing. */
interface Measured {
  readonly results: readonly Figure[];
  /** Parts that were left out or failed. */
  readonly missing: readonly string[];
  readonly failed: boolean;
}

async function main(): Promise<number> {
  const options = command(
    'npm run bench --',
    'Measures speed and size, each beside its reference in the same run. Prints the report, and writes it to ' +
      'artifacts/bench.md and bench.json.',
  )
    .addArgument(new Argument('[part...]', 'Parts to measure; by default all of them.').choices(Object.keys(PARTS)))
    .option('--update-docs', 'Also write the report to docs/performance.md. Only if everything was measured.')
    .parse();
  const [load = 0] = os.loadavg();
  const host = await installHost(NEWEST);
  await buildBundles();
  const wanted = options.args.length > 0 ? options.args : Object.keys(PARTS);
  const { results, missing, failed } = await measureParts(wanted, host);
  const machine = thisMachine(host, `load average ${load.toFixed(1)} before the run`);
  const text = await writeReport(machine, results);
  console.log(text);
  if (options.opts()['updateDocs'] === true) {
    if (missing.length > 0) throw new Error(`docs/performance.md stays as it is; not measured: ${missing.join(', ')}.`);
    await updatePage(text);
  }
  return failed ? 1 : 0;
}

/** What people get is measured: the minified bundle, out of the package. */
async function buildBundles(): Promise<void> {
  await runProgram(process.execPath, [path.join(ROOT, 'scripts', 'bootstrap.js'), 'package'], { cwd: ROOT });
  await runProgram(process.execPath, ['esbuild.js', '--production', '--library'], { cwd: ROOT });
}

/** Measures these parts one after the other, and says which one it's at and how long it took. */
async function measureParts(wanted: readonly string[], host: InstalledHost): Promise<Measured> {
  const results: Figure[] = [];
  const missing: string[] = [];
  let failed = false;
  for (const [name, measure] of Object.entries(PARTS)) {
    if (!wanted.includes(name)) {
      missing.push(name);
      continue;
    }
    process.stderr.write(`Measuring: ${name}…\n`);
    const began = performance.now();
    try {
      results.push(...(await measure(host)));
    } catch (error) {
      // The other parts are worth having all the same.
      console.error(`The part "${name}" could not be measured:`, error);
      missing.push(name);
      failed = true;
    }
    process.stderr.write(`Done: ${name}, in ${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
  }
  return { results, missing, failed };
}

/** Writes what was measured to the artifacts. @returns the report */
async function writeReport(machine: Machine, figures: readonly Figure[]): Promise<string> {
  const text = report(machine, figures);
  await mkdir(ARTIFACTS, { recursive: true });
  await writeFile(path.join(ARTIFACTS, 'bench.json'), `${JSON.stringify({ machine, figures }, undefined, 2)}\n`);
  await writeFile(path.join(ARTIFACTS, 'bench.md'), `${text}\n`);
  return text;
}

function thisMachine(host: InstalledHost, load: string): Machine {
  const processors = os.cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    system: `${os.type()} ${os.release()}`,
    processors: `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}`,
    node: `Node ${process.versions.node}`,
    editor: describeServer(host.version),
    load,
  };
}

runScript(main, (error) => error);
