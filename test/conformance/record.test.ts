import assert from 'node:assert/strict';
import { tokensOf, useApi } from './api';

/** Guards that the demo service tells truly what was sent to it, without secrets: many other tests rely on that. */
describe('the record of requests', () => {
  const api = useApi();

  it('has every request in the order of arrival, with its time and result', async () => {
    const started = api().clock.now();
    const { deviceCode, userCode } = await api().issueCode();
    await api().clock.advance(5000);
    await api().poll(deviceCode);
    api().service.approve(userCode);
    await api().clock.advance(5000);
    const first = tokensOf(await api().poll(deviceCode));
    await api().refresh(first.refreshToken);
    await api().whoami(first.accessToken);
    const requests = api().service.requests.map(({ operation, at, hasAuthorization, result }) => [
      operation,
      at - started,
      hasAuthorization,
      result?.status,
      result?.error,
      result?.issued,
    ]);
    assert.deepEqual(requests, [
      ['device code', 0, false, 200, undefined, undefined],
      ['poll', 5000, false, 400, 'authorization_pending', undefined],
      ['poll', 10_000, false, 200, undefined, { session: 1, generation: 1 }],
      ['refresh', 10_000, false, 200, undefined, { session: 1, generation: 2 }],
      ['whoami', 10_000, true, 401, 'invalid_token', undefined],
    ]);
  });

  it('names tokens by sign-in and generation, and counts refresh tokens that are sent again or too late', async () => {
    await api().signIn();
    const first = await api().signIn();
    const second = tokensOf(await api().refresh(first.refreshToken));
    await api().refresh(first.refreshToken);
    await api().whoami(first.accessToken);
    await api().whoami(second.accessToken);
    await api().refresh('never issued');
    const tokens = api()
      .service.requests.filter(({ operation }) => /refresh|whoami/.test(operation))
      .map(({ token }) => token);
    assert.deepEqual(tokens, [
      { session: 2, generation: 1, state: 'current', before: 0 },
      { session: 2, generation: 1, state: 'replaced', before: 1 },
      { session: 2, generation: 1, state: 'replaced', before: 0 },
      { session: 2, generation: 2, state: 'current', before: 0 },
      undefined,
    ]);
    assert.deepEqual(api().service.counts(), {
      requests: { 'device code': 2, poll: 2, refresh: 3, notification: 0, whoami: 2 },
      earlyPolls: 0,
      resentRefreshTokens: 1,
      deadRefreshTokens: 1,
      overlappingRefreshes: 0,
      refreshed: 1,
    });
  });

  it('counts refreshes of the same sign-in that overlap', async () => {
    const [one, other] = [await api().signIn(), await api().signIn()];
    const { faults, record } = api().service;
    const delay = faults.switchOn('refresh', { kind: 'delay', when: 'before', milliseconds: 1000 }, 2);
    const requests = [api().refresh(one.refreshToken), api().refresh(other.refreshToken)];
    await delay.reached(2);
    assert.equal(record.counts().overlappingRefreshes, 0);
    await api().refresh(one.refreshToken);
    assert.equal(record.counts().overlappingRefreshes, 1);
    await api().clock.advance(1000);
    await Promise.all(requests);
    await api().refresh(one.refreshToken);
    assert.equal(record.counts().overlappingRefreshes, 1);
  });

  it('contains no secret', async () => {
    const { deviceCode, userCode } = await api().approvedCode();
    const first = tokensOf(await api().poll(deviceCode));
    const second = tokensOf(await api().refresh(first.refreshToken));
    await api().send('/device/notify', { access_token: second.accessToken, title: 'Editor' });
    await api().whoami(first.accessToken);
    const { requests, notifications, clientSecret } = api().service;
    const printed = JSON.stringify({ requests, notifications, counts: api().service.counts() });
    assert.ok(printed.includes('Editor'));
    const tokens = [first, second].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
    for (const secret of [deviceCode, userCode, clientSecret, ...tokens]) assert.ok(!printed.includes(secret));
  });

  it('resolves when a condition holds, not earlier, and can be cleared, except for requests in progress', async () => {
    const { faults, record } = api().service;
    let resolved = false;
    const waiting = record.until(() => record.counts().requests.poll === 2).then(() => (resolved = true));
    await api().poll('x');
    await api().requestCode();
    assert.equal(resolved, false);
    faults.switchOn('poll', { kind: 'delay', when: 'before', milliseconds: 1000 });
    const poll = api().poll('x');
    await waiting;
    record.clear();
    assert.deepEqual([record.requests.map(({ operation }) => operation), record.counts().requests.poll], [['poll'], 0]);
    await api().clock.advance(1000);
    await poll;
  });
});
