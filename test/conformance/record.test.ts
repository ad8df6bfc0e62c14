import assert from 'node:assert/strict';
import { tokensOf, useApi } from './api';

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
    assert.deepEqual(
      api().service.requests.map(({ number, operation, at, result }) => [
        ...[number, operation, at - started, result?.status, result?.error, result?.issued],
      ]),
      [
        [1, 'device code', 0, 200, undefined, undefined],
        [2, 'poll', 5000, 400, 'authorization_pending', undefined],
        [3, 'poll', 10_000, 200, undefined, { session: 1, generation: 1 }],
        [4, 'refresh', 10_000, 200, undefined, { session: 1, generation: 2 }],
        [5, 'whoami', 10_000, 401, 'invalid_token', undefined],
      ],
    );
  });

  it('names tokens by sign-in and generation, and counts those that are sent again or too late', async () => {
    await api().signIn();
    const first = await api().signIn();
    const second = tokensOf(await api().refresh(first.refreshToken));
    await api().refresh(first.refreshToken);
    await api().whoami(first.accessToken);
    await api().whoami(second.accessToken);
    await api().refresh('never issued');
    assert.deepEqual(
      api()
        .service.requests.filter(({ operation }) => /refresh|whoami/.test(operation))
        .map(({ token }) => token),
      [
        { session: 2, generation: 1, state: 'current', before: 0 },
        { session: 2, generation: 1, state: 'replaced', before: 1 },
        { session: 2, generation: 1, state: 'replaced', before: 0 },
        { session: 2, generation: 2, state: 'current', before: 0 },
        undefined,
      ],
    );
    assert.deepEqual(api().service.counts, {
      requests: { 'device code': 2, poll: 2, refresh: 3, notification: 0, whoami: 2 },
      earlyPolls: 0,
      ...{ resentRefreshTokens: 1, deadRefreshTokens: 1, deadAccessTokens: 1 },
      overlappingRefreshes: 0,
      refreshed: 1,
    });
  });

  it('counts a refresh token that is sent again after it was dropped before processing', async () => {
    const { refreshToken } = await api().signIn();
    api().service.faults.switchOn('refresh', { kind: 'drop', when: 'before' });
    await assert.rejects(api().refresh(refreshToken));
    assert.equal((await api().refresh(refreshToken)).status, 200);
    const { resentRefreshTokens, deadRefreshTokens } = api().service.counts;
    assert.deepEqual([resentRefreshTokens, deadRefreshTokens], [1, 0]);
  });

  it('marks refreshes of the same sign-in that overlap', async () => {
    const [one, other] = [await api().signIn(), await api().signIn()];
    const { faults, record } = api().service;
    const held = faults.switchOn('refresh', { kind: 'hold', when: 'before' }, 2);
    const requests = [api().refresh(one.refreshToken), api().refresh(other.refreshToken)];
    await held.reached(2);
    assert.equal(record.counts.overlappingRefreshes, 0);
    requests.push(api().refresh(one.refreshToken));
    await record.until(({ counts }) => counts.overlappingRefreshes === 1);
    held.release();
    await Promise.all(requests);
    await api().refresh(one.refreshToken);
    assert.deepEqual(
      record.of('refresh').map(({ overlaps }) => overlaps),
      [false, false, true, false],
    );
  });

  it('says how a request was sent', async () => {
    const query = { grant_type: 'device_code', 'piece of a secret': 'x' };
    await api().send('/oauth2/device', query, { body: 'x=y', headers: { authorization: 'Bearer x' } });
    await api().requestCode();
    assert.deepEqual(
      api().service.requests.map(({ parameters, hasBody, hasAuthorization, method }) => [
        ...[parameters, hasBody, hasAuthorization, method],
      ]),
      [
        [['grant_type', '(other)'], true, true, 'POST'],
        [['grant_type', 'client_id', 'client_secret'], false, false, 'POST'],
      ],
    );
  });

  it('contains no secret', async () => {
    const { deviceCode, userCode } = await api().approvedCode();
    const first = tokensOf(await api().poll(deviceCode));
    const second = tokensOf(await api().refresh(first.refreshToken));
    await api().send('/device/notify', { access_token: second.accessToken, title: 'Editor' });
    await api().whoami(first.accessToken);
    const { requests, notifications, counts, clientSecret } = api().service;
    const printed = JSON.stringify({ requests, notifications, counts });
    assert.ok(printed.includes('Editor'));
    const tokens = [first, second].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
    for (const secret of [deviceCode, userCode, clientSecret, ...tokens]) assert.ok(!printed.includes(secret));
  });

  it('can be cleared, except for requests in progress', async () => {
    await api().requestCode();
    const held = api().service.faults.switchOn('poll', { kind: 'hold', when: 'before' });
    const poll = api().poll('x');
    await held.reached();
    api().service.record.clear();
    const { requests, counts } = api().service;
    assert.deepEqual([requests.map(({ operation }) => operation), counts.requests['device code']], [['poll'], 0]);
    held.release();
    await poll;
  });

  it('resolves when a condition holds, not earlier', async () => {
    const order: string[] = [];
    const waiting = api().service.record.until((record) => record.of('poll').length === 2);
    void waiting.then(() => order.push('resolved'));
    await api().poll('x');
    await api().requestCode();
    order.push('second request');
    await api().poll('x');
    await waiting;
    assert.deepEqual(order, ['second request', 'resolved']);
  });
});
