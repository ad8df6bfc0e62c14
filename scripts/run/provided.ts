import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { SAMPLE } from '../../demo/configured';
import { type InstalledHost, installHost } from '../../host/install';
import { packExtension } from '../../host/packExtension';
import { ROOT, SETTINGS } from '../../host/paths';
import { runProgram } from '../../host/processes';
import { CHROMIUM, providePrograms } from '../../host/systemPackages';
import { type HostVersion, NEWEST, OLDEST } from '../../host/versions';

/** The script that runs the commands of the project. */
export const BOOTSTRAP = path.join(ROOT, 'scripts', 'bootstrap.js');

/** The first steps wait for the newest VS Code, and run while the oldest is installed, which leaves them the processor. */
const LATER = 5;

/** Makes or installs something once, however many steps wait for it. */
function once<T>(provide: () => Promise<T>): () => Promise<T> {
  let provided: Promise<T> | undefined;
  return () => (provided ??= provide());
}

const provideNewest = once(() => installHost(NEWEST));
const provideOldest = once(async () => {
  await provideNewest().catch(() => undefined);
  return await installHost(OLDEST, LATER);
});
const hosts = new Map([
  [NEWEST, provideNewest],
  [OLDEST, provideOldest],
]);
const provideBrowser = once(() => providePrograms([CHROMIUM]));

/** A VS Code server of this version, installed if it wasn't. */
export function provideHost(version: HostVersion): Promise<InstalledHost> {
  return hosts.get(version)?.() ?? installHost(version);
}

/** The package of the extension, and that of the library, made of what's in this clone now. */
export const providePackages = once(async () => {
  process.stderr.write('Packaging the extension and the library…\n');
  await runProgram(process.execPath, [BOOTSTRAP, 'package'], { cwd: ROOT });
  await runProgram(process.execPath, [BOOTSTRAP, 'package', '--library'], { cwd: ROOT });
});

/** The packages of the sample, and of the extensions that only scenes and tests use. Otherwise, each step that needs one makes its own. */
const provideExtensions = once(async () => {
  const files = await readdir(path.join(ROOT, 'test'), { recursive: true });
  const manifests = files.filter((file) => path.basename(file) === 'manifest.json');
  const folders = [SAMPLE, SETTINGS, ...manifests.map((file) => path.join('test', path.dirname(file)))];
  await Promise.all(folders.map(packExtension));
});

/** The same, those of other extensions, a VS Code of this version, and the browser in which its windows are opened. */
export async function provideEditor(version: HostVersion): Promise<void> {
  await Promise.all([providePackages(), provideExtensions(), provideBrowser(), provideHost(version)]);
}
