import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type EditorWindow, launchBrowser } from '../../host/browser';
import { CleanUp } from '../../host/cleanUp';
import { settingsFor } from '../../host/configured';
import { DataFolder } from '../../host/dataFolder';
import type { InstalledHost } from '../../host/install';
import { packExtension } from '../../host/packExtension';
import { VSIX } from '../../host/paths';
import { startServer } from '../../host/server';
import { createService, type EmbeddedService } from '../../service';
import { PROBE_FOLDER } from '../probe/jobs';
import { Probe } from './probe';

/** An editor with the extension and the probe installed, configured for a service. */
export interface Stage {
  readonly service: EmbeddedService;
  /** Opens a window and waits for its probe. */
  open(): Promise<{ readonly window: EditorWindow; readonly probe: Probe }>;
  close(): Promise<void>;
}

/** Seconds between two polls. */
export const INTERVAL = 1;

/** Sets all of it up. Tokens live for a day, so that nothing is refreshed while something else is measured. */
export async function setStage(host: InstalledHost): Promise<Stage> {
  const cleanUp = new CleanUp();
  try {
    const service = await createService({ interval: INTERVAL, accessTokenTtl: 24 * 60 * 60 });
    cleanUp.add(() => service.close());
    const data = await DataFolder.create(settingsFor(service));
    cleanUp.add(() => data.delete());
    const folder = path.join(data.root, 'probes');
    await mkdir(folder);
    const extensions = [VSIX, await packExtension(path.join('bench', 'probe'))];
    const server = await startServer({ host, data, extensions, env: { [PROBE_FOLDER]: folder } });
    cleanUp.add(() => server.stop());
    const browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    const profile = await browser.newProfile();
    return {
      service,
      open: async () => {
        const window = await profile.openWindow(server);
        return { window, probe: await Probe.in(folder, window.extensionHost) };
      },
      close: () => cleanUp.run(),
    };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}
