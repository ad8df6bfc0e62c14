import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../../package.json';
import { npmCommand } from '../../../host/npm';
import { ROOT } from '../../../host/paths';
import { runProgram } from '../../../host/processes';
import { SERVICE_FILE } from '../../settings/schemas';
import { serviceOptionsType } from '../../settings/types';
import { manifestWithoutTools } from '../extension';
import { PARTS } from '../forService';
import { type Repository, repositoryFields } from '../repository';

/** Where the npm package is put together. `esbuild.js --library` has put its code there. */
export const LIBRARY = path.join(ROOT, 'dist', 'library');

/** The npm package. */
export const TARBALL = path.join(ROOT, 'dist', `vscode-device-flow-${manifest.version}.tgz`);

/** The manifest of the npm package. */
const PACKAGE = {
  name: 'vscode-device-flow',
  version: manifest.version,
  description: 'Sign people in from your VS Code extension by the OAuth 2.0 device flow (RFC 8628).',
  keywords: ['vscode', 'vscode-extension', 'authentication', 'oauth', 'oidc', 'device-flow', 'device-code', 'rfc8628'],
  license: manifest.license,
  type: 'commonjs',
  main: './index.js',
  types: './index.d.ts',
  sideEffects: false,
  exports: {
    // Only bundlers use `module`: for whatever loads the package as it is, there's one copy of the code.
    '.': { types: './index.d.ts', module: './index.mjs', default: './index.js' },
    './l10n/*.json': './l10n/*.json',
    './service.schema.json': './service.schema.json',
    './package.json': './package.json',
  },
  bin: { 'vscode-device-flow': 'cli.js' },
  engines: { node: '>=20.19', vscode: manifest.engines.vscode },
  peerDependencies: { '@types/vscode': '>=1.103.0', '@vscode/vsce': '>=3' },
  peerDependenciesMeta: { '@types/vscode': { optional: true }, '@vscode/vsce': { optional: true } },
};

/**
 * Puts the npm package together out of the bundles, and checks it.
 * @param repository what its manifest leads to; npm publishes from a workflow only what names the workflow's repository
 * @returns the path of the tarball
 */
export async function packageLibrary(repository: Repository | undefined): Promise<string> {
  const own = path.join(ROOT, 'scripts', 'package');
  const copy = (from: string, to: string): Promise<void> => cp(from, path.join(LIBRARY, to), { recursive: true });
  const write = (name: string, contents: object): Promise<void> =>
    writeFile(path.join(LIBRARY, name), `${JSON.stringify(contents, undefined, 2)}\n`);
  await rm(path.join(LIBRARY, 'extension'), { recursive: true, force: true });
  await mkdir(path.join(LIBRARY, 'extension'), { recursive: true });
  await writeFile(path.join(LIBRARY, 'index.d.ts'), await declarations());
  await copy(path.join(ROOT, 'LICENSE'), 'LICENSE');
  await copy(path.join(ROOT, 'l10n'), 'l10n');
  await write('service.schema.json', SERVICE_FILE);
  await copy(path.join(own, 'library', 'README.md'), 'README.md');
  for (const part of PARTS) await copy(path.join(ROOT, part), path.join('extension', part));
  await write(path.join('extension', 'package.json'), manifestWithoutTools());
  await write('package.json', { ...PACKAGE, ...repositoryFields(repository) });
  await npm('pack', LIBRARY, '--pack-destination', path.dirname(TARBALL), '--loglevel=error');
  await check();
  return TARBALL;
}

/** The public types of the library, with their comments, in one file. */
async function declarations(): Promise<string> {
  const [{ rollup }, { dts }] = await Promise.all([import('rollup'), import('rollup-plugin-dts')]);
  const options = path.join(ROOT, 'out', 'serviceOptions.d.ts');
  await writeFile(options, serviceOptionsType());
  const written = {
    name: 'the type that is written out',
    resolveId: (source: string) => (source.endsWith('/settings/serviceFields') ? options : null),
  };
  const bundle = await rollup({
    input: path.join(ROOT, 'src', 'library.ts'),
    external: ['vscode'],
    plugins: [written, dts({ tsconfig: path.join(ROOT, 'tsconfig.json') })],
  });
  try {
    const { output } = await bundle.generate({ format: 'es' });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/** Lets the tools look at the package that authors of packages trust. @throws Error with what they found */
async function check(): Promise<void> {
  const [{ publint }, { formatMessage }] = await Promise.all([import('publint'), import('publint/utils')]);
  const { messages } = await publint({ pkgDir: LIBRARY, strict: true });
  const found = messages.map((message) => formatMessage(message, PACKAGE, { color: false }));
  if (found.length > 0) throw new Error(`publint found:\n${found.join('\n')}`);
  const attw = path.join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
  const others = ['--exclude-entrypoints', 'l10n/*.json', 'service.schema.json'];
  await runProgram(process.execPath, [attw, TARBALL, '--no-emoji', '--no-color', ...others]);
}

async function npm(...args: readonly string[]): Promise<void> {
  const command = npmCommand(...args);
  await runProgram(command.file, command.args);
}
