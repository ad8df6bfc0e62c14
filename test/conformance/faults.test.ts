import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { RawConnection } from './rawConnection';
import { outcome, ServiceUnderTest, type Tokens, tokensOf } from './serviceUnderTest';

describe('faults that a test switches on', () => {
  let service: ServiceUnderTest;
  let tokens: Tokens;
  beforeEach(async () => {
    service = await ServiceUnderTest.start();
    tokens = await service.signIn();
  });
  afterEach(() => service.close());

  const refreshUrl = (): string =>
    service.url('/oauth2/token', {
      grant_type: 'refresh_token',
      ...service.client,
      refresh_token: tokens.refreshToken,
    });
  const stillGood = async (): Promise<boolean> => (await service.whoami(tokens.accessToken)).status === 200;

  /** Advances the clock by 100 ms at a time until the promise is settled; returns how often. */
  const advanceUntil = async (promise: Promise<unknown>): Promise<number> => {
    const state = { settled: false };
    void promise.finally(() => (state.settled = true));
    let steps = 0;
    for (; !state.settled; steps += 1) await service.clock.advance(100);
    return steps;
  };

  it('meet only their operation, and as many requests as they were switched on for', async () => {
    const switched = service.service.faults.switchOn('poll', { kind: 'answer', status: 503, body: '{}' }, 2);
    const statuses = [];
    for (let poll = 0; poll < 3; poll += 1) statuses.push((await service.poll('unknown')).status);
    assert.deepEqual(statuses, [503, 503, 400]);
    assert.equal((await service.askForCode()).status, 200);
    assert.deepEqual([switched.hits, switched.isSpent], [2, true]);
  });

  it('of several the oldest is next, and those that were switched off are not met', async () => {
    const { faults } = service.service;
    faults.switchOn('poll', { kind: 'answer', status: 500, body: '{}' });
    const off = faults.switchOn('poll', { kind: 'answer', status: 501, body: '{}' });
    faults.switchOn('poll', { kind: 'answer', status: 502, body: '{}' });
    assert.equal(faults.switchOff(off.id), true);
    assert.equal(faults.switchOff(off.id), false);
    assert.deepEqual([(await service.poll('x')).status, (await service.poll('x')).status], [500, 502]);
    faults.switchOn('poll', { kind: 'answer', status: 500, body: '{}' });
    faults.clear();
    assert.equal((await service.poll('x')).status, 400);
  });

  for (const when of ['before', 'after'] as const) {
    const carriedOut = when === 'after';

    it(`hold, ${when} the request is carried out: until it is released`, async () => {
      const held = service.service.faults.switchOn('refresh', { kind: 'hold', when });
      const refresh = service.refresh(tokens.refreshToken);
      await held.reached();
      assert.equal(held.waiting, 1);
      assert.equal(await stillGood(), !carriedOut);
      held.release();
      assert.equal((await service.whoami(tokensOf(await refresh).accessToken)).status, 200);
      assert.equal(held.waiting, 0);
    });

    it(`delay, ${when} the request is carried out: a pause by the service's clock`, async () => {
      const delay = service.service.faults.switchOn('refresh', { kind: 'delay', when, milliseconds: 5000 });
      let answered = false;
      const refresh = service.refresh(tokens.refreshToken).finally(() => (answered = true));
      await delay.reached();
      await service.clock.advance(4999);
      assert.deepEqual([await stillGood(), answered], [!carriedOut, false]);
      await service.clock.advance(1);
      assert.equal((await refresh).status, 200);
    });

    for (const reset of [false, true]) {
      it(`drop, ${when} the request is carried out, by ${reset ? 'RST' : 'FIN'}: no answer comes`, async () => {
        service.service.faults.switchOn('refresh', { kind: 'drop', when, reset });
        const answer = await new RawConnection(refreshUrl()).end();
        assert.deepEqual(answer, { text: '', end: reset ? 'ECONNRESET' : 'closed' });
        assert.equal(await stillGood(), !carriedOut);
        const { ending } = service.service.record.of('refresh')[0] ?? {};
        assert.deepEqual([ending?.outcome, ending?.carriedOut, ending?.fault], ['dropped', carriedOut, 'drop']);
        assert.deepEqual(ending?.issued, carriedOut ? { session: 1, generation: 2 } : undefined);
        assert.equal((await service.refresh(tokens.refreshToken)).status, carriedOut ? 400 : 200);
      });
    }
  }

  it('drop, within the answer: half of it comes, and the tokens are replaced', async () => {
    service.service.faults.switchOn('refresh', { kind: 'drop', when: 'within the answer' });
    const { text, end } = await new RawConnection(refreshUrl()).end();
    const [head = '', body = ''] = text.split('\r\n\r\n');
    assert.equal(end, 'closed');
    assert.ok(head.startsWith('HTTP/1.1 200 '));
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    assert.equal(body.length, Math.floor(length / 2));
    assert.ok(body.startsWith('{"access_token":'));
    assert.equal(await stillGood(), false);
  });

  for (const carryOut of [false, true]) {
    it(`answer: another status, headers and bytes, ${carryOut ? 'after' : 'without'} carrying out the request`, async () => {
      const body = gzipSync('{"error":"made_up"}');
      const headers = { 'content-encoding': 'gzip', 'content-type': 'text/html', 'x-more': 'yes' };
      service.service.faults.switchOn('refresh', { kind: 'answer', status: 418, headers, body, carryOut });
      const answer = await service.refresh(tokens.refreshToken);
      assert.deepEqual(outcome(answer), [418, 'made_up']);
      assert.deepEqual([answer.headers.get('content-type'), answer.headers.get('x-more')], ['text/html', 'yes']);
      assert.equal(await stillGood(), !carryOut);
    });
  }

  it('raw: any bytes, then the end', async () => {
    const bytes = 'HTTP/1.1 200\r\nContent-Length: 99\r\n\r\n\0nonsense';
    service.service.faults.switchOn('refresh', { kind: 'raw', bytes });
    assert.deepEqual(await new RawConnection(refreshUrl()).end(), { text: bytes, end: 'closed' });
    assert.equal(await stillGood(), true);
    service.service.faults.switchOn('refresh', { kind: 'raw', bytes: Buffer.from([0, 255]), carryOut: true });
    assert.deepEqual(await new RawConnection(refreshUrl()).end(), { text: '\0\xff', end: 'closed' });
    assert.equal(await stillGood(), false);
  });

  it('trickle: the answer a few bytes at a time, whole in the end', async () => {
    const trickle = service.service.faults.switchOn('refresh', { kind: 'trickle', bytes: 20, everyMilliseconds: 100 });
    const refresh = service.refresh(tokens.refreshToken);
    await trickle.reached();
    const pauses = await advanceUntil(refresh);
    assert.equal((await service.whoami(tokensOf(await refresh).accessToken)).status, 200);
    assert.ok(pauses > 5, 'it took its time');
  });

  it('trickle without an end: blanks for as long as someone listens', async () => {
    const fault = { kind: 'trickle', bytes: 400, everyMilliseconds: 100, endless: true } as const;
    service.service.faults.switchOn('refresh', fault);
    const connection = new RawConnection(refreshUrl());
    for (let pause = 0; connection.received.length < 5000; pause += 1) {
      await service.clock.advance(100);
      await connection.has(pause * 400);
    }
    assert.match(connection.received, /^HTTP\/1.1 200 /);
    assert.match(connection.received, / {100}/);
    connection.close();
    await advanceUntil(service.service.record.until((record) => record.of('refresh')[0]?.ending !== undefined));
  });

  it('the service closes at once while requests are held, delayed and trickled', async () => {
    const { faults } = service.service;
    const switched = [
      faults.switchOn('refresh', { kind: 'hold', when: 'before' }),
      faults.switchOn('poll', { kind: 'delay', when: 'after', milliseconds: 1e9 }),
      faults.switchOn('device code', { kind: 'trickle', bytes: 1, everyMilliseconds: 1e9 }),
    ];
    const requests = [service.refresh(tokens.refreshToken), service.poll('x'), service.askForCode()];
    const settled = Promise.allSettled(requests);
    await Promise.all(switched.map((one) => one.reached()));
    await service.close();
    assert.deepEqual(
      (await settled).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    await service.service.record.until(({ requests }) => requests.every(({ ending }) => ending !== undefined));
    assert.equal(service.service.counts.refreshed, 0, 'a held refresh is not carried out');
  });
});
