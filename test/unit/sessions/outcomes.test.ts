import assert from 'node:assert/strict';
import type { TokenResponse } from '../../../src/oauth/client';
import { NetworkError, ServiceError, InvalidResponseError } from '../../../src/oauth/errors';
import type { Notice } from '../../../src/sessions/notices';
import type { RefreshFault } from '../../../src/sessions/refreshError';
import { LIFETIME, Machine, onlyOne } from './machine';

interface Case {
  readonly what: string;
  readonly error: Error;
  readonly fault: RefreshFault;
  /** What the person is told. */
  readonly told?: Notice['kind'];
  /** Milliseconds until it is tried again without anybody's doing; absent where it is not. */
  readonly again?: number;
}

const CASES: readonly Case[] = [
  {
    what: 'the network was not reached',
    error: new NetworkError('refresh', 'connection refused', false, 'ECONNREFUSED'),
    fault: 'not sent',
    again: 2_000,
  },
  {
    what: 'no answer came',
    error: new NetworkError('refresh', 'timeout', true, undefined),
    fault: 'no answer',
    again: 1_000,
  },
  { what: 'too many requests', error: new ServiceError('refresh', 429, 'slow_down'), fault: 'refused', again: 5_000 },
  {
    what: 'the service failed',
    error: new ServiceError('refresh', 500, 'invalid_grant'),
    fault: 'refused',
    again: 5_000,
  },
  {
    what: 'the credentials were refused',
    error: new ServiceError('refresh', 400, 'invalid_client'),
    fault: 'refused',
    told: 'credentials refused',
    again: 5_000,
  },
  {
    what: 'a captive portal answered',
    error: new ServiceError('refresh', 403, undefined),
    fault: 'unreadable answer',
    again: 5_000,
  },
  {
    what: 'a redirect came',
    error: new InvalidResponseError('refresh', 302, 'redirect', undefined),
    fault: 'unreadable answer',
    again: 5_000,
  },
  {
    what: 'an answer was no JSON',
    error: new InvalidResponseError('refresh', 200, 'not JSON', undefined),
    fault: 'unreadable answer',
    again: 5_000,
  },
  {
    what: 'the refusal is of an unknown kind',
    error: new ServiceError('refresh', 400, 'strange_trouble'),
    fault: 'stopped',
    told: 'stopped',
  },
  { what: 'our own code failed', error: new TypeError('a fault of ours'), fault: 'no answer', again: 1_000 },
];

describe('a refresh', () => {
  for (const { what, error, fault, told, again } of CASES) {
    const then = again === undefined ? 'waits for a person' : 'is tried again by itself';
    it(`keeps the session where ${what}, and ${then}`, async () => {
      const machine = new Machine();
      const { window, session } = await machine.openSignedIn();
      machine.service.nextFails(error);
      await assert.rejects(machine.finish(window.store.refreshNow(session.id)), { name: 'RefreshError', fault });
      assert.equal((await machine.finish(onlyOne(window.store.serve()))).accessToken, session.accessToken);
      const [info] = await machine.finish(window.store.list());
      assert.equal(info?.lastRefresh?.outcome, fault === 'stopped' ? 'refused' : fault);
      assert.deepEqual(
        window.notices.map(({ kind }) => kind),
        told === undefined ? [] : [told],
      );
      machine.timeline.sleepMachine(LIFETIME);
      const other = machine.open();
      for (const { store } of [window, other]) await machine.finish(store.serve().catch(() => undefined));
      assert.equal(machine.service.asked.length, again === undefined ? 1 : 2, 'when its time has come');
      if (again === undefined) {
        await machine.finish(window.store.refreshNow(session.id));
        assert.equal((await machine.finish(onlyOne(other.store.serve()))).accessToken, machine.service.accessToken());
      }
    });
  }

  for (const { what, error, fault, again } of CASES.filter((one) => one.again !== undefined)) {
    it(`is not tried again, in any window, before its time where ${what}`, async () => {
      const machine = new Machine();
      const { window, session } = await machine.openSignedIn();
      await machine.advance(LIFETIME);
      machine.service.nextFails(error);
      await assert.rejects(machine.finish(window.store.serve()), { fault });
      const others = [machine.open(), machine.open()];
      for (const { store } of [window, ...others]) void store.run();
      await machine.advance((again ?? 0) - 1);
      for (const { store } of others) await assert.rejects(machine.finish(store.serve(), 0), { fault });
      assert.equal(machine.service.asked.length, 1);
      await machine.advance(2_000);
      assert.equal(machine.service.asked.length, 2);
      for (const { store } of others) assert.equal((await machine.finish(onlyOne(store.serve()))).id, session.id);
    });
  }

  it('pauses longer after each failure, 5 min at most', async () => {
    const machine = new Machine();
    const { window } = await machine.openSignedIn();
    await machine.advance(LIFETIME);
    const moments: number[] = [];
    for (let count = 0; count < 12; count++) {
      machine.service.next(() => {
        moments.push(machine.timeline.elapsed);
        return new ServiceError('refresh', 503, undefined);
      });
    }
    void window.store.run();
    await machine.advance(3_600_000);
    const pauses = moments.slice(1).map((moment, index) => Math.round((moment - (moments[index] ?? 0)) / 1000));
    assert.deepEqual(pauses.slice(0, 10), [5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
  });

  const answers: readonly (readonly [
    string,
    (whole: TokenResponse) => TokenResponse,
    expected: 'served' | 'refreshed',
  ])[] = [
    ['no lifetime', (whole) => ({ ...whole, expiresIn: undefined, defects: ['expires_in'] }), 'served'],
    ['no access token', (whole) => ({ ...whole, accessToken: undefined, defects: ['access_token'] }), 'refreshed'],
  ];
  for (const [what, change, expected] of answers) {
    it(`whose answer has ${what} loses nothing`, async () => {
      const machine = new Machine();
      const { window, session } = await machine.openSignedIn();
      void window.store.run();
      machine.service.next((answer) => (answer instanceof Error ? answer : change(answer)));
      await machine.finish(window.store.refreshNow(session.id));
      await machine.advance(10_000);
      assert.equal((await machine.finish(onlyOne(window.store.serve()))).accessToken, machine.service.accessToken());
      assert.equal(machine.service.asked.length, expected === 'served' ? 1 : 2);
      assert.ok(machine.service.asked.every(({ current }) => current));
      assert.match(window.log.text(), /incomplete/);
    });
  }

  it('whose answer has no refresh token goes on with the one that was sent', async () => {
    const machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    machine.service.next((answer) => {
      if (answer instanceof Error) return answer;
      return { ...answer, refreshToken: undefined, defects: ['refresh_token'] };
    });
    await machine.finish(window.store.refreshNow(session.id));
    await machine.finish(window.store.refreshNow(session.id).catch(() => undefined));
    const [first, second] = machine.service.asked;
    assert.equal(second?.refreshToken, first?.refreshToken);
  });
});
