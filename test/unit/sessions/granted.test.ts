import assert from 'node:assert/strict';
import { LocksUnavailableError } from '../../../src/storage/sqliteLocks';
import { CLIENT_SECRET, Machine, onlyOne, SERVICE, type TestWindow } from './machine';
import { changes } from './troubledDisk';

/** The tokens of a sign-in are the only copy when they come. */
describe('tokens that were just granted', () => {
  let machine: Machine;
  let window: TestWindow;

  beforeEach(async () => {
    machine = new Machine();
    window = machine.open();
    // The vault opens before anyone signs in.
    await machine.finish(window.secrets.set(SERVICE, CLIENT_SECRET));
  });

  const journals = (): readonly string[] => machine.disk.names.filter((name) => name.startsWith('sessions/'));
  const told = (): readonly string[] => window.notices.map(({ kind }) => kind);

  for (const [what, fault] of [
    ['is full', 'full'],
    ['is read-only', 'readOnly'],
    ['can’t be read', 'unreadable'],
  ] as const) {
    it(`are served and refreshed where the disk ${what}, and written when it takes them`, async () => {
      machine.disk.faults[fault] = true;
      const session = await machine.finish(window.store.add(machine.signIn()));
      assert.deepEqual((await machine.finish(onlyOne(window.store.serve()))).accessToken, session.accessToken);
      assert.deepEqual(told(), fault === 'unreadable' ? [] : ['not stored']);
      void window.store.run();
      await machine.advance(60_000);
      machine.disk.faults[fault] = false;
      await machine.advance(30_000);
      assert.deepEqual(journals(), [`sessions/${session.id}.json`]);
      const other = machine.open();
      assert.equal((await machine.finish(onlyOne(other.store.serve()))).accessToken, session.accessToken);
      await machine.finish(other.store.refreshNow(session.id));
      await machine.finish(window.store.refreshNow(session.id));
      assert.ok(machine.service.asked.every(({ current }) => current));
      assert.equal(machine.service.asked.length, 2);
    });
  }

  it('are kept where a window that is stopped has the lock of the accounts', async () => {
    const holder = { name: 'another process', alive: true, stopped: false };
    assert.ok(await machine.finish(machine.locks.of(holder).acquire('accounts', 0)));
    const session = await machine.finish(window.store.add(machine.signIn()), 10_000);
    assert.equal((await machine.finish(onlyOne(machine.open().store.serve()))).accessToken, session.accessToken);
  });

  it('are kept where there are no locks at all', async () => {
    machine.locks.fault = new LocksUnavailableError('none');
    const session = await machine.finish(window.store.add(machine.signIn()));
    assert.deepEqual(journals(), [`sessions/${session.id}.json`]);
  });

  it('take the place of a session that the disk does not let go, and it goes later', async () => {
    const replaced = await machine.finish(window.store.add(machine.signIn()));
    const other = machine.open();
    await machine.finish(onlyOne(other.store.serve()));
    window.disk.trouble = (operation) => (changes(operation) ? 'EROFS' : undefined);
    const session = await machine.finish(window.store.add({ ...machine.signIn(), replaces: replaced.id }));
    assert.deepEqual(session.account, replaced.account);
    assert.equal((await machine.finish(onlyOne(window.store.serve()))).id, session.id);
    void window.store.run();
    await machine.advance(30_000);
    window.disk.trouble = () => undefined;
    await machine.advance(30_000);
    for (const { store } of [window, other]) {
      assert.equal((await machine.finish(onlyOne(store.serve()))).id, session.id);
    }
  });
});
