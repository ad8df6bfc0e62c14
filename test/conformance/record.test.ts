import assert from 'node:assert/strict';
import { ServiceUnderTest, tokensOf } from './serviceUnderTest';

describe('the record of requests', () => {
  let service: ServiceUnderTest;
  beforeEach(async () => {
    service = await ServiceUnderTest.start();
  });
  afterEach(() => service.close());

  it('has each request in the order of arrival, with its time and what became of it', async () => {
    const started = service.clock.now();
    const { deviceCode, userCode } = await service.issueCode();
    await service.clock.advance(5000);
    await service.poll(deviceCode);
    service.service.approve(userCode);
    await service.clock.advance(5000);
    const first = tokensOf(await service.poll(deviceCode));
    await service.refresh(first.refreshToken);
    await service.whoami(first.accessToken);
    assert.deepEqual(
      service.service.requests.map(({ number, operation, at, ending }) => ({
        ...{ number, operation, at: at - started, status: ending?.status, error: ending?.error },
        issued: ending?.issued,
      })),
      [
        { number: 1, operation: 'device code', at: 0, status: 200, error: undefined, issued: undefined },
        { number: 2, operation: 'poll', at: 5000, status: 400, error: 'authorization_pending', issued: undefined },
        ...[{ session: 1, generation: 1 }].map((issued) => ({
          ...{ number: 3, operation: 'poll', at: 10_000, status: 200, error: undefined, issued },
        })),
        ...[{ session: 1, generation: 2 }].map((issued) => ({
          ...{ number: 4, operation: 'refresh', at: 10_000, status: 200, error: undefined, issued },
        })),
        { number: 5, operation: 'whoami', at: 10_000, status: 401, error: 'invalid_token', issued: undefined },
      ],
    );
  });

  it('names tokens by sign-in and generation, and counts those that come again or too late', async () => {
    await service.signIn();
    const first = await service.signIn();
    const second = tokensOf(await service.refresh(first.refreshToken));
    await service.refresh(first.refreshToken);
    await service.whoami(first.accessToken);
    await service.whoami(second.accessToken);
    await service.refresh('never issued');
    assert.deepEqual(
      service.service.requests.filter(({ operation }) => /refresh|whoami/.test(operation)).map(({ token }) => token),
      [
        { session: 2, generation: 1, state: 'current', before: 0 },
        { session: 2, generation: 1, state: 'replaced', before: 1 },
        { session: 2, generation: 1, state: 'replaced', before: 0 },
        { session: 2, generation: 2, state: 'current', before: 0 },
        undefined,
      ],
    );
    const { resentRefreshTokens, deadRefreshTokens, deadAccessTokens, refreshed, requests } = service.service.counts;
    assert.deepEqual(
      { resentRefreshTokens, deadRefreshTokens, deadAccessTokens, refreshed },
      { resentRefreshTokens: 1, deadRefreshTokens: 1, deadAccessTokens: 1, refreshed: 1 },
    );
    assert.deepEqual(requests, { 'device code': 2, poll: 2, refresh: 3, notification: 0, whoami: 2 });
  });

  it('counts a refresh token that comes again after its first sending was dropped before anything happened', async () => {
    const { refreshToken } = await service.signIn();
    service.service.faults.switchOn('refresh', { kind: 'drop', when: 'before' });
    await assert.rejects(service.refresh(refreshToken));
    assert.equal((await service.refresh(refreshToken)).status, 200);
    const { resentRefreshTokens, deadRefreshTokens } = service.service.counts;
    assert.deepEqual([resentRefreshTokens, deadRefreshTokens], [1, 0]);
  });

  it('tells refreshes of one sign-in that overlap', async () => {
    const [one, other] = [await service.signIn(), await service.signIn()];
    const held = service.service.faults.switchOn('refresh', { kind: 'hold', when: 'before' }, 2);
    const requests = [service.refresh(one.refreshToken), service.refresh(other.refreshToken)];
    await held.reached(2);
    assert.equal(service.service.counts.overlappingRefreshes, 0);
    requests.push(service.refresh(one.refreshToken));
    await service.service.record.until((record) => record.counts.overlappingRefreshes === 1);
    held.release();
    await Promise.all(requests);
    await service.refresh(one.refreshToken);
    assert.deepEqual(
      service.service.record.of('refresh').map(({ overlaps }) => overlaps),
      [false, false, true, false],
    );
  });

  it('tells how a request was made', async () => {
    await service.send(
      '/oauth2/device',
      { grant_type: 'device_code', 'piece of a secret': 'x' },
      {
        method: 'POST',
        body: 'x=y',
        headers: { authorization: 'Bearer x' },
      },
    );
    await service.askForCode();
    assert.deepEqual(
      service.service.requests.map(({ parameters, hasBody, hasAuthorization, method }) => ({
        ...{ parameters, hasBody, hasAuthorization, method },
      })),
      [
        { parameters: ['grant_type', '(other)'], hasBody: true, hasAuthorization: true, method: 'POST' },
        {
          ...{ parameters: ['grant_type', 'client_id', 'client_secret'], hasBody: false },
          ...{ hasAuthorization: false, method: 'POST' },
        },
      ],
    );
  });

  it('contains no secret', async () => {
    const { deviceCode, userCode } = await service.issueCode();
    service.service.approve(userCode);
    const first = tokensOf(await service.poll(deviceCode));
    const second = tokensOf(await service.refresh(first.refreshToken));
    await service.send('/device/notify', { access_token: second.accessToken, title: 'Editor' });
    await service.whoami(first.accessToken);
    const { requests, notifications, counts } = service.service;
    const printed = JSON.stringify({ requests, notifications, counts });
    assert.ok(printed.includes('Editor'));
    const tokens = [first, second].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
    for (const secret of [deviceCode, userCode, service.service.clientSecret, ...tokens]) {
      assert.equal(printed.includes(secret), false);
    }
  });

  it('can be cleared, except for what is under way', async () => {
    await service.askForCode();
    const held = service.service.faults.switchOn('poll', { kind: 'hold', when: 'before' });
    const poll = service.poll('x');
    await held.reached();
    service.service.record.clear();
    assert.deepEqual(
      service.service.requests.map(({ operation }) => operation),
      ['poll'],
    );
    assert.equal(service.service.counts.requests['device code'], 0);
    held.release();
    await poll;
  });

  it('wakes who waits for a condition', async () => {
    const waiting = service.service.record.until((record) => record.of('poll').length === 2);
    await service.poll('x');
    const order: string[] = [];
    void waiting.then(() => order.push('woken'));
    await service.askForCode();
    order.push('second request');
    await service.poll('x');
    await waiting;
    assert.deepEqual(order, ['second request', 'woken']);
  });
});
