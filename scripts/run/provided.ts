import { type InstalledHost, installHost } from '../host/install';
import { CHROMIUM, providePrograms } from '../host/systemPackages';
import { type HostVersion, NEWEST, OLDEST } from '../host/versions';

/** Installs something once, however many steps wait for it. */
function once<T>(install: () => Promise<T>): () => Promise<T> {
  let installed: Promise<T> | undefined;
  return () => (installed ??= install());
}

const provideNewest = once(() => installHost(NEWEST));
// The first steps wait for the newest one, and run while the oldest is installed, which leaves them the processor.
const provideOldest = once(async () => {
  await provideNewest().catch(() => undefined);
  return await installHost(OLDEST, true);
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

/** The same, and the browser in which its windows are opened. */
export async function provideEditor(version: HostVersion): Promise<void> {
  await Promise.all([provideBrowser(), provideHost(version)]);
}
