import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build as bundle } from 'esbuild';
import { ROOT } from '../../host/paths';
import { runProgram } from '../../host/processes';
import { packageForService } from '../../scripts/package/forService';
import { LIBRARY } from '../../scripts/package/library/package';
import { VSCE } from '../../scripts/package/packager';
import { CONFIGURATION_MESSAGES } from '../../src/vscode/texts/configurationTexts';
import { installLibrary, provideTypes } from '../support/embedder';
import { blocks, commandsIn } from '../unit/documentationPages';
import { bundleOf } from '../unit/l10n/messages';
import { readArchive } from './archive';

const SERVICE = {
  publisher: 'acme',
  name: 'acme-sign-in',
  displayName: 'Acme Sign-In',
  version: '1.0.0',
  providerId: 'acme',
  prefix: 'acme',
  service: { protocol: 'draft', baseUrl: 'https://a.example', clientId: 'c' },
};

/** Names of what only the extension has, which are in its bundle too: settings, and Configure Service. */
const ONLY_IN_EXTENSION = ['getConfiguration', 'onDidChangeConfiguration', 'writeServices'];

const ESBUILD_FILE = path.join(ROOT, 'node_modules', 'esbuild', 'bin', 'esbuild');
/** The bundler. Its installation replaces a script by a program, but not on Windows. */
const ESBUILD = process.platform === 'win32' ? ([process.execPath, ESBUILD_FILE] as const) : ([ESBUILD_FILE] as const);

/** Guards that authors and publishers get from npm what the pages promise, and nothing that a clone would do otherwise. */
describe('the package for other extensions, installed', function () {
  this.timeout(120_000);
  let folder: string;
  let installed: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'device-flow-library-'));
    installed = path.join(folder, 'node_modules', 'vscode-device-flow');
    await installLibrary(folder);
  });
  after(() => rm(folder, { recursive: true }));
  // Each test begins without the packager.
  afterEach(() => rm(path.join(folder, 'node_modules', '@vscode'), { recursive: true, force: true }));

  /** Runs the builder, and resolves with what it prints. */
  const build = (...args: readonly string[]): Promise<string> =>
    runProgram(process.execPath, [path.join(installed, 'cli.js'), 'package', ...args], { cwd: folder });
  /** Gives the folder the packager, which is looked for where the publisher has it. */
  const installPackager = async (): Promise<void> => {
    await mkdir(path.join(folder, 'node_modules', '@vscode'));
    await symlink(path.dirname(VSCE), path.join(folder, 'node_modules', '@vscode', 'vsce'), 'junction');
  };
  const written = async (contents: object): Promise<string> => {
    await writeFile(path.join(folder, 'service.json'), JSON.stringify(contents));
    return path.join(folder, 'service.json');
  };

  it('holds the library and the builder, and depends on nothing', async () => {
    const files = await readdir(installed);
    const expected = [
      'LICENSE',
      'README.md',
      'THIRD_PARTY_NOTICES.txt',
      'cli.js',
      'extension',
      'index.d.ts',
      'index.js',
      'index.mjs',
    ];
    assert.deepEqual(files.sort(), [...expected, 'l10n', 'package.json', 'service.schema.json']);
    assert.deepEqual(await readdir(path.join(folder, 'node_modules')), [
      '.bin',
      '.package-lock.json',
      'vscode-device-flow',
    ]);
  });

  it('has nothing in the library of what only the extension has', async () => {
    const bundles = [path.join(LIBRARY, 'index.js'), path.join(ROOT, 'dist', 'extension.js')];
    const [library, extension] = await Promise.all(bundles.map((file) => readFile(file, 'utf8')));
    for (const name of ONLY_IN_EXTENSION) {
      assert.ok(extension?.includes(name), `${name} isn't in the extension any more`);
      assert.ok(!library?.includes(name), `${name} is in the library`);
    }
    const texts = Object.keys(bundleOf(CONFIGURATION_MESSAGES)).filter((text) => text.endsWith('.'));
    assert.ok(texts.length > 5, `only ${texts.length} sentences of Configure Service were found`);
    // With a quote in front: a text of the library may end like one of the extension.
    assert.deepEqual(
      texts.filter((text) => ['"', "'", '`'].some((quote) => library?.includes(`${quote}${text}`))),
      [],
    );
  });

  it('names every package that it contains', async () => {
    const notices = await readFile(path.join(installed, 'THIRD_PARTY_NOTICES.txt'), 'utf8');
    for (const name of ['node-fetch', 'lean-qr', 'ajv', 'commander'])
      assert.match(notices, new RegExp(`^${name} \\d`, 'm'));
  });

  /** Bundles an extension as the page for authors says. */
  const bundled = async (source: string, format: 'cjs' | 'esm' = 'cjs') => {
    await writeFile(path.join(folder, 'uses.js'), source);
    return await bundle({
      absWorkingDir: folder,
      entryPoints: ['uses.js'],
      write: false,
      bundle: true,
      metafile: true,
      minify: true,
      platform: 'node',
      format,
      external: ['vscode'],
    });
  };

  it('adds as much to an extension as the page for authors says', async () => {
    const { outputFiles } = await bundled("export { registerDeviceFlow as activate } from 'vscode-device-flow';");
    const page = await readFile(path.join(ROOT, 'docs', 'reference.md'), 'utf8');
    const said = Number(/some (\d+) kB, minified/.exec(page)?.[1]);
    const size = (outputFiles[0]?.contents.byteLength ?? 0) / 1000;
    assert.ok(Math.abs(size - said) < 10, `it's ${size.toFixed()} kB`);
  });

  it('is an ES module in a bundle, because V8 parses a bundled CommonJS module twice', async () => {
    for (const source of [
      "export { registerDeviceFlow as activate } from 'vscode-device-flow';",
      "exports.activate = require('vscode-device-flow').registerDeviceFlow;",
    ]) {
      const { metafile, outputFiles } = await bundled(source);
      const inputs = Object.keys(metafile.inputs).map((input) => path.basename(input));
      assert.deepEqual(inputs.sort(), ['index.mjs', 'uses.js']);
      const requested = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map((one) => one.path));
      assert.ok(requested.includes('vscode'), 'the bundler sees that VS Code is imported');
      assert.doesNotMatch(outputFiles[0]?.text ?? '', /Dynamic require/);
    }
  });

  it('needs nothing in an ES module that only CommonJS has', async () => {
    const { outputFiles } = await bundled(
      "export { registerDeviceFlow as activate } from 'vscode-device-flow';",
      'esm',
    );
    const text = outputFiles[0]?.text ?? '';
    const used = text.match(/\brequire\(|\b__filename\b|typeof __dirname\b|\b__dirname\b/g);
    assert.deepEqual(used, ['typeof __dirname', '__dirname'], 'it’s used only if it’s there');
  });

  // Against the oldest types, the project itself compiles, these samples included.
  it('compiles as the page for authors says, and more strictly, against the newest types of VS Code', async () => {
    await provideTypes(folder);
    const samples = ['acme', 'reports', 'servers'];
    for (const sample of samples) {
      const source = path.join(ROOT, 'test', 'embedder', sample, 'extension.ts');
      await copyFile(source, path.join(folder, `${sample}.ts`));
    }
    const page = await readFile(path.join(ROOT, 'docs', 'embed-the-library.md'), 'utf8');
    const [, configuration = ''] = /^```json\n(\{\n {2}"compilerOptions": [^]*?)^```/m.exec(page) ?? [];
    await writeFile(path.join(folder, 'tsconfig.json'), configuration);
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'lib', 'tsc.js');
    const options = ['--noEmit', '--exactOptionalPropertyTypes', '--skipDefaultLibCheck', '--listFiles'];
    const files = await runProgram(process.execPath, [tsc, ...options], { cwd: folder });
    assert.match(files, /servers\.ts$/m);
  });

  for (const [name, page] of [
    ['acme-reports', 'docs/use-the-session.md'],
    ['acme-tools', 'docs/embed-the-library.md'],
  ] as const) {
    it(`bundles and packages the extension that a page shows, by the page’s own commands: ${page}`, async () => {
      const own = await mkdtemp(path.join(folder, 'page-'));
      const [manifest = '', source = ''] = ['json', 'ts'].map(
        (language) => blocks().find((block) => block.page === page && block.language === language)?.text,
      );
      await writeFile(path.join(own, 'package.json'), manifest);
      await writeFile(path.join(own, 'extension.ts'), source);
      const commands = commandsIn(page).filter((command) => /^npx (?:esbuild|@vscode\/vsce) /.test(command));
      assert.equal(commands.length, 2);
      for (const command of commands) {
        const [, program = '', ...args] = command.split(' ');
        const [file, ...before] = program === 'esbuild' ? ESBUILD : [process.execPath, VSCE];
        await runProgram(file, [...before, ...args], { cwd: own });
      }
      const files = await readArchive(path.join(own, `${name}-1.0.0.vsix`));
      assert.ok(files.has('extension/dist/extension.js'));
    });
  }

  describe('builds a package for a service that', () => {
    let own: ReadonlyMap<string, Buffer>;
    before(async () => {
      const file = await written(SERVICE);
      own = await readArchive(
        await packageForService(file, { into: path.join(folder, 'own'), parts: ROOT, vsce: VSCE }),
      );
    });

    it('is the same as a clone’s, but for dates', async () => {
      await installPackager();
      assert.match(await build('--service', 'service.json'), /^acme-sign-in\.vsix$/m);
      const built = await readArchive(path.join(folder, 'acme-sign-in.vsix'));
      assert.deepEqual([...built.keys()].sort(), [...own.keys()].sort());
      for (const [name, contents] of own) assert.ok(built.get(name)?.equals(contents), `${name} differs`);
    });

    it('has nothing of ours but what runs: no icon, no copyright line, no word on security', () => {
      const isText = (name: string): boolean => /(?:json|md|txt|xml|vsixmanifest)$/.test(name);
      const others = [...own].filter(([name]) => isText(name) && !name.endsWith('THIRD_PARTY_NOTICES.txt'));
      assert.deepEqual(
        [...own.keys()].filter((name) => /security|license|icon/i.test(name)),
        [],
      );
      for (const [name, text] of others) assert.doesNotMatch(String(text), /Device Flow Auth|device-flow-auth/, name);
      assert.match(
        String(own.get('extension/dist/THIRD_PARTY_NOTICES.txt')),
        /^Device Flow Authentication .*\(MIT\)$/m,
      );
      assert.doesNotMatch(String(own.get('extension/readme.md')), /Settings/);
      // Every text is one that the manifest names.
      const manifest = String(own.get('extension/package.json'));
      const names = Object.keys(JSON.parse(String(own.get('extension/package.nls.json'))) as object);
      assert.ok(names.length > 0);
      for (const name of names) assert.ok(manifest.includes(`"%${name}%"`), name);
    });
  });

  it('names every field that’s wrong, and what’s missing', async () => {
    await written({ ...SERVICE, version: '1', service: { ...SERVICE.service, baseUrl: 'http://a.example' } });
    await assert.rejects(build('--service', 'service.json'), /@vscode\/vsce, which isn’t installed\. Run: npm install/);
    await installPackager();
    await assert.rejects(
      build('--service', 'service.json'),
      ({ message }: Error) => message.includes('version is wrong') && message.includes('service.baseUrl is wrong'),
    );
    await assert.rejects(build(), /required option '--service/);
  });
});
