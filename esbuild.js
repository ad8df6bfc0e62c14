// Bundles the extension into dist/extension.js. With --production: minified, without a source map, and with an inventory
// of the bundled packages and their licences beside it.
const { build } = require('esbuild');
const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const production = process.argv.includes('--production');

/**
 * What node-fetch brings for bodies that this extension never sends: Blobs, files and forms. Node has Blob and
 * File of its own; forms are neither built nor parsed. Left as they are, these modules are a third of node-fetch.
 */
const REPLACED = {
  'fetch-blob': 'export default Blob;',
  // Only passed on by node-fetch's index, which nothing here asks for them.
  'fetch-blob/from.js': `
    const { Blob, File } = globalThis;
    export { Blob, File };
    export let blobFrom, blobFromSync, fileFrom, fileFromSync;`,
  'formdata-polyfill/esm.min.js': `
    export class FormData {} // Node's own would load all of Node's fetch with it.
    export function formDataToBlob() { throw new Error('This bundle sends no forms.'); }`,
  './utils/multipart-parser.js': `
    export function toFormData() { throw new Error('This bundle reads no forms.'); }`,
};

/** Puts those in the place of the modules that node-fetch imports, and fails where it no longer imports one. */
const withoutForms = {
  name: 'node-fetch without forms',
  setup(bundle) {
    const missing = new Set(Object.keys(REPLACED));
    bundle.onResolve({ filter: /./ }, ({ path, importer }) => {
      if (!(path in REPLACED) || !/[\\/]node-fetch[\\/]src[\\/]/.test(importer)) return undefined;
      missing.delete(path);
      return { path, namespace: 'replaced' };
    });
    bundle.onLoad({ filter: /./, namespace: 'replaced' }, ({ path }) => ({ contents: REPLACED[path] }));
    bundle.onEnd(() => ({
      errors: [...missing].map((path) => ({ text: `node-fetch no longer imports ${path}; look at what replaces it.` })),
    }));
  },
};

/** The text of the licence: a file of its own, or the last section of the README. */
function licenceText(name, folder) {
  const entries = readdirSync(folder);
  const file = entries.find((entry) => /^licen[cs]e/i.test(entry));
  if (file !== undefined) {
    return readFileSync(join(folder, file), 'utf8').trim();
  }
  const readme = entries.find((entry) => /^readme/i.test(entry));
  const section = readme && /\n(?:#+ )?Licen[cs]e\n(?:-+\n)?([^]*)$/i.exec(readFileSync(join(folder, readme), 'utf8'));
  if (!section) {
    throw new Error(`No licence text was found for ${name}; look at it before you bundle it.`);
  }
  return section[1].trim();
}

/** The packages that went into the bundle, each with its version, licence and the licence's text. */
function inventory(metafile) {
  const names = Object.keys(metafile.inputs).flatMap(
    (path) => /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.slice(1) ?? [],
  );
  const texts = [...new Set(names)].sort().map((name) => {
    const folder = join(__dirname, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${manifest.version} (${manifest.license})\n\n${licenceText(name, folder)}\n`;
  });
  return `This extension contains these packages:\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** Bytes of the bundle by where they come from: a package, or a folder of the sources. */
function sizes(metafile) {
  const bytes = {};
  for (const [path, { bytesInOutput }] of Object.entries(metafile.outputs['dist/extension.js'].inputs)) {
    const from =
      /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? /^src\/[^/]+/.exec(path)?.[0] ?? path;
    bytes[from] = (bytes[from] ?? 0) + bytesInOutput;
  }
  return bytes;
}

async function main() {
  const { metafile } = await build({
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    charset: 'utf8',
    plugins: [withoutForms],
    minify: production,
    sourcemap: !production,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  mkdirSync('dist', { recursive: true });
  writeFileSync('dist/THIRD_PARTY_NOTICES.txt', inventory(metafile));
  writeFileSync('dist/sizes.json', JSON.stringify(sizes(metafile), undefined, 2));
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
