import assert from 'node:assert/strict';
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import type { EmbeddedService } from '../../demo/service';
import type { DataFolder } from '../../host/dataFolder';
import { npmCommand, withoutNpm } from '../../host/npm';
import { ROOT } from '../../host/paths';
import { runProgram } from '../../host/processes';
import type { Workbench } from '../../host/workbench';
import { TARBALL } from '../../scripts/package/library/package';
import { VSCE } from '../../scripts/package/packager';

const NPM = ['--no-audit', '--no-fund', '--loglevel=error'];

/** Runs npm in a folder, as a person does. */
export async function npm(folder: string, ...args: readonly string[]): Promise<void> {
  const command = npmCommand(...args, ...NPM);
  await runProgram(command.file, command.args, { cwd: folder, env: withoutNpm(process.env) });
}

/** Installs the package of the library into a new folder, as its users do. It depends on nothing, so no registry is asked. */
export async function installLibrary(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  await npm(folder, 'install', '--offline', TARBALL);
}

/** The files of a sample that embeds the library. */
interface Sample {
  /** Its folder. */
  readonly name: string;
  readonly files: readonly string[];
  /** Which of them is bundled. */
  readonly main: string;
}

const ACME: Sample = { name: 'acme', files: ['extension.ts', 'main.ts'], main: 'main.ts' };
const SERVERS: Sample = { name: 'servers', files: ['extension.ts'], main: 'extension.ts' };

/**
 * Makes the package of a sample that embeds the library as its author does: in a folder of its own, with the tarball, a
 * bundler, and the packager.
 * @param changes what's replaced in its sources, such as the address of the service
 * @param library a folder in which the library was installed, from which it's copied; if left out, it's installed
 * @returns the path of the VSIX
 */
async function packEmbedder(
  folder: string,
  { files, main, name: sampleName }: Sample,
  changes: Readonly<Record<string, string>>,
  library?: string,
): Promise<string> {
  const sample = path.join(ROOT, 'test', 'embedder', sampleName);
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', ...files]) {
    const text = await readFile(path.join(sample, name), 'utf8');
    const changed = Object.entries(changes).reduce((all, [from, to]) => all.replaceAll(from, to), text);
    await writeFile(path.join(folder, name), changed);
  }
  await copyFile(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
  if (library === undefined) await npm(folder, 'install', '--offline', '--no-save', TARBALL);
  else await cp(path.join(library, 'node_modules'), path.join(folder, 'node_modules'), { recursive: true });
  return await bundleAndPack(folder, main, '1.0.0');
}

/**
 * Makes the next version of a sample that `packEmbedder` has made, with a later version of the library: one that stores a
 * field more of each session.
 * @returns the path of the VSIX
 */
export async function packNextVersion(folder: string): Promise<string> {
  await replaceIn(
    path.join(folder, 'node_modules', 'vscode-device-flow', 'index.mjs'),
    'var NEW_RECORD = {',
    'var NEW_RECORD = {\n  fieldOfALaterVersion: true,',
  );
  await replaceIn(path.join(folder, 'package.json'), '"version": "1.0.0"', '"version": "1.0.1"');
  return await bundleAndPack(folder, ACME.main, '1.0.1');
}

/** A standard service that wants no secret, which nobody could keep. */
export const PUBLIC_CLIENT = { protocol: 'rfc8628', clientSecret: '' } as const;

/** Where an embedder of this name is made. */
export const folderOf = (data: DataFolder, company: string): string => path.join(data.root, company.toLowerCase());

/**
 * The sample as it is for these services, under this name.
 * @param library a folder in which the library was installed
 */
export async function packEmbedderFor(
  data: DataFolder,
  company: string,
  [first, second]: readonly [EmbeddedService, EmbeddedService],
  library?: string,
): Promise<string> {
  const changes = {
    'https://login.acme.example': first.baseUrl,
    'https://staging.acme.example': second.baseUrl,
    'https://api.acme.example/me': `${first.baseUrl}/api/whoami`,
    "label: 'Acme Staging',": "label: 'Acme Staging', offerSignIn: true,",
    "commandPrefix: 'acme',": `commandPrefix: 'acme', offerSignIn: true, mcpServers: [{ label: 'Acme MCP', url: '${first.mcpUrl}' }],`,
    '"contributes": {': '"contributes": { "mcpServerDefinitionProviders": [{ "id": "acme", "label": "Acme" }],',
    "'tools'": `'${first.clientId}'`,
    acme: company.toLowerCase(),
    Acme: company,
  };
  return await packEmbedder(folderOf(data, company), ACME, changes, library);
}

/**
 * The sample whose servers a setting lists, as it is for clients with this ID, under this name.
 * @param library a folder in which the library was installed
 */
export async function packServersEmbedder(
  data: DataFolder,
  company: string,
  clientId: string,
  library: string,
): Promise<string> {
  const names = { acme: company.toLowerCase(), Acme: company };
  return await packEmbedder(folderOf(data, company), SERVERS, { "'tools'": `'${clientId}'`, ...names }, library);
}

/** Has the sample call its API, and checks that the service accepts its token. */
export async function callApi(workbench: Workbench): Promise<void> {
  await workbench.runCommand('Acme: Who Am I');
  assert.match(await workbench.notifications.take(/^Acme says: /), /"name":"demo"/);
}

/** What the Accounts menu shows of an account of a service. */
export const accountOf = (service: string): RegExp => new RegExp(` \\(${service}\\)$`);

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} doesn't contain ${from}`);
  await writeFile(file, text.replace(from, to));
}

async function bundleAndPack(folder: string, main: string, version: string): Promise<string> {
  await build({
    absWorkingDir: folder,
    entryPoints: [main],
    outfile: 'dist/extension.js',
    platform: 'node',
    external: ['vscode'],
    bundle: true,
    minify: true,
    logLevel: 'warning',
  });
  const vsix = `${folder}-${version}.vsix`;
  const packaging = ['--no-dependencies', '--allow-missing-repository', '-o', vsix];
  await runProgram(process.execPath, [VSCE, 'package', ...packaging], { cwd: folder });
  return vsix;
}

/** Gives the folder what a bare machine lacks for compiling against the newest types of VS Code. */
export async function provideTypes(folder: string): Promise<void> {
  const modules = path.join(ROOT, 'node_modules');
  await cp(path.join(modules, '@types', 'vscode-newest'), path.join(folder, 'node_modules', '@types', 'vscode'), {
    recursive: true,
  });
  for (const name of ['@types/node', 'undici-types']) {
    await cp(path.join(modules, name), path.join(folder, 'node_modules', name), { recursive: true });
  }
}
