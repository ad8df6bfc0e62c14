import assert from 'node:assert/strict';
import { outcome, tokensOf, useApi } from './api';

const HOUR = 3_600_000;

describe('states and transitions (specification 3)', () => {
  const api = useApi({ deviceCodeTtl: 600, accessTokenTtl: 3600 }, true);

  it('(none) → pending → pending → activated', async () => {
    const { deviceCode, userCode } = await api().issueCode();
    for (let poll = 0; poll < 2; poll += 1) {
      assert.equal(api().service.stateOf(userCode), 'pending');
      assert.deepEqual(outcome(await api().poll(deviceCode)), [400, 'authorization_pending']);
    }
    assert.equal(api().service.approve(userCode), undefined);
    assert.ok(await api().accepts(tokensOf(await api().poll(deviceCode))));
  });

  it('token pair valid → new pair valid: a refresh invalidates all earlier tokens', async () => {
    const first = await api().signIn();
    const second = tokensOf(await api().refresh(first.refreshToken));
    const third = tokensOf(await api().refresh(second.refreshToken));
    assert.deepEqual(await Promise.all([first, second, third].map((tokens) => api().accepts(tokens))), [
      false,
      false,
      true,
    ]);
    for (const { refreshToken } of [first, second]) {
      assert.deepEqual(outcome(await api().refresh(refreshToken)), [400, 'invalid_grant']);
    }
    assert.ok(await api().accepts(third), 'a dead refresh token does not affect the current pair');
  });

  it('a refresh does not affect other sign-ins', async () => {
    const [one, other] = [await api().signIn(), await api().signIn()];
    await api().refresh(one.refreshToken);
    assert.ok(await api().accepts(other));
    assert.equal((await api().refresh(other.refreshToken)).status, 200);
  });

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

  it('a device code is good for one token pair', async () => {
    const { deviceCode } = await api().approvedCode();
    const tokens = tokensOf(await api().poll(deviceCode));
    assert.deepEqual(outcome(await api().poll(deviceCode)), [400, 'invalid_grant']);
    assert.ok(await api().accepts(tokens));
  });

  it('a device code is good for one decision', async () => {
    const { service } = api();
    assert.equal(service.deny((await api().approvedCode()).userCode), 'approved');
    const denied = await api().issueCode();
    assert.equal(service.deny(denied.userCode), undefined);
    assert.equal(service.approve(denied.userCode), 'denied');
    assert.deepEqual(outcome(await api().poll(denied.deviceCode)), [400, 'access_denied']);
    assert.equal(service.approve('BBBB-BBBB'), 'unknown');
  });

  it('a device code expires, whether or not it was approved', async () => {
    const [pending, approved] = [await api().issueCode(), await api().approvedCode()];
    await api().clock.advance(599_999);
    assert.deepEqual(outcome(await api().poll(pending.deviceCode)), [400, 'authorization_pending']);
    await api().clock.advance(1);
    for (const { deviceCode } of [pending, approved]) {
      assert.deepEqual(outcome(await api().poll(deviceCode)), [400, 'expired_token']);
    }
    assert.equal(api().service.approve(pending.userCode), 'expired');
    await api().clock.advance(48 * HOUR);
    await api().issueCode();
    assert.deepEqual(outcome(await api().poll(pending.deviceCode)), [400, 'invalid_grant'], 'it is forgotten later');
  });

  it('an access token expires, and its refresh token is still valid', async () => {
    const tokens = await api().signIn();
    await api().clock.advance(HOUR - 1);
    assert.equal(await api().accepts(tokens), true);
    await api().clock.advance(1);
    assert.equal(await api().accepts(tokens), false);
    assert.ok(await api().accepts(tokensOf(await api().refresh(tokens.refreshToken))));
  });

  it('a test can revoke tokens', async () => {
    const tokens = await api().signIn();
    const session = Number((await api().whoami(tokens.accessToken)).body['session']);
    api().service.revoke(session, 'access token');
    assert.equal(await api().accepts(tokens), false);
    const next = tokensOf(await api().refresh(tokens.refreshToken));
    assert.equal(await api().accepts(next), true);
    api().service.revoke(session, 'both');
    assert.equal(await api().accepts(next), false);
    assert.deepEqual(outcome(await api().refresh(next.refreshToken)), [400, 'invalid_grant']);
    assert.throws(() => {
      api().service.revoke(session + 1, 'both');
    }, RangeError);
  });
});
