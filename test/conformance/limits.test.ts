import assert from 'node:assert/strict';
import { outcome, tokensOf, useApi } from './api';

const DAY = 24 * 60 * 60 * 1000;

/** Guards the demo service's limits in time. */
describe('limits (specification 8)', () => {
  const api = useApi({ interval: 5, deviceCodeTtl: 8600 });

  it('counts polls that come sooner than the interval, and responds to them as usual', async () => {
    const { deviceCode, userCode } = await api().issueCode();
    const { service, clock } = api();
    const pollAfter = async (milliseconds: number): Promise<unknown> => {
      await clock.advance(milliseconds);
      return (await api().poll(deviceCode)).body['error'];
    };
    assert.equal(await pollAfter(0), 'authorization_pending');
    assert.equal(await pollAfter(5000), 'authorization_pending');
    assert.equal(service.counts().earlyPolls, 0);
    assert.equal(await pollAfter(4999), 'authorization_pending');
    assert.equal(service.counts().earlyPolls, 1);
    service.approve(userCode);
    assert.equal(await pollAfter(1), undefined);
    assert.equal(service.counts().earlyPolls, 2);
  });

  it('measures the interval for each device code by itself, and by a clock that does not jump', async () => {
    const [one, other] = [await api().issueCode(), await api().issueCode()];
    await api().poll(one.deviceCode);
    await api().poll(other.deviceCode);
    api().clock.jump(-60_000);
    await api().clock.advance(5000);
    await api().poll(one.deviceCode);
    assert.equal(api().service.counts().earlyPolls, 0);
  });

  it('a refresh token is valid for 30 days from its own issue', async () => {
    const first = await api().signIn();
    await api().clock.advance(30 * DAY - 1);
    const second = tokensOf(await api().refresh(first.refreshToken));
    await api().clock.advance(30 * DAY - 1);
    const third = tokensOf(await api().refresh(second.refreshToken));
    await api().clock.advance(30 * DAY);
    assert.deepEqual(outcome(await api().refresh(third.refreshToken)), [400, 'invalid_grant']);
  });
});
