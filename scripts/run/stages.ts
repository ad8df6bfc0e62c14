import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../host/paths';
import { startProgram } from '../host/processes';
import { describeServer, type HostVersion, NEWEST, OLDEST, VERSION_VARIABLE } from '../host/versions';
import { runIntegration } from './integration';
import { type MochaRun, runMocha } from './mocha';
import type { Options } from './options';
import { provideEditor, provideHost } from './provided';
import type { HowToRun, Ran } from './results';

/** One run of one stage. Steps run side by side. */
export interface Step {
  /** What it runs on, as the summary tells it. */
  readonly on: string;
  /** Whether it opens a real editor; beside one whose timing is delicate, others only get what it leaves. */
  readonly editor?: 'robust' | 'delicate';
  /** Whether it makes the package, which others wait for. */
  readonly makesPackage?: boolean;
  /** Installs what it runs in, once for all steps; absent if it needs nothing. If that fails, so does `run`. */
  readonly prepare?: () => Promise<unknown>;
  run(how: HowToRun): Promise<Ran>;
  /**
   * Runs some of its files once more, by themselves, and shows what that prints; absent if a machine that is late for a
   * moment is no excuse for a failure.
   *
   * @param files as the results name them
   */
  readonly again?: ((files: readonly string[]) => Promise<Ran>) | undefined;
}

/** A part of the tests that can be run alone. */
export interface Stage {
  readonly name: string;
  readonly about: string;
  /** Whether its steps begin when the package is made. */
  readonly needsPackage?: boolean;
  /** Its steps, the longest first. */
  steps(options: Options): readonly Step[] | Promise<readonly Step[]>;
}

const THIS_NODE = `Node ${process.versions.node}`;
/** Where the compiled tests are. */
const COMPILED = path.join(ROOT, 'out', 'test');
/** A real editor on a busy machine: milliseconds for one test. */
const PATIENT = 240_000;
/** The schedules of the simulation, half of them in each of two processes, and which they are. */
const SCHEDULES = Number(process.env['SIMULATION_RUNS'] ?? 3_000);
const SEED = Number(process.env['SIMULATION_SEED'] ?? 1);

/** The tests that open a connection. */
const CONNECTING = ['draftClient', 'fetch', 'nodeFetch', 'recognize', 'sendRequest', 'standardClient', 'tls'].map(
  (name) => `unit/oauth/${name}.test.js`,
);

const QUICK_STAGES = ['check', 'unit', 'conformance'];

/** Several stages by one name. */
export const QUICK = { name: 'quick', about: `what to run while working: ${QUICK_STAGES.join(', ')}` };

/** The stages that are more than a folder of tests, or come in a certain order. */
const NAMED: readonly Stage[] = [
  {
    name: 'check',
    about: 'the compiler, the linter and the formatter',
    steps: ({ stages }) => {
      // While working, what hasn't changed was checked before.
      const some = stages.includes(QUICK.name) ? ['--changed'] : [];
      return [{ on: THIS_NODE, run: (how) => runCommand('check', how, ...some) }];
    },
  },
  mochaStage('unit', 'each part alone, with time, network and disk handed in'),
  mochaStage('conformance', 'the embedded service against the specification'),
  mochaStage('fuzz', 'hostile responses, by seed', files('hostile/fuzz')),
  mochaStage('hostile', 'secrets, other extensions and files, without an editor', [
    'hostile/{*,!(fuzz|editor)/**/*}.test.js',
  ]),
  {
    name: 'package',
    about: 'the package for the Marketplace, and the one for npm',
    needsPackage: true,
    steps: () => [
      { on: `${THIS_NODE}: made`, makesPackage: true, run: makePackages },
      { on: `${THIS_NODE}: tested`, run: (how) => runMocha({ ...how, files: files('package') }) },
    ],
  },
  {
    name: 'e2e',
    about: 'the package in a real VS Code, in a real browser, as a person uses it and as attackers do',
    needsPackage: true,
    steps: () => [
      endToEnd(NEWEST, files('hostile/editor')),
      endToEnd(NEWEST, ['e2e/[a-k]*.test.js']),
      endToEnd(NEWEST, ['e2e/[l-z]*.test.js']),
      endToEnd(NEWEST, files('e2e/everyVersion')),
      endToEnd(OLDEST, files('e2e/everyVersion')),
    ],
  },
  {
    name: 'start',
    about: 'npm start, which rebuilds the package, and opens an editor with it',
    needsPackage: true,
    steps: () => [endToEnd(NEWEST, files('start'))],
  },
  {
    name: 'windows',
    about: 'several windows of a real VS Code that share one rotating session',
    needsPackage: true,
    steps: () => [severalWindows(NEWEST, files('windows')), severalWindows(OLDEST, files('windows/everyVersion'))],
  },
  {
    name: 'rotation',
    about: 'many windows, crashes and sleep: simulated, and with real processes and locks',
    steps: () => [
      mochaOnNodeOf(NEWEST, 'mutations', { files: files('rotation/mutations'), timeout: PATIENT }),
      ...[2 * SEED - 1, 2 * SEED].map((seed) => simulation(NEWEST, Math.ceil(SCHEDULES / 2), seed)),
      ...[NEWEST, OLDEST].map((version) =>
        mochaOnNodeOf(version, 'processes', {
          files: ['rotation/{*,!(mutations|simulation)/**/*}.test.js'],
          timeout: PATIENT,
        }),
      ),
      // Nothing in it is Node's own, so the schedules that showed a fault once are enough.
      simulation(OLDEST, 1, 1),
    ],
  },
  {
    name: 'peer',
    about: 'a certified OpenID provider, with the standard client and the sessions',
    steps: () => [mochaOnNodeOf(NEWEST, 'provider', { files: files('peer') })],
  },
  {
    name: 'integration',
    about: 'inside a real extension host, in the newest and in the oldest supported VS Code',
    // Otherwise it would load the bundle while that's rebuilt.
    needsPackage: true,
    steps: ({ host }) => Promise.all([NEWEST, OLDEST].map((version) => runIntegration(version, host))),
  },
  {
    name: 'network',
    about: 'requests once more, on the Node.js of each VS Code: what it says of a broken connection differs',
    steps: () => [NEWEST, OLDEST].map((version) => mochaOnNodeOf(version, 'requests', { files: CONNECTING })),
  },
];

/** All stages, in their order. A further folder with tests is a stage by itself, so that no test is forgotten. */
export function allStages(): readonly Stage[] {
  const compiled = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' });
  const folders = compiled.filter((file) => file.endsWith('.test.js')).map((file) => file.split(path.sep)[0] ?? '');
  const further = [...new Set(folders)].filter((folder) => !NAMED.some(({ name }) => name === folder)).sort();
  return [...further.map((folder) => mochaStage(folder, `the tests in test/${folder}`)), ...NAMED];
}

/** The stages with these names, or of these files and folders, and those they need; all if there are no names. */
export function chosenStages(stages: readonly Stage[], names: readonly string[]): readonly Stage[] {
  if (names.length === 0) return stages;
  const paths = names.filter(isTestPath);
  const others = names.filter((name) => !isTestPath(name));
  const known = others.flatMap((name) => (name === QUICK.name ? QUICK_STAGES : name));
  const chosen = [...stages.filter(({ name }) => known.includes(name)), ...paths.map(stageOf)];
  const packaged = chosen.some(({ needsPackage }) => needsPackage) && !known.includes('package');
  return [...stages.filter(({ name }) => packaged && name === 'package'), ...chosen];
}

/** Whether this is a file or a folder of tests, such as `test/unit/signin`. Those inside of VS Code run only together. */
export function isTestPath(name: string): boolean {
  return /^test\/(?!integration)/.test(name) && existsSync(path.join(ROOT, name));
}

/** The tests of a file or folder, in what they need. */
function stageOf(name: string): Stage {
  const below = path.posix.relative('test', name);
  const which = below.endsWith('.ts') ? [below.replace(/\.ts$/, '.js')] : files(below);
  if (/^(?:e2e|hostile\/editor|start|windows)\b|^hostile$/.test(below)) {
    return { name, about: '', needsPackage: true, steps: () => [{ ...endToEnd(NEWEST, which), again: undefined }] };
  }
  if (/^(?:peer|rotation)\b/.test(below)) {
    return { name, about: '', steps: () => [mochaOnNodeOf(NEWEST, below, { files: which, timeout: PATIENT })] };
  }
  return { name, about: '', steps: () => [{ on: THIS_NODE, run: (how) => runMocha({ files: which, ...how }) }] };
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

function endToEnd(version: HostVersion, which: readonly string[]): Step {
  const run = async (how: HowToRun, some = which): Promise<Ran> => {
    await provideEditor(version);
    const env = { [VERSION_VARIABLE]: version.name };
    return runMocha({ ...how, files: some, env, timeout: PATIENT });
  };
  return {
    on: `${describeServer(version)}: ${which.join(', ').replaceAll('/**/*.test.js', '')}`,
    editor: 'robust',
    prepare: () => provideEditor(version),
    run,
    again: (failed) =>
      run(
        { show: true, patient: false },
        failed.map((file) => path.relative(COMPILED, file)),
      ),
  };
}

/** No second try: a session that's lost in one of a hundred runs is a bug, not a slow machine. */
function severalWindows(version: HostVersion, which: readonly string[]): Step {
  return { ...endToEnd(version, which), editor: 'delicate', again: undefined };
}

async function makePackages(how: HowToRun): Promise<Ran> {
  const made = await runCommand('package', how);
  const library = await runCommand('package', how, '--library');
  return { results: [...made.results, ...library.results], output: made.output + library.output };
}

/** Runs a command of the project; it counts as one test. */
async function runCommand(name: string, how: HowToRun, ...args: readonly string[]): Promise<Ran> {
  const bootstrap = path.join(ROOT, 'scripts', 'bootstrap.js');
  const program = await startProgram(process.execPath, [bootstrap, name, ...args], { ...how, cwd: ROOT });
  const code = await program.ended;
  const failures = code === 0 ? [] : [`npm run ${name} ended with code ${code}.`];
  return { results: [{ file: '', passed: 1 - failures.length, failures }], output: program.output() };
}
