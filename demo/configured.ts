import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EmbeddedService } from './service';
import type { DataFolder } from '../host/dataFolder';
import type { HostVersion } from '../host/versions';

/** What the person at the editor calls the demo service. */
export const SERVICE_NAME = 'Demo Service';

/** The folder of the sample extension. */
export const SAMPLE = path.join('demo', 'sample');

/** The fields of a service that make the extension ask it who signed in, if it isn't a standard one. */
export const WHO_SIGNED_IN = { account: { path: '/api/whoami', field: 'name', idField: 'id' } };

/** A service as the setting has it. */
type Element = Readonly<Record<string, unknown>>;

/** What an element needs to know of a service. */
type Known = Pick<EmbeddedService, 'baseUrl' | 'clientId' | 'protocol'>;

/** This service, with these further fields. */
export function elementFor({ baseUrl, clientId, protocol }: Known, fields: Element = {}): Element {
  return { protocol, baseUrl, clientId, serviceName: SERVICE_NAME, ...fields };
}

/**
 * The setting that makes the extension use this service.
 * @param fields further ones, or others
 * @param others the elements after it
 */
export function settingsFor(service: Known, fields: Element = {}, others: readonly Element[] = []): Element {
  return { 'deviceFlow.services': [elementFor(service, fields), ...others] };
}

/** What the person calls a further service. */
export function nameOfFurther(index: number): string {
  return `${SERVICE_NAME} ${index + 2}`;
}

/** The elements of further services. */
export function elementsForFurther(services: readonly Known[]): readonly Element[] {
  return services.map((service, index) => elementFor(service, { serviceName: nameOfFurther(index) }));
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
