import assert from 'node:assert/strict';
import type { ServedSession } from '../../../src/sessions/sessions';
import { CLIENT_SECRET, LIFETIME, Machine, type TestWindow } from './machine';

describe('accounts', () => {
  let machine: Machine;
  let windows: readonly [TestWindow, TestWindow];
  let ada: ServedSession;

  beforeEach(async () => {
    machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    ada = session;
    windows = [window, machine.open()];
    for (const { store } of windows) await machine.finish(store.list());
  });

  const labels = async ({ store }: TestWindow): Promise<string[]> =>
    (await machine.finish(store.list())).map(({ account }) => account.label);

  it('have one name each, also where two windows give the same at once', async () => {
    const [one, two] = windows;
    const added = [one, two].map(({ store }) => store.add(machine.signIn('Grace')));
    const results = await machine.finish(Promise.all(added));
    assert.deepEqual(results.map(({ account }) => account.label).sort(), ['Grace', 'Grace (2)']);
    assert.equal((await machine.finish(one.store.add(machine.signIn('Grace')))).account.label, 'Grace (3)');
    await assert.rejects(machine.finish(two.store.rename(ada.id, 'Grace')), { name: 'LabelTakenError' });
    for (const window of windows) {
      assert.deepEqual((await labels(window)).sort(), ['Ada', 'Grace', 'Grace (2)', 'Grace (3)']);
    }
  });

  it('are never given the name of a secret that their session holds by now', async () => {
    const [one] = windows;
    await machine.finish(one.store.refreshNow(ada.id));
    const refreshToken = machine.service.accessToken().replace('access', 'refresh');
    for (const secret of [machine.service.accessToken(), refreshToken, CLIENT_SECRET]) {
      for (const [label, told] of [[secret], [`Ada of ${secret}`], ['Ada the first', secret]] as const) {
        await assert.rejects(machine.finish(one.store.rename(ada.id, label, told)), { name: 'SecretLabelError' });
      }
    }
    assert.deepEqual(await labels(one), ['Ada']);
  });

  it('are renamed in all windows, once, keeping session and token', async () => {
    const [one, two] = windows;
    await machine.finish(one.store.rename(ada.id, 'Countess'));
    await machine.finish(one.store.rename(ada.id, 'Countess'));
    for (const window of windows) assert.deepEqual(await labels(window), ['Countess']);
    const told = two.changes.flatMap(({ changed }) => changed.map(({ account }) => account.label));
    assert.deepEqual([...new Set(told)], ['Countess']);
    const [served] = await machine.finish(two.store.serve());
    assert.equal(served?.id, ada.id);
    assert.equal(served.accessToken, ada.accessToken);
    assert.equal(served.account.id, ada.account.id);
    await machine.finish(one.store.refreshNow(ada.id));
    for (const window of windows) assert.deepEqual(await labels(window), ['Countess'], 'a refresh keeps the name');
  });

  it('keep who they are when someone signs in again in their place', async () => {
    const [one, two] = windows;
    const again = await machine.finish(two.store.add({ ...machine.signIn('ignored'), replaces: ada.id }));
    assert.notEqual(again.id, ada.id);
    assert.deepEqual(again.account, ada.account);
    for (const { store } of windows) {
      const served = await machine.finish(store.serve());
      assert.deepEqual(
        served.map(({ id, accessToken }) => [id, accessToken]),
        [[again.id, machine.service.accessToken(2)]],
      );
    }
    assert.deepEqual(
      one.changes.flatMap(({ removed }) => removed.map(({ id }) => id)),
      [ada.id],
    );
    assert.equal(
      await machine.finish(one.store.reportRejected(ada.accessToken)),
      true,
      'the old token is known as old',
    );
    assert.equal(machine.service.asked.length, 0);
  });

  it('are signed out of one by one, as often as one likes', async () => {
    const [one, two] = windows;
    await machine.finish(one.store.add(machine.signIn('Grace')));
    for (let again = 0; again < 3; again++) await machine.finish(two.store.remove(ada.id));
    await machine.finish(two.store.remove('never there'));
    for (const window of windows) assert.deepEqual(await labels(window), ['Grace']);
    await assert.rejects(machine.finish(one.store.refreshNow(ada.id)), { fault: 'over' });
    await machine.finish(one.store.rename(ada.id, 'Somebody'));
    for (const window of windows) assert.deepEqual(await labels(window), ['Grace']);
  });

  it('that were signed out of are not brought back by a copy, when all windows were closed', async () => {
    const [one] = windows;
    machine.shelf.setFault(one, 'hangs');
    await machine.finish(one.store.remove(ada.id));
    for (const window of windows) machine.kill(window);
    const later = machine.open();
    assert.deepEqual(await labels(later), []);
    assert.ok(machine.shelf.stored?.includes(ada.id) === true, 'the copy was there');
    await machine.advance(2 * LIFETIME);
    assert.equal(machine.service.asked.length, 0);
  });

  it('of another machine, as in a synced folder, are neither served nor refreshed', async () => {
    const visitor = machine.open(machine.shelf, 'another machine');
    void visitor.store.run();
    await machine.advance(2 * LIFETIME);
    assert.deepEqual(await machine.finish(visitor.store.serve()), []);
    assert.equal(machine.service.asked.length, 0);
    assert.deepEqual(await labels(windows[0]), ['Ada']);

    for (const window of [...windows, visitor]) machine.kill(window);
    for (const name of machine.disk.names) machine.disk.tamperRemove(name);
    const alone = machine.open(machine.shelf, 'another machine');
    assert.deepEqual(await labels(alone), []);
    assert.deepEqual(
      machine.disk.names.filter((name) => name.startsWith('sessions/')),
      [],
      'nor made again from a copy',
    );
  });
});
