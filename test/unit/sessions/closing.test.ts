import assert from 'node:assert/strict';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { DUE, LIFETIME, Machine, type TestWindow } from './machine';

/** The editor allows this long for closing. Milliseconds. */
const TIME_TO_FINISH = 4_500;

/** Guards that a window that closes loses no response, and sends nothing more. */
describe('a window that closes', () => {
  let machine: Machine;
  let window: TestWindow;
  let session: CurrentSession;
  let running: Promise<void>;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
    running = window.sessions.run();
  });

  for (const secrets of ['respond', 'hang'] as const) {
    it(`during a refresh stores its response first if secrets ${secrets}`, async () => {
      const respond = machine.service.hold();
      await machine.advance(DUE);
      if (secrets === 'hang') machine.shelf.setFault(window, 'hangs');
      const closed = window.sessions.close();
      let over = false;
      void closed.then(() => (over = true));
      await machine.advance(TIME_TO_FINISH / 2);
      assert.equal(over, false);
      respond();
      await machine.finish(closed, TIME_TO_FINISH);
      machine.kill(window);
      assert.equal(await machine.token(machine.open()), machine.service.accessToken());
      assert.equal(machine.service.asked, 1);
    });
  }

  for (const recovers of [false, true]) {
    it(`tries once more to store a response, which the disk ${recovers ? 'takes' : 'refuses'}, and lets go`, async () => {
      const respond = machine.service.hold();
      await machine.advance(DUE);
      machine.store.faults.readOnly = true;
      respond();
      await machine.settle();
      const closed = window.sessions.close();
      machine.store.faults.readOnly = !recovers;
      await machine.finish(closed, TIME_TO_FINISH);
      assert.deepEqual(window.told, ['not stored']);
      machine.kill(window);
      if (recovers) assert.equal(await machine.token(machine.open()), machine.service.accessToken());
      assert.equal(machine.service.asked, 1);
    });
  }

  it('sends nothing from then on, however far a refresh got', async () => {
    for (let at = 0, sent = 0; sent === 0; at++) {
      const own = new Machine();
      const { window: first, session: one } = await own.openSignedIn();
      await own.advance(5_000);
      let operations = 0;
      const closings: { readonly sent: number; readonly closed: Promise<void> }[] = [];
      first.rows.trouble = () => {
        if (operations++ === at) closings.push({ sent: own.service.asked, closed: first.sessions.close() });
        return undefined;
      };
      const refreshed = first.sessions.refreshNow(one.id);
      await own.finish(refreshed.catch(() => undefined));
      const [closing] = closings;
      assert.ok(closing);
      ({ sent } = closing);
      await own.finish(closing.closed, TIME_TO_FINISH);
      assert.equal(own.service.asked, sent, `closed before operation ${at}`);
      if (sent === 0) await assert.rejects(refreshed, { name: 'SessionError', fault: 'not sent' });
      own.kill(first);
      const next = own.open();
      await own.finish(next.sessions.refreshNow(one.id), 500);
      assert.doesNotMatch(next.log.text(), /sent again/, 'it’s known that nothing was sent');
      assert.ok(own.service.requests.every(({ current }) => current));
    }
  });

  it('while another window has the lock sends nothing when it gets it', async () => {
    const release = await machine.holdLock(`session.${session.id}`);
    const refresh = window.sessions.refreshNow(session.id);
    refresh.catch(() => undefined);
    await machine.settle();
    const closed = window.sessions.close();
    release();
    await machine.finish(closed, TIME_TO_FINISH);
    await assert.rejects(refresh, { fault: 'not sent' });
    assert.equal(machine.service.asked, 0);
  });

  it('while it’s still opening refreshes nothing and stops', async () => {
    await machine.advance(5_000);
    machine.kill(window);
    await machine.advance(LIFETIME);
    const other = machine.open();
    const ended = other.sessions.run();
    await machine.finish(Promise.all([other.sessions.list(), other.sessions.close(), ended]));
    assert.equal(machine.service.asked, 0);
    await assert.rejects(machine.serve(other), { fault: 'not sent' });
  });

  it('refreshes nothing anymore, and other windows continue', async () => {
    await machine.finish(window.sessions.close(), TIME_TO_FINISH);
    await machine.finish(running, 1_000);
    await machine.advance(2 * LIFETIME);
    assert.equal(machine.service.asked, 0);
    const other = machine.open();
    void other.sessions.run();
    await machine.advance(1_000);
    assert.equal(await machine.token(other), machine.service.accessToken());
  });
});
