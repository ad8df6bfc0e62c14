import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type manifest from '../../package.json';
import type texts from '../../package.nls.json';
import { settingsIn } from '../../src/vscode/editor/settingsSource';
import { serviceSettings } from '../../src/vscode/settings/serviceOptions';
import { serviceLabel } from '../../src/vscode/settings/settings';
import { runProgram } from '../host/processes';
import { readServiceFile, type ServiceFile } from './serviceFile';

/** The prefix of our own commands and settings, which a build replaces by its own. */
const OWN_PREFIX = 'deviceFlow.';

/** Files that every build has as they are. */
const KEPT = ['l10n', path.join('media', 'walkthrough'), path.join('dist', 'extension.js')];

/** All files of the extension that builds are made of; others aren't needed for that. */
export const PARTS = [
  'package.json',
  'package.nls.json',
  'LICENSE',
  ...KEPT,
  path.join('dist', 'THIRD_PARTY_NOTICES.txt'),
];

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
  return serviceLabel(settingsIn(serviceSettings(service)), displayName);
}

/** What the build is, in a sentence. */
function descriptionOf(file: ServiceFile): string {
  return file.description ?? `Sign in to ${labelOf(file)} once, and use it from all extensions in every window.`;
}

/**
 * Makes the manifest of a build for one service: the names of the build, no settings, and no commands that configure the
 * service.
 */
export function brand(file: ServiceFile, original: Original): Branded {
  const { publisher, name, displayName, version, providerId, prefix, mcpServers = [] } = file;
  const description = descriptionOf(file);
  const fixed = serviceSettings(file.service);
  const renamed = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(OWN_PREFIX, `${prefix}.`)) as T;
  const { contributes, engines, main, l10n, ...own } = renamed(original.manifest);
  // Without `api`, extensions in another extension host can't depend on the build.
  const { extensionKind, api, capabilities, activationEvents } = own;
  const needsSecret = fixed['protocol'] === 'draft' && fixed['clientSecret'] === undefined;
  const dropped = [`${prefix}.configure`, ...(needsSecret ? [] : [`${prefix}.setClientSecret`])];
  const { bugs, categories = own.categories, galleryBanner, homepage, keywords, preview, repository } = file;
  return {
    manifest: {
      name,
      displayName,
      description,
      version,
      publisher,
      ...(file.license !== undefined && { license: `SEE LICENSE IN ${licenseName(file.license)}` }),
      ...(file.icon !== undefined && { icon: 'media/icon.png' }),
      ...(repository !== undefined && { repository: { type: 'git', url: repository } }),
      ...(bugs !== undefined && { bugs: { url: bugs } }),
      homepage,
      keywords,
      categories,
      galleryBanner,
      preview,
      engines,
      main,
      l10n,
      extensionKind,
      api,
      capabilities,
      activationEvents,
      service: fixed,
      ...(mcpServers.length > 0 && { mcpServers }),
      contributes: {
        authentication: [{ id: providerId, label: labelOf(file) }],
        ...(mcpServers.length > 0 && { mcpServerDefinitionProviders: [{ id: providerId, label: labelOf(file) }] }),
        commands: contributes.commands.filter(({ command }) => !dropped.includes(command)),
        walkthroughs: contributes.walkthroughs.map(({ steps, ...walkthrough }) => ({
          ...walkthrough,
          steps: steps.filter(({ id }) => id !== 'configure'),
        })),
      },
    },
    texts: {
      ...Object.fromEntries(Object.entries(renamed(original.texts)).filter(([text]) => !text.startsWith('setting.'))),
      displayName,
      description,
      category: displayName,
      'walkthrough.title': `Sign in to ${labelOf(file)}`,
      'walkthrough.description': `Connect VS Code to ${labelOf(file)}, once for all extensions and windows.`,
    },
  };
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
  const part = (name: string): Promise<string> => readFile(path.join(parts, name), 'utf8');
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(staging, name), text);
  const take = async (given: string | undefined, name: string): Promise<void> => {
    if (given !== undefined) await copyFile(path.resolve(path.dirname(file), given), path.join(staging, name));
  };
  try {
    for (const name of KEPT) await cp(path.join(parts, name), path.join(staging, name), { recursive: true });
    await write(path.join('dist', 'THIRD_PARTY_NOTICES.txt'), await notices(part));
    const [manifestText, textsText] = await Promise.all(['package.json', 'package.nls.json'].map(part));
    const original = {
      manifest: JSON.parse(manifestText ?? '') as Original['manifest'],
      texts: JSON.parse(textsText ?? '') as Original['texts'],
    };
    const branded = brand(service, original);
    await write('package.json', JSON.stringify(branded.manifest, undefined, 2));
    await write('package.nls.json', JSON.stringify(branded.texts, undefined, 2));
    await write('README.md', readme(service));
    await take(service.icon, path.join('media', 'icon.png'));
    await take(service.readme, 'README.md');
    await take(service.changelog, 'CHANGELOG.md');
    if (service.license !== undefined) await take(service.license, licenseName(service.license));
    await mkdir(into, { recursive: true });
    await runProgram(process.execPath, [vsce, 'package', ...packagerOptions(service), '-o', vsix], { cwd: staging });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return vsix;
}

/** With a repository, relative links lead there; without one, they stay as they are. */
function packagerOptions({ license, repository }: ServiceFile): readonly string[] {
  return [
    '--no-dependencies',
    ...(repository === undefined ? ['--allow-missing-repository', '--no-rewrite-relative-links'] : []),
    ...(license === undefined ? ['--skip-license'] : []),
  ];
}

/** The notices of the extension, and the licence under which it is part of the build itself. */
async function notices(part: (name: string) => Promise<string>): Promise<string> {
  const { version, license } = JSON.parse(await part('package.json')) as Original['manifest'];
  const [heading = '', ...others] = (await part(path.join('dist', 'THIRD_PARTY_NOTICES.txt'))).split('\n\n');
  const own = `Device Flow Authentication ${version} (${license})\n\n${(await part('LICENSE')).trim()}\n\n${'-'.repeat(80)}`;
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
