import manifest from '../../package.json';
import { type Browser, type EditorWindow, launchBrowser, type Profile } from '../host/browser';
import { CleanUp } from '../host/cleanUp';
import { environmentFor, settingsFor } from '../host/configured';
import { DataFolder } from '../host/dataFolder';
import { keepWhatFailed } from '../host/failed';
import { installHost } from '../host/install';
import { packExtension } from '../host/packExtension';
import { VSIX } from '../host/paths';
import { endWithChildren } from '../host/processes';
import { type Server, startServer } from '../host/server';
import { hostVersion, VERSION_VARIABLE } from '../host/versions';
import { createService, type EmbeddedService, type ServiceOptions } from '../service';

/** What is to be different from a VS Code that is configured for the embedded service. */
export interface SceneOptions {
  /** How the service behaves. It answers polls each second where nothing else is said. */
  readonly service?: ServiceOptions;
  /** Settings on top of those for the service. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether VS Code knows nothing of the service yet: no settings, no client secret. */
  readonly unconfigured?: boolean;
  /** Whether folders are untrusted until the person says otherwise. They are trusted where left out. */
  readonly workspaceTrust?: boolean;
  /** Makes what must stand before VS Code starts; what `cleanUp` is given is cleared away in the end. */
  readonly surroundings?: (service: EmbeddedService, cleanUp: CleanUp) => Promise<Surroundings>;
}

/** What VS Code finds around itself, beside the service. */
export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  /** Settings on top of all others. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Packages of further extensions. */
  readonly extensions?: readonly string[];
}

/** A service, a VS Code with the packaged extension and the sample consumer, and a person's browser. */
export interface Scene {
  readonly service: EmbeddedService;
  readonly data: DataFolder;
  readonly server: Server;
  readonly browser: Browser;
  readonly profile: Profile;
  /** The first window. */
  readonly window: EditorWindow;
}

/** The part of a window's payload that makes the extension's log tell how it does things. */
export const DEBUG_LOG = ['logLevel', `${manifest.publisher}.${manifest.name}:debug`] as const;

// Mocha ends without a word when it is told to; servers and browsers must not stay behind.
endWithChildren();

/**
 * Sets a scene before the tests of the suite that calls it, and clears it away after them. Where a test failed, pictures
 * of all windows and the log are left in the artifacts.
 *
 * @returns what gives the scene to a test
 */
export function useScene(options: SceneOptions = {}): () => Scene {
  const cleanUp = new CleanUp();
  let scene: Scene | undefined;

  before('set the scene', async () => {
    scene = await setScene(options, cleanUp);
  });
  afterEach(async function () {
    await keepWhatFailed(this.currentTest, () => scene && { pages: scene.profile.context.pages(), data: scene.data });
  });
  after('clear the scene away', () => cleanUp.run());

  return () => {
    if (scene === undefined) throw new Error('The scene is set before the first test, not earlier.');
    return scene;
  };
}

async function setScene(options: SceneOptions, cleanUp: CleanUp): Promise<Scene> {
  const host = await installHost(hostVersion(process.env[VERSION_VARIABLE] ?? 'newest'));
  const service = await createService({ clientName: 'Sample Client', interval: 1, ...options.service });
  cleanUp.add(() => service.close());
  const configured = options.unconfigured !== true;
  const around = (await options.surroundings?.(service, cleanUp)) ?? {};
  const data = await DataFolder.create({
    ...(configured ? settingsFor(service) : {}),
    ...options.settings,
    ...around.settings,
  });
  cleanUp.add(() => data.delete());
  const env = await environmentFor(service, data, host.version);
  const server = await startServer({
    host,
    data,
    extensions: [VSIX, await packExtension('consumer'), ...(around.extensions ?? [])],
    env: { ...env, ...(configured ? {} : { DEVICE_FLOW_SAMPLE_SECRET_FILE: undefined }), ...around.env },
    workspaceTrust: options.workspaceTrust ?? false,
  });
  cleanUp.add(() => server.stop());
  const browser = await launchBrowser();
  cleanUp.add(() => browser.close());
  const profile = await browser.newProfile();
  const window = await profile.openWindow(server, { payload: [DEBUG_LOG] });
  return { service, data, server, browser, profile, window };
}
