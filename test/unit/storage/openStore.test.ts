import assert from 'node:assert/strict';
import { CLIENT_SECRET, LIFETIME, Machine, SERVICE, type TestWindow } from '../sessions/machine';
import { StoreUnavailableError, type StoreUnavailableReason } from '../../../src/storage/storeUnavailable';

/** Turns a trouble on that was there before the first window opened, or off again. */
type Trouble = (machine: Machine, window: TestWindow, on: boolean) => void;

const refuse =
  (code: string): Trouble =>
  (_machine, { rows }, on) => {
    rows.trouble = (transaction) => (on && transaction === 'write' ? code : undefined);
  };
const refuseLocks =
  (error: Error): Trouble =>
  ({ locks }, _window, on) => {
    locks.fault = on ? error : undefined;
  };
const failSecrets =
  (fault: 'throws' | 'hangs'): Trouble =>
  ({ shelf }, window, on) => {
    shelf.setFault(window, on ? fault : 'none');
  };
const UNOPENED = Object.assign(new Error('unable to open'), { code: 'ERR_SQLITE_ERROR' });

const TROUBLES: readonly (readonly [what: string, reason: StoreUnavailableReason, trouble: Trouble])[] = [
  ['a full disk', 'folder full', refuse('ENOSPC')],
  ['a folder that can’t be written to', 'folder not allowed', refuse('EACCES')],
  ['an editor without node:sqlite', 'no sqlite', refuseLocks(new StoreUnavailableError('no sqlite'))],
  ['a file system without locks', 'no file locks', refuseLocks(new StoreUnavailableError('no file locks'))],
  ['a lock file that can’t be opened', 'folder', refuseLocks(UNOPENED)],
  ['a keyring that fails', 'secret storage', failSecrets('throws')],
  ['a keyring that hangs', 'secret storage', failSecrets('hangs')],
];

/** Guards that no token is granted that couldn't be stored, and that nothing is stored before it's needed. */
describe('a store that nobody needs yet', () => {
  it('stores nothing on a desktop: no key, no file', async () => {
    const machine = new Machine('desktop');
    const windows = [machine.open(), machine.open()];
    for (const window of windows) {
      const { clientSecrets, sessions } = window;
      void sessions.run();
      assert.deepEqual(await machine.serve(window), []);
      assert.deepEqual(await machine.finish(sessions.list()), []);
      assert.equal(await machine.finish(sessions.reportRejected('a token')), false);
      assert.equal(await machine.finish(clientSecrets.get(SERVICE, true)), undefined);
      await machine.finish(sessions.remove('a session'));
    }
    await machine.advance(LIFETIME);
    for (const { stores, told } of windows) {
      assert.deepEqual([stores, told], [0, []]);
    }
    assert.deepEqual([machine.store.names, machine.shelf.stored], [[], undefined]);
    await machine.finish(windows[0]?.clientSecrets.set(SERVICE, CLIENT_SECRET) ?? assert.fail());
    assert.ok(windows[0]?.stores !== 0, 'until somebody enters a client secret');
  });

  it('gets its key from the first window in a browser, where storing shows no dialog', async () => {
    const machine = new Machine('browser');
    const window = machine.open();
    assert.deepEqual(await machine.serve(window), []);
    assert.equal(window.stores, 1);
  });
});

/** Guards that nobody is told that nothing is stored by a look at what was there before they asked. */
describe('a store that another window makes while this one looks for it', () => {
  let machine: Machine;
  let window: TestWindow;

  beforeEach(() => {
    machine = new Machine();
    window = machine.open();
    const { clock } = window.platform;
    const { rows } = window;
    const read = rows.read.bind(rows);
    rows.read = async (work) => {
      const result = await read(work);
      await clock.sleep(10_000);
      return result;
    };
  });

  it('is found by who asks for sessions during that look', async () => {
    const before = window.serve();
    await machine.advance(1_000);
    const { session } = await machine.openSignedIn();
    await machine.advance(1_000);
    const served = await machine.serve(window);
    assert.deepEqual(await before, []);
    assert.deepEqual(
      served.map(({ id }) => id),
      [session.id],
    );
  });

  it('is found by who asks for the client secret during that look', async () => {
    const before = window.clientSecrets.get(SERVICE, true);
    await machine.advance(1_000);
    await machine.openSignedIn();
    await machine.advance(1_000);
    const secret = await machine.finish(window.clientSecrets.get(SERVICE, true));
    assert.equal(await before, undefined);
    assert.equal(secret, CLIENT_SECRET);
  });
});

/** A sign-in asks for the client secret before it asks the service for a code: if that fails, no token is granted. */
describe('a first sign-in with', () => {
  let machine: Machine;
  let window: TestWindow;

  beforeEach(() => {
    machine = new Machine();
    window = machine.open();
  });

  const enterSecret = (where = window): Promise<void> =>
    machine.finish(where.clientSecrets.set(SERVICE, CLIENT_SECRET));

  it('a keyring that quotes what it holds leaves that out of the log', async () => {
    window.platform.secrets.get = () => Promise.reject(new Error(`The keyring can't decrypt ${CLIENT_SECRET}`));
    await assert.rejects(enterSecret(), { name: 'StoreUnavailableError' });
    const logged = window.log.text();
    assert.match(logged, /The store can't be used: secret storage\. Error\n {2}at /);
    assert.ok(!logged.includes(CLIENT_SECRET), logged);
  });

  it('a keyring that hangs says in the log how long it was waited for', async () => {
    machine.shelf.setFault(window, 'hangs');
    await assert.rejects(enterSecret(), { name: 'StoreUnavailableError' });
    assert.match(
      window.log.text(),
      /The store can't be used: secret storage\. SecretStorage didn't respond within 5 s\./,
    );
  });

  for (const [what, reason, trouble] of TROUBLES) {
    const unavailable = { name: 'StoreUnavailableError', reason };

    it(`${what} fails before any token is granted, says why once, and works when that’s over`, async () => {
      trouble(machine, window, true);
      void window.sessions.run();
      for (let again = 0; again < 2; again++) {
        await machine.advance(30_000);
        await assert.rejects(enterSecret(), unavailable);
      }
      assert.deepEqual(window.notices, [{ kind: reason }]);
      assert.equal(machine.shelf.stored, undefined, 'no key is stored that other windows couldn’t be told of');
      trouble(machine, window, false);
      await machine.advance(30_000);
      await enterSecret();
      assert.equal(await machine.finish(window.clientSecrets.get(SERVICE, true)), CLIENT_SECRET);
      const session = await machine.signIn(window);
      await machine.advance(5_000);
      assert.equal((await machine.serve(machine.open()))[0]?.id, session.id);
      assert.equal(machine.namesAfter('key/').length, 1);
    });

    it(`${what} from the moment on when the service is asked keeps its tokens in memory`, async () => {
      await enterSecret();
      await machine.advance(5_000);
      assert.equal(await machine.finish(window.clientSecrets.get(SERVICE, true)), CLIENT_SECRET);
      trouble(machine, window, true);
      const session = await machine.signIn(window);
      assert.equal(await machine.token(window), session.accessToken);
    });
  }
});

describe('a session whose editor has', () => {
  for (const reason of ['no sqlite', 'no file locks'] as const) {
    it(`${reason} by now is served until it expires, and then it’s told as that`, async () => {
      const machine = new Machine();
      const { window, session } = await machine.openSignedIn();
      await machine.advance(5_000);
      machine.kill(window);
      machine.locks.fault = new StoreUnavailableError(reason);
      const later = machine.open();
      void later.sessions.run();
      assert.equal(await machine.token(later), session.accessToken);
      await machine.advance(LIFETIME);
      for (const failing of [() => later.serve(), () => later.sessions.refreshNow(session.id)]) {
        await assert.rejects(machine.finish<unknown>(failing()), { name: 'StoreUnavailableError', reason });
      }
      assert.deepEqual(later.told, [reason]);
      assert.equal(machine.service.asked, 0);
    });
  }
});
