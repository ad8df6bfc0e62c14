import { writeFile } from 'node:fs/promises';
import type { EmbeddedService } from '../service';
import type { DataFolder } from './dataFolder';
import type { HostVersion } from './versions';

/** What the person at the editor calls the embedded service. */
export const SERVICE_NAME = 'Sample Service';

/** The settings that make the extension use this service. */
export function settingsFor(
  service: Pick<EmbeddedService, 'baseUrl' | 'clientId' | 'protocol'>,
): Record<string, unknown> {
  return {
    ...(service.protocol === undefined ? {} : { 'deviceFlow.protocol': service.protocol }),
    'deviceFlow.baseUrl': service.baseUrl,
    'deviceFlow.clientId': service.clientId,
    'deviceFlow.serviceName': SERVICE_NAME,
  };
}

/**
 * Makes the environment for an editor that uses this service. The client secret is left in a file that only this user can
 * read, and in which the sample extension finds it.
 */
export async function environmentFor(
  service: Pick<EmbeddedService, 'baseUrl' | 'verificationUrl' | 'clientSecret'>,
  data: DataFolder,
  { keepsPaths }: HostVersion,
): Promise<NodeJS.ProcessEnv> {
  if (service.clientSecret !== '') await writeFile(data.secretFile, service.clientSecret, { mode: 0o600 });
  return {
    ...(service.clientSecret === '' ? {} : { DEVICE_FLOW_SAMPLE_SECRET_FILE: data.secretFile }),
    // The workbench in a browser opens pages of this machine through a proxy, which changes their address and which only
    // the wrapper has. Told so, it opens those of the service as they are.
    VSCODE_PROXY_URI: keepsPaths ? `${service.baseUrl}/` : service.verificationUrl,
  };
}

/** What an outer editor, npm or test run put into the environment, and what an editor under test must not see. */
const FOREIGN = /^(VSCODE_|ELECTRON_|CODE_SERVER_|npm_|INIT_CWD$|PASSWORD$|HASHED_PASSWORD$|NODE_OPTIONS$|PORT$)/i;

/** The environment for an editor under test: this process's own without foreign parts, and with `more`. */
export function editorEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
  return { ...Object.fromEntries(own), ...more };
}
