import manifest from '../../package.json';
import { type Browser, type EditorWindow, launchBrowser, type Profile, type WindowOptions } from '../host/browser';
import { CleanUp } from '../host/cleanUp';
import { environmentFor, settingsFor } from '../host/configured';
import { DataFolder } from '../host/dataFolder';
import { keepWhatFailed, type Remains } from '../host/failed';
import { installHost } from '../host/install';
import { packExtension } from '../host/packExtension';
import { VSIX } from '../host/paths';
import { endWithChildren } from '../host/processes';
import { type Server, startServer } from '../host/server';
import { until } from '../host/until';
import { hostVersion, VERSION_VARIABLE } from '../host/versions';
import type { Workbench } from '../host/workbench';
import { createService, type EmbeddedService, type ServiceOptions } from '../service';
import { signOutOfAll } from './person';

/** What is to be different from a VS Code that is configured for the embedded service, with one window open. */
export interface SceneOptions {
  /** How the service behaves. It responds to polls each second if nothing else is said. */
  readonly service?: ServiceOptions;
  /** Settings on top of those for the service. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether VS Code knows nothing of the service yet: no settings, no client secret. */
  readonly unconfigured?: boolean;
  /** Whether folders are untrusted until the person says otherwise. They are trusted if left out. */
  readonly workspaceTrust?: boolean;
  /** Whether the suite opens the first window itself. */
  readonly windowless?: boolean;
  /** Folder below `test` of the extension that asks for sessions; the sample extension if left out. */
  readonly consumer?: string;
  /** Makes what must stand before VS Code starts; what `cleanUp` is given is cleared away in the end. */
  readonly surroundings?: (service: EmbeddedService, data: DataFolder, cleanUp: CleanUp) => Promise<Surroundings>;
}

/** What VS Code finds around itself, beside the service. */
export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  /** Settings on top of all others. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Packages of further extensions. */
  readonly extensions?: readonly string[];
  /** Files worth keeping when a test fails. */
  readonly files?: readonly string[];
}

/** The part of a window's payload that makes the extension's log tell how it does things. */
const DEBUG_LOG = ['logLevel', `${manifest.publisher}.${manifest.name}:debug`] as const;

/** A service, a VS Code with the packaged extension and one that asks for sessions, and a person's browser. */
export class Scene {
  readonly profile: Profile;
  readonly #profiles: Profile[];
  #window: EditorWindow | undefined;
  #isChanged = false;

  constructor(
    readonly service: EmbeddedService,
    readonly data: DataFolder,
    readonly server: Server,
    profile: Profile,
    private readonly files: readonly string[],
  ) {
    this.profile = profile;
    this.#profiles = [profile];
  }

  /** The first window. */
  get workbench(): Workbench {
    if (this.#window === undefined) throw new Error('No window is open.');
    return this.#window.workbench;
  }

  /** What to keep when a test failed. */
  get remains(): Remains {
    return { pages: this.#profiles.flatMap(({ context }) => context.pages()), data: this.data, files: this.files };
  }

  /** Opens a window. */
  async openWindow(options: WindowOptions = {}, profile = this.profile): Promise<EditorWindow> {
    const window = await profile.openWindow(this.server, { payload: [DEBUG_LOG], ...options });
    this.#window ??= window;
    return window;
  }

  /** Replaces the settings by those for the service and these, and opens the first window anew, which then reads them. */
  async configure(settings: Readonly<Record<string, unknown>>): Promise<void> {
    this.#isChanged = true;
    await this.data.writeSettings({ ...settingsFor(this.service), ...settings });
    const before = this.server.extensionHosts();
    await this.workbench.reload();
    const isNew = (pid: number): boolean => !before.includes(pid);
    await until('the window of before to be gone', () => this.server.extensionHosts().every(isNew));
  }

  /**
   * Makes all as it was when the first window had opened: nobody is signed in, and nothing else is open.
   * @throws Error if that can't be done
   */
  async tidyUp(): Promise<void> {
    if (this.#isChanged) throw new Error('The settings were changed.');
    this.service.faults.clear();
    await signOutOfAll(this.workbench);
    if (await this.workbench.page.locator('.tabs-container .tab').first().isVisible()) {
      await this.workbench.runCommand('View: Close All Editors');
    }
    await this.workbench.clearNotifications();
  }

  /** Closes the first window, and waits until no extension host is left. The next window that opens is the first then. */
  async closeWindow(): Promise<void> {
    await this.#window?.close();
    this.#window = undefined;
    await until('the extension host to end', () => this.server.extensionHosts().length === 0);
  }

  /** Another browser of the same person. */
  async newProfile(): Promise<Profile> {
    const profile = await (await browserOfAll()).newProfile();
    this.#profiles.push(profile);
    return profile;
  }

  /** Closes the pages of all browsers. */
  async close(): Promise<void> {
    for (const profile of this.#profiles) await profile.close();
  }
}

/** A scene that stands, and what clears it away. */
interface Standing {
  readonly scene: Scene;
  readonly cleanUp: CleanUp;
}

/** The scene of all suites that need nothing of their own, which take turns in its window. */
let common: Standing | undefined;
let browser: Promise<Browser> | undefined;

// Mocha ends without a word when it is told to; servers and browsers must not stay behind.
endWithChildren();

after('clear away what suites had in common', async () => {
  await common?.cleanUp.run();
  await (await browser)?.close();
});

/**
 * Sets a scene before the tests of the suite that calls it, and clears it away after them. If a test failed, pictures of
 * all windows and the log are left in the artifacts.
 *
 * @param options of a scene of its own; if left out, the suite finds one that others have used and left signed out
 * @returns what gives the scene to a test
 */
export function useScene(options?: SceneOptions): () => Scene {
  let current: Standing | undefined;
  let failed = false;

  before('set the scene', async () => {
    current = options === undefined ? (common ??= await setScene({})) : await setScene(options);
  });
  afterEach('keep what failed', async function () {
    failed ||= this.currentTest?.state === 'failed';
    await keepWhatFailed(this.currentTest, () => current?.scene.remains);
  });
  after('leave the scene', async () => {
    if (current === undefined) return;
    if (current === common) {
      const tidyUp = failed ? Promise.reject(new Error('A test failed.')) : current.scene.tidyUp();
      if (
        await tidyUp.then(
          () => true,
          () => false,
        )
      )
        return;
      common = undefined;
    }
    await current.cleanUp.run();
  });

  return () => {
    if (current === undefined) throw new Error('The scene is set before the first test, not earlier.');
    return current.scene;
  };
}

async function setScene(options: SceneOptions): Promise<Standing> {
  const cleanUp = new CleanUp();
  try {
    const host = await installHost(hostVersion(process.env[VERSION_VARIABLE] ?? 'newest'));
    const service = await createService({ clientName: 'Sample Client', interval: 1, ...options.service });
    cleanUp.add(() => service.close());
    const data = await DataFolder.create();
    cleanUp.add(() => data.delete());
    const configured = options.unconfigured !== true;
    const around = (await options.surroundings?.(service, data, cleanUp)) ?? {};
    await data.writeSettings({ ...(configured ? settingsFor(service) : {}), ...options.settings, ...around.settings });
    const env = await environmentFor(service, data, host.version);
    const server = await startServer({
      host,
      data,
      fewBuiltIn: true,
      extensions: [VSIX, await packExtension(options.consumer ?? 'consumer'), ...(around.extensions ?? [])],
      env: { ...env, ...(configured ? {} : { DEVICE_FLOW_SAMPLE_SECRET_FILE: undefined }), ...around.env },
      workspaceTrust: options.workspaceTrust ?? false,
    });
    cleanUp.add(() => server.stop());
    const profile = await (await browserOfAll()).newProfile();
    const scene = new Scene(service, data, server, profile, around.files ?? []);
    cleanUp.add(() => scene.close());
    if (options.windowless !== true) await scene.openWindow();
    if (options.windowless !== true && configured) await data.secretStored();
    return { scene, cleanUp };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}

/** One browser is enough for all scenes: each has a profile of its own. */
function browserOfAll(): Promise<Browser> {
  return (browser ??= launchBrowser());
}
