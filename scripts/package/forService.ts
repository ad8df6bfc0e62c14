import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../package.json';
import texts from '../../package.nls.json';
import { ROOT } from '../host/paths';
import { runProgram } from '../host/processes';
import { fixedSettings, readServiceFile, type ServiceFile } from './serviceFile';

/** The prefix of our own commands and settings, which a build replaces by its own. */
const OWN_PREFIX = 'deviceFlow.';

/** Settings that only one of the protocols has. */
const ONLY_FOR: Readonly<Record<string, RegExp>> = {
  draft: /^(?:notify\.|accessTokenIn$)/,
  rfc8628: /^(?:endpoints|scopes|parameters)$/,
};

/** Files that every build has as they are. */
const KEPT = ['LICENSE', 'l10n', path.join('media', 'walkthrough')];

/** The manifest of a build for one service, and its texts. */
export interface Branded {
  readonly manifest: object;
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Makes the manifest of a build for one service: the names of the build, no settings that are fixed or of the other
 * protocol, and no commands that configure the service.
 */
export function brand(file: ServiceFile): Branded {
  const { publisher, name, displayName, description, version, providerId, prefix } = file;
  const fixed = fixedSettings(file);
  const renamed = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(OWN_PREFIX, `${prefix}.`)) as T;
  const { contributes, categories, engines, main, l10n, license, ...own } = renamed(manifest);
  // Without `api`, extensions in another extension host can't depend on the build.
  const { extensionKind, api, capabilities, activationEvents } = own;
  const needsSecret = fixed['protocol'] === 'draft' && fixed['clientSecret'] === undefined;
  const dropped = [`${prefix}.configure`, ...(needsSecret ? [] : [`${prefix}.setClientSecret`])];
  const isKept = (setting: string): boolean =>
    !(setting in fixed) &&
    !(fixed['notify.path'] === '' && setting.startsWith('notify.')) &&
    !Object.entries(ONLY_FOR).some(([protocol, names]) => protocol !== fixed['protocol'] && names.test(setting));
  const properties = Object.entries(contributes.configuration.properties).filter(([setting]) =>
    isKept(setting.slice(prefix.length + 1)),
  );
  return {
    manifest: {
      ...{ name, displayName, description: description ?? texts.description, version, publisher, license },
      ...{ icon: 'media/icon.png', categories, engines, main, l10n },
      ...{ extensionKind, api, capabilities, activationEvents },
      service: fixed,
      contributes: {
        authentication: [{ id: providerId, label: displayName }],
        commands: contributes.commands.filter(({ command }) => !dropped.includes(command)),
        walkthroughs: contributes.walkthroughs.map(({ steps, ...walkthrough }) => ({
          ...walkthrough,
          steps: steps.filter(({ id }) => id !== 'configure'),
        })),
        configuration: { title: displayName, properties: Object.fromEntries(properties) },
      },
    },
    texts: {
      // The protocol is fixed, so no text can lead to its setting.
      ...mapTexts(renamed(texts), (text) => text.replaceAll(` (\`#${prefix}.protocol#\`)`, '')),
      displayName,
      ...(description === undefined ? {} : { description }),
      category: displayName,
      'walkthrough.title': `Sign in with ${displayName}`,
    },
  };
}

function mapTexts(named: Readonly<Record<string, string>>, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(named).map(([name, text]) => [name, change(text)]));
}

/**
 * Builds the package of one service, out of `dist/extension.js`.
 * @param file the publisher's description of it
 * @returns the path of the package, `dist/<name>.vsix`
 * @throws ServiceFileError
 */
export async function packageForService(file: string): Promise<string> {
  const service = await readServiceFile(file);
  const beside = (name: string): string => path.resolve(path.dirname(file), name);
  const dist = path.join(ROOT, 'dist');
  const vsix = path.join(dist, `${service.name}.vsix`);
  const staging = await mkdtemp(path.join(dist, `${service.name}-`));
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(staging, name), text);
  try {
    await mkdir(path.join(staging, 'dist'));
    for (const name of KEPT) await cp(path.join(ROOT, name), path.join(staging, name), { recursive: true });
    for (const name of ['extension.js', 'THIRD_PARTY_NOTICES.txt']) {
      await copyFile(path.join(dist, name), path.join(staging, 'dist', name));
    }
    const security = await readFile(path.join(ROOT, 'SECURITY.md'), 'utf8');
    await write('SECURITY.md', security.replaceAll(OWN_PREFIX, `${service.prefix}.`));
    const icon = service.icon === undefined ? path.join(ROOT, 'media', 'icon.png') : beside(service.icon);
    await copyFile(icon, path.join(staging, 'media', 'icon.png'));
    const branded = brand(service);
    await write('package.json', JSON.stringify(branded.manifest, undefined, 2));
    await write('package.nls.json', JSON.stringify(branded.texts, undefined, 2));
    await write(
      'README.md',
      service.readme === undefined ? readme(service) : await readFile(beside(service.readme), 'utf8'),
    );
    const vsce = path.join(ROOT, 'node_modules', '@vscode', 'vsce', 'vsce');
    const options = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '-o', vsix];
    await runProgram(process.execPath, [vsce, 'package', ...options], { cwd: staging });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return vsix;
}

/** What people read on the Marketplace if the publisher has written nothing. */
function readme({ displayName, description = texts.description, providerId, prefix }: ServiceFile): string {
  return `# ${displayName}

${description}

- **Sign in**: run **${displayName}: Sign In** from the Command Palette, or wait until an extension asks you to. Enter the
  code that appears on the page that opens, in any browser. The session is then refreshed automatically, in every window.
- **Sign out**: use the Accounts menu, or run **${displayName}: Sign Out**.
- **See how it's going**: run **${displayName}: Show Status**. Settings begin with \`${prefix}.\`.

Extensions ask for a session with \`vscode.authentication.getSession('${providerId}', scopes, { createIfNone: true })\`.
`;
}
