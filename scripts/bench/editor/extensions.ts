import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ServiceOptions } from '../../../src/library';
import type { InstalledHost } from '../../../host/install';
import { ROOT } from '../../../host/paths';
import { EMBEDDER, writeEmbedder } from '../embedder';

/** IDs of the extensions that are measured. */
export const OURS = 'device-flow.device-flow-authentication';
export const GITHUB = 'vscode.github-authentication';
export { EMBEDDER };

type Manifest = Readonly<Record<string, unknown>>;

/**
 * Makes a folder that takes the place of VS Code's own extensions. It has copies of this extension and of VS Code's GitHub
 * provider, and an embedder of the library. Nothing wakes them before the probe does: otherwise, VS Code wakes its GitHub
 * provider while it's starting, and this extension together with others.
 * @param service the service that the embedder signs people in to
 */
export async function layOutExtensions(
  folder: string,
  { vscode }: InstalledHost,
  service: ServiceOptions,
): Promise<void> {
  await mkdir(folder);
  const builtIn = path.join(vscode, 'extensions');
  await symlink(path.join(builtIn, 'theme-defaults'), path.join(folder, 'theme-defaults'));
  await copyExtension(ROOT, path.join(folder, 'ours'), (manifest) => ({
    ...manifest,
    activationEvents: [],
  }));
  // VS Code asks for GitHub's sessions by itself. It wakes nothing if no extension says that it provides them.
  const github = path.join(builtIn, 'github-authentication');
  await copyExtension(github, path.join(folder, 'github'), (manifest) => ({
    ...manifest,
    contributes: {},
  }));
  await writeEmbedder(path.join(folder, 'embedder'), service);
}

/** Copies what an extension needs to run, with changes to its manifest. */
async function copyExtension(from: string, to: string, change: (manifest: Manifest) => Manifest): Promise<void> {
  await mkdir(to);
  await cp(path.join(from, 'dist', 'extension.js'), path.join(to, 'dist', 'extension.js'));
  await cp(path.join(from, 'package.nls.json'), path.join(to, 'package.nls.json'));
  const manifest = JSON.parse(await readFile(path.join(from, 'package.json'), 'utf8')) as Manifest;
  await writeFile(path.join(to, 'package.json'), JSON.stringify(change(manifest)));
}
