import assert from 'node:assert/strict';
import { NetworkError, ServiceError } from '../../../src/oauth/errors';
import { LIFETIME, Machine, type TestWindow } from './machine';

const MINUTE = 60_000;

/** A refusal of a refresh token without a code. */
const IN_WORDS = new ServiceError('refresh', 400, undefined, { body: 'object' });
/** What a gateway or a portal says. */
const OF_OTHERS = new ServiceError('refresh', 403, undefined);

/** Guards when responses with neither tokens nor an error code mean that the account needs its person, and what callers get. */
describe('refreshes whose responses say nothing of the token', () => {
  let machine: Machine;
  let window: TestWindow;
  let id: string;

  beforeEach(async () => {
    machine = new Machine();
    const signedIn = await machine.openSignedIn();
    ({ window } = signedIn);
    ({ id } = signedIn.session);
    void window.sessions.run();
  });

  const fail = (error: Error): void => {
    machine.service.nextFail(error, 10_000);
  };

  it('need the person as soon as the token has expired, once, and go on if they refuse it in words', async () => {
    fail(IN_WORDS);
    await machine.advance(LIFETIME * 0.9);
    assert.ok(machine.service.asked > 0);
    assert.deepEqual(window.told, [], 'the token still works');
    await machine.token(window);
    await machine.advance(LIFETIME * 0.1 + 6 * MINUTE);
    assert.deepEqual(window.told, ['needs user']);
    assert.deepEqual(await machine.serve(window), [], 'VS Code offers a sign-in');
    const { asked } = machine.service;
    await machine.advance(60 * MINUTE);
    assert.ok(machine.service.asked > asked, 'it goes on in the background');
    assert.deepEqual(window.told, ['needs user']);
    machine.service.recover();
    await machine.advance(6 * MINUTE);
    assert.equal(await machine.token(window), machine.service.accessToken());
    assert.equal((await machine.finish(window.sessions.list()))[0]?.needsUser, false);
  });

  it('are told, once, after 15 minutes of nothing else, and never leave the account out', async () => {
    const grace = await machine.signIn(window, { label: 'Grace' });
    await machine.advance(LIFETIME / 2);
    machine.timeline.sleepMachine(LIFETIME);
    fail(OF_OTHERS);
    await machine.advance(10 * MINUTE);
    assert.deepEqual(window.told, []);
    await assert.rejects(machine.serve(window), { name: 'SessionError' }, 'nobody gets another account instead');
    await machine.advance(12 * MINUTE);
    assert.deepEqual(window.told, ['trouble', 'trouble']);
    await machine.advance(60 * MINUTE);
    await assert.rejects(machine.serve(window), { name: 'SessionError' });
    machine.service.recover();
    await machine.advance(6 * MINUTE);
    assert.deepEqual((await machine.serve(window)).map((session) => session.id).sort(), [id, grace.id].sort());
    assert.equal(window.told.length, 2);
  });

  for (const [error, notice] of [
    [IN_WORDS, 'needs user'],
    [OF_OTHERS, 'trouble'],
  ] as const) {
    it(`stay told, once, if the clock is set back afterward: ${notice}`, async () => {
      fail(error);
      await machine.advance(LIFETIME + 22 * MINUTE);
      assert.deepEqual(window.told, [notice]);
      const { length } = window.changes;
      machine.timeline.jump(-300 * MINUTE);
      await machine.advance(60 * MINUTE);
      assert.deepEqual([window.told, window.changes.length], [[notice], length]);
    });
  }

  it('count as a row although some attempts get no response', async () => {
    machine.timeline.sleepMachine(LIFETIME);
    fail(new ServiceError('refresh', 503, undefined));
    await machine.advance(10 * MINUTE);
    machine.service.recover();
    machine.service.nextFail(new NetworkError('refresh', 'timeout', true));
    await assert.rejects(machine.finish(window.sessions.refreshNow(id)));
    fail(new ServiceError('refresh', 503, undefined));
    await machine.advance(12 * MINUTE);
    assert.deepEqual(window.told, ['trouble']);
  });

  it('in words stay told, and leave the account out, although the connection is lost in between', async () => {
    machine.timeline.sleepMachine(LIFETIME);
    for (let round = 0; round < 5; round++) {
      for (const error of [
        IN_WORDS,
        new NetworkError('refresh', 'connection lost', true),
        new NetworkError('refresh', 'unreachable', false),
      ]) {
        machine.service.recover();
        fail(error);
        await machine.advance(6 * MINUTE);
        assert.deepEqual(await machine.serve(window), []);
      }
    }
    assert.deepEqual(window.told, ['needs user']);
    assert.ok(window.changes.length <= 2, `${window.changes.length} changes`);
  });

  it('hold up no caller of another account', async () => {
    const grace = await machine.signIn(window, { label: 'Grace' });
    machine.timeline.sleepMachine(LIFETIME);
    machine.service.nextFail(IN_WORDS);
    await assert.rejects(machine.finish(window.sessions.refreshNow(id)));
    await machine.finish(window.sessions.refreshNow(grace.id));
    const served = (await machine.serve(window)).map((session) => session.id);
    assert.deepEqual(served, [grace.id]);
  });
});
