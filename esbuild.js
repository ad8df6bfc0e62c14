// Bundles the extension into dist/extension.js, and what it loads later into dist/extension: with --production minified,
// otherwise with source maps. Beside it go the licences of the bundled packages. With --watch, bundles again after every change.
// With --library, bundles the library for other extensions and the builder instead, into dist/library.
const { build, context, transform } = require('esbuild');
const { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { rename, writeFile } = require('node:fs/promises');
const { basename, join } = require('node:path');

const production = process.argv.includes('--production');

const BUFFER = { path: 'node:buffer', external: true };

/** What's left of forms, which nothing here sends or reads: `node-fetch` asks of each body whether it's one. */
const FORMS = 'export class FormData {}; export const formDataToBlob = undefined;';

const withoutForms = {
  name: 'without forms',
  setup: (build) => {
    build.onResolve({ filter: /multipart-parser/ }, () => BUFFER);
    build.onResolve({ filter: /^formdata-polyfill/ }, ({ path }) => ({ path, namespace: 'without forms' }));
    build.onLoad({ filter: /^/, namespace: 'without forms' }, () => ({ contents: FORMS }));
  },
};

/** A package's name, version and licence, with the text of the licence, which some packages have only in their README. */
function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder);
  const file = files.find((entry) => /^licen[cs]e/i.test(entry)) ?? files.find((entry) => /^readme/i.test(entry));
  if (license === undefined || file === undefined) throw new Error(`${name} comes without a licence.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

/** The notices of all packages that are in the bundle. */
function notices(what, ...metafiles) {
  const inputs = Object.assign({}, ...metafiles.map((metafile) => metafile.inputs));
  const folders = Object.keys(inputs).flatMap((path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const texts = [...new Set(folders)].sort().map(notice);
  return `This ${what} contains these packages:\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

const DIST = 'dist';
const MAIN = 'extension.js';
/** What the extension loads beside its main file, at once or later. */
const PARTS = join(DIST, 'extension');

/**
 * Writes the bundle of the extension as CommonJS modules, which every VS Code loads. `esbuild` splits only
 * ES modules, so each file is converted afterward. The main file comes last, when all that it loads is there.
 */
async function writeExtension({ errors, metafile, outputFiles }) {
  if (errors.length > 0) return;
  const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'));
  const parts = scripts.filter(({ path }) => basename(path) !== MAIN);
  const main = scripts.filter(({ path }) => basename(path) === MAIN);
  mkdirSync(PARTS, { recursive: true });
  for (const { path, text } of [...parts, ...main]) await writeWhole(path, await toCommonJs(path, text));
  await writeWhole(join(DIST, 'THIRD_PARTY_NOTICES.txt'), notices('extension', metafile));
  const written = parts.map(({ path }) => basename(path));
  const stale = readdirSync(PARTS).filter((name) => !written.includes(name));
  for (const name of stale) rmSync(join(PARTS, name));
}

/** Gives a file its name when it's whole: a window or a test may load the previous one just now. */
async function writeWhole(path, contents) {
  await writeFile(`${path}.new`, contents);
  await rename(`${path}.new`, path);
}

async function toCommonJs(path, text) {
  const { code } = await transform(text, {
    charset: options.charset,
    format: 'cjs',
    legalComments: options.legalComments,
    minify: options.minify,
    platform: options.platform,
    sourcefile: basename(path),
    sourcemap: production ? false : 'inline',
    // Otherwise, Node.js would be asked for an ES module.
    supported: { 'dynamic-import': false },
    target: options.target,
  });
  return code;
}

const options = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  // What the oldest Node.js has that a supported VS Code runs extensions on. By its name, esbuild would spell out regular
  // expressions that depend on a version of Unicode.
  target: 'es2023',
  external: ['vscode'],
  // Node.js has the web's streams and files of its own. For versions that don't, the packages would be more than a quarter
  // of the bundle. `node:buffer` lacks what only `blob()` and `formData()` of a response use, such as the parser of forms,
  // and requests to `data:` addresses, which no check of an address lets through.
  alias: {
    'web-streams-polyfill/dist/ponyfill.es2018.js': 'node:stream/web',
    'fetch-blob': 'node:buffer',
    'fetch-blob/file.js': 'node:buffer',
    'fetch-blob/from.js': 'node:buffer',
    'data-uri-to-buffer': 'node:buffer',
  },
  plugins: [withoutForms],
  minify: production,
  sourcemap: !production,
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
};

/** The extension, in as many files as it's loaded in. */
const extensionOptions = {
  ...options,
  entryPoints: ['src/extension.ts'],
  outdir: DIST,
  // Read again by `toCommonJs`.
  sourcemap: production ? false : 'inline',
  write: false,
  format: 'esm',
  splitting: true,
  chunkNames: 'extension/[name]-[hash]',
  plugins: [...options.plugins, { name: 'write', setup: ({ onEnd }) => onEnd(writeExtension) }],
};

async function main() {
  if (process.argv.includes('--watch')) {
    await (await context(extensionOptions)).watch();
    return;
  }
  if (process.argv.includes('--library')) {
    await buildLibrary();
    return;
  }
  await build(extensionOptions);
}

async function buildLibrary() {
  // Not minified: authors step through it, and minify their own bundles.
  const both = { ...options, minify: false, sourcemap: false };
  const library = await build({ ...both, entryPoints: ['src/library.ts'], outfile: 'dist/library/index.js' });
  // For bundlers. They wrap a CommonJS module in a function, which V8 would parse twice, and can't leave out parts of it.
  await build({
    ...both,
    entryPoints: ['src/library.ts'],
    outfile: 'dist/library/index.mjs',
    format: 'esm',
  });
  const builder = await build({
    ...both,
    entryPoints: ['scripts/package/library/cli.ts'],
    outfile: 'dist/library/cli.js',
  });
  const text = notices('package', library.metafile, builder.metafile);
  writeFileSync('dist/library/THIRD_PARTY_NOTICES.txt', text);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
