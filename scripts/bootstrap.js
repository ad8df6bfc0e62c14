#!/usr/bin/env node
// The entry point of every npm script: sets up what a fresh clone lacks, builds what the command needs, and runs it.
// It runs before anything is installed, so it depends on Node.js only, and old versions can parse it and say that they
// are too old. Its own output goes to stderr; stdout belongs to the command.
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const ROOT = path.resolve(__dirname, '..');
const OLDEST_NODE = [20, 19];

/** Tells the commands that a command runs that everything is installed and compiled. */
const IS_COMPILED = 'DEVICE_FLOW_COMPILED';

/** For tools that keep all files in memory: with more room for what's new, collecting garbage takes a tenth of their time less. */
const ROOMY = '--max-semi-space-size=64';

/** Makes `check` leave out the files in which it found nothing, and that are still the same. */
const CHANGED = '--changed';

/** For each command whether it needs the bundle, and what runs: a compiled script, or a function here. */
const COMMANDS = {
  start: { file: 'out/demo/start.js' },
  test: { bundle: true, file: 'out/scripts/run.js' },
  service: { file: 'out/demo/service/cli.js' },
  bench: { bundle: true, file: 'out/scripts/bench/run.js' },
  package: { file: 'out/scripts/package/cli.js' },
  settings: { file: 'out/scripts/settings/write.js' },
  pictures: { file: 'out/scripts/pictures/main.js' },
  check: { run: check },
  watch: { bundle: true, run: watch },
};

/** The running child processes, which receive the signals that this process receives. */
const children = new Set();

/** The signal that stopped this process; nothing new is started after it. */
let stoppedBy;

/** An error that a sentence explains; a stack trace wouldn't help anyone. */
function Failure(message) {
  this.message = message;
}

async function main(name, args) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    throw new Failure(
      `This project needs Node.js ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. ` +
        'Install a newer version from https://nodejs.org or from your system.',
    );
  }
  const command = Object.prototype.hasOwnProperty.call(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    throw new Failure(`Usage: node scripts/bootstrap.js ${Object.keys(COMMANDS).join('|')} [arguments]`);
  }
  process.chdir(ROOT);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
  if (process.env[IS_COMPILED] === undefined) {
    await installDependencies();
    if (command.run === check) await must('The types are wrong.', tool('typescript', 'tsc'), '-p', '.', '--noEmit');
    else if (command.run === watch) matchSources();
    else await compile();
  }
  if (command.bundle) await must("The extension couldn't be bundled.", 'esbuild.js');
  return command.file === undefined ? command.run(args) : runScript(command.file, args);
}

/** Forwards a signal to the children; this process ends after them. */
function stop(signal) {
  stoppedBy = stoppedBy || signal;
  // Windows has told them of a Ctrl-C as well, and sending a signal there would kill them while they clean up.
  if (process.platform === 'win32') return;
  for (const child of children) child.kill(signal);
}

/** Installs exactly what the lock file lists, unless it's installed already. */
async function installDependencies() {
  const missing = firstMissingPackage();
  if (missing === undefined) return;
  const isFirst = !fs.existsSync('node_modules');
  const why = isFirst ? '' : ` (${missing} is missing or outdated)`;
  console.error(`Installing the packages for building and testing${why} …`);
  // No package needs its install script here, and one of them would download and compile things.
  const code = await npm('ci', '--ignore-scripts', '--fetch-retries=5', '--loglevel=error', '--no-audit', '--no-fund');
  if (stoppedBy !== undefined) throw new Failure('The installation was interrupted.');
  if (code !== 0) {
    throw new Failure(
      'The packages couldn\'t be installed: "npm ci" failed. Check that you can reach the npm registry.',
    );
  }
}

/**
 * The first package that isn't installed in the version of the lock file. npm lists what it has installed at the end of
 * an installation, so this also finds out about an interrupted one.
 */
function firstMissingPackage() {
  const wanted = readJson('package-lock.json').packages;
  const list = path.join('node_modules', '.package-lock.json');
  const installed = fs.existsSync(list) ? readJson(list).packages : {};
  const missing = Object.keys(wanted).find((folder) => {
    if (folder === '' || wanted[folder].optional) return false;
    const found = installed[folder];
    return !found || found.version !== wanted[folder].version || !fs.existsSync(folder);
  });
  return missing && missing.replace(/^.*node_modules\//, '');
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Compiles everything, and tells the commands that this one runs. */
async function compile() {
  matchSources();
  console.error('Compiling…');
  await must('The TypeScript compiler found errors.', tool('typescript', 'tsc'), '-p', '.');
  process.env[IS_COMPILED] = 'yes';
}

/**
 * Deletes what would make the compiled files differ from their sources: files whose source is gone, which would still run
 * as tests, and the compiler's notes if a compiled file is missing. The compiler believes the notes and wouldn't emit it again.
 */
function matchSources() {
  const sources = filesIn('.', /(?<!\.d)\.ts$/);
  const compiled = filesIn('out', /\.js$/);
  for (const name of compiled) {
    if (sources.has(name)) continue;
    for (const ending of ['.js', '.js.map']) fs.rmSync(path.join('out', `${name}${ending}`), { force: true });
  }
  const isComplete = [...sources].every((name) => compiled.has(name));
  if (!isComplete) fs.rmSync(readJson('tsconfig.json').compilerOptions.tsBuildInfoFile, { force: true });
}

/** The files of code with this ending in the project or its copy in `out`, without the ending. */
function filesIn(root, ending) {
  const names = ['src', 'host', 'demo', 'scripts', 'test'].flatMap((folder) => {
    const whole = path.join(root, folder);
    return fs.existsSync(whole)
      ? fs.readdirSync(whole, { recursive: true }).map((name) => path.join(folder, name))
      : [];
  });
  return new Set(names.filter((name) => ending.test(name)).map((name) => name.replace(ending, '')));
}

/** Runs a compiled script with the arguments of the command, and resolves with its exit code. */
function runScript(file, args) {
  // The IPC channel closes when this process ends for any reason, so that the script can end, too.
  return run(process.execPath, [file, ...args], ['inherit', 'inherit', 'inherit', 'ipc']);
}

/**
 * The linter and the formatter at once, after the compiler. What the linter says of a file depends on others, too, so what
 * it remembers is for people who work; everything is looked at if nothing is remembered, as in CI.
 */
async function check(args) {
  const remember = (file) =>
    args.includes(CHANGED)
      ? ['--cache', '--cache-strategy', 'content', '--cache-location', path.join('out', file)]
      : [];
  const unformatted = 'Some files aren\'t formatted; run "npx prettier --write ." to format them.';
  const ended = await Promise.allSettled([
    must('ESLint found problems.', tool('eslint', 'eslint'), '--max-warnings', '0', ...remember('linted'), '.'),
    must(unformatted, tool('prettier', 'prettier'), '--check', '--log-level', 'warn', ...remember('formatted'), '.'),
  ]);
  const reasons = ended.flatMap(({ reason }) => (reason === undefined ? [] : [reason.message]));
  if (reasons.length > 0) throw new Failure(reasons.join('\n'));
  return 0;
}

/** The bundler and the compiler side by side, until they're stopped. */
async function watch() {
  const bundler = run(process.execPath, ['esbuild.js', '--watch'], 'inherit');
  const compiler = run(
    process.execPath,
    [tool('typescript', 'tsc'), '-p', '.', '--watch', '--preserveWatchOutput'],
    'inherit',
  );
  return (await Promise.all([bundler, compiler])).find((code) => code !== 0) || 0;
}

/** Runs a tool that is a Node.js script, with its output on stderr. */
async function must(failure, ...args) {
  const code = await run(process.execPath, [ROOMY, ...args], ['ignore', 2, 2]);
  if (stoppedBy !== undefined) throw new Failure('Interrupted.');
  if (code !== 0) throw new Failure(failure);
}

/** The path of a tool's script, as its package declares it. */
function tool(packageName, binary) {
  const folder = path.join('node_modules', packageName);
  const { bin } = readJson(path.join(folder, 'package.json'));
  return path.join(folder, typeof bin === 'string' ? bin : bin[binary]);
}

/** Runs npm: the one that runs this script, if any. */
function npm(...args) {
  const npmScript = process.env.npm_execpath;
  return npmScript && /\.c?js$/.test(npmScript)
    ? run(process.execPath, [npmScript, ...args], ['ignore', 2, 2])
    : run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, ['ignore', 2, 2]);
}

/** Runs a program to its end and resolves with its exit code, as a shell counts it. */
function run(file, args, stdio) {
  if (stoppedBy !== undefined) throw new Failure('Interrupted.');
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio, shell: file.endsWith('.cmd') });
    children.add(child);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      children.delete(child);
      resolve(signal ? 128 + os.constants.signals[signal] : code);
    });
  });
}

main(process.argv[2], process.argv.slice(3)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(error instanceof Failure ? error.message : error);
    process.exitCode = 1;
  },
);
