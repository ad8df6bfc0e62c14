import { chromium, type Browser as PlaywrightBrowser, type BrowserContext } from 'playwright-core';
import type { Server } from './server';
import { CHROMIUM, providePrograms } from './systemPackages';
import { until } from './until';
import { Workbench } from './workbench';

/** How a window is opened. */
export interface WindowOptions {
  /** Folder to open; the data folder's workspace where left out, none where `null`. */
  readonly folder?: string | null;
  /** Further parts of the workbench's payload, for mocha inside the extension host. */
  readonly payload?: readonly (readonly [string, string])[];
}

/** A window of an editor under test. */
export interface EditorWindow {
  readonly workbench: Workbench;
  /** Process ID of its extension host. After a reload ask the server anew. */
  readonly extensionHost: number;
  /** Closes it as a person would close the tab. */
  close(): Promise<void>;
}

/**
 * A browser profile. Windows of one profile share secrets; another profile is another person, or another browser, with
 * its own.
 */
export interface Profile {
  readonly context: BrowserContext;
  /**
   * Opens a window and waits until it is drawn and its extension host runs.
   * @throws Error where that takes longer than a minute.
   */
  openWindow(server: Server, options?: WindowOptions): Promise<EditorWindow>;
  close(): Promise<void>;
}

/** A running Chromium without a display. */
export interface Browser {
  newProfile(): Promise<Profile>;
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
 * Starts Chromium, installing it where that is possible.
 * @throws Error that names the package to install, where there is none.
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
  return { newProfile: () => newProfile(browser), close: () => browser.close() };
}

async function newProfile(browser: PlaywrightBrowser): Promise<Profile> {
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-US', colorScheme: 'dark' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return {
    context,
    openWindow: (server, options) => openWindow(context, server, options ?? {}),
    close: () => context.close(),
  };
}

async function openWindow(context: BrowserContext, server: Server, options: WindowOptions): Promise<EditorWindow> {
  const before = server.extensionHosts();
  const page = await context.newPage();
  if (server.password === undefined) {
    await page.route('**/mint-key', (route) => route.fulfill({ body: KEY }));
  }
  const folder = options.folder === undefined ? server.data.workspace : options.folder;
  const query = new URLSearchParams();
  if (folder !== null) query.set('folder', folder);
  if (options.payload !== undefined) query.set('payload', JSON.stringify(options.payload));
  await page.goto(`${server.url}/?${query.toString()}`, { timeout: OPEN_LIMIT });
  const password = server.password;
  if (password !== undefined && (await page.locator('input[name=password]').isVisible())) {
    await page.locator('input[name=password]').fill(password);
    await page.locator('input[type=submit]').click();
  }
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
      // By leaving the page, as a person does: after a page that goes like a crash, the extension host waits for it.
      await page.goto('about:blank');
      await page.close();
    },
  };
}
