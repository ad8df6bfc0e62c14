// Bundles the extension into dist/extension.js: with --production minified, otherwise with a source map. Beside it go the
// licences of the bundled packages. With --watch, bundles again after every change.
// With --library, bundles the library for other extensions and the builder instead, into dist/library.
const { build, context } = require('esbuild');
const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { rename, writeFile } = require('node:fs/promises');
const { dirname, join } = require('node:path');

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

/**
 * Writes the bundle and the notices. The bundle gets its name when it's whole: a window or a test may load the previous one
 * just now.
 */
async function writeExtension({ errors, metafile, outputFiles }) {
  if (errors.length > 0) return;
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, contents);
    await rename(`${path}.new`, path);
  }
  writeFileSync('dist/THIRD_PARTY_NOTICES.txt', notices('extension', metafile));
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
    // Its other format loads its parts in a way that bundlers can't follow.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  },
  plugins: [withoutForms],
  minify: production,
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
};

const extensionOptions = {
  ...options,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  sourcemap: production ? false : 'inline',
  write: false,
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
    // Not in the source: ESLint would load all types a second time for a file that begins with it.
    banner: { js: '#!/usr/bin/env node' },
  });
  const text = notices('package', library.metafile, builder.metafile);
  writeFileSync('dist/library/THIRD_PARTY_NOTICES.txt', text);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
