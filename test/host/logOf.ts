import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../package.json';
import type { DataFolder } from './dataFolder';

/** All that the extension has written into its log, in all windows. */
export async function logOf(data: DataFolder): Promise<string> {
  const logs = path.join(data.userData, 'logs');
  const files = await readdir(logs, { recursive: true });
  const own = files.filter((file) => file.includes(`${manifest.publisher}.${manifest.name}`) && file.endsWith('.log'));
  return (await Promise.all(own.map((file) => readFile(path.join(logs, file), 'utf8')))).join('');
}
