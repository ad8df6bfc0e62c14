import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Scene } from '../../../scripts/scene/scene';

/**
 * Makes a profile of VS Code that has all extensions, and these settings of its own. Windows that open from now on know it; those
 * of the profile have its name in their titles.
 */
export async function makeProfile(
  { data, profile: browser }: Scene,
  name: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const folder = path.join(data.userData, 'User', 'profiles', name.toLowerCase());
  await mkdir(folder, { recursive: true });
  await copyFile(path.join(data.extensions, 'extensions.json'), path.join(folder, 'extensions.json'));
  const all = { 'window.title': '${profileName}', 'workbench.startupEditor': 'none', ...settings };
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify(all));
  // In a browser, this is where VS Code knows its profiles from.
  const known = [{ name, location: { $mid: 1, scheme: 'vscode-remote', path: folder } }];
  const script = `localStorage.setItem('userDataProfiles', ${JSON.stringify(JSON.stringify(known))})`;
  await browser.context.addInitScript(script);
}
