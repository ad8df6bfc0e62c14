import assert from 'node:assert/strict';
import { NetworkError } from '../../../src/oauth/errors';
import type { ServedSession } from '../../../src/sessions/sessions';
import { DUE, LIFETIME, Machine, onlyOne, type TestWindow } from './machine';

describe('a session that is over', () => {
  let machine: Machine;
  let windows: readonly TestWindow[];
  let session: ServedSession;

  beforeEach(async () => {
    machine = new Machine();
    const { window, ...signedIn } = await machine.openSignedIn();
    ({ session } = signedIn);
    windows = [window, machine.open(), machine.open()];
    for (const { store } of windows) void store.run();
    await machine.advance(1_000);
    for (const { store } of windows) await machine.finish(onlyOne(store.serve()));
  });

  const told = (): unknown[] => windows.flatMap(({ notices }) => notices);
  const removals = (): string[][] =>
    windows.map(({ changes }) => changes.flatMap(({ removed }) => removed.map(({ id }) => id)));
  const served = async (): Promise<number[]> => {
    const counts = [];
    for (const { store } of windows) counts.push((await machine.finish(store.serve())).length);
    return counts;
  };
  const { id, account } = { id: () => session.id, account: () => session.account };

  it('by the service’s word is served by no window, and one tells the person', async () => {
    machine.service.revoke();
    await machine.advance(DUE);
    assert.deepEqual(await served(), [0, 0, 0]);
    assert.deepEqual(told(), [{ kind: 'ended', sessionId: id(), account: account(), answerLost: false }]);
    assert.deepEqual(removals(), [[id()], [id()], [id()]]);
    await machine.advance(2 * LIFETIME);
    assert.equal(machine.service.asked.length, 1, 'nobody asked again');
    assert.equal(told().length, 1, 'nobody told again');
    assert.deepEqual(await machine.finish(machine.open().store.serve()), [], 'a new window does not bring it back');
  });

  it('because an answer was lost is told as that', async () => {
    machine.service.next(() => new NetworkError('refresh', 'connection lost', true, undefined));
    await machine.advance(DUE + 60_000);
    assert.deepEqual(told(), [{ kind: 'ended', sessionId: id(), account: account(), answerLost: true }]);
    assert.deepEqual(await served(), [0, 0, 0]);
    assert.equal(machine.service.asked.length, 2, 'the token was sent again once');
  });

  it('because an answer was never given is not over', async () => {
    machine.service.nextFails(new NetworkError('refresh', 'connection lost', true, undefined));
    await machine.advance(DUE + 60_000);
    assert.deepEqual(told(), []);
    assert.deepEqual(await served(), [1, 1, 1]);
    assert.equal(machine.service.asked.length, 2);
  });

  it('by signing out is told to nobody, and gone from all windows within a second', async () => {
    await machine.finish(windows[1]?.store.remove(session.id) ?? Promise.reject(new Error('no window')));
    await machine.advance(1_000);
    assert.deepEqual(removals(), [[id()], [id()], [id()]]);
    assert.deepEqual(told(), []);
    assert.deepEqual(await served(), [0, 0, 0]);
    await machine.advance(2 * LIFETIME);
    assert.equal(machine.service.asked.length, 0);
  });

  it('by signing out stays so, though a refresh was on its way', async () => {
    const answer = machine.service.hold();
    await machine.advance(DUE);
    assert.equal(machine.service.asked.length, 1);
    await machine.finish(windows[2]?.store.remove(session.id) ?? Promise.reject(new Error('no window')), 1_000);
    answer();
    await machine.advance(LIFETIME);
    assert.deepEqual(await served(), [0, 0, 0]);
    assert.deepEqual(removals(), [[id()], [id()], [id()]]);
    assert.deepEqual(await machine.finish(machine.open().store.serve()), []);
  });

  it('by signing out is announced as nothing else where the answer of a refresh comes after it', async () => {
    const answer = machine.service.hold();
    await machine.advance(DUE);
    machine.disk.faults.unwatched = true;
    await machine.finish(windows[2]?.store.remove(session.id) ?? Promise.reject(new Error('no window')), 1_000);
    answer();
    await machine.advance(1_000);
    for (const { changes } of windows)
      assert.deepEqual(
        changes.flatMap(({ changed }) => changed),
        [],
      );
    assert.equal(machine.disk.peek(`sessions/${session.id}.json`), undefined);
    assert.ok(machine.shelf.stored?.includes(machine.service.accessToken().replace('access', 'refresh')) !== true);
  });

  it('is never taken up again, whatever a window reads or writes late', async () => {
    const window = windows[0];
    const view = window?.access.current?.view;
    const entry = view?.get(session.id)?.entry;
    assert.ok(window !== undefined && view !== undefined && entry !== undefined);
    await machine.finish(window.store.remove(session.id));
    view.adopt({ ...entry, generation: entry.generation + 1 });
    assert.deepEqual(view.all(), []);
  });

  it('is gone where its folder is not watched, as soon as somebody asks', async () => {
    machine.disk.faults.unwatched = true;
    await machine.finish(windows[1]?.store.remove(session.id) ?? Promise.reject(new Error('no window')));
    assert.deepEqual(await served(), [0, 0, 0]);
  });

  it('leaves nothing of what was set aside, and its tombstone goes when a window opens months later', async () => {
    machine.disk.tamper(`sessions/${session.id}.json`, () => Buffer.from('out of order'));
    await machine.advance(30_000);
    assert.ok(machine.disk.names.some((name) => name.startsWith(`damaged/${session.id}`)));
    await machine.finish(windows[1]?.store.remove(session.id) ?? Promise.reject(new Error('no window')));
    assert.deepEqual(
      machine.disk.names.filter((name) => name.includes(session.id) && !name.startsWith('locks/')),
      [`sessions/${session.id}.ended`],
    );
    for (const window of windows) machine.kill(window);
    await machine.advance(91 * 86_400_000);
    await machine.finish(machine.open().store.list());
    assert.deepEqual(
      machine.disk.names.filter((name) => name.includes(session.id)),
      [],
    );
  });
});
