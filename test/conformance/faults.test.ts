import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { outcome, type Tokens, tokensOf, useApi } from './api';
import { RawConnection } from './rawConnection';

describe('faults that a test switches on', () => {
  const api = useApi();
  let tokens: Tokens;
  beforeEach(async () => {
    tokens = await api().signIn();
  });

  const refreshUrl = (): string => {
    const { refreshToken } = tokens;
    return api().url('/oauth2/token', { grant_type: 'refresh_token', ...api().client, refresh_token: refreshToken });
  };

  /** Advances the clock by 100 ms at a time until the promise is settled, and returns how often. */
  const advanceUntil = async (promise: Promise<unknown>): Promise<number> => {
    const state = { settled: false };
    void promise.finally(() => (state.settled = true));
    let steps = 0;
    for (; !state.settled; steps += 1) await api().clock.advance(100);
    return steps;
  };

  it('affect only their operation, and only as many requests as given', async () => {
    const active = api().service.faults.switchOn('poll', { kind: 'respond', status: 503, body: '{}' }, 2);
    const statuses = [];
    for (let poll = 0; poll < 3; poll += 1) statuses.push((await api().poll('unknown')).status);
    assert.deepEqual(statuses, [503, 503, 400]);
    assert.equal((await api().requestCode()).status, 200);
    assert.deepEqual([active.hits, active.isSpent], [2, true]);
  });

  it('apply one after the other, the oldest first, unless they are switched off', async () => {
    const { faults } = api().service;
    const [, off] = [500, 501, 502].map((status) => faults.switchOn('poll', { kind: 'respond', status, body: '{}' }));
    assert.ok(off);
    assert.deepEqual([faults.switchOff(off.id), faults.switchOff(off.id)], [true, false]);
    assert.deepEqual([(await api().poll('x')).status, (await api().poll('x')).status], [500, 502]);
    faults.switchOn('poll', { kind: 'respond', status: 500, body: '{}' });
    faults.clear();
    assert.equal((await api().poll('x')).status, 400);
  });

  for (const when of ['before', 'after'] as const) {
    const processed = when === 'after';

    it(`hold, ${when} the request is processed: until it is released`, async () => {
      const held = api().service.faults.switchOn('refresh', { kind: 'hold', when });
      const refresh = api().refresh(tokens.refreshToken);
      await held.reached();
      assert.equal(held.waiting, 1);
      assert.equal(await api().accepts(tokens), !processed);
      held.release();
      assert.ok(await api().accepts(tokensOf(await refresh)));
      assert.equal(held.waiting, 0);
    });

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
      assert.equal((await refresh).status, 200);
    });

    for (const reset of [false, true]) {
      it(`drop, ${when} the request is processed, by ${reset ? 'RST' : 'FIN'}: no response arrives`, async () => {
        const { faults, record } = api().service;
        faults.switchOn('refresh', { kind: 'drop', when, reset });
        const received = await new RawConnection(refreshUrl()).end();
        assert.deepEqual(received, { text: '', end: reset ? 'ECONNRESET' : 'closed' });
        assert.equal(await api().accepts(tokens), !processed);
        const { result } = record.of('refresh')[0] ?? {};
        assert.deepEqual([result?.outcome, result?.processed, result?.fault], ['dropped', processed, 'drop']);
        assert.deepEqual(result?.issued, processed ? { session: 1, generation: 2 } : undefined);
        assert.equal((await api().refresh(tokens.refreshToken)).status, processed ? 400 : 200);
      });
    }
  }

  it('drop, mid-response: half of the response arrives, and the tokens are replaced', async () => {
    api().service.faults.switchOn('refresh', { kind: 'drop', when: 'mid-response' });
    const { text, end } = await new RawConnection(refreshUrl()).end();
    const [head = '', body = ''] = text.split('\r\n\r\n');
    assert.equal(end, 'closed');
    assert.match(head, /^HTTP\/1.1 200 /);
    assert.equal(body.length, Math.floor(Number(/content-length: (\d+)/i.exec(head)?.[1]) / 2));
    assert.match(body, /^{"access_token":/);
    assert.equal(await api().accepts(tokens), false);
  });

  for (const process of [false, true]) {
    it(`respond: another status, headers, and bytes, ${process ? 'after' : 'without'} processing the request`, async () => {
      const body = gzipSync('{"error":"made_up"}');
      const headers = { 'content-encoding': 'gzip', 'content-type': 'text/html', 'x-more': 'yes' };
      api().service.faults.switchOn('refresh', { kind: 'respond', status: 418, headers, body, process });
      const response = await api().refresh(tokens.refreshToken);
      assert.deepEqual(outcome(response), [418, 'made_up']);
      assert.deepEqual([response.headers.get('content-type'), response.headers.get('x-more')], ['text/html', 'yes']);
      assert.equal(await api().accepts(tokens), !process);
    });
  }

  it('raw: any bytes, and then the end', async () => {
    const bytes = 'HTTP/1.1 200\r\nContent-Length: 99\r\n\r\n\0nonsense';
    api().service.faults.switchOn('refresh', { kind: 'raw', bytes });
    assert.deepEqual(await new RawConnection(refreshUrl()).end(), { text: bytes, end: 'closed' });
    assert.equal(await api().accepts(tokens), true);
    api().service.faults.switchOn('refresh', { kind: 'raw', bytes: Buffer.from([0, 255]), process: true });
    assert.deepEqual(await new RawConnection(refreshUrl()).end(), { text: '\0\xff', end: 'closed' });
    assert.equal(await api().accepts(tokens), false);
  });

  it('trickle: the whole response, a few bytes at a time', async () => {
    const trickle = api().service.faults.switchOn('refresh', { kind: 'trickle', bytes: 20, everyMilliseconds: 100 });
    const refresh = api().refresh(tokens.refreshToken);
    await trickle.reached();
    assert.ok((await advanceUntil(refresh)) > 5, 'it took its time');
    assert.ok(await api().accepts(tokensOf(await refresh)));
  });

  it('endless trickle: spaces for as long as anyone listens', async () => {
    const fault = { kind: 'trickle', bytes: 400, everyMilliseconds: 100, endless: true } as const;
    api().service.faults.switchOn('refresh', fault);
    const connection = new RawConnection(refreshUrl());
    for (let pause = 0; connection.received.length < 5000; pause += 1) {
      await api().clock.advance(100);
      await connection.has(pause * 400);
    }
    assert.match(connection.received, /^HTTP\/1.1 200 [^]* {100}/);
    connection.close();
    await advanceUntil(api().service.record.until((record) => record.of('refresh')[0]?.result !== undefined));
  });

  it('the service closes immediately while requests are held, delayed, and trickled', async () => {
    const { faults, record, counts } = api().service;
    const active = [
      faults.switchOn('refresh', { kind: 'hold', when: 'before' }),
      faults.switchOn('poll', { kind: 'delay', when: 'after', milliseconds: 1e9 }),
      faults.switchOn('device code', { kind: 'trickle', bytes: 1, everyMilliseconds: 1e9 }),
    ];
    const requests = [api().refresh(tokens.refreshToken), api().poll('x'), api().requestCode()];
    const settled = Promise.allSettled(requests);
    await Promise.all(active.map((one) => one.reached()));
    await api().service.close();
    assert.deepEqual(
      (await settled).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    await record.until(({ requests }) => requests.every(({ result }) => result !== undefined));
    assert.equal(counts.refreshed, 0, 'a held refresh is not processed');
  });
});
