import assert from 'node:assert/strict';
import type { ServedSession } from '../../../src/sessions/sessions';
import { decodeVault } from '../../../src/storage/vaultFormat';
import { Machine, type TestWindow } from './machine';

const DAY = 24 * 3_600_000;
/** Within this time every window has looked for what is to be forgotten. Milliseconds. */
const TIDIED = 90_000;

describe('what SecretStorage need no longer keep', () => {
  let machine: Machine;
  let window: TestWindow;
  let session: ServedSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
    await machine.advance(5_000);
  });

  const isKept = (id = session.id): boolean => machine.shelf.stored?.includes(id) === true;

  /** Somebody deletes the tombstone, and a new window opens. */
  const isBack = async (): Promise<boolean> => {
    machine.kill(window);
    machine.disk.tamperRemove(`sessions/${session.id}.ended`);
    const later = machine.open();
    void later.store.run();
    await machine.advance(TIDIED);
    return (await machine.finish(later.store.serve())).some(({ id }) => id === session.id);
  };

  it('goes as soon as somebody signs out', async () => {
    assert.ok(isKept());
    await machine.finish(window.store.remove(session.id));
    await machine.advance(1_000);
    assert.ok(!isKept());
    assert.equal(await isBack(), false);
  });

  it('goes as soon as another sign-in takes its place', async () => {
    const next = await machine.finish(window.store.add({ ...machine.signIn(), replaces: session.id }));
    await machine.advance(1_000);
    assert.deepEqual([isKept(), isKept(next.id)], [false, true]);
  });

  for (const gap of [0, 50, 100, 200, 300, 400, 500]) {
    it(`goes for good, though another window stores what it read ${gap} ms after the sign-out`, async () => {
      const other = machine.open();
      void window.store.run();
      void other.store.run();
      const kept = await machine.finish(other.store.add(machine.signIn('Grace')));
      await machine.advance(5_000);
      const removed = window.store.remove(session.id);
      await machine.advance(gap);
      const refreshed = other.store.refreshNow(kept.id);
      await machine.finish(Promise.all([removed, refreshed]));
      await machine.advance(TIDIED);
      assert.deepEqual([isKept(), isKept(kept.id)], [false, true]);
      machine.kill(other);
      assert.equal(await isBack(), false);
    });
  }

  it('is not stored again by a window that knows better than SecretStorage', async () => {
    const { vault, access } = window;
    const contents = decodeVault(machine.shelf.stored ?? '');
    const entry = access.current?.view.get(session.id)?.entry;
    assert.ok(contents !== undefined && entry !== undefined);
    await machine.finish(window.store.remove(session.id));
    await machine.advance(1_000);
    await machine.finish(vault.change({ ...contents }, () => contents));
    await machine.advance(1_000);
    assert.ok(isKept(), 'a window of another version may store it');
    const other = await machine.finish(window.store.add(machine.signIn('Grace')));
    access.saveRecovery(entry);
    await machine.advance(1_000);
    assert.deepEqual([isKept(), isKept(other.id)], [false, true]);
  });

  it('goes soon after a sign-out at which SecretStorage failed', async () => {
    void window.store.run();
    machine.shelf.setFault(window, 'throws');
    await machine.finish(window.store.remove(session.id));
    await machine.advance(1_000);
    assert.ok(isKept());
    await machine.advance(10 * TIDIED);
    assert.equal(window.log.levels().filter((level) => level === 'warn').length, 1, 'the log is not filled');
    machine.shelf.setFault(window, 'none');
    await machine.advance(TIDIED);
    assert.ok(!isKept());
  });

  it('goes when the next window opens after such a sign-out', async () => {
    machine.shelf.setFault(window, 'throws');
    await machine.finish(window.store.remove(session.id));
    machine.kill(window);
    window = machine.open();
    await machine.finish(window.store.list());
    await machine.advance(1_000);
    assert.ok(!isKept());
    assert.equal(await isBack(), false);
  });

  it('goes from a browser without the copies that other windows stored meanwhile', async () => {
    machine = new Machine('browser');
    ({ window, session } = await machine.openSignedIn());
    await machine.advance(70_000);
    const other = machine.open();
    const kept = await machine.finish(other.store.add(machine.signIn('Grace')));
    await machine.finish(other.store.refreshNow(kept.id));
    await machine.advance(1_000);
    await machine.finish(window.store.remove(session.id));
    await machine.advance(TIDIED);
    assert.deepEqual([isKept(), isKept(kept.id)], [false, true]);
    assert.equal(decodeVault(machine.shelf.stored ?? '')?.sessions[kept.id]?.generation, 2);
  });

  it('is looked for without writing anything where there is nothing to forget', async () => {
    void window.store.run();
    let stored = 0;
    const { secrets } = window.surroundings;
    const store = secrets.store.bind(secrets);
    Object.assign(secrets, {
      store: (text: string) => {
        stored++;
        return store(text);
      },
    });
    await machine.advance(10 * TIDIED);
    assert.equal(stored, 0);
  });
});

describe('an entry of SecretStorage that could not be read', () => {
  it('is kept for 30 days beside its successor, and no longer: it may hold secrets', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    await machine.advance(120_000);
    machine.kill(window);
    machine.shelf.lose('what was there');
    const next = machine.open();
    await machine.finish(next.store.add(machine.signIn('Grace')));
    const isKeptAfter = async (days: number): Promise<boolean> => {
      await machine.advance(days * DAY);
      const later = machine.open();
      await machine.finish(later.store.list());
      await machine.advance(1_000);
      machine.kill(later);
      return decodeVault(machine.shelf.stored ?? '')?.damaged === 'what was there';
    };
    assert.equal(await isKeptAfter(29), true);
    assert.equal(await isKeptAfter(2), false);
    assert.ok(machine.shelf.stored?.includes('what was there') === false);
  });
});
