import { writeFile } from 'node:fs/promises';
import type { EmbeddedService } from '../service';
import type { DataFolder } from './dataFolder';

/** What the person at the editor calls the embedded service. */
export const SERVICE_NAME = 'Sample Service';

/** The settings that make the extension use this service. */
export function settingsFor(service: Pick<EmbeddedService, 'baseUrl' | 'clientId'>): Record<string, unknown> {
  return {
    'deviceFlow.baseUrl': service.baseUrl,
    'deviceFlow.clientId': service.clientId,
    'deviceFlow.serviceName': SERVICE_NAME,
  };
}

/**
 * Leaves the client secret in a file that only this user can read, and resolves with the environment in which the sample
 * extension finds it.
 */
export async function handOverSecret(
  service: Pick<EmbeddedService, 'clientSecret'>,
  data: DataFolder,
): Promise<NodeJS.ProcessEnv> {
  await writeFile(data.secretFile, service.clientSecret, { mode: 0o600 });
  return { DEVICE_FLOW_SAMPLE_SECRET_FILE: data.secretFile };
}
