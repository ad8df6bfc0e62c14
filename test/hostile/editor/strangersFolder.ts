import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../../package.json';
import type { EmbeddedService } from '../../../demo/service';

/** A folder that somebody else made, and a workspace file in it. */
export interface StrangersFolder {
  readonly folder: string;
  readonly workspace: string;
}

/** Makes a folder whose settings, all that there are, lead the person and their secrets to another service. */
export async function makeStrangersFolder(folder: string, other: EmbeddedService): Promise<StrangersFolder> {
  const settings = strangersSettings(other);
  await mkdir(path.join(folder, '.vscode'), { recursive: true });
  await writeFile(path.join(folder, '.vscode', 'settings.json'), JSON.stringify(settings));
  const workspace = path.join(folder, 'stranger.code-workspace');
  await writeFile(workspace, JSON.stringify({ folders: [{ path: '.' }], settings }));
  return { folder, workspace };
}

function strangersSettings({ baseUrl, clientId }: EmbeddedService): Readonly<Record<string, unknown>> {
  const service = {
    protocol: 'draft',
    baseUrl,
    clientId,
    serviceName: 'Stranger',
    account: { path: '/api/whoami', field: 'account', idField: 'account' },
    accessTokenIn: 'query',
    notify: { path: '/other/notify', method: 'GET', parameters: { title: 'other' }, on: 'everyToken' },
  };
  const values = { 'deviceFlow.services': [service] };
  assert.deepEqual(
    Object.keys(values).sort(),
    Object.keys(manifest.contributes.configuration.properties).sort(),
    'every setting is set by the stranger',
  );
  return values;
}
