import { type InstalledHost, installHost } from '../host/install';
import { CHROMIUM, providePrograms } from '../host/systemPackages';
import { type HostVersion, NEWEST, OLDEST } from '../host/versions';

/** What was begun last: two installations at once would be in each other's way. */
let last: Promise<unknown> = Promise.resolve();

/** Installs something once, however many steps wait for it, and after what others wait for. */
function once<T>(install: () => Promise<T>): () => Promise<T> {
  let installed: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const begun = last.then(install);
    last = begun.catch(() => undefined);
    return begun;
  };
  return () => (installed ??= begin());
}

// The first steps wait for the newest one, and run while the oldest is installed.
const hosts = new Map(
  [NEWEST, OLDEST].map((version) => [version, once(() => installHost(version, version === OLDEST))]),
);
const provideBrowser = once(() => providePrograms([CHROMIUM]));

/** A VS Code server of this version, installed if it wasn't. */
export function provideHost(version: HostVersion): Promise<InstalledHost> {
  return hosts.get(version)?.() ?? installHost(version);
}

/** The same, and the browser in which its windows are opened. */
export async function provideEditor(version: HostVersion): Promise<void> {
  await provideBrowser();
  await provideHost(version);
}
