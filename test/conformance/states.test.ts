import assert from 'node:assert/strict';
import { outcome, tokensOf, useApi } from './api';

const HOUR = 3_600_000;

/** Guards the states of the demo service that the random walks of stateMachine.property.test.ts don't reach. */
describe('states and transitions (specification 3)', () => {
  const api = useApi({ deviceCodeTtl: 600 }, true);

  it('the tokens of a pair are not interchangeable', async () => {
    const { accessToken, refreshToken } = await api().signIn();
    assert.equal((await api().whoami(refreshToken)).status, 401);
    assert.deepEqual(outcome(await api().refresh(accessToken)), [400, 'invalid_grant']);
    assert.equal((await api().refresh(refreshToken)).status, 200);
  });

  it('exactly one of many parallel refreshes, and one of many parallel polls, succeeds', async () => {
    const { refreshToken } = await api().signIn();
    const { deviceCode } = await api().approvedCode();
    for (const send of [() => api().refresh(refreshToken), () => api().poll(deviceCode)]) {
      const responses = await Promise.all(Array.from({ length: 25 }, send));
      const [winner, ...others] = responses.toSorted((one, other) => one.status - other.status);
      assert.ok(winner && (await api().accepts(tokensOf(winner))));
      assert.deepEqual([...new Set(others.map((response) => String(outcome(response))))], ['400,invalid_grant']);
    }
  });

  it('a device code that expired, approved or not, is forgotten later', async () => {
    const [pending, approved] = [await api().issueCode(), await api().approvedCode()];
    await api().clock.advance(600_000);
    for (const { deviceCode } of [pending, approved]) {
      assert.deepEqual(outcome(await api().poll(deviceCode)), [400, 'expired_token']);
    }
    await api().clock.advance(48 * HOUR);
    await api().issueCode();
    assert.deepEqual(outcome(await api().poll(pending.deviceCode)), [400, 'invalid_grant']);
    assert.equal(api().service.approve(pending.userCode), 'unknown');
  });
});
