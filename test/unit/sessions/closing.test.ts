import assert from 'node:assert/strict';
import type { ServedSession } from '../../../src/sessions/sessions';
import { DUE, LIFETIME, Machine, onlyOne, type TestWindow } from './machine';

/** The editor allows so long for ending. Milliseconds. */
const TIME_TO_FINISH = 4_500;

describe('a window that closes', () => {
  let machine: Machine;
  let window: TestWindow;
  let session: ServedSession;
  let running: Promise<void>;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
    running = window.store.run();
  });

  /** Closes the window as the answer of its refresh is there and its disk takes nothing. Resolves with its closing. */
  const closeOnRefusingDisk = async (): Promise<{ readonly closed: Promise<void> }> => {
    const answer = machine.service.hold();
    await machine.advance(DUE);
    machine.disk.faults.readOnly = true;
    answer();
    await machine.settle();
    return { closed: window.store.close() };
  };

  /** What a window that opens afterwards serves. */
  const next = async (): Promise<string> => (await machine.finish(onlyOne(machine.open().store.serve()))).accessToken;

  it('while a refresh is under way stores its answer first', async () => {
    const answer = machine.service.hold();
    await machine.advance(DUE);
    const closed = window.store.close();
    let over = false;
    void closed.then(() => (over = true));
    await machine.advance(TIME_TO_FINISH / 2);
    assert.equal(over, false);
    answer();
    await machine.finish(closed, 0);
    machine.kill(window);
    assert.equal(await next(), machine.service.accessToken());
    assert.equal(machine.service.asked.length, 1);
  });

  it('stores the answer although SecretStorage no longer answers', async () => {
    const answer = machine.service.hold();
    await machine.advance(DUE);
    machine.shelf.setFault(window, 'hangs');
    const closed = window.store.close();
    answer();
    await machine.finish(closed, TIME_TO_FINISH);
    machine.kill(window);
    assert.equal(await next(), machine.service.accessToken());
  });

  it('before its refresh was sent sends none', async () => {
    const { finish, clock } = holdSessionLock(machine, session.id);
    window.disk.trouble = () => undefined;
    const refresh = window.store.refreshNow(session.id);
    refresh.catch(() => undefined);
    await machine.settle();
    const closed = window.store.close();
    clock();
    await machine.finish(closed, TIME_TO_FINISH);
    await finish();
    await assert.rejects(refresh);
    assert.equal(machine.service.asked.length, 0);
  });

  it('refreshes nothing any more, and other windows go on', async () => {
    await machine.finish(window.store.close(), TIME_TO_FINISH);
    await machine.finish(running, 1_000);
    await machine.advance(2 * LIFETIME);
    assert.equal(machine.service.asked.length, 0);
    const other = machine.open();
    void other.store.run();
    await machine.advance(1_000);
    assert.equal((await machine.finish(onlyOne(other.store.serve()))).accessToken, machine.service.accessToken());
  });

  it('with a full disk tries once more to store the answer, and then lets go', async () => {
    const { closed } = await closeOnRefusingDisk();
    await machine.finish(closed, TIME_TO_FINISH);
    assert.deepEqual(
      window.notices.map(({ kind }) => kind),
      ['not stored'],
    );
  });

  it('with a disk that is well again in time stores the answer', async () => {
    const { closed } = await closeOnRefusingDisk();
    machine.disk.faults.readOnly = false;
    await machine.finish(closed, TIME_TO_FINISH);
    machine.kill(window);
    assert.equal(await next(), machine.service.accessToken());
    assert.equal(machine.service.asked.length, 1);
  });
});

/** Another process holds the session's lock, and gives it back when told. */
function holdSessionLock(machine: Machine, sessionId: string): { clock: () => void; finish: () => Promise<void> } {
  const process = { name: 'another process', alive: true, stopped: false };
  let release: (() => void) | undefined;
  const taken = machine.locks
    .of(process)
    .acquire(`session.${sessionId}`, 0)
    .then((got) => (release = got));
  return {
    clock: () => release?.(),
    finish: async () => {
      await taken;
    },
  };
}
