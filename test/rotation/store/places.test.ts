import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SecretStorage } from 'vscode';
import { systemClock as clock } from '../../../src/clock';
import type { ServiceId } from '../../../src/oauth/service';
import { Revoker } from '../../../src/sessions/revoker';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { ClientSecrets } from '../../../src/storage/clientSecrets';
import { Database } from '../../../src/storage/database';
import { StoreOpener } from '../../../src/storage/openStore';
import { createPlatform } from '../../../src/vscode/createPlatform';
import { MemorySecretStorage } from '../../support/memory';
import { RecordingLog } from '../../support/recordingLog';
import { IS_POSIX, REMOVE } from '../../support/thisSystem';
import { TestService } from '../../unit/sessions/testService';

const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client', protocol: 'draft' };

/** A window of the editor, whose storage folder has this path. */
class Window {
  readonly #sessions: SharedSessions;
  readonly #rows: unknown;

  constructor(folder: string, secrets: Pick<SecretStorage, 'get' | 'store'>, service: TestService) {
    const log = new RecordingLog();
    const context = { globalStorageUri: { fsPath: folder }, secrets };
    const platform = createPlatform(context as Parameters<typeof createPlatform>[0], {
      brand: { extensionId: 'acme.tools' },
      clock,
      log,
      editorId: 'editor',
      secretsNeedReload: false,
    });
    this.#rows = platform.rows;
    const store = new StoreOpener(platform);
    const clientSecrets = new ClientSecrets(store, log);
    const { client } = service;
    const revoker = new Revoker(client, clientSecrets, log);
    const configuredServices = (): readonly ServiceId[] => [SERVICE];
    this.#sessions = new SharedSessions(platform, store, client, clientSecrets, revoker, configuredServices);
  }

  /** The accounts that are signed in. */
  async accounts(): Promise<readonly string[]> {
    return (await this.#sessions.serve(SERVICE)).map(({ account }) => account.label);
  }

  async signIn(service: TestService, label: string): Promise<void> {
    const id = await this.#sessions.add({ service: SERVICE, tokens: service.grant(), label });
    await this.#sessions.assignAccount(id, { label, user: undefined, mustShowUser: false, accountId: undefined });
  }

  async close(): Promise<void> {
    await this.#sessions.close();
    if (this.#rows instanceof Database) this.#rows.close();
  }
}

/** Guards that a sign-in belongs to a folder, however it's reached. */
describe('a storage folder', function () {
  this.timeout(60_000);
  let root: string;
  let secrets: MemorySecretStorage;
  let service: TestService;
  const windows: Window[] = [];

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'device-flow-places-'));
    secrets = new MemorySecretStorage();
    service = new TestService(
      3_600_000,
      () => clock.monotonic(),
      () => clock.now(),
    );
  });

  afterEach(async () => {
    await closeAll();
    await rm(root, REMOVE);
  });

  const folder = (name: string): string => path.join(root, name, 'storage');

  function open(name: string): Window {
    const window = new Window(folder(name), secrets, service);
    windows.push(window);
    return window;
  }

  async function closeAll(): Promise<void> {
    for (const window of windows.splice(0)) await window.close();
  }

  async function move(from: string, to: string): Promise<void> {
    await closeAll();
    // A bell that rang last may have made its folder again.
    await rm(path.join(root, to), REMOVE);
    await rename(path.join(root, from), path.join(root, to));
  }

  if (IS_POSIX) {
    it('that’s reached by a link has the same sign-ins', async () => {
      await open('home').signIn(service, 'Ada');
      await symlink('home', path.join(root, 'link'));
      const linked = open('link');
      assert.deepEqual(await linked.accounts(), ['Ada']);
      await linked.signIn(service, 'Grace');
      assert.deepEqual(await open('home').accounts(), ['Ada', 'Grace']);
    });
  }

  it('that was moved has no sign-ins and takes new ones, and has the earlier ones when it’s moved back', async () => {
    await open('home').signIn(service, 'Ada');
    await move('home', 'moved');
    const moved = open('moved');
    assert.deepEqual(await moved.accounts(), []);
    await moved.signIn(service, 'Grace');
    assert.deepEqual(await open('moved').accounts(), ['Grace']);
    await move('moved', 'home');
    assert.deepEqual(await open('home').accounts(), ['Ada']);
  });
});
