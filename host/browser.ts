import { chromium, type Browser as PlaywrightBrowser, type BrowserContext } from 'playwright-core';
import type { Server } from './server';
import { CHROMIUM, providePrograms } from './systemPackages';
import { PATIENCE, until } from './until';
import { Workbench } from './workbench';

/** How a window is opened. */
export interface WindowOptions {
  /** Folder to open; the data folder's workspace if left out. */
  readonly folder?: string;
  /** Workspace file to open instead. */
  readonly workspace?: string;
  /** Whether the editor gets no key, without which it can't read the secrets that it sealed. */
  readonly keyringFails?: boolean;
  /** Further parts of the workbench's payload, for mocha inside the extension host. */
  readonly payload?: readonly (readonly [string, string])[];
}

/** A window of an editor under test. */
export interface EditorWindow {
  readonly workbench: Workbench;
  /** Process ID of its extension host. After a reload, ask the server again. */
  readonly extensionHost: number;
  /** Closes it as a person would close the tab. */
  close(): Promise<void>;
}

/** Without these, Chromium wants a sandbox that root cannot have, a display, or the network for its own ends. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const SIZE = { width: 1280, height: 800 };
const OPEN_LIMIT = 60_000;
/** VS Code seals secrets with the key that the server makes for it; its bare server makes none. */
const KEY = Buffer.alloc(32, 7);

/**
 * Starts Chromium, and installs it if that's possible and needed.
 * @throws Error that names the package to install if there's no Chromium
 */
export async function launchBrowser(): Promise<Browser> {
  const [executablePath] = await providePrograms([CHROMIUM]);
  if (executablePath === undefined) throw new Error('There is no browser.');
  const browser = await chromium.launch({
    executablePath,
    args: ARGUMENTS,
    // Whoever started this decides what a signal means.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return new Browser(browser);
}

/** A running Chromium without a display. */
export class Browser {
  constructor(private readonly browser: PlaywrightBrowser) {}

  async newProfile(): Promise<Profile> {
    const context = await this.browser.newContext({
      viewport: SIZE,
      locale: 'en-US',
      colorScheme: 'dark',
      // VS Code then moves nothing, so that nothing has to be waited for until it stands still.
      reducedMotion: 'reduce',
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    context.setDefaultTimeout(PATIENCE);
    return new Profile(context);
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

/**
 * A browser profile. Windows of one profile share secrets; another profile is another person, or another browser, with
 * its own.
 */
export class Profile {
  constructor(readonly context: BrowserContext) {}

  /**
   * Opens a window and waits until it is drawn and its extension host runs.
   * @throws Error if that takes longer than a minute
   */
  async openWindow(server: Server, options: WindowOptions = {}): Promise<EditorWindow> {
    const { folder = server.data.workspace, workspace, payload, keyringFails = false } = options;
    const before = server.extensionHosts();
    const page = await this.context.newPage();
    await page.route('**/mint-key', (route) => (keyringFails ? route.abort() : route.fulfill({ body: KEY })));
    const query = new URLSearchParams(workspace === undefined ? { folder } : { workspace });
    if (payload !== undefined) query.set('payload', JSON.stringify(payload));
    await page.goto(`${server.url}/?${query.toString()}`, { timeout: OPEN_LIMIT });
    const workbench = new Workbench(page);
    await workbench.waitUntilDrawn(OPEN_LIMIT);
    const extensionHost = await until(
      'the extension host of the new window',
      () => server.extensionHosts().find((pid) => !before.includes(pid)),
      OPEN_LIMIT,
    );
    return {
      workbench,
      extensionHost,
      close: async () => {
        // A page that just disappears looks like a crash, and its extension host would wait for it to reconnect. So tell
        // VS Code that the person leaves, and close the page only after the extension host has ended.
        const before = server.extensionHosts().length;
        await page.evaluate("dispatchEvent(new Event('pagehide'))");
        await until('the extension host to end', () => server.extensionHosts().length < before);
        await page.close();
      },
    };
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
