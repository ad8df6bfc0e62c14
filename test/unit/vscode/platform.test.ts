import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import { createPlatform, originName } from '../../../src/vscode/platform';
import { FakeClock } from '../../support/fakeClock';
import { RecordingLog } from '../../support/recordingLog';

const FOLDER = '/home/ada/.config/editor/storage';
const name = (platform: NodeJS.Platform, machineId: string, hostName: string, folder = FOLDER): string =>
  originName({ platform, machineId, hostName }, folder);

/** Guards that what's stored outside the folder belongs to one machine, one user, and one editor. */
describe('the name of the machine under which things are stored outside the folder', () => {
  it('differs on Linux by the machine ID, whatever the host is called', () => {
    assert.equal(name('linux', 'a1', 'home'), name('linux', 'a1', 'work'));
    assert.notEqual(name('linux', 'a1', 'home'), name('linux', 'a2', 'home'));
  });

  it('differs on Linux by the host name if there is no machine ID, as in containers', () => {
    assert.equal(name('linux', '', 'one'), name('linux', '', 'one'));
    assert.notEqual(name('linux', '', 'one'), name('linux', '', 'other'));
  });

  for (const platform of ['darwin', 'win32'] as const) {
    it(`stays the same on ${platform} when the host name changes`, () => {
      assert.equal(name(platform, '', 'Adas-MacBook.local'), name(platform, '', 'dhcp-17.example'));
    });
  }

  it('differs by the folder, as for another editor or user', () => {
    assert.notEqual(name('linux', 'a1', 'home'), name('linux', 'a1', 'home', '/home/grace/.config/editor/storage'));
  });

  it('reveals neither the machine ID nor the host name', () => {
    assert.match(name('linux', 'a1b2', 'home'), /^[0-9a-f]{32}$/);
  });
});

/** Under which names a store keeps what isn't in its folder. */
async function namesOf(storeName?: string): Promise<readonly string[]> {
  const names: string[] = [];
  const named = (name: string): Promise<undefined> => {
    names.push(name);
    return Promise.resolve(undefined);
  };
  const context = {
    globalStorageUri: { fsPath: path.join(os.tmpdir(), 'device-flow-places') },
    globalState: {
      get: (name: string) => {
        names.push(name);
        return undefined;
      },
    },
    secrets: { get: named },
  } as unknown as vscode.ExtensionContext;
  const platform = createPlatform(context, {
    ...{ brand: { extensionId: 'acme.tools' }, clock: new FakeClock(), log: new RecordingLog() },
    ...{ secretsNeedReload: false, ...(storeName !== undefined && { storeName }) },
  });
  await platform.secrets.get();
  platform.keyNote.get();
  return names;
}

/** Guards that an update signs nobody out, and that the services of one extension share nothing. */
describe('the places of a store', () => {
  it('are those of earlier versions, if the extension has one store', async () => {
    const [secret, note] = await namesOf();
    assert.match(secret ?? '', /^store\.[0-9a-f]{32}$/);
    assert.equal(note, `storeKey.${secret?.slice('store.'.length)}`);
  });

  it('have its name, if the extension has several', async () => {
    const [acme = '', globex = ''] = [(await namesOf('acme'))[0], (await namesOf('globex'))[0]];
    assert.match(acme, /^store\.acme\.[0-9a-f]{32}$/);
    assert.notEqual(acme.split('.').at(-1), globex.split('.').at(-1), 'they’re in the same folder');
  });
});
