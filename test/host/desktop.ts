import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { QUIET_SETTINGS } from './settings';

/** A VS Code with a window of its own, or VS Code's server with a browser for its window. */
export type HostKind = 'desktop' | 'server';

/** Where `@vscode/test-electron` downloads VS Code from. */
const DOWNLOADS = 'https://update.code.visualstudio.com/api/releases/stable';
/** Where that is within reach it answers in far less; where it is not, nobody wants to wait. Milliseconds. */
const PATIENCE = 5_000;

/** The kind of host that this machine can have: a desktop one where there is a display and VS Code can be downloaded. */
export async function possibleHost(): Promise<HostKind> {
  return hasDisplay() && (await canDownload()) ? 'desktop' : 'server';
}

/** Whether a window can be shown. */
export function hasDisplay(): boolean {
  return process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}

/** Writes the settings of a desktop VS Code into the folder that it is given as the user's. */
export async function writeDesktopSettings(
  userData: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await mkdir(path.join(userData, 'User'), { recursive: true });
  const all = { ...QUIET_SETTINGS, ...settings };
  await writeFile(path.join(userData, 'User', 'settings.json'), `${JSON.stringify(all, undefined, 2)}\n`);
}

async function canDownload(): Promise<boolean> {
  try {
    const response = await fetch(DOWNLOADS, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE) });
    return response.ok;
  } catch (error) {
    process.stderr.write(`VS Code can't be downloaded here (${error instanceof Error ? error.message : 'unknown'}).\n`);
    return false;
  }
}
