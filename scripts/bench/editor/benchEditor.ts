import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { settingsFor, WHO_SIGNED_IN } from '../../../demo/configured';
import type { EmbeddedService } from '../../../demo/service';
import type { Fields } from '../../../src/fields';
import { type EditorWindow, launchBrowser } from '../../../host/browser';
import type { InstalledHost } from '../../../host/install';
import { setScene, type Surroundings } from '../../scene/scene';
import { PROBE_FOLDER } from '../probe/jobs';
import { layOutExtensions } from './extensions';
import { Probe } from './probe';

/** A window, and the probe in it. */
export interface BenchWindow {
  readonly window: EditorWindow;
  readonly probe: Probe;
}

/** An editor with the extension, an embedder of the library, and the probe, configured for a service. */
export interface BenchEditor {
  readonly service: EmbeddedService;
  /** Replaces the settings by those for the service and these further ones. */
  configure(others: readonly Fields[]): Promise<void>;
  /** Opens a window and waits for its probe. */
  open(): Promise<BenchWindow>;
  close(): Promise<void>;
}

/** Seconds between two polls. */
const INTERVAL = 1;
/** Seconds that tokens live: a day, so that nothing is refreshed while something else is measured. */
const LIFETIME = 24 * 60 * 60;

/** Starts all of it. */
export async function startBenchEditor(host: InstalledHost): Promise<BenchEditor> {
  const browser = await launchBrowser();
  let probes = '';
  const layOut = async (service: EmbeddedService, root: string): Promise<Surroundings> => {
    probes = path.join(root, 'probes');
    await mkdir(probes);
    const builtIn = path.join(root, 'built-in');
    const { baseUrl, clientId, clientSecret } = service;
    await layOutExtensions(builtIn, host, { protocol: 'draft', baseUrl, clientId, clientSecret });
    return { env: { [PROBE_FOLDER]: probes }, builtIn };
  };
  const { scene, cleanUp } = await setScene(browser, {
    service: { interval: INTERVAL, accessTokenTtl: LIFETIME },
    fields: WHO_SIGNED_IN,
    withoutExtension: true,
    consumer: path.join('scripts', 'bench', 'probe'),
    windowless: true,
    surroundings: (service, { root }) => layOut(service, root),
  });
  return {
    service: scene.service,
    configure: (others) => scene.data.writeSettings(settingsFor(scene.service, WHO_SIGNED_IN, others)),
    open: async () => {
      // Without the log of how things are done, which people don't have either.
      const window = await scene.openWindow({ payload: [] });
      return { window, probe: await Probe.in(probes, window.extensionHost) };
    },
    close: async () => {
      await cleanUp.run();
      await browser.close();
    },
  };
}
