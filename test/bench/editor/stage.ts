import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, type EditorWindow, launchBrowser, type Profile } from '../../host/browser';
import { DataFolder } from '../../host/dataFolder';
import type { InstalledHost } from '../../host/install';
import { packExtension } from '../../host/packExtension';
import { VSIX } from '../../host/paths';
import { type Server, startServer } from '../../host/server';
import { createService, type EmbeddedService } from '../../service';
import { APART, PROBE_FOLDER } from '../probe/jobs';
import { Probe } from './probe';

/** An editor with the extension and the probe installed, configured for a service. */
export interface Stage {
  readonly service: EmbeddedService;
  /**
   * Opens a window and waits for its probe.
   * @param apart whether the extension is activated alone, rather than with others when the window has started
   */
  open(apart?: boolean): Promise<{ readonly window: EditorWindow; readonly probe: Probe }>;
  close(): Promise<void>;
}

/** Seconds between two polls. */
export const INTERVAL = 1;

/** Sets all of it up. Tokens live for a day, so that nothing is refreshed while something else is measured. */
export async function setStage(host: InstalledHost): Promise<Stage> {
  const service = await createService({ interval: INTERVAL, accessTokenTtl: 24 * 60 * 60 });
  const data = await DataFolder.create({
    'deviceFlow.baseUrl': service.baseUrl,
    'deviceFlow.clientId': service.clientId,
    'deviceFlow.serviceName': 'Bench Service',
  });
  const folder = path.join(data.root, 'probes');
  await mkdir(folder);
  const opened: { server?: Server; browser?: Browser; profile?: Profile } = {};
  const close = async (): Promise<void> => {
    await opened.browser?.close();
    await opened.server?.stop();
    await service.close();
    await data.delete();
  };
  try {
    const extensions = [VSIX, await packExtension(path.join('bench', 'probe'))];
    const server = (opened.server = await startServer({ host, data, extensions, env: { [PROBE_FOLDER]: folder } }));
    const browser = (opened.browser = await launchBrowser());
    const profile = await browser.newProfile();
    return {
      service,
      open: async (apart = false) => {
        await (apart ? writeFile(path.join(folder, APART), '') : rm(path.join(folder, APART), { force: true }));
        const window = await profile.openWindow(server);
        return { window, probe: await new Probe(folder, window.extensionHost).ready() };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
