import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import manifest from '../../package.json';
import { ROOT } from '../../host/paths';
import { runProgram } from '../../host/processes';
import { TARBALL } from '../../scripts/package/library/package';
import { readOptions } from '../../scripts/run/options';
import { allStages } from '../../scripts/run/stages';
import { SERVICE_FILE } from '../../scripts/settings/schemas';
import { readConfiguration } from '../../src/vscode/settings/configuration';
import { blocks, commandsIn, PAGES } from './documentationPages';

/** What npm runs, by the name of the script: the compiled file that explains its options. */
const PROGRAMS: Readonly<Record<string, string>> = {
  start: 'out/demo/start.js',
  service: 'out/demo/service/cli.js',
  package: 'out/scripts/package/cli.js',
  bench: 'out/scripts/bench/run.js',
};

/** Commands that another test runs as they are: test/package/library.test.ts. */
const RUN_ELSEWHERE = [
  /^npx esbuild extension\.ts /,
  /^npx @vscode\/vsce package /,
  /^npx tsc --noEmit$/,
  /^npx vscode-device-flow package --service service\.json$/,
];

/** Commands that install something here, or need an account, another machine, or a desktop. */
const RUN_BY_PEOPLE = [
  /^npm install (?:--save-dev )?[\w@./ -]+$/,
  /^npm publish --access public /,
  /^npm version [\d.]+ /,
  /^npx (?:vsce|ovsx) /,
  /^code --(?:install-extension|extensionDevelopmentPath|user-data-dir)[= ]/,
  /^az /,
  /^docker run -p$/,
  /^ssh -L /,
];

const helps = new Map<string, Promise<string>>();
/** What a program says of its options. */
function helpOf(program: string): Promise<string> {
  const help = helps.get(program) ?? runProgram(process.execPath, [path.join(ROOT, program), '--help'], { cwd: ROOT });
  helps.set(program, help);
  return help;
}

/** What's wrong with a command, as far as that can be told without running it; `undefined` if nothing is. */
async function problemOf(line: string): Promise<string | undefined> {
  if ([...RUN_ELSEWHERE, ...RUN_BY_PEOPLE].some((known) => known.test(line))) return undefined;
  const [, settings = '', command = ''] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(line) ?? [];
  const variables = [...settings.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
  const unused = variables.filter((name) => !CODE.some((text) => text.includes(name)));
  if (unused.length > 0) return `nothing reads ${unused.join()}`;
  const [program = '', ...args] = command.split(' ');
  if (program === 'npm') return await problemOfScript(args);
  const compiled = args.find((arg) => /^out\/.*\.js$/.test(arg));
  if (compiled !== undefined)
    return existsSync(path.join(ROOT, compiled)) ? problemOfTitle(compiled, command) : compiled;
  const isKnown =
    /^(?:npx (?:tsc -p \.|eslint|prettier --write(?: l10n)?)|node -e "require\('\.\/out.*|node scripts\/release\.js check v[\d.]+)$/;
  return isKnown.test(command) ? undefined : 'nothing runs or checks it';
}

/** What's wrong with the arguments of npm. */
async function problemOfScript(given: readonly string[]): Promise<string | undefined> {
  const [first = '', ...others] = given.filter((arg) => arg !== 'run' && arg !== '-s');
  if (!Object.hasOwn(manifest.scripts, first)) return `there's no script ${first}`;
  const args = others.filter((arg) => arg !== '--');
  if (first === 'test') {
    if (!args.includes('--help')) readOptions(args, allStages());
    return undefined;
  }
  const options = args.filter((arg) => arg.startsWith('--'));
  const program = PROGRAMS[first];
  if (program === undefined) return options.length === 0 ? undefined : `${first} has no options`;
  const help = await helpOf(program);
  const unknown = options.filter((option) => !new RegExp(`${option}\\b`).test(help));
  return unknown.length === 0 ? undefined : `${first} has no ${unknown.join()}`;
}

/** What's wrong with the title of the tests that a command picks. */
function problemOfTitle(compiled: string, command: string): string | undefined {
  const [, title = ''] = /-g "([^"]+)"/.exec(command) ?? [];
  const source = readFileSync(path.join(ROOT, compiled.replace(/^out\/(.*)\.js$/, '$1.ts')), 'utf8');
  return title === 'part of a title' || source.includes(title) ? undefined : `no test is called ${title}`;
}

/** All compiled code. */
const CODE = ['src', 'test', 'demo', 'scripts', 'host'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('documentationCommands'))
    .map((name) => flat(readFileSync(path.join(ROOT, folder, name), 'utf8'))),
);

/** Code without its indentation: a page may show what's inside of a function. */
function flat(code: string): string {
  return code.replaceAll('\r\n', '\n').replace(/^ +/gm, '');
}

/** Guards that whoever types or copies what a page shows gets what the page says. */
describe('what the pages show', function () {
  this.timeout(60_000);

  it('is of a kind that a test knows', () => {
    const kinds = new Set(blocks().map(({ language }) => language));
    assert.deepEqual([...kinds].sort(), ['json', 'mermaid', 'sh', 'text', 'ts']);
  });

  for (const page of PAGES.keys()) {
    const commands = commandsIn(page);
    if (commands.length > 0) {
      it(`is commands that exist, with options that they have: ${page}`, async () => {
        const problems = await Promise.all(
          commands.map(async (command) => {
            const problem = await problemOf(command);
            return problem === undefined ? [] : [`${command}: ${problem}`];
          }),
        );
        assert.deepEqual(problems.flat(), []);
      });
    }
  }

  it('installs the package of the library by the name that it has', () => {
    const files = [...PAGES.keys()]
      .flatMap(commandsIn)
      .flatMap((line) => / path\/to\/clone\/(\S+)/.exec(line)?.[1] ?? []);
    assert.ok(files.length >= 2, `only ${files.length} were found`);
    const name = path.relative(ROOT, TARBALL).split(path.sep).join('/');
    assert.deepEqual([...new Set(files)], [name]);
  });

  it('is TypeScript that is compiled, as it is', () => {
    const shown = blocks().filter(({ language }) => language === 'ts');
    assert.ok(shown.length > 10, `only ${shown.length} pieces were found`);
    const others = shown.filter(({ text }) => !CODE.some((code) => code.includes(flat(text))));
    assert.deepEqual(others, []);
  });

  it('is JSON that can be read, and that the extension accepts', () => {
    const shown = blocks().filter(({ language }) => language === 'json');
    assert.ok(shown.length > 20, `only ${shown.length} pieces were found`);
    const acceptsBuild = new Ajv({ allErrors: true, strict: false }).compile(SERVICE_FILE);
    const build = { publisher: 'a', name: 'a', displayName: 'A', version: '1.0.0', providerId: 'a', prefix: 'a' };
    for (const { page, text } of shown) {
      const json = JSON.parse(text.startsWith('{') ? text : `{${text}}`) as Record<string, unknown>;
      const services = json['deviceFlow.services'] ?? ('protocol' in json ? [json] : []);
      assert.deepEqual(readConfiguration(services, 'x').problems, [], page);
      if ('service' in json || 'mcpServers' in json) {
        const service = { protocol: 'rfc8628', baseUrl: 'https://a.example', clientId: 'c' };
        assert.ok(acceptsBuild({ ...build, service, ...json }), `${page}: ${JSON.stringify(acceptsBuild.errors)}`);
      }
    }
  });
});
