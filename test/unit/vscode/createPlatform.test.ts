import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import { systemClock } from '../../../src/clock';
import { StoreOpener } from '../../../src/storage/openStore';
import type { Platform } from '../../../src/storage/platform';
import { createPlatform, originName, type PlatformOptions } from '../../../src/vscode/createPlatform';
import { MemoryLocks, MemoryRows, MemorySecretStorage } from '../../support/memory';
import { RecordingLog } from '../../support/recordingLog';
import { IS_POSIX, REMOVE } from '../../support/thisSystem';

const FOLDER = '/home/ada/.config/editor/storage';
const name = (platform: NodeJS.Platform, machineId: string, hostName: string, folder = FOLDER): string =>
  originName({ platform, machineId, hostName, isContainer: false }, folder);
const containerName = (machineId: string, hostName: string): string =>
  originName({ platform: 'linux', machineId, hostName, isContainer: true }, FOLDER);

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

  it('differs in containers also by the host name, because those made of one image may have the same machine ID', () => {
    assert.equal(containerName('a1', 'one'), containerName('a1', 'one'));
    assert.notEqual(containerName('a1', 'one'), containerName('a1', 'other'));
    assert.notEqual(containerName('a1', 'one'), containerName('a2', 'one'));
    assert.equal(containerName('', 'one'), name('linux', '', 'one'), 'it has no ID');
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

/** The store as an extension's window has it, with the editor's state of its own profile. */
function windowOf(
  context: { readonly folder: string; readonly secrets: Pick<vscode.SecretStorage, 'get' | 'store'> },
  options: Partial<PlatformOptions> = {},
): Platform {
  const state = new Map<string, unknown>();
  const offered = {
    globalStorageUri: { fsPath: context.folder },
    globalState: {
      get: (name: string) => state.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void state.set(name, value)),
    },
    secrets: context.secrets,
  } as unknown as vscode.ExtensionContext;
  return createPlatform(offered, {
    clock: systemClock,
    log: new RecordingLog(),
    editorId: 'editor',
    secretsNeedReload: false,
    ...options,
  });
}

/** Under which name a store keeps its secrets. */
async function nameOf(storeName?: string, folder = path.join(os.tmpdir(), 'device-flow-places')): Promise<string> {
  const names: string[] = [];
  const get = (name: string): Promise<undefined> => {
    names.push(name);
    return Promise.resolve(undefined);
  };
  const secrets = { get, store: () => Promise.resolve() };
  await windowOf({ folder, secrets }, storeName === undefined ? {} : { storeName }).secrets.get();
  return names[0] ?? assert.fail();
}

/** Guards that the services of one extension share nothing. */
describe('the places of a store', () => {
  it('are named by the machine alone, if the extension has one store', async () => {
    assert.match(await nameOf(), /^store-3\.[0-9a-f]{32}$/);
  });

  it('have its name, if the extension has several', async () => {
    const [acme, globex] = [await nameOf('acme'), await nameOf('globex')];
    assert.match(acme, /^store-3\.acme\.[0-9a-f]{32}$/);
    assert.notEqual(acme.split('.').at(-1), globex.split('.').at(-1), 'they’re in the same folder');
  });

  if (IS_POSIX) {
    it('are the same if their folder is reached by another path, even before it’s made', async () => {
      const root = await mkdtemp(path.join(os.tmpdir(), 'device-flow-places-'));
      await mkdir(path.join(root, 'home'));
      await symlink('home', path.join(root, 'link'));
      const [home, link] = ['home', 'link'].map((name) => path.join(root, name, 'ada', 'storage'));
      assert.equal(await nameOf(undefined, link), await nameOf(undefined, home));
      await rm(root, REMOVE);
    });
  }
});

/** Guards that windows which share folder and secrets, but no state of the editor, don't make keys over each other's. */
describe('two profiles of one browser', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'device-flow-profiles-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('have one key: a window that opened before it was made asks to be reloaded', async () => {
    const [locks, rows] = [new MemoryLocks(), new MemoryRows()];
    const open = (secrets = new MemorySecretStorage()): StoreOpener => {
      const platform = windowOf({ folder, secrets }, { secretsNeedReload: true });
      return new StoreOpener({ ...platform, locks: locks.of(systemClock), rows });
    };
    // Each has read the browser's secrets as it opened, when there were none.
    const stored = new MemorySecretStorage();
    const [first, second] = [open(stored), open()];
    const store = await first.forReading();
    await assert.rejects(second.forReading(), { name: 'StoreUnavailableError', reason: 'reload' });
    const keys = await rows.read((stored) => [...stored.all('key/').keys()]);
    assert.deepEqual(keys, [`key/${store?.sealing.key.id ?? ''}`]);
    assert.equal((await open(stored).forReading())?.sealing.key.id, store?.sealing.key.id);
  });
});

/** Guards that a folder which several desktops reach tells them apart, and their windows not. */
describe('whose SecretStorage it is', () => {
  const owner = (options: Partial<PlatformOptions>): string =>
    windowOf({ folder: '/home/ada/storage', secrets: new MemorySecretStorage() }, options).secretsOwner;

  it('is told by the editor’s ID on a desktop, which stays secret', () => {
    assert.equal(owner({ editorId: 'one' }), owner({ editorId: 'one' }));
    assert.notEqual(owner({ editorId: 'one' }), owner({ editorId: 'other' }));
    assert.match(owner({ editorId: 'one' }), /^[0-9a-f]{32}$/);
  });

  it('isn’t told in a browser, whose first windows may have different IDs', () => {
    const [one, other] = [{ editorId: 'one' }, { editorId: 'other' }];
    assert.equal(owner({ ...one, secretsNeedReload: true }), owner({ ...other, secretsNeedReload: true }));
  });
});
