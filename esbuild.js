// Bundles the extension into dist/extension.js. With --production: minified, without a source map.
const { build } = require('esbuild');

const production = process.argv.includes('--production');

build({
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode'],
  // Node has web streams of its own, so the polyfill that node-fetch brings (60 KB) stays out.
  alias: { 'web-streams-polyfill': 'node:stream/web' },
  minify: production,
  sourcemap: !production,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
}).then(
  (result) => require('node:fs').writeFileSync('dist/extension.meta.json', JSON.stringify(result.metafile)),
  () => process.exit(1),
);
