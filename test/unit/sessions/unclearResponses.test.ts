import assert from 'node:assert/strict';
import { InvalidResponseError, NetworkError, type OAuthError, ServiceError } from '../../../src/oauth/errors';
import { LIFETIME, Machine, type TestWindow } from './machine';

const MINUTE = 60_000;

/** Refusals of a refresh token without a code. */
const IN_WORDS: readonly (readonly [what: string, error: OAuthError])[] = [
  ['a sentence as the error', new ServiceError('refresh', 400, undefined, { body: 'object' })],
  ['a message with 401', new ServiceError('refresh', 401, undefined, { body: 'object' })],
  ['the name of the status with 400', new ServiceError('refresh', 400, 'bad_request')],
  ['the name of the status with 401', new ServiceError('refresh', 401, 'unauthorized')],
  ['no body with 400', new ServiceError('refresh', 400, undefined, { body: 'empty' })],
  ['no body with 401', new ServiceError('refresh', 401, undefined, { body: 'empty' })],
];

/** What gateways, portals and busy services say. */
const OF_OTHERS: readonly (readonly [what: string, error: OAuthError])[] = [
  ['a page with 403', new ServiceError('refresh', 403, undefined)],
  ['JSON with 403', new ServiceError('refresh', 403, undefined, { body: 'object' })],
  ['the name of the status with 403', new ServiceError('refresh', 403, 'forbidden')],
  ['the name of the status with 404', new ServiceError('refresh', 404, 'NOT-FOUND')],
  ['a page with 400', new ServiceError('refresh', 400, undefined)],
  ['a page with 401', new ServiceError('refresh', 401, undefined)],
  ['404', new ServiceError('refresh', 404, undefined, { body: 'empty' })],
  ['408', new ServiceError('refresh', 408, undefined)],
  ['429 in JSON', new ServiceError('refresh', 429, undefined, { body: 'object' })],
  ['500 for good', new ServiceError('refresh', 500, undefined, { body: 'object' })],
  ['503 with a code', new ServiceError('refresh', 503, 'invalid_grant')],
  ['a busy code with 400', new ServiceError('refresh', 400, 'temporarily_unavailable')],
  ['a page with 200', new InvalidResponseError('refresh', 200, 'not JSON')],
  ['a redirect', new InvalidResponseError('refresh', 302, 'redirect')],
];

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

  const fail = (error: OAuthError): void => {
    machine.service.nextFail(error, 10_000);
  };

  for (const [what, error] of IN_WORDS) {
    it(`need the person as soon as the token has expired, once, and go on: ${what}`, async () => {
      fail(error);
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
  }

  for (const [what, error] of OF_OTHERS) {
    it(`are told, once, after 15 minutes of nothing else, and never leave the account out: ${what}`, async () => {
      await machine.advance(LIFETIME / 2);
      machine.timeline.sleepMachine(LIFETIME);
      fail(error);
      await machine.advance(10 * MINUTE);
      assert.deepEqual(window.told, []);
      await assert.rejects(machine.serve(window), { name: 'SessionError' }, 'it may work again at any time');
      await machine.advance(12 * MINUTE);
      assert.deepEqual(window.told, ['trouble']);
      await machine.advance(60 * MINUTE);
      await assert.rejects(machine.serve(window), { name: 'SessionError' });
      machine.service.recover();
      await machine.finish(window.sessions.refreshNow(id));
      assert.equal(await machine.token(window), machine.service.accessToken());
      assert.deepEqual(window.told, ['trouble']);
    });
  }

  for (const [errors, notice] of [
    [IN_WORDS, 'needs user'],
    [OF_OTHERS, 'trouble'],
  ] as const) {
    for (const [what, error] of errors) {
      it(`stay told, once, if the clock is set back afterward: ${what}`, async () => {
        fail(error);
        await machine.advance(LIFETIME + 22 * MINUTE);
        assert.deepEqual(window.told, [notice]);
        const { length } = window.changes;
        machine.timeline.jump(-300 * MINUTE);
        await machine.advance(60 * MINUTE);
        assert.deepEqual([window.told, window.changes.length], [[notice], length]);
      });
    }
  }

  for (const [what, error] of OF_OTHERS) {
    it(`prove nothing if nobody asked in between: ${what}, in the evening and in the morning`, async () => {
      const grace = await machine.signIn(window, { label: 'Grace' });
      await machine.advance(LIFETIME / 2);
      fail(error);
      await assert.rejects(machine.finish(window.sessions.refreshNow(id)));
      machine.timeline.sleepMachine(10 * 60 * MINUTE);
      await machine.advance(MINUTE);
      assert.deepEqual(window.told, []);
      await assert.rejects(machine.serve(window), { name: 'SessionError' }, 'nobody gets another account instead');
      machine.service.recover();
      await machine.advance(6 * MINUTE);
      assert.deepEqual((await machine.serve(window)).map((session) => session.id).sort(), [id, grace.id].sort());
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
        new ServiceError('refresh', 400, undefined, { body: 'object' }),
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
    machine.service.nextFail(new ServiceError('refresh', 400, undefined, { body: 'object' }));
    await assert.rejects(machine.finish(window.sessions.refreshNow(id)));
    await machine.finish(window.sessions.refreshNow(grace.id));
    const served = (await machine.serve(window)).map((session) => session.id);
    assert.deepEqual(served, [grace.id]);
  });

  for (const [retryAfter, seconds] of [
    [30, 30],
    [120, 120],
    [3_600, 300],
    [1, 5],
    [undefined, 5],
  ] as const) {
    it(`are repeated after ${seconds} s if the service wants ${String(retryAfter)}, or as soon as a person asks`, async () => {
      machine.service.nextFail(new ServiceError('refresh', 503, undefined, { retryAfter }));
      await machine.advance(LIFETIME);
      const [first = 0, second = 0] = machine.service.requests.map(({ at }) => at);
      assert.equal(Math.round((second - first) / 1000), seconds);
      machine.service.nextFail(new ServiceError('refresh', 503, undefined, { retryAfter }));
      await assert.rejects(machine.finish(window.sessions.refreshNow(id)), { fault: 'refused' });
      await machine.finish(window.sessions.refreshNow(id));
      assert.equal(await machine.token(window), machine.service.accessToken());
    });
  }
});
