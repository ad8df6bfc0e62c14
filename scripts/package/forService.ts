import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type manifest from '../../package.json';
import type texts from '../../package.nls.json';
import { readService } from '../../src/vscode/settings/service';
import { runProgram } from '../../host/processes';
import { refusedSecrets } from './refusedSecrets';
import { readServiceFile, type ServiceFile, ServiceFileError } from './serviceFile';
import { hasKnownSite } from './storeText';

/** The prefix of our own commands and settings, which a build replaces by its own. */
const OWN_PREFIX = 'deviceFlow.';

/** Files that every build has as they are. */
const KEPT = ['l10n', path.join('dist', 'extension.js')];

/** The licenses of what the extension is made of. */
const NOTICES = path.join('dist', 'THIRD_PARTY_NOTICES.txt');

/** Where a build has its icon. */
const ICON = path.posix.join('media', 'icon.png');

/** All files of the extension that builds are made of; others aren't needed for that. */
export const PARTS = ['package.json', 'package.nls.json', 'LICENSE', ...KEPT, NOTICES];

/** Where a build comes from and goes to. */
export interface BuildOptions {
  /** The folder with the files that `PARTS` names. */
  readonly parts: string;
  /** The folder that gets the package. */
  readonly into: string;
  /** The script of the packager, vsce. */
  readonly vsce: string;
}

/** The extension that builds are made of. */
export interface Original {
  readonly manifest: typeof manifest;
  readonly texts: typeof texts;
}

/** The manifest of a build for one service, and its texts. */
export interface Branded {
  readonly manifest: object;
  readonly texts: Readonly<Record<string, string>>;
}

/** What people call the service of a build. */
function labelOf({ displayName, service }: ServiceFile): string {
  return readService(service, 'build').name ?? displayName;
}

/** What the build is, in a sentence. */
function descriptionOf(file: ServiceFile): string {
  return file.description ?? `Sign in to ${labelOf(file)} once, and use it from all extensions in every window.`;
}

/** Makes the manifest of a build for one service, and its texts. */
export function brand(file: ServiceFile, original: Original): Branded {
  const renamed = withPrefix(original, file.prefix);
  const manifest = manifestOf(file, renamed);
  return { manifest, texts: textsIn(manifest, { ...renamed.texts, category: file.displayName }) };
}

/** The extension with another prefix in front of its commands and settings. */
function withPrefix(original: Original, prefix: string): Original {
  return JSON.parse(JSON.stringify(original).replaceAll(OWN_PREFIX, `${prefix}.`)) as Original;
}

function manifestOf(file: ServiceFile, original: Original): object {
  const { activationEvents, api, capabilities, engines, extensionKind, l10n, main } = original.manifest;
  return {
    name: file.name,
    displayName: file.displayName,
    description: descriptionOf(file),
    version: file.version,
    publisher: file.publisher,
    ...storeFields(file, original),
    engines,
    main,
    l10n,
    extensionKind,
    // Without it, extensions in another extension host can't depend on the build.
    api,
    capabilities,
    // Other extensions may hand over a client secret by this command even if people don't have it.
    activationEvents: [...activationEvents, `onCommand:${file.prefix}.setClientSecret`],
    service: file.service,
    mcpServers: hasServers(file) ? file.mcpServers : undefined,
    contributes: contributionsOf(file, original),
  };
}

/** What only the stores show. What the publisher leaves out is left out of the manifest, too. */
function storeFields(file: ServiceFile, original: Original): object {
  const { bugs, categories = original.manifest.categories, galleryBanner, homepage, keywords, preview } = file;
  return {
    license: file.license && `SEE LICENSE IN ${licenseName(file.license)}`,
    icon: file.icon && ICON,
    repository: file.repository && { type: 'git', url: file.repository },
    bugs: bugs && { url: bugs },
    homepage,
    keywords,
    categories,
    galleryBanner,
    preview,
  };
}

/** What the build adds to VS Code: no settings, and no commands that configure the service. */
function contributionsOf(file: ServiceFile, { manifest: { contributes } }: Original): object {
  const provider = { id: file.providerId, label: labelOf(file) };
  const dropped = droppedCommands(file);
  return {
    authentication: [provider],
    mcpServerDefinitionProviders: hasServers(file) ? [provider] : undefined,
    commands: contributes.commands.filter(({ command }) => !dropped.includes(command)),
  };
}

function hasServers({ mcpServers = [] }: ServiceFile): boolean {
  return mcpServers.length > 0;
}

/** The commands that configure the service. People enter a client secret only if the build needs one and has none. */
function droppedCommands({ prefix, service }: ServiceFile): readonly string[] {
  const { clientSecret, protocol } = service;
  const needsSecret = protocol === 'draft' && clientSecret === undefined;
  return needsSecret ? [`${prefix}.configure`] : [`${prefix}.configure`, `${prefix}.setClientSecret`];
}

/** The texts that a manifest names. */
function textsIn(manifest: object, texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = new Set([...JSON.stringify(manifest).matchAll(/"%([\w.]+)%"/g)].map(([, name]) => name));
  return Object.fromEntries(Object.entries(texts).filter(([name]) => named.has(name)));
}

function licenseName(file: string): string {
  return `LICENSE${path.extname(file)}`;
}

/**
 * Builds the package of one service.
 * @param file the publisher's description of it
 * @returns the path of the package
 * @throws ServiceFileError
 */
export async function packageForService(file: string, { into, parts, vsce }: BuildOptions): Promise<string> {
  const service = await readServiceFile(file);
  const vsix = path.join(into, `${service.name}.vsix`);
  const staging = await mkdtemp(path.join(os.tmpdir(), `${service.name}-`));
  try {
    await copyExtension(service, parts, staging);
    await copyOwnFiles(service, path.dirname(file), staging);
    await mkdir(into, { recursive: true });
    await runPackager([vsce, 'package', ...packagerOptions(service), '-o', vsix], staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return vsix;
}

/** @throws ServiceFileError if the package contains what looks like a secret */
async function runPackager(args: readonly string[], folder: string): Promise<void> {
  try {
    await runProgram(process.execPath, args, { cwd: folder });
  } catch (error) {
    const manifest = await readFile(path.join(folder, 'package.json'), 'utf8');
    const refusal = refusedSecrets(error instanceof Error ? error.message : '', manifest);
    throw refusal === undefined ? error : new ServiceFileError(refusal);
  }
}

/** Copies the extension into a folder, under the names of the build. */
async function copyExtension(service: ServiceFile, parts: string, to: string): Promise<void> {
  const read = (name: string): Promise<string> => readFile(path.join(parts, name), 'utf8');
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(to, name), text);
  for (const name of KEPT) {
    await cp(path.join(parts, name), path.join(to, name), { recursive: true });
  }
  const original = {
    manifest: JSON.parse(await read('package.json')) as Original['manifest'],
    texts: JSON.parse(await read('package.nls.json')) as Original['texts'],
  };
  const branded = brand(service, original);
  await write('package.json', JSON.stringify(branded.manifest, undefined, 2));
  await write('package.nls.json', JSON.stringify(branded.texts, undefined, 2));
  await write('README.md', readme(service));
  await write(NOTICES, notices(await read(NOTICES), await read('LICENSE'), original));
}

/** Copies the files that the publisher's description names, which are in its folder. */
async function copyOwnFiles(service: ServiceFile, from: string, to: string): Promise<void> {
  const copy = async (given: string | undefined, name: string): Promise<void> => {
    if (given !== undefined) {
      await copyFile(path.resolve(from, given), path.join(to, name));
    }
  };
  await mkdir(path.join(to, path.dirname(ICON)));
  await copy(service.icon, ICON);
  await copy(service.readme, 'README.md');
  await copy(service.changelog, 'CHANGELOG.md');
  await copy(service.license, licenseName(service.license ?? ''));
}

/** With a repository that the packager knows, relative links lead there; otherwise, they stay as they are. */
function packagerOptions({ license, repository }: ServiceFile): readonly string[] {
  return [
    '--no-dependencies',
    ...(repository === undefined ? ['--allow-missing-repository'] : []),
    ...(hasKnownSite(repository) ? [] : ['--no-rewrite-relative-links']),
    ...(license === undefined ? ['--skip-license'] : []),
  ];
}

/** The notices of the extension, and the license under which it is part of the build itself. */
function notices(ofExtension: string, license: string, { manifest }: Original): string {
  const [heading = '', ...others] = ofExtension.split('\n\n');
  const own = `Device Flow Authentication ${manifest.version} (${manifest.license})\n\n${license.trim()}\n\n${'-'.repeat(80)}`;
  return [heading, own, ...others].join('\n\n');
}

/** What people read on the Marketplace if the publisher has written nothing. */
function readme(file: ServiceFile): string {
  const { displayName, providerId } = file;
  return `# ${displayName}

${descriptionOf(file)}

- **Sign in**: run **${displayName}: Sign In** from the Command Palette, or wait until an extension asks you to. VS Code
  shows a code and opens a page of ${labelOf(file)} in your browser: make sure that the page shows the same code, or enter it
  there. You stay signed in, in every window.
- **Sign out**: use the Accounts menu, or run **${displayName}: Sign Out**.
- **See how it's going**: run **${displayName}: Show Status**.

Extensions ask for a session with \`vscode.authentication.getSession('${providerId}', scopes, { createIfNone: true })\`.
`;
}
