import { readdirSync } from 'node:fs';
import path from 'node:path';
import { installHost } from '../host/install';
import { ROOT } from '../host/paths';
import { startProgram } from '../host/processes';
import { describeServer, type HostVersion, NEWEST, OLDEST, VERSION_VARIABLE } from '../host/versions';
import type { FileResult } from './counts';
import { runIntegration } from './integration';
import { type MochaRun, runMocha } from './mocha';
import type { Options } from './options';

/** One run of one stage. */
export interface Step {
  /** What it runs on, as the summary tells it. */
  readonly on: string;
  /**
   * Beside which others it may run, as it waits more than it works; absent where it needs the machine for itself. Several
   * windows are as much as the machine bears of that kind.
   */
  readonly besideOthers?: 'of any kind' | 'of another kind';
  run(): Promise<readonly FileResult[]>;
  /**
   * Runs some of its files once more, by themselves; absent where a machine that is late for a moment is no excuse for a
   * failure.
   *
   * @param files as the results name them
   */
  again?(files: readonly string[]): Promise<readonly FileResult[]>;
}

/** A part of the tests that can be run alone. */
export interface Stage {
  readonly name: string;
  readonly about: string;
  /** Whether it tests the package, which is then made first. */
  readonly needsPackage?: boolean;
  /** Its steps, or one for each thing that it runs on. */
  steps(options: Options): Promise<readonly Step[]>;
}

const THIS_NODE = `Node ${process.versions.node}`;
/** Where the compiled tests are. */
const COMPILED = path.join(ROOT, 'out', 'test');
/** A real editor on a busy machine: milliseconds for one test. */
const PATIENT = 240_000;

/** The stages that are more than a folder of tests, or come in a certain order. */
const NAMED: readonly Stage[] = [
  {
    name: 'check',
    about: 'the compiler, the linter and the formatter',
    steps: () => Promise.resolve([{ on: THIS_NODE, run: () => command('check') }]),
  },
  mochaStage('unit', 'each part alone, with time, network and disk handed in'),
  {
    name: 'network',
    about: 'requests once more, on the Node.js of each VS Code: what it says of a broken connection differs',
    steps: onNodeOfEachVersion(() => ({ files: files('unit/oauth') })),
  },
  mochaStage('conformance', 'the embedded service against the specification'),
  mochaStage('fuzz', 'hostile answers, by seed'),
  mochaStage('hostile', 'secrets and other extensions, with all around the extension in the hands of the test'),
  {
    name: 'rotation',
    about: 'many windows, crashes and sleep: simulated, and with real processes and locks',
    steps: onNodeOfEachVersion((version) =>
      // The simulation has no part of Node's own in it, so it runs in full once, and so do its mutations.
      version === NEWEST
        ? { files: files('rotation'), timeout: PATIENT }
        : {
            files: files('rotation/{locks,processes,simulation}'),
            env: { SIMULATION_RUNS: '500' },
            timeout: PATIENT,
          },
    ),
  },
  {
    name: 'integration',
    about: 'inside a real extension host, in the newest and in the oldest supported VS Code',
    steps: async (options) => Promise.all([NEWEST, OLDEST].map((version) => runIntegration(version, options.host))),
  },
  {
    name: 'package',
    about: 'the package for the Marketplace',
    steps: () => Promise.resolve([{ on: THIS_NODE, run: () => command('package') }]),
  },
  {
    name: 'windows',
    about: 'several windows of a real VS Code that share one rotating session',
    needsPackage: true,
    steps: () =>
      Promise.resolve([
        severalWindows(NEWEST, files('windows')),
        severalWindows(OLDEST, files('windows/everyVersion')),
      ]),
  },
  {
    name: 'e2e',
    about: 'the package in a real VS Code, in a real browser, as a person uses it',
    needsPackage: true,
    steps: () =>
      Promise.resolve([
        endToEnd(NEWEST, [...files('e2e/!(everyVersion)'), 'e2e/*.test.js']),
        endToEnd(NEWEST, files('e2e/everyVersion')),
        endToEnd(OLDEST, files('e2e/everyVersion')),
      ]),
  },
];

/** All stages, in their order. A further folder with tests is a stage by itself, so that no test is forgotten. */
export function allStages(): readonly Stage[] {
  const compiled = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' });
  const folders = compiled.filter((file) => file.endsWith('.test.js')).map((file) => file.split(path.sep)[0] ?? '');
  const further = [...new Set(folders)].filter((folder) => !NAMED.some(({ name }) => name === folder)).sort();
  return [...further.map((folder) => mochaStage(folder, `the tests in test/${folder}`)), ...NAMED];
}

/** The stages with these names, and those they need; all where there are no names. */
export function chosenStages(stages: readonly Stage[], names: readonly string[]): readonly Stage[] {
  if (names.length === 0) return stages;
  const packaged = stages.some(({ name, needsPackage }) => needsPackage === true && names.includes(name));
  return stages.filter(({ name }) => names.includes(name) || (packaged && name === 'package'));
}

function files(folder: string): string[] {
  return [`${folder}/**/*.test.js`];
}

function mochaStage(name: string, about: string): Stage {
  return {
    name,
    about,
    steps: () => Promise.resolve([{ on: THIS_NODE, run: () => runMocha({ files: files(name) }) }]),
  };
}

/** The same tests on the Node.js of the newest and of the oldest supported VS Code. */
function onNodeOfEachVersion(what: (version: HostVersion) => MochaRun): () => Promise<readonly Step[]> {
  return () =>
    Promise.resolve(
      [NEWEST, OLDEST].map((version) => ({
        on: `Node ${version.node}, that of VS Code ${version.vscode}`,
        run: async () => {
          const { node } = await installHost(version);
          return runMocha({ ...what(version), node });
        },
      })),
    );
}

function endToEnd(version: HostVersion, which: readonly string[]): Step {
  const heading = `${which.join(', ')}, on ${describeServer(version)}`;
  const run = (files: readonly string[], heading: string): Promise<readonly FileResult[]> =>
    runMocha({ files, env: { [VERSION_VARIABLE]: version.name }, timeout: PATIENT, heading });
  return {
    on: describeServer(version),
    besideOthers: 'of any kind',
    run: () => run(which, heading),
    again: (files) =>
      run(
        files.map((file) => path.relative(COMPILED, file)),
        `once more: ${heading}`,
      ),
  };
}

/** A session that is lost once in a hundred times is lost: here is no second try. */
function severalWindows(version: HostVersion, which: readonly string[]): Step {
  const step = endToEnd(version, which);
  return { on: step.on, besideOthers: 'of another kind', run: () => step.run() };
}

/** Runs a command of the project; it counts as one test. */
async function command(name: string): Promise<readonly FileResult[]> {
  const bootstrap = path.join(ROOT, 'test', 'bootstrap.js');
  const program = await startProgram(process.execPath, [bootstrap, name], { cwd: ROOT, show: true });
  const code = await program.ended;
  const well = { file: '', passed: 1, failed: 0, skipped: 0, failures: [] };
  return [
    code === 0 ? well : { ...well, passed: 0, failed: 1, failures: [`npm run ${name} ended with code ${code}.`] },
  ];
}
