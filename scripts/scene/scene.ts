import manifest from '../../package.json';
import type { Fields } from '../../src/fields';
import { createService, type EmbeddedService, type ServiceOptions } from '../../demo/service';
import type { Browser, EditorWindow, Profile, WindowOptions } from '../../host/browser';
import { CleanUp } from '../../host/cleanUp';
import { environmentFor, SAMPLE, settingsFor } from '../../demo/configured';
import { DataFolder } from '../../host/dataFolder';
import type { Remains } from '../../host/failed';
import { installHost } from '../../host/install';
import { packExtension } from '../../host/packExtension';
import { SETTINGS, VSIX } from '../../host/paths';
import { type Server, startServer } from '../../host/server';
import { until } from '../../host/until';
import { hostVersion } from '../../host/versions';
import type { Workbench } from '../../host/workbench';

/** How a scene differs from the usual one: a configured VS Code with one window open. */
export interface SceneOptions {
  /** How the service behaves. It responds to polls each second if nothing else is said. */
  readonly service?: ServiceOptions;
  /** Fields of its service besides those that a sign-in needs. */
  readonly fields?: Fields;
  /** Settings on top of that for the service. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether VS Code knows nothing of the service yet: no settings, no client secret. */
  readonly unconfigured?: boolean;
  /** Whether folders are untrusted until the person says otherwise. They are trusted if left out. */
  readonly workspaceTrust?: boolean;
  /** Whether the suite opens the first window itself. */
  readonly windowless?: boolean;
  /** Whether the packaged extension isn't installed, because something else is under test. */
  readonly withoutExtension?: boolean;
  /** Folder of the extension that asks for sessions; the sample extension if left out. */
  readonly consumer?: string;
  /** Makes what must stand before VS Code starts; what `cleanUp` is given is cleared away in the end. */
  readonly surroundings?: (service: EmbeddedService, data: DataFolder, cleanUp: CleanUp) => Promise<Surroundings>;
}

/** What VS Code finds around itself, beside the service. */
export interface Surroundings {
  /** Further services, as elements of the setting. */
  readonly services?: readonly Fields[];
  /** Fields of the first service. */
  readonly fields?: Fields;
  readonly env?: NodeJS.ProcessEnv;
  /** Settings on top of all others. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Packages of further extensions. */
  readonly extensions?: readonly string[];
  /** VS Code's own extensions that are there beside those that concern signing in. */
  readonly alsoBuiltIn?: readonly string[];
  /** Folder of extensions that take the place of VS Code's own. */
  readonly builtIn?: string;
  /** Files worth keeping when a test fails. */
  readonly files?: readonly string[];
}

/** The part of a window's payload that makes the extension's log tell how it does things. */
const DEBUG_LOG = ['logLevel', `${manifest.publisher}.${manifest.name}:debug`] as const;

/** A service, a VS Code with the packaged extension and one that asks for sessions, and a person's browser. */
export class Scene {
  readonly #profiles: Profile[];
  #window: EditorWindow | undefined;
  #isChanged = false;

  constructor(
    readonly service: EmbeddedService,
    readonly data: DataFolder,
    readonly server: Server,
    readonly profile: Profile,
    private readonly browser: Browser,
    private readonly files: readonly string[],
  ) {
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

  /** Whether its settings aren't those that it began with. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** Opens a window. */
  async openWindow(options: WindowOptions = {}, profile = this.profile): Promise<EditorWindow> {
    const window = await profile.openWindow(this.server, { payload: [DEBUG_LOG], ...options });
    this.#window ??= window;
    return window;
  }

  /**
   * Changes the settings to those for the service and these.
   * @param others elements of further services
   */
  async configure(fields: Fields, others: readonly Fields[] = [], settings: Fields = {}): Promise<void> {
    this.#isChanged = true;
    const { workbench } = this;
    await workbench.runCommand('Settings: Change');
    await workbench.quickInput.enter(JSON.stringify({ ...settingsFor(this.service, fields, others), ...settings }));
    await workbench.statusBarItem(/^Settings: changed$/);
  }

  /** Closes the first window, and waits until no extension host is left. The next window that opens is the first then. */
  async closeWindow(): Promise<void> {
    await this.#window?.close();
    this.#window = undefined;
    await until('the extension host to end', () => this.server.extensionHosts().length === 0);
  }

  /** Another browser of the same person. */
  async newProfile(): Promise<Profile> {
    const profile = await this.browser.newProfile();
    this.#profiles.push(profile);
    return profile;
  }

  /** Closes the pages of all browsers. */
  async close(): Promise<void> {
    for (const profile of this.#profiles) await profile.close();
  }
}

/** A scene that stands, and what clears it away. */
export interface Standing {
  readonly scene: Scene;
  readonly cleanUp: CleanUp;
}

/** Sets a scene, with a profile of this browser for its person. */
export async function setScene(browser: Browser, options: SceneOptions): Promise<Standing> {
  const cleanUp = new CleanUp();
  try {
    const host = await installHost(hostVersion());
    const service = await createService({ clientName: 'Sample Client', interval: 1, ...options.service });
    cleanUp.add(() => service.close());
    const data = await DataFolder.create();
    cleanUp.add(() => data.delete());
    const configured = options.unconfigured !== true;
    const around = (await options.surroundings?.(service, data, cleanUp)) ?? {};
    const fields = { ...options.fields, ...around.fields };
    const ofService = configured ? settingsFor(service, fields, around.services) : {};
    await data.writeSettings({ ...ofService, ...options.settings, ...around.settings });
    const env = await environmentFor(service, data, host.version);
    const server = await startServer({
      host,
      data,
      ...(around.builtIn === undefined ? { fewBuiltIn: around.alsoBuiltIn ?? [] } : { builtIn: around.builtIn }),
      extensions: [
        ...(options.withoutExtension === true ? [] : [VSIX]),
        await packExtension(options.consumer ?? SAMPLE),
        await packExtension(SETTINGS),
        ...(around.extensions ?? []),
      ],
      env: { ...env, ...(configured ? {} : { DEVICE_FLOW_SAMPLE_SECRET_FILE: undefined }), ...around.env },
      workspaceTrust: options.workspaceTrust ?? false,
    });
    cleanUp.add(() => server.stop());
    const profile = await browser.newProfile();
    const scene = new Scene(service, data, server, profile, browser, around.files ?? []);
    cleanUp.add(() => scene.close());
    if (options.windowless !== true) await scene.openWindow();
    if (options.windowless !== true && configured) await data.secretStored();
    return { scene, cleanUp };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}
