import assert from 'node:assert/strict';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { DAY, DUE, LIFETIME, Machine, type TestWindow } from './machine';

/** Each window looks at the folder at least as often. Milliseconds. */
const LONGEST_LOOK = 20_000;

/** Guards that a session that's over is gone everywhere, and leaves nothing behind. */
describe('a session that’s over', () => {
  let machine: Machine;
  let windows: readonly [TestWindow, TestWindow, TestWindow];
  let session: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    const { window, ...signedIn } = await machine.openSignedIn();
    ({ session } = signedIn);
    windows = [window, machine.open(), machine.open()];
    for (const { sessions } of windows) void sessions.run();
    await machine.advance(1_000);
    for (const one of windows) await machine.token(one);
  });

  const told = (): unknown[] => windows.flatMap(({ notices }) => notices);
  const signOut = (where = windows[1]): Promise<unknown> => machine.finish(where.sessions.remove(session.id), 1_000);
  const removals = (): string[][] =>
    windows.map(({ changes }) => changes.flatMap(({ removed }) => removed.map(({ id }) => id)));
  const rejected = (): boolean[] => windows.map(({ sessions }) => sessions.wasRejected(session.id));
  const inEach = <T>(value: T): T[] => windows.map(() => value);
  const served = async (): Promise<number[]> => {
    const counts = [];
    for (const window of windows) counts.push((await machine.serve(window)).length);
    return counts;
  };

  it('by the service’s word is served by no window, and one tells the person', async () => {
    machine.service.revoke();
    await machine.advance(DUE);
    assert.deepEqual(await served(), inEach(0));
    const { id: sessionId, account, service } = session;
    assert.deepEqual(told(), [{ kind: 'ended', sessionId, account, service, responseLost: false }]);
    assert.deepEqual(removals(), inEach([session.id]));
    assert.deepEqual(rejected(), inEach(true), 'each window can offer the next sign-in');
    await machine.advance(2 * LIFETIME);
    assert.equal(machine.service.asked, 1, 'nobody asked again');
    assert.equal(told().length, 1, 'nobody told again');
    assert.deepEqual(await machine.serve(machine.open()), [], 'a new window doesn’t bring it back');
  });

  it('keeps its tombstone for good, which is written again after years if the database is deleted', async () => {
    const hasTombstone = (): boolean => machine.namesAfter('session/').includes(session.id);
    await signOut();
    machine.timeline.sleepMachine(1_000 * DAY);
    await machine.finish(machine.open().sessions.list());
    await machine.advance(LONGEST_LOOK);
    assert.ok(hasTombstone());
    machine.store.empty();
    await machine.advance(LONGEST_LOOK);
    assert.ok(hasTombstone());
    assert.equal(machine.shelf.stored?.includes(session.id), false);
  });

  it('by signing out is gone from all windows within a second, and nobody gets a message', async () => {
    await signOut();
    await machine.advance(1_000);
    assert.deepEqual(removals(), inEach([session.id]));
    assert.deepEqual(told(), []);
    assert.deepEqual(await served(), inEach(0));
    await machine.advance(2 * LIFETIME);
    assert.equal(machine.service.asked, 0);
  });

  it('by signing out is announced as nothing else if the response to a refresh comes after it', async () => {
    const respond = machine.service.hold();
    await machine.advance(DUE);
    machine.store.faults.unwatched = true;
    await signOut();
    respond();
    await machine.advance(1_000);
    for (const { changes } of windows) assert.ok(changes.every(({ changed }) => changed.length === 0));
    assert.match(machine.store.peek(`session/${session.id}`) ?? '', /^\{"endedAt"/);
    assert.ok(machine.shelf.stored?.includes(machine.service.refreshToken()) !== true);
  });

  it('is gone, if the bell isn’t heard, as soon as somebody asks', async () => {
    machine.store.faults.unwatched = true;
    await signOut();
    assert.deepEqual(await served(), inEach(0));
  });

  it('is announced within a second, if the bell can’t be heard, though nobody asks', async () => {
    machine.store.faults.unwatched = true;
    await machine.advance(LONGEST_LOOK);
    await signOut();
    await machine.advance(1_000);
    assert.deepEqual(removals(), inEach([session.id]));
  });

  const isNoticedAfterAWhile = async (): Promise<void> => {
    await machine.advance(LONGEST_LOOK);
    await signOut();
    await machine.advance(1_000);
    assert.deepEqual(removals(), inEach([session.id]));
  };

  it('by signing out is gone from all windows, though the store was deleted and made again before', async () => {
    machine.store.empty();
    await isNoticedAfterAWhile();
  });

  it('leaves only a tombstone', async () => {
    await signOut();
    await machine.advance(1_000);
    assert.deepEqual(rejected(), inEach(false), 'who has just signed out isn’t asked to sign in again');
    const rows = machine.store.names.filter((name) => name.includes(session.id));
    assert.deepEqual(rows, [`session/${session.id}`]);
    assert.match(machine.store.peek(`session/${session.id}`) ?? '', /^\{"endedAt":\d+\}$/);
  });
});
