import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EmbeddedService } from './service';
import type { DataFolder } from '../scripts/host/dataFolder';
import type { HostVersion } from '../scripts/host/versions';

/** What the person at the editor calls the embedded service. */
export const SERVICE_NAME = 'Sample Service';

/** The folder of the sample extension. */
export const SAMPLE = path.join('demo', 'sample');

/** The settings that make the extension ask the service who signed in, if it isn't a standard one. */
export const WHO_SIGNED_IN = {
  'deviceFlow.account.path': '/api/whoami',
  'deviceFlow.account.field': 'name',
  'deviceFlow.account.idField': 'id',
};

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

/** What the person calls a further service. */
export function nameOfFurther(index: number): string {
  return `${SERVICE_NAME} ${index + 2}`;
}

/** The setting that adds these services to the first one. */
export function settingsForFurther(
  services: readonly Pick<EmbeddedService, 'baseUrl' | 'clientId' | 'protocol'>[],
): Record<string, unknown> {
  const elements = services.map(({ baseUrl, clientId, protocol = 'draft' }, index) => ({
    protocol,
    baseUrl,
    clientId,
    serviceName: nameOfFurther(index),
  }));
  return elements.length === 0 ? {} : { 'deviceFlow.services': elements };
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
  const secret = {
    DEVICE_FLOW_SAMPLE_SECRET_FILE: data.secretFile,
    DEVICE_FLOW_SAMPLE_SECRET_SERVICE: service.baseUrl,
  };
  return {
    ...(service.clientSecret === '' ? {} : secret),
    // The workbench in a browser opens pages of this machine through a proxy, which changes their address and which only
    // the wrapper has. Told so, it opens those of the service as they are.
    VSCODE_PROXY_URI: keepsPaths ? `${service.baseUrl}/` : service.verificationUrl,
  };
}
