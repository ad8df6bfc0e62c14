import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../host/paths';
import { startProgram } from '../../host/processes';
import { describeServer, type HostVersion, NEWEST, OLDEST, VERSION_VARIABLE } from '../../host/versions';
import { runIntegration } from './integration';
import { type MochaRun, runMocha } from './mocha';
import { BOOTSTRAP, provideEditor, provideHost, providePackages } from './provided';
import type { HowToRun, Ran } from './results';
import type { Stage, Step } from './step';

const THIS_NODE = `Node ${process.versions.node}`;
/** Where the compiled tests are. */
const COMPILED = path.join(ROOT, 'out', 'test');
/** A real editor on a busy machine: milliseconds for one test. */
const PATIENT = 240_000;
/** The first of the schedules that the simulation makes up. */
const SEED = Number(process.env['SIMULATION_SEED'] ?? 1);

/** Tests with real processes and locks. */
const WITH_PROCESSES = ['rotation/{*,!(mutations|simulation)/**/*}.test.js'];
/** Makes the race of processes longer, and kills more of them. */
const LONG = { RACE_GENERATIONS: '30', STORE_KILLS: '100' };
/** The way through, from the sign-in to the sign-out: it's tested in the oldest VS Code each time. Others test its steps in the newest. */
const WHOLE_PATH = 'e2e/everyVersion/wholePath.test.js';

const QUICK_STAGES = ['check', 'unit'];

/** Several stages by one name. */
export const QUICK = { name: 'quick', about: `what to run while working: ${QUICK_STAGES.join(', ')}` };
export const ALL = { name: 'all', about: 'all of them' };

/** The stages that are more than a folder of tests, or come in a certain order. */
const NAMED: readonly Stage[] = [
  {
    name: 'check',
    about: 'the compiler, the linter and the formatter',
    steps: ({ onlyChanged = false }) => [
      { on: THIS_NODE, run: (how) => runCommand('check', how, ...(onlyChanged ? ['--changed'] : [])) },
    ],
  },
  mochaStage('unit', 'each part alone, with time, network and disk handed in'),
  mochaStage('fuzz', 'hostile responses, by seed', files('hostile/fuzz')),
  mochaStage('hostile', 'secrets, other extensions and files, without an editor', [
    'hostile/{*,!(fuzz|editor)/**/*}.test.js',
  ]),
  {
    name: 'rotation',
    about: 'many windows, crashes and sleep: simulated, and with real processes and locks',
    steps: () => [
      mochaOnNodeOf(NEWEST, 'processes', { files: WITH_PROCESSES, timeout: PATIENT }),
      simulation(NEWEST, 600, SEED),
    ],
  },
  {
    name: 'peer',
    about: 'a certified OpenID provider, with the standard client and the sessions',
    steps: () => [mochaOnNodeOf(NEWEST, 'provider', { files: files('peer') })],
  },
  {
    name: 'network',
    about:
      'what the Node.js of the newest VS Code reports of a connection; all other tests of requests go by what it’s taken for',
    steps: () => [mochaOnNodeOf(NEWEST, 'requests', { files: files('network') })],
  },
  {
    name: 'package',
    about: 'the package for the Marketplace, and the one for npm',
    steps: () => [
      { on: THIS_NODE, prepare: providePackages, run: (how) => runMocha({ files: files('package'), ...how }) },
    ],
  },
  {
    name: 'windows',
    about: 'several windows of a real VS Code that share one rotating session',
    steps: () => [severalWindows(NEWEST, files('windows'))],
  },
  {
    name: 'start',
    about: 'npm start, which opens an editor with the package',
    steps: () => [inEditor(NEWEST, files('start'))],
  },
  {
    name: 'e2e',
    about: 'the package in a real VS Code, in a real browser, as a person uses it and as attackers do',
    steps: () => [
      ...eachInEditor(NEWEST, /^(?:hostile\/editor|e2e\/everyVersion)\/(?!wholePath)/),
      // The oldest VS Code is installed by then.
      inEditor(OLDEST, [WHOLE_PATH]),
      inEditor(NEWEST, files('e2e/oneWindow')),
      inEditor(NEWEST, ['e2e/*.test.js']),
    ],
  },
  {
    name: 'integration',
    about: 'inside a real extension host',
    steps: async ({ host }) => [await runIntegration(NEWEST, host)],
  },
  {
    name: 'oldest',
    about: 'what is promised for every version of VS Code, in the oldest one',
    isRare: true,
    steps: async ({ host }) => [
      severalWindows(OLDEST, files('windows/everyVersion')),
      inEditor(OLDEST, ['e2e/everyVersion/!(wholePath).test.js']),
      await runIntegration(OLDEST, host),
      mochaOnNodeOf(OLDEST, 'processes', { files: WITH_PROCESSES, timeout: PATIENT, env: LONG }),
      mochaOnNodeOf(OLDEST, 'requests', { files: files('network') }),
      // Nothing in it is Node's own, so the schedules that showed a fault once are enough.
      simulation(OLDEST, 1, 1),
    ],
  },
  {
    name: 'rare',
    about: 'what people see rarely, in the newest VS Code',
    isRare: true,
    steps: () => [inEditor(NEWEST, files('e2e/rare'))],
  },
  {
    name: 'mutations',
    about: 'whether the simulation notices each step that is removed from the rotation',
    isRare: true,
    steps: () => [mochaOnNodeOf(NEWEST, 'mutations', { files: files('rotation/mutations'), timeout: PATIENT })],
  },
  {
    name: 'simulation',
    about: 'many more simulated schedules',
    isRare: true,
    steps: () => {
      const runs = Number(process.env['SIMULATION_RUNS'] ?? 6_000);
      return [2 * SEED, 2 * SEED + 1].map((seed) => simulation(NEWEST, Math.ceil(runs / 2), seed));
    },
  },
];

/** All stages, in their order. A further folder with tests is a stage by itself, so that no test is forgotten. */
export function allStages(): readonly Stage[] {
  const folders = compiledTests().map((file) => file.split('/')[0] ?? '');
  const further = [...new Set(folders)].filter((folder) => !NAMED.some(({ name }) => name === folder)).sort();
  return [...further.map((folder) => mochaStage(folder, `the tests in test/${folder}`)), ...NAMED];
}

/** All compiled files of tests, below `out/test`. */
function compiledTests(): string[] {
  const compiled = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' });
  return compiled.filter((file) => file.endsWith('.test.js')).map((file) => file.replaceAll(path.sep, '/'));
}

/** The stages with these names, or of these files and folders; those that aren't rare if there are no names. */
export function chosenStages(stages: readonly Stage[], names: readonly string[]): readonly Stage[] {
  if (names.includes(ALL.name)) return stages;
  if (names.length === 0) return stages.filter(({ isRare }) => isRare !== true);
  const known = names.flatMap((name) => (name === QUICK.name ? QUICK_STAGES : name));
  return [...stages.filter(({ name }) => known.includes(name)), ...names.filter(isTestPath).map(stageOf)];
}

/** Whether this is a file or a folder of tests, such as `test/unit/signin`. Those inside of VS Code run only together. */
export function isTestPath(name: string): boolean {
  return /^test\/(?!integration)/.test(name) && existsSync(path.join(ROOT, name));
}

/** The tests of a file or folder, in what they need. */
function stageOf(name: string): Stage {
  const below = path.posix.relative('test', name);
  const which = below.endsWith('.ts') ? [below.replace(/\.ts$/, '.js')] : files(below);
  return { name, about: '', steps: () => [stepOf(below, which)] };
}

function stepOf(below: string, which: readonly string[]): Step {
  if (/^(?:e2e|hostile\/editor|start|windows)\b|^hostile$/.test(below)) return inEditor(NEWEST, which);
  if (/^(?:network|peer|rotation)\b/.test(below))
    return mochaOnNodeOf(NEWEST, below, { files: which, timeout: PATIENT });
  const run: Step['run'] = (how) => runMocha({ files: which, ...how });
  return below.startsWith('package') ? { on: THIS_NODE, prepare: providePackages, run } : { on: THIS_NODE, run };
}

function files(folder: string): string[] {
  return [`${folder}/**/*.test.js`];
}

function mochaStage(name: string, about: string, which = files(name)): Stage {
  return { name, about, steps: () => [{ on: THIS_NODE, run: (how) => runMocha({ files: which, ...how }) }] };
}

/** Tests on the Node.js of a supported VS Code. */
function mochaOnNodeOf(version: HostVersion, name: string, what: Omit<MochaRun, keyof HowToRun>): Step {
  return {
    on: `Node ${version.node}, that of VS Code ${version.vscode}: ${name}`,
    prepare: () => provideHost(version),
    run: async (how) => {
      const { node } = await provideHost(version);
      return runMocha({ ...what, ...how, node });
    },
  };
}

function simulation(version: HostVersion, runs: number, seed: number): Step {
  return mochaOnNodeOf(version, `simulation, seed ${seed}`, {
    files: files('rotation/simulation'),
    env: { SIMULATION_RUNS: String(runs), SIMULATION_SEED: String(seed) },
    timeout: PATIENT,
  });
}

function inEditor(version: HostVersion, which: readonly string[]): Step {
  const env = { [VERSION_VARIABLE]: version.name };
  return {
    on: `${describeServer(version)}: ${which.join(', ').replaceAll('/**/*.test.js', '')}`,
    editor: 'one window',
    prepare: () => provideEditor(version),
    run: (how) => runMocha({ ...how, files: which, env, timeout: PATIENT }),
  };
}

/** A step for each of these files, so that no editor is idle at the end. The largest come first: they take longest. */
function eachInEditor(version: HostVersion, which: RegExp): Step[] {
  const size = (file: string): number => statSync(path.join(COMPILED, file)).size;
  const found = compiledTests().filter((file) => which.test(file));
  return found.sort((a, b) => size(b) - size(a)).map((file) => inEditor(version, [file]));
}

function severalWindows(version: HostVersion, which: readonly string[]): Step {
  return { ...inEditor(version, which), editor: 'several windows' };
}

/** Runs a command of the project; it counts as one test. */
async function runCommand(name: string, how: HowToRun, ...args: readonly string[]): Promise<Ran> {
  const program = await startProgram(process.execPath, [BOOTSTRAP, name, ...args], { ...how, cwd: ROOT });
  const code = await program.ended;
  const failures = code === 0 ? [] : [`npm run ${name} ended with code ${code}.`];
  return { passed: 1 - failures.length, failures, output: program.output() };
}
