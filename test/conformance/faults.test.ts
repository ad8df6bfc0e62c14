import assert from 'node:assert/strict';
import { outcome, type Tokens, tokensOf, useApi } from './api';

/** Guards that a test can make the demo service fail, in exactly the way and as often as it wants. */
describe('faults that a test switches on', () => {
  const api = useApi();
  let tokens: Tokens;
  beforeEach(async () => {
    tokens = await api().signIn();
  });

  it('affect only their operation, and only as many requests as given, one after the other, until they are cleared', async () => {
    const { faults } = api().service;
    const active = faults.switchOn('poll', { kind: 'respond', status: 503, body: '{}' }, 2);
    faults.switchOn('poll', { kind: 'respond', status: 504, body: '{}' }, 2);
    const statuses = [];
    for (let poll = 0; poll < 3; poll += 1) statuses.push((await api().poll('unknown')).status);
    assert.deepEqual([statuses, active.hits], [[503, 503, 504], 2]);
    assert.equal((await api().requestCode()).status, 200);
    faults.clear();
    assert.equal((await api().poll('unknown')).status, 400);
  });

  for (const when of ['before', 'after'] as const) {
    const processed = when === 'after';

    it(`delay, ${when} the request is processed: a pause on the service's clock`, async () => {
      const delay = api().service.faults.switchOn('refresh', { kind: 'delay', when, milliseconds: 5000 });
      let done = false;
      const refresh = api()
        .refresh(tokens.refreshToken)
        .finally(() => (done = true));
      await delay.reached();
      await api().clock.advance(4999);
      assert.deepEqual([await api().accepts(tokens), done], [!processed, false]);
      await api().clock.advance(1);
      assert.ok(await api().accepts(tokensOf(await refresh)));
    });

    it(`drop, ${when} the request is processed: no response arrives`, async () => {
      const { faults, record } = api().service;
      faults.switchOn('refresh', { kind: 'drop', when });
      await assert.rejects(api().refresh(tokens.refreshToken), TypeError);
      assert.equal(await api().accepts(tokens), !processed);
      const { result } = record.of('refresh')[0] ?? {};
      assert.deepEqual([result?.status, result?.processed], [undefined, processed]);
      assert.deepEqual(result?.issued, processed ? { session: 1, generation: 2 } : undefined);
      assert.equal((await api().refresh(tokens.refreshToken)).status, processed ? 400 : 200);
      const { resentRefreshTokens, deadRefreshTokens } = record.counts();
      assert.deepEqual([resentRefreshTokens, deadRefreshTokens], [1, processed ? 1 : 0]);
    });
  }

  it('respond: another status, headers, and body, without processing the request', async () => {
    const headers = { 'content-type': 'text/html', 'x-more': 'yes' };
    api().service.faults.switchOn('refresh', { kind: 'respond', status: 418, headers, body: '{"error":"made_up"}' });
    const response = await api().refresh(tokens.refreshToken);
    assert.deepEqual(outcome(response), [418, 'made_up']);
    assert.deepEqual([response.headers.get('content-type'), response.headers.get('x-more')], ['text/html', 'yes']);
    assert.equal(await api().accepts(tokens), true);
  });

  it('the service closes immediately while requests are delayed', async () => {
    const { faults, record } = api().service;
    const active = [
      faults.switchOn('refresh', { kind: 'delay', when: 'before', milliseconds: 1e9 }),
      faults.switchOn('poll', { kind: 'delay', when: 'after', milliseconds: 1e9 }),
    ];
    const settled = Promise.allSettled([api().refresh(tokens.refreshToken), api().poll('x')]);
    await Promise.all(active.map((one) => one.reached()));
    await api().service.close();
    assert.ok((await settled).every(({ status }) => status === 'rejected'));
    await record.until(({ requests }) => requests.every(({ result }) => result !== undefined));
    assert.equal(record.counts().refreshed, 0, 'a delayed refresh is not processed');
  });
});
