// Bundles the extension into dist: extension.js, which VS Code loads, and the files that it loads at once (chunk.js) or when
// they are needed. With --production: minified, without source maps. An inventory of the bundled packages and their
// licences goes beside them.
const { build, transform } = require('esbuild');
const { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');

const production = process.argv.includes('--production');

/** The oldest Node.js that a supported VS Code runs extensions on. */
const TARGET = 'node22';

/**
 * What node-fetch brings for what this extension never does: it sends and reads no forms, files and `data:` addresses, and
 * names no referrer. Left as they are, these modules are a third of node-fetch. Node has Blob and File of its own.
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
  'data-uri-to-buffer': `
    export default function dataUriToBuffer() { throw new Error('This bundle reads no data: addresses.'); }`,
  './utils/referrer.js': `
    export const DEFAULT_REFERRER_POLICY = 'no-referrer';
    export const validateReferrerPolicy = () => DEFAULT_REFERRER_POLICY;
    export const determineRequestsReferrer = () => 'no-referrer';
    export const parseReferrerPolicyFromHeader = () => DEFAULT_REFERRER_POLICY;`,
};

/** Loads what reads forms only when there is one. It would be a file of its own. */
const READS_FORMS = "await import('./utils/multipart-parser.js')";

/** Puts those in the place of what node-fetch has, and fails where it no longer has it. */
const withoutForms = {
  name: 'node-fetch without forms',
  setup(bundle) {
    const missing = new Set([...Object.keys(REPLACED), READS_FORMS]);
    bundle.onResolve({ filter: /./ }, ({ path, importer }) => {
      if (!(path in REPLACED) || !/[\\/]node-fetch[\\/]src[\\/]/.test(importer)) return undefined;
      missing.delete(path);
      return { path, namespace: 'replaced' };
    });
    bundle.onLoad({ filter: /./, namespace: 'replaced' }, ({ path }) => ({ contents: REPLACED[path] }));
    bundle.onLoad({ filter: /[\\/]node-fetch[\\/]src[\\/]body\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      if (contents.includes(READS_FORMS)) missing.delete(READS_FORMS);
      return {
        contents: contents.replace(READS_FORMS, "{ toFormData() { throw new Error('This bundle reads no forms.'); } }"),
      };
    });
    bundle.onEnd(() => ({
      errors: [...missing].map((what) => ({ text: `node-fetch no longer has ${what}; look at what replaces it.` })),
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

/** The files that VS Code loads at the start: the first, and whatever a loaded one imports other than by import(). */
function loadedAtStart(outputs, output = 'dist/extension.js') {
  const imported = outputs[output].imports
    .filter(({ kind, external }) => kind === 'import-statement' && !external)
    .flatMap(({ path }) => loadedAtStart(outputs, path));
  return [...new Set([basename(output), ...imported])];
}

/** Bytes of each file of the bundle by where they come from: a package, or a folder of the sources. */
function sizes(files) {
  return Object.fromEntries(
    files.map(({ name, inputs }) => {
      const bytes = {};
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const from =
          /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? /^src\/[^/]+/.exec(path)?.[0] ?? path;
        bytes[from] = (bytes[from] ?? 0) + bytesInOutput;
      }
      return [name, bytes];
    }),
  );
}

/** Bundles everything into several modules: one for what is there from the start, one for each import() of the sources. */
async function bundle() {
  const { metafile, outputFiles } = await build({
    entryPoints: { extension: 'src/extension.ts' },
    outdir: 'dist',
    write: false,
    bundle: true,
    // Only ECMAScript modules can be split; they are made CommonJS modules afterwards.
    splitting: true,
    format: 'esm',
    // What several share is chunk.js. Should it ever be more than one file, this fails: then look at what is shared.
    chunkNames: '[name]',
    platform: 'node',
    target: TARGET,
    external: ['vscode'],
    charset: 'utf8',
    plugins: [withoutForms],
    minify: production,
    sourcemap: production ? false : 'inline',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const files = outputFiles.map(({ path, text }) => {
    const name = basename(path);
    return { name, text, inputs: metafile.outputs[`dist/${name}`].inputs };
  });
  return { metafile, files };
}

/**
 * Takes what is not bundled as it is. Left to esbuild, each import of it would be copied name by name, of which VS Code's
 * interface has hundreds, into an object that looks like an ECMAScript module: that was a third of the time to load.
 */
function withPlainRequires(text) {
  const imports =
    /\bimport\s*(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)|\{([^{}]*)\})?\s*from\s*"(vscode|node:[\w/]+)";/g;
  return text.replace(imports, (_all, byDefault, whole, names, module) =>
    [byDefault, whole, names === undefined ? undefined : `{${names.replaceAll(/\s+as\s+/g, ':')}}`]
      .filter((binding) => binding !== undefined)
      .map((binding) => `const ${binding}=require("${module}");`)
      .join(''),
  );
}

/** The same module as VS Code and Node's `require` take it. */
async function asCommonJs({ name, text }) {
  const { code, map } = await transform(withPlainRequires(text), {
    sourcefile: name,
    format: 'cjs',
    platform: 'node',
    target: TARGET,
    charset: 'utf8',
    minify: production,
    sourcemap: production ? false : 'external',
    // import() of our own files would load them as ECMAScript modules do; require() is what bundled extensions have.
    supported: { 'dynamic-import': false },
    logLevel: 'warning',
  });
  return production ? { code } : { code: `${code}//# sourceMappingURL=${name}.map\n`, map };
}

async function main() {
  const { metafile, files } = await bundle();
  mkdirSync('dist', { recursive: true });
  const written = new Set();
  for (const file of files) {
    const { code, map } = await asCommonJs(file);
    writeFileSync(join('dist', file.name), code);
    written.add(file.name);
    if (map !== undefined) {
      writeFileSync(join('dist', `${file.name}.map`), map);
      written.add(`${file.name}.map`);
    }
  }
  // What an earlier build left would be packaged too.
  for (const name of readdirSync('dist').filter((entry) => /\.js(\.map)?$/.test(entry) && !written.has(entry))) {
    rmSync(join('dist', name));
  }
  writeFileSync('dist/THIRD_PARTY_NOTICES.txt', inventory(metafile));
  const report = { loadedAtStart: loadedAtStart(metafile.outputs), files: sizes(files) };
  writeFileSync('dist/sizes.json', JSON.stringify(report, undefined, 2));
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
