import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type EditorWindow, launchBrowser } from '../../host/browser';
import { setScene } from '../../scene/scene';
import type { EmbeddedService } from '../../../demo/service';
import { packEmbedder } from '../embedder';
import { PROBE_FOLDER } from '../probe/jobs';
import { Probe } from './probe';

/** An editor with the extension, an embedder of the library, and the probe installed, configured for a service. */
export interface Stage {
  readonly service: EmbeddedService;
  /** Opens a window and waits for its probe. */
  open(): Promise<{ readonly window: EditorWindow; readonly probe: Probe }>;
  close(): Promise<void>;
}

/** Seconds between two polls. */
export const INTERVAL = 1;

/** Sets all of it up. Tokens live for a day, so that nothing is refreshed while something else is measured. */
export async function setStage(): Promise<Stage> {
  const browser = await launchBrowser();
  let folder = '';
  const { scene, cleanUp } = await setScene(browser, {
    service: { interval: INTERVAL, accessTokenTtl: 24 * 60 * 60 },
    allBuiltIn: true,
    consumer: path.join('scripts', 'bench', 'probe'),
    windowless: true,
    surroundings: async ({ baseUrl, clientId, clientSecret }, { root }) => {
      folder = path.join(root, 'probes');
      await mkdir(folder);
      const embedder = await packEmbedder(path.join(root, 'embedder'), { baseUrl, clientId, clientSecret });
      return { env: { [PROBE_FOLDER]: folder }, extensions: [embedder] };
    },
  });
  return {
    service: scene.service,
    open: async () => {
      // Without the log of how things are done, which people don't have either.
      const window = await scene.openWindow({ payload: [] });
      return { window, probe: await Probe.in(folder, window.extensionHost) };
    },
    close: async () => {
      await cleanUp.run();
      await browser.close();
    },
  };
}
