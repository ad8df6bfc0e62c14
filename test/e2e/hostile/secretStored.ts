import { readdir } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../../package.json';
import type { DataFolder } from '../../host/dataFolder';
import { until } from '../../host/until';

/** Waits until the client secret that the sample extension hands over is stored. */
export async function secretStored(data: DataFolder): Promise<void> {
  const kept = path.join(data.globalStorage(`${manifest.publisher}.${manifest.name}`), 'clients');
  await until('the client secret to be stored', async () => (await readdir(kept)).some((one) => one.endsWith('.json')));
}
