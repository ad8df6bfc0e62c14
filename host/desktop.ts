import { Option } from 'commander';

/** A VS Code with a window of its own, or VS Code's server with a browser for its window. */
export type HostKind = 'desktop' | 'server';

/** Where `@vscode/test-electron` downloads VS Code from. */
const DOWNLOADS = 'https://update.code.visualstudio.com/api/releases/stable';
/** If that's within reach, it responds in far less; if it isn't, nobody wants to wait. Milliseconds. */
const PATIENCE = 5_000;

/** The kind of host that this machine can have: a desktop one if there's a display and VS Code can be downloaded. */
export async function possibleHost(): Promise<HostKind> {
  return hasDisplay() && (await canDownload()) ? 'desktop' : 'server';
}

/** The command-line option for the kind of host. */
export function hostOption(description: string): Option {
  return new Option('--host <kind>', description).choices(['desktop', 'server']);
}

/** Whether a window can be shown. */
export function hasDisplay(
  system: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
): boolean {
  return system !== 'linux' || Boolean(environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY']);
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
