import assert from 'node:assert/strict';
import { NetworkError, ServiceError } from '../../../src/oauth/errors';
import type { ServedSession } from '../../../src/sessions/sessions';
import { DUE, LIFETIME, Machine, onlyOne, type TestWindow } from './machine';

/** A token is near its end for so long. Milliseconds. */
const NEAR_END = 30_000;
/** Callers wait this long for another window's refresh, and for a token in the place of one that is near its end. */
const SENDING_PATIENCE = 3_000;
const REFRESH_PATIENCE = 10_000;
/** How often a waiting caller looks. */
const LOOK = 50;

describe('a caller who asks for a session', () => {
  let machine: Machine;
  let window: TestWindow;
  let other: TestWindow;
  let session: ServedSession;

  beforeEach(async () => {
    machine = new Machine();
    ({ window, session } = await machine.openSignedIn());
    other = machine.open();
    await machine.finish(other.store.serve());
  });

  const now = (): number => machine.timeline.elapsed;
  const token = async (where: TestWindow, within?: number): Promise<string> =>
    (await machine.finish(onlyOne(where.store.serve()), within)).accessToken;

  it('gets a fresh token at once, and nothing is sent', async () => {
    await machine.advance(DUE * 0.9);
    assert.equal(await token(window, 0), session.accessToken);
    assert.equal(machine.service.asked.length, 0);
  });

  it('gets one that is due at once, and it is refreshed meanwhile, once for all callers', async () => {
    await machine.advance(DUE);
    const answer = machine.service.hold();
    const callers = Array.from({ length: 100 }, () => window.store.serve());
    const all = await machine.finish(Promise.all(callers), 0);
    assert.ok(all.every(([served]) => served?.accessToken === session.accessToken));
    answer();
    await machine.settle();
    assert.equal(await token(window, 0), machine.service.accessToken());
    assert.notEqual(machine.service.accessToken(), session.accessToken);
    assert.equal(machine.service.asked.length, 1);
  });

  it('waits for the next token near the end of this one', async () => {
    await machine.advance(LIFETIME - NEAR_END);
    const answer = machine.service.hold();
    const served = onlyOne(window.store.serve());
    await machine.advance(REFRESH_PATIENCE - 1);
    answer();
    assert.equal((await machine.finish(served, 0)).accessToken, machine.service.accessToken());
  });

  it('waits 10 s at most near the end, and gets this one then', async () => {
    await machine.advance(LIFETIME - NEAR_END);
    machine.service.hold();
    const start = now();
    assert.equal(await token(window), session.accessToken);
    assert.equal(now() - start, REFRESH_PATIENCE);
  });

  it('waits 10 s at most for one in the place of an expired one, and gets an error then', async () => {
    await machine.advance(LIFETIME);
    const answer = machine.service.hold();
    const start = now();
    await assert.rejects(machine.finish(window.store.serve()), { name: 'RefreshError', fault: 'busy elsewhere' });
    assert.equal(now() - start, REFRESH_PATIENCE);
    assert.equal((await machine.finish(window.store.list(), 0)).length, 1, 'menus still show the account');
    answer();
    await machine.settle();
    assert.equal(await token(window, 0), machine.service.accessToken());
  });

  for (const [what, error, fault] of [
    ['no network', new NetworkError('refresh', 'host not found', false, 'ENOTFOUND'), 'not sent'],
    ['no answer', new NetworkError('refresh', 'timeout', true, undefined), 'no answer'],
    ['a service in trouble', new ServiceError('refresh', 503, undefined), 'refused'],
    ['wrong credentials', new ServiceError('refresh', 400, 'invalid_client'), 'refused'],
    ['a refusal of another kind', new ServiceError('refresh', 400, 'strange'), 'stopped'],
  ] as const) {
    it(`gets an error, never an empty list, where the token has expired and there is ${what}`, async () => {
      await machine.advance(LIFETIME);
      machine.service.nextFails(error);
      for (let again = 0; again < 3; again++) {
        await assert.rejects(machine.finish(window.store.serve(), 0), { name: 'RefreshError', fault });
      }
      assert.equal(machine.service.asked.length, 1, 'asking again sends nothing before its time');
    });

    it(`gets this token while it lasts where there is ${what}`, async () => {
      await machine.advance(LIFETIME - NEAR_END);
      machine.service.nextFails(error);
      assert.equal(await token(window, 0), session.accessToken);
    });
  }

  it('waits while another window’s request is under way, and gets the new token as soon as it is there', async () => {
    await machine.advance(DUE);
    const answer = machine.service.hold();
    await machine.finish(other.store.serve(), 0);
    const served = onlyOne(window.store.serve());
    await machine.advance(SENDING_PATIENCE / 2);
    const start = now();
    answer();
    assert.equal((await machine.finish(served)).accessToken, machine.service.accessToken());
    assert.ok(now() - start <= LOOK, 'it looks often');
    assert.equal(machine.service.asked.length, 1);
  });

  it('waits 3 s at most while another window’s request is under way, and only once', async () => {
    await machine.advance(DUE);
    machine.service.hold();
    await machine.finish(other.store.serve(), 0);
    const start = now();
    assert.equal(await token(window), session.accessToken);
    assert.ok(now() - start <= SENDING_PATIENCE + LOOK);
    assert.ok(now() - start >= SENDING_PATIENCE - LOOK);
    assert.equal(await token(window, 0), session.accessToken);
    assert.equal(machine.service.asked.length, 1);
  });

  it('gets the next token where the window that sent was killed: it is sent again, after a pause', async () => {
    await machine.advance(LIFETIME);
    machine.service.hold(false);
    other.store.serve().catch(() => undefined);
    await machine.settle();
    machine.kill(other);
    const refreshed = window.store.refreshNow(session.id);
    await machine.advance(999);
    assert.equal(machine.service.asked.length, 1, 'the first sending may still be at work for a moment');
    await machine.finish(refreshed);
    assert.equal(machine.service.asked.length, 2);
    assert.equal(await token(window, 0), machine.service.accessToken());
    assert.match(window.log.text(), /sent again/);
  });

  it('gets an error, and nothing is sent, while the window that sent is stopped; its answer serves all', async () => {
    await machine.advance(LIFETIME);
    const answer = machine.service.hold();
    const refresh = other.store.refreshNow(session.id);
    await machine.settle();
    other.stopped = true;
    await assert.rejects(machine.finish(window.store.serve()), { name: 'RefreshError', fault: 'busy elsewhere' });
    await machine.advance(LIFETIME);
    await assert.rejects(machine.finish(window.store.serve()), { name: 'RefreshError', fault: 'busy elsewhere' });
    assert.equal(machine.service.asked.length, 1);
    answer();
    other.stopped = false;
    await machine.finish(refresh);
    assert.equal(await token(window), machine.service.accessToken());
    assert.equal(machine.service.asked.length, 1);
  });

  it('gets none, and no error, where the service ends the session just then', async () => {
    machine.service.revoke();
    await machine.advance(LIFETIME);
    assert.deepEqual(await machine.finish(window.store.serve()), []);
    assert.deepEqual(await machine.finish(other.store.serve()), []);
    assert.equal(machine.service.asked.length, 1);
  });

  it('of one account is not troubled by another', async () => {
    const second = await machine.finish(window.store.add(machine.signIn('Grace')));
    await machine.advance(LIFETIME);
    await machine.finish(window.store.refreshNow(second.id));
    machine.service.nextFails(new ServiceError('refresh', 503, undefined));
    const [grace, ...others] = await machine.finish(window.store.serve(second.account.id));
    assert.equal(grace?.id, second.id);
    assert.equal(others.length, 0);
    await assert.rejects(machine.finish(window.store.serve()));
    assert.deepEqual(await machine.finish(window.store.serve('nobody’s')), []);
  });

  it('finds no dead token after the machine slept for days, or its clock was set', async () => {
    for (const change of [
      () => {
        machine.timeline.sleepMachine(40 * 24 * 3_600_000);
      },
      () => {
        machine.timeline.jump(5 * 3_600_000);
      },
    ]) {
      change();
      assert.equal(await token(window), machine.service.accessToken());
      assert.equal(await token(other), machine.service.accessToken());
    }
    assert.ok(machine.service.asked.every(({ current }) => current));
    assert.equal(machine.service.asked.length, 2);
    machine.timeline.jump(-12 * 3_600_000);
    await machine.advance(LIFETIME);
    assert.equal(await token(window), machine.service.accessToken());
  });
});
