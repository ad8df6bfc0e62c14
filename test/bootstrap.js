#!/usr/bin/env node
// The way in of every npm script: it sets up what a fresh clone lacks, builds what the command needs, and runs it.
// It runs before anything is installed, so it depends on nothing but Node itself, and is readable by old versions of
// it, which are told so. Whatever the set-up has to say goes to stderr: stdout belongs to the command.
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const ROOT = path.resolve(__dirname, '..');
const OLDEST_NODE = [20, 19];
const VSIX = path.join('dist', 'device-flow-authentication.vsix');

/** How long to wait before each further attempt at something that needs the network, in seconds. */
const PAUSES = [2, 5, 15, 30];

/** For each command, what it needs to be built and what then runs; its help where it takes no arguments. */
const COMMANDS = {
  start: { bundle: true, run: script('out/test/start.js') },
  test: { bundle: true, run: script('out/test/run.js') },
  service: { bundle: false, run: script('out/test/service/cli.js') },
  bench: { bundle: true, run: script('out/test/bench/run.js') },
  package: { bundle: false, run: packageExtension, help: `Makes the package for the Marketplace: ${VSIX}.` },
  check: { bundle: false, run: check, help: 'Runs the compiler, the linter and the formatter over everything.' },
};

/** The processes running now, to pass signals on to. */
const children = new Set();

/** The signal that asked this to stop; nothing new is started after it. */
let stoppedBy;

/** A failure that a sentence explains; its stack would help nobody. */
function Failure(message, exitCode) {
  this.message = message;
  this.exitCode = exitCode || 1;
}

async function main(name, args) {
  if (!nodeIsNewEnough(process.versions.node)) {
    throw new Failure(
      `This project needs Node.js ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. ` +
        'Please install a newer version from https://nodejs.org or from your system.',
    );
  }
  const command = Object.prototype.hasOwnProperty.call(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    throw new Failure(`Usage: node test/bootstrap.js ${Object.keys(COMMANDS).join('|')} [arguments]`);
  }
  if (command.help !== undefined && args.length > 0) return withoutArguments(name, command.help, args);
  process.chdir(ROOT);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent();
  await installDependencies();
  if (command.run !== check) {
    removeOrphans('out', ['src', 'test']);
    await must('The TypeScript compiler found errors.', tool('typescript', 'tsc'), '-p', '.');
  }
  if (command.bundle) await must('The extension could not be bundled.', 'esbuild.js');
  return command.run(args);
}

/** Tells what a command does that takes no arguments, or that it takes none. */
function withoutArguments(name, help, args) {
  const unknown = args.find((argument) => argument !== '-h' && argument !== '--help');
  if (unknown !== undefined) {
    throw new Failure(`error: unknown option '${unknown}'\nSee --help for the options.`, 2);
  }
  console.log(`Usage: npm run ${name}\n\n${help}`);
  return 0;
}

/** Passes a signal on to what runs; this process ends when that has. */
function stop(signal) {
  stoppedBy = stoppedBy || signal;
  for (const child of children) child.kill(signal);
}

/**
 * Stops when npm has gone. A SIGTERM to npm ends it and the shell that it runs a script in, but never reaches the
 * script itself.
 */
function stopWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop('SIGTERM');
  }, 500);
  timer.unref();
}

function nodeIsNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

/** Installs exactly what the lock file names, unless that is what is there. */
async function installDependencies() {
  const missing = firstMissingPackage();
  if (missing === undefined) return;
  console.error(`Installing the packages that the build and the tests need (${missing} is missing or outdated) …`);
  for (let attempt = 0; ; attempt++) {
    // No package needs its install script here, and one of them would download and compile things.
    const code = await npm('ci', '--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund');
    if (code === 0) return;
    if (stoppedBy !== undefined) throw new Failure('The installation was interrupted.');
    const pause = PAUSES[attempt];
    if (pause === undefined) {
      throw new Failure('The packages could not be installed: "npm ci" failed. Is the npm registry within reach?');
    }
    console.error(`"npm ci" failed. Trying again in ${pause} seconds …`);
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
  }
}

/**
 * The first package whose version in the lock file is not the one installed. npm writes the list of what it installed
 * when it has finished, so that an interrupted installation is noticed too.
 */
function firstMissingPackage() {
  const wanted = readJson('package-lock.json').packages;
  const installed = readJson(path.join('node_modules', '.package-lock.json'));
  for (const [where, entry] of Object.entries(wanted)) {
    if (where === '' || entry.optional) continue;
    const found = installed && installed.packages[where];
    if (!found || found.version !== entry.version || !fs.existsSync(where))
      return where.replace(/^.*node_modules\//, '');
  }
  return undefined;
}

/** The file's content, or `undefined` where there is no such file. */
function readJson(file) {
  if (!fs.existsSync(file)) return undefined;
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Deletes compiled files whose source is gone, which would otherwise go on being run as tests. */
function removeOrphans(output, sources) {
  for (const source of sources) {
    const compiled = path.join(output, source);
    if (!fs.existsSync(compiled)) continue;
    for (const name of fs.readdirSync(compiled, { recursive: true })) {
      const match = /^(.*)\.js(\.map)?$/.exec(name);
      if (match !== null && !fs.existsSync(path.join(source, `${match[1]}.ts`))) fs.rmSync(path.join(compiled, name));
    }
  }
}

/** Runs a compiled script with this command's arguments; its exit code is the command's. */
function script(file) {
  return (args) => {
    if (!fs.existsSync(file)) throw new Failure(`${file} was not built.`);
    // The channel closes when this process ends, in whatever way, so that the script can end as well.
    return run(process.execPath, [file, ...args], ['inherit', 'inherit', 'inherit', 'ipc']);
  };
}

async function check() {
  await must('The types are wrong.', tool('typescript', 'tsc'), '-p', '.', '--noEmit', '--incremental', 'false');
  await must('ESLint found problems.', tool('eslint', 'eslint'), '--max-warnings', '0', '.');
  await must(
    'Some files are not formatted; "npx prettier --write ." does it.',
    tool('prettier', 'prettier'),
    '--check',
    '.',
  );
  return 0;
}

/** Makes the VSIX. A warning of the packager is a failure: what it warns of would be seen by the extension's users. */
async function packageExtension() {
  fs.mkdirSync('dist', { recursive: true });
  let output = '';
  const code = await run(
    process.execPath,
    // No repository is named in the manifest: who publishes a build of their own sets theirs.
    [
      tool('@vscode/vsce', 'vsce'),
      'package',
      '--no-dependencies',
      '--allow-missing-repository',
      '--no-rewrite-relative-links',
      '-o',
      VSIX,
    ],
    ['ignore', 'pipe', 'pipe'],
    (text) => {
      output += text;
      process.stderr.write(text);
    },
  );
  if (code !== 0) throw new Failure('The extension could not be packaged.');
  if (/\bwarning\b/i.test(output)) throw new Failure('The packager gave a warning; see above.');
  console.log(VSIX);
  return 0;
}

/** Runs a Node script, its output on stderr. */
async function must(failure, ...args) {
  if ((await run(process.execPath, args, ['ignore', 2, 2])) !== 0) throw new Failure(failure);
}

/** The path of a tool's script, as its package declares it. */
function tool(packageName, binary) {
  const folder = path.join('node_modules', packageName);
  const { bin } = readJson(path.join(folder, 'package.json'));
  return path.join(folder, typeof bin === 'string' ? bin : bin[binary]);
}

/** Runs npm, the one that runs this where there is one. */
function npm(...args) {
  const npmScript = process.env.npm_execpath;
  return npmScript && /\.c?js$/.test(npmScript)
    ? run(process.execPath, [npmScript, ...args], ['ignore', 2, 2])
    : run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, ['ignore', 2, 2]);
}

/** Runs a program to its end and resolves with its exit code, as a shell counts it. */
function run(file, args, stdio, onOutput) {
  if (stoppedBy !== undefined) throw new Failure('Interrupted.');
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio, shell: file.endsWith('.cmd') });
    children.add(child);
    if (onOutput) for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
    child.on('error', (error) => {
      children.delete(child);
      reject(error);
    });
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
    process.exitCode = error instanceof Failure ? error.exitCode : 1;
  },
);
