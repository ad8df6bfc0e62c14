import assert from 'node:assert/strict';
import { LocksUnavailableError } from '../../../src/storage/sqliteLocks';
import { CLIENT_SECRET, Machine, onlyOne, SERVICE, type TestWindow } from './machine';
import { changes } from './troubledDisk';

/** Turns a trouble on that was there before the first window opened, or off again. */
type Trouble = (machine: Machine, window: TestWindow, on: boolean) => void;

const FOLDER_TROUBLES: Readonly<Record<string, Trouble>> = {
  'a full disk': (_machine, { disk }, on) => {
    disk.trouble = (operation) => (on && changes(operation) ? 'ENOSPC' : undefined);
  },
  'a folder that may not be written to': (_machine, { disk }, on) => {
    disk.trouble = (operation) => (on && changes(operation) ? 'EACCES' : undefined);
  },
  'no locks': ({ locks }, _window, on) => {
    locks.fault = on ? new LocksUnavailableError('none') : undefined;
  },
  'no file for a lock': ({ locks }, _window, on) => {
    locks.fault = on ? Object.assign(new Error('unable to open'), { code: 'ERR_SQLITE_ERROR' }) : undefined;
  },
};

const SECRET_TROUBLES: Readonly<Record<string, Trouble>> = {
  'a keyring that fails': ({ shelf }, window, on) => {
    shelf.setFault(window, on ? 'throws' : 'none');
  },
  'a keyring that hangs': ({ shelf }, window, on) => {
    shelf.setFault(window, on ? 'hangs' : 'none');
  },
};

/** A sign-in asks for the client secret before it asks the service for a code: where that fails, no token is granted. */
describe('a first sign-in, with', () => {
  let machine: Machine;
  let window: TestWindow;

  beforeEach(() => {
    machine = new Machine();
    window = machine.open();
  });

  for (const [troubles, why, notice] of [
    [FOLDER_TROUBLES, 'folder', 'folder unavailable'],
    [SECRET_TROUBLES, 'unavailable', 'secrets unavailable'],
  ] as const) {
    for (const [what, trouble] of Object.entries(troubles)) {
      it(`${what}, fails before any token is granted, says why once, and works when that is over`, async () => {
        trouble(machine, window, true);
        void window.store.run();
        await machine.advance(30_000);
        await assert.rejects(machine.finish(window.secrets.get(SERVICE)), { name: 'SessionsUnavailableError', why });
        await machine.advance(30_000);
        await assert.rejects(machine.finish(window.secrets.set(SERVICE, CLIENT_SECRET)), { why });
        assert.deepEqual(window.notices, [{ kind: notice }]);
        assert.equal(machine.shelf.stored, undefined, 'no key is stored that other windows could not be told of');
        trouble(machine, window, false);
        await machine.advance(30_000);
        await machine.finish(window.secrets.set(SERVICE, CLIENT_SECRET));
        assert.equal(await machine.finish(window.secrets.get(SERVICE)), CLIENT_SECRET);
        const session = await machine.finish(window.store.add(machine.signIn()));
        await machine.advance(5_000);
        const other = machine.open();
        assert.equal((await machine.finish(onlyOne(other.store.serve()))).id, session.id);
        assert.equal(machine.disk.names.filter((name) => name.startsWith('keys/')).length, 1);
      });
    }
  }

  for (const [what, trouble] of Object.entries({ ...FOLDER_TROUBLES, ...SECRET_TROUBLES })) {
    it(`${what} from the moment on in which the service is asked, keeps its tokens in memory`, async () => {
      await machine.finish(window.secrets.set(SERVICE, CLIENT_SECRET));
      await machine.advance(5_000);
      assert.equal(await machine.finish(window.secrets.get(SERVICE)), CLIENT_SECRET);
      trouble(machine, window, true);
      const session = await machine.finish(window.store.add(machine.signIn()));
      assert.equal((await machine.finish(onlyOne(window.store.serve()))).accessToken, session.accessToken);
    });
  }

  it('a key that was lost, and a disk that is full when another is to be made, says that it is the folder', async () => {
    await machine.finish(window.store.add(machine.signIn()));
    await machine.advance(120_000);
    machine.kill(window);
    machine.shelf.lose(undefined);
    const later = machine.open();
    later.disk.trouble = (operation) => (changes(operation) ? 'ENOSPC' : undefined);
    await assert.rejects(machine.finish(later.secrets.set(SERVICE, CLIENT_SECRET)), { why: 'folder' });
    assert.equal(machine.shelf.stored, undefined);
  });
});
