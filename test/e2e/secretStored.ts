import { readdir } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../package.json';
import type { DataFolder } from '../host/dataFolder';
import { until } from '../host/until';

/**
 * Waits until the client secret that the sample extension hands over is stored.
 * @param services for so many services, counting all that were configured so far
 */
export async function secretStored(data: DataFolder, services = 1): Promise<void> {
  const kept = path.join(data.globalStorage(`${manifest.publisher}.${manifest.name}`), 'clients');
  await until('the client secret to be stored', async () => {
    const names = await readdir(kept);
    return names.filter((one) => one.endsWith('.json')).length >= services;
  });
}
