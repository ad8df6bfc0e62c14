import assert from 'node:assert/strict';
import type { CurrentSession } from '../../../src/sessions/sessions';
import { DUE, Machine, type TestWindow } from './machine';

/** How soon another window serves new tokens. Milliseconds. */
const PROMPTLY = 250;

/** Guards that a file that another program holds, as on Windows, costs no token, no sign-out, and no message. */
describe('while another program has files open, as on Windows,', () => {
  let machine: Machine;
  let window: TestWindow;
  let other: TestWindow;
  let session: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
    other = machine.open();
    for (const { sessions } of [window, other]) void sessions.run();
    await machine.advance(1_000);
    await machine.token(other);
  });

  const journal = (): string => `sessions/${session.id}.json`;
  const told = (): readonly unknown[] => [window, other].flatMap((one) => one.told);
  /** A refresh gets its response, and from then on the journal is held: with `read`, it can be read, but not replaced. */
  const refreshHeld = async (milliseconds: number, sharing: 'lock' | 'read' = 'lock'): Promise<void> => {
    const respond = machine.service.hold();
    await machine.advance(DUE);
    machine.disk.hold(journal(), sharing, milliseconds);
    respond();
    await machine.settle();
  };

  for (const held of [500, 2_000, 20_000]) {
    it(`new tokens are served in every window, even if the journal is held for ${held} ms`, async () => {
      machine.disk.faults.unwatched = true;
      await refreshHeld(held);
      for (const one of [window, other, machine.open()].slice(0, held > 3_000 ? 2 : 3)) {
        assert.equal(await machine.token(one), machine.service.accessToken());
      }
      await machine.advance(held + 5_000);
      assert.equal(await machine.token(machine.open()), machine.service.accessToken(), 'the journal says it by now');
      assert.deepEqual([machine.service.asked, told()], [1, []]);
    });
  }

  it('other windows needn’t wait for new tokens until the journal can be replaced', async () => {
    await refreshHeld(20_000, 'read');
    assert.equal(await machine.token(other, PROMPTLY), machine.service.accessToken());
  });

  it('new tokens survive the window that couldn’t replace the journal', async () => {
    await refreshHeld(20_000);
    const expected = machine.service.accessToken();
    machine.kill(window);
    machine.kill(other);
    await machine.advance(20_000);
    const last = machine.open();
    void last.sessions.run();
    await machine.advance(20_000);
    assert.equal(await machine.token(last), expected);
    assert.equal(machine.service.asked, 1, 'nobody sent the dead token');
  });

  it('new tokens are on the disk at once, though the room that was reserved for them is held', async () => {
    const respond = machine.service.hold();
    await machine.advance(DUE);
    machine.disk.hold(`spare/${session.id}.reserve`, 'lock', 60_000);
    respond();
    await machine.settle();
    machine.kill(window);
    assert.equal(await machine.token(machine.open()), machine.service.accessToken());
    assert.equal(machine.service.asked, 1);
  });

  it('new tokens are on a full disk as soon as the room that was reserved for them is let go', async () => {
    const respond = machine.service.hold();
    await machine.advance(DUE);
    machine.disk.faults.full = true;
    machine.disk.hold(`spare/${session.id}.reserve`, 'lock', 500);
    respond();
    await machine.advance(1_000);
    assert.deepEqual(told(), [], 'the person needn’t do anything');
    machine.kill(window);
    assert.equal(await machine.token(machine.open()), machine.service.accessToken());
    assert.equal(machine.service.asked, 1);
  });

  it('new tokens survive the window on a full disk, though the journal is held', async () => {
    const respond = machine.service.hold();
    await machine.advance(DUE);
    machine.disk.faults.full = true;
    machine.disk.hold(journal(), 'read', 20_000);
    respond();
    await machine.advance(10_000);
    machine.kill(window);
    assert.equal(await machine.token(machine.open()), machine.service.accessToken());
    assert.equal(machine.service.asked, 1);
  });

  it('a window that only wants new tokens gets those that a dead window left beside the held journal', async () => {
    await refreshHeld(60_000, 'read');
    machine.kill(window);
    await machine.finish(other.sessions.refreshNow(session.id));
    assert.equal(await machine.token(other), machine.service.accessToken());
    assert.equal(machine.service.asked, 1);
  });

  it('the person hears of it once, after half a minute, if new tokens can’t be written until then', async () => {
    await refreshHeld(60_000);
    await machine.advance(30_000);
    assert.deepEqual(told(), []);
    await machine.advance(10_000);
    const { id: sessionId, account, service } = session;
    const notice = { kind: 'not stored', sessionId, account, service, problem: 'in use' };
    assert.deepEqual([...window.notices, ...other.notices], [notice]);
  });

  it('a window that opens gets the session as soon as its journal can be read', async () => {
    machine.disk.hold(journal(), 'lock', 400);
    assert.equal(await machine.token(machine.open(), 500), machine.service.accessToken());
  });

  for (const [sharing, held] of [
    ['read', 1_000],
    ['keep', 1_000],
    ['lock', 1_000],
    ['lock', 60_000],
  ] as const) {
    it(`signing out counts if the journal is held for ${held} ms (${sharing}), and it’s removed later`, async () => {
      machine.disk.hold(journal(), sharing, held);
      await machine.finish(window.sessions.remove(session.id), 10_000);
      for (const one of [window, other, machine.open()]) assert.deepEqual(await machine.serve(one), []);
      await machine.advance(held + 30_000);
      assert.deepEqual(machine.namesIn('sessions'), [`${session.id}.ended`]);
      assert.deepEqual(told(), []);
      for (const { changes } of [window, other]) {
        assert.deepEqual(
          changes.flatMap(({ removed }) => removed.map(({ id }) => id)),
          [session.id],
        );
      }
    });
  }

  it('a scanner that holds most new files for a moment costs no token and no message', async () => {
    machine.disk.faults.scanned = true;
    for (let rotation = 1; rotation <= 20; rotation++) {
      await machine.advance(DUE + 5_000);
      for (const one of [window, other]) assert.equal(await machine.token(one), machine.service.accessToken());
    }
    assert.equal(machine.service.asked, 20);
    assert.ok(machine.service.requests.every(({ current }) => current));
    assert.deepEqual(told(), []);
  });

  describe('and a window opens while a journal is held,', () => {
    let later: TestWindow;

    beforeEach(async () => {
      await machine.signIn(window, { label: 'Grace' });
      await machine.advance(5_000);
      machine.disk.hold(journal(), 'lock', 60_000);
      later = machine.open();
      void later.sessions.run();
      await machine.advance(10_000);
    });

    it('the other accounts are listed there, and refreshed', async () => {
      const labels = (await machine.finish(later.sessions.list())).map(({ account }) => account.label);
      assert.deepEqual(labels, ['Grace']);
      machine.kill(window);
      machine.kill(other);
      await machine.advance(DUE + 5_000);
      const [grace] = await machine.finish(later.sessions.list());
      assert.equal(grace?.lastRefresh?.outcome, 'refreshed');
    });

    it('nobody who names no account gets another one’s session there', async () => {
      await assert.rejects(machine.serve(later), { code: 'EBUSY' });
      await machine.advance(60_000);
      assert.equal((await machine.serve(later)).length, 2);
    });

    it('a sign-in there is stored', async () => {
      const edsger = await machine.signIn(later, { label: 'Edsger' });
      await machine.advance(90_000);
      const ids = (await machine.serve(machine.open())).map(({ id }) => id);
      assert.equal(ids.length, 3);
      assert.ok(ids.includes(edsger.id));
    });
  });
});
