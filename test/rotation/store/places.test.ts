import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock as clock } from '../../../src/clock';
import { MemorySecretStorage } from '../../support/memory';
import { IS_POSIX, REMOVE } from '../../support/thisSystem';
import { TestService } from '../../unit/sessions/testService';
import { Window } from './window';

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
      await open('home').signIn('Ada');
      await symlink('home', path.join(root, 'link'));
      const linked = open('link');
      assert.deepEqual(await linked.accounts(), ['Ada']);
      await linked.signIn('Grace');
      assert.deepEqual(await open('home').accounts(), ['Ada', 'Grace']);
    });
  }

  it('that was moved has no sign-ins and takes new ones, and has the earlier ones when it’s moved back', async () => {
    await open('home').signIn('Ada');
    await move('home', 'moved');
    const moved = open('moved');
    assert.deepEqual(await moved.accounts(), []);
    await moved.signIn('Grace');
    assert.deepEqual(await open('moved').accounts(), ['Grace']);
    await move('moved', 'home');
    assert.deepEqual(await open('home').accounts(), ['Ada']);
  });
});
