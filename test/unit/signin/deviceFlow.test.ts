import assert from 'node:assert/strict';
import type { PollResult } from '../../../src/oauth/types';
import { NetworkError, ServiceError, InvalidResponseError } from '../../../src/oauth/errors';
import { settle } from '../../support/fakeClock';
import {
  confirmed,
  deviceCode,
  pending,
  refusal,
  silence,
  start,
  tokens,
  type Flow,
  type Scripted,
} from './scriptedClient';

function kinds({ states }: Flow): string[] {
  return states.map((state) => state.kind);
}

function pollTimes({ client }: Flow): number[] {
  return client.polls.map((poll) => poll.at);
}

/** A device flow that is over after so many milliseconds. */
async function played(milliseconds: number, ...how: Parameters<typeof start>): Promise<Flow> {
  const run = start(...how);
  await run.clock.advance(milliseconds);
  await run.done;
  return run;
}

/** Guards that a device flow polls as it may, survives lost responses, and ends at once when it's canceled. */
describe('the device flow', () => {
  it('requests a code, waits, and returns the tokens when the person has confirmed', async () => {
    const run = await played(15_000, [pending, pending, confirmed]);
    assert.deepEqual(run.states, [
      { kind: 'requesting' },
      {
        kind: 'waiting',
        code: { authorization: deviceCode(), receivedAt: 0, expiresAt: 8_600_000 },
        interruption: undefined,
      },
      { kind: 'signedIn', tokens },
    ]);
    assert.deepEqual(pollTimes(run), [5_000, 10_000, 15_000]);
  });

  it('polls less often for good each time the service wants that, by 5 s or as it says', async () => {
    const slower = (interval?: number): Scripted<PollResult> => ({
      response: { kind: 'pending', slowDown: { interval } },
    });
    const run = await played(200_000, [slower(), pending, slower(30), pending, confirmed]);
    assert.deepEqual(pollTimes(run), [5_000, 15_000, 25_000, 55_000, 85_000]);
  });

  it('polls less often by 5 s if the service names an interval with which the code would expire', async () => {
    const slower: Scripted<PollResult> = { response: { kind: 'pending', slowDown: { interval: 10_000 } } };
    const run = await played(200_000, [slower, pending, confirmed]);
    assert.deepEqual(pollTimes(run), [5_000, 15_000, 25_000]);
  });

  it('yields the page that has the code in its address, if the service has one', async () => {
    const verificationUriComplete = 'https://service.example/device?code=ABCD-1234';
    const run = await played(1_000, [], {
      code: { response: deviceCode({ verificationUriComplete, expiresIn: 1 }) },
    });
    const waiting = run.states[1];
    assert.equal(
      waiting?.kind === 'waiting' && waiting.code.authorization.verificationUriComplete,
      verificationUriComplete,
    );
  });

  const shortCode = { code: { response: deviceCode({ expiresIn: 8 }) } };

  it('expires at the end of a poll that was in flight, and sends no other one meanwhile', async () => {
    const run = start([{ ...pending, after: 50_000 }], shortCode);
    await run.clock.advance(54_999);
    assert.equal(run.states.at(-1)?.kind, 'waiting');
    await run.clock.advance(1);
    await run.done;
    assert.equal(run.states.at(-1)?.kind, 'expired');
    await run.clock.advance(100_000);
    assert.equal(run.client.polls.length, 1);
    assert.equal(run.clock.sleeping, 0);
  });

  for (const after of [4_000, 14_000, 20_000, 59_000]) {
    it(`returns tokens that a poll brings after ${after / 1000} s, although the code has expired: there’s no other copy`, async () => {
      const run = await played(5_000 + after, [{ ...confirmed, after }], shortCode);
      assert.equal(run.states.at(-1)?.kind, 'signedIn');
      assert.equal(run.client.polls.length, 1);
    });
  }

  for (const [what, response, then] of [
    ['tokens', confirmed, 'signedIn'],
    ['a refusal', refusal('access_denied'), 'failed'],
    ['the news that the code is pending', pending, 'waiting'],
  ] as const) {
    it(`says after 15 s that the service doesn’t respond, until it does, with ${what}`, async () => {
      const run = start([{ ...response, after: 40_000 }]);
      await run.clock.advance(19_999);
      assert.equal(run.states.length, 2);
      await run.clock.advance(1);
      const slow = run.states.at(-1);
      assert.ok(slow?.kind === 'waiting' && slow.interruption instanceof NetworkError);
      assert.equal(slow.interruption.reason, 'timeout');
      await run.clock.advance(25_000);
      const end = run.states.at(-1) ?? assert.fail();
      assert.equal(end.kind, then);
      assert.ok(end.kind !== 'waiting' || end.interruption === undefined);
      assert.equal(run.client.polls.length, 1, 'no other poll is sent meanwhile');
      run.abort.abort();
      await run.done;
    });
  }

  it('says nothing of a slow response after it’s canceled', async () => {
    const run = start([{ ...pending, after: 40_000 }]);
    await run.clock.advance(6_000);
    run.abort.abort();
    await run.clock.advance(60_000);
    await run.done;
    assert.ok(!run.states.some((state) => state.kind === 'waiting' && state.interruption !== undefined));
  });

  it('says "expired" if the service says so, as it may after the machine slept', async () => {
    const run = start([refusal('code_expired')]);
    await settle();
    run.clock.sleepMachine(86_400_000);
    await run.clock.advance(5_000);
    await run.done;
    assert.deepEqual(kinds(run), ['requesting', 'waiting', 'expired']);
  });

  for (const [name, error] of [
    ['slow_down', new ServiceError('poll', 400, 'slow_down')],
    ['invalid_client', new ServiceError('poll', 400, 'invalid_client')],
    ['access_denied', new ServiceError('poll', 400, 'access_denied')],
    ['status 429', new ServiceError('poll', 429, undefined)],
    ['status 503', new ServiceError('poll', 503, undefined)],
    ['an unreadable response', new InvalidResponseError('poll', 200, 'not JSON')],
  ] as const) {
    it(`stops polling at ${name}`, async () => {
      const run = await played(60_000, [pending, { response: error }]);
      assert.deepEqual(run.states.at(-1), { kind: 'failed', error });
      assert.equal(run.client.polls.length, 2);
    });
  }

  it('fails if the request for a code fails or gets no response', async () => {
    for (const error of [
      new ServiceError('device authorization', 400, 'invalid_client'),
      new ServiceError('device authorization', 400, 'code_expired'),
      new NetworkError('device authorization', 'host not found', false, { systemCode: 'ENOTFOUND' }),
    ]) {
      const run = await played(0, [], { code: { response: error } });
      assert.deepEqual(run.states, [{ kind: 'requesting' }, { kind: 'failed', error }]);
    }
  });

  it('continues without a response, more and more slowly, and says so until there is one', async () => {
    const run = await played(200_000, [silence(), silence(), silence(), silence(), pending, confirmed]);
    assert.deepEqual(pollTimes(run), [5_000, 15_000, 35_000, 65_000, 95_000, 100_000]);
    const seen = run.states.map((state) => (state.kind === 'waiting' ? state.interruption?.message : state.kind));
    assert.deepEqual(seen, [
      'requesting',
      undefined,
      'poll: no response: connection refused (ECONNREFUSED)',
      undefined,
      'signedIn',
    ]);
  });

  it('polls less often after a poll without a response even if the interval is long', async () => {
    const code = { response: deviceCode({ interval: 30 }) };
    const run = await played(270_000, [silence(), silence(), pending, confirmed], { code });
    assert.deepEqual(pollTimes(run), [30_000, 90_000, 150_000, 180_000]);
  });

  it('continues if a response was cut off by something other than the caller', async () => {
    const cutOff = new NetworkError('poll', 'aborted', true);
    const run = await played(20_000, [{ response: cutOff }, confirmed]);
    assert.equal(run.states.at(-1)?.kind, 'signedIn');
  });

  const noAnswer = (error: ServiceError | InvalidResponseError): Scripted<PollResult> => ({
    response: { kind: 'no answer', error },
  });
  const busy = (retryAfter?: number): Scripted<PollResult> =>
    noAnswer(new ServiceError('poll', 503, undefined, { retryAfter }));
  const page = noAnswer(new InvalidResponseError('poll', 200, 'not JSON'));
  const notFound = noAnswer(new ServiceError('poll', 404, undefined));
  const odd = noAnswer(new InvalidResponseError('poll', 200, 'no tokens'));

  for (const [what, responses, times] of [
    ['busy again and again', [busy(), busy(), busy(), busy(), confirmed], [5, 15, 35, 65, 95]],
    ['a page, after the service has answered', [pending, page, page, page, page, confirmed], [5, 10, 20, 40, 70, 100]],
    ['two pages before the first answer', [page, notFound, pending, page, confirmed], [5, 15, 35, 40, 50]],
    [
      'pages with a lost response between them',
      [page, page, silence(), page, page, confirmed],
      [5, 15, 35, 65, 95, 125],
    ],
    ['pages with a busy service between them', [page, odd, busy(), notFound, odd, confirmed], [5, 15, 35, 65, 95, 125]],
    ['a service that wants to be asked later', [busy(100), pending, confirmed], [5, 105, 110]],
    ['a service that wants to be asked sooner than that', [busy(2), confirmed], [5, 15]],
  ] as const) {
    it(`goes on with ${what}`, async () => {
      const run = await played(200_000, responses);
      assert.deepEqual(
        pollTimes(run),
        times.map((seconds) => seconds * 1000),
      );
      assert.equal(run.states.at(-1)?.kind, 'signedIn');
    });
  }

  for (const [what, responses] of [
    ['pages', [page, page, page]],
    ['404', [notFound, notFound, notFound]],
    ['objects without tokens', [odd, odd, odd]],
    ['one of each', [page, notFound, odd]],
    ['three after a lost response', [silence(), page, page, odd]],
  ] as const) {
    it(`ends if the endpoint has never answered, and three responses in a row are none: ${what}`, async () => {
      const run = await played(200_000, responses);
      const last = responses.at(-1)?.response;
      const error = typeof last === 'object' && 'error' in last ? last.error : undefined;
      assert.deepEqual(run.states.at(-1), { kind: 'failed', error });
    });
  }

  for (const [what, expiresIn, retryAfters, times] of [
    ['an hour, once', 900, [3600], [5, 305]],
    ['a date in 2099, again and again', 900, [2e9, 2e9, 2e9, 2e9], [5, 305, 605, 895]],
    ['milliseconds', 900, [5000], [5, 305]],
    ['longer than a short code', 100, [120], [5, 95]],
    ['exactly as long as a short code', 105, [100], [5, 100]],
    ['longer than the code has left', 600, [200, 200, 200], [5, 205, 405, 595]],
    ['less than the code has left', 900, [800], [5, 805]],
  ] as const) {
    for (const kind of ['no answer', 'pending'] as const) {
      it(`asks at least once before the code expires, ${kind}, if the service wants to be asked later: ${what}`, async () => {
        const later = (retryAfter: number): Scripted<PollResult> =>
          kind === 'pending' ? { response: { kind, retryAfter } } : busy(retryAfter);
        const code = { response: deviceCode({ expiresIn }) };
        const run = await played(900_000, [...retryAfters.map(later), confirmed], { code });
        const polled = pollTimes(run).slice(0, times.length);
        assert.deepEqual(
          polled,
          times.map((seconds) => seconds * 1000),
        );
      });
    }
  }

  it('shows what the code is bound to until the service may have refused that, and goes on at the usual pace', async () => {
    const refused: Scripted<PollResult> = { response: { kind: 'pending', refusesVerifier: true } };
    const accepted = { codeVerifier: 'not a real verifier' };
    const code = { response: deviceCode({ accepted }) };
    const run = await played(20_000, [pending, refused, pending, confirmed], { code });
    assert.deepEqual(
      run.client.polls.map((poll) => poll.codeVerifier),
      [accepted.codeVerifier, accepted.codeVerifier, undefined, undefined],
    );
    assert.deepEqual(pollTimes(run), [5_000, 10_000, 15_000, 20_000]);
  });

  it('keeps the way of authentication that’s left after the other was refused, whatever came then', async () => {
    const authentication = { way: 'post', isSettled: true } as const;
    for (const first of [
      { kind: 'pending', slowDown: { interval: undefined }, authentication },
      { kind: 'no answer', error: new ServiceError('poll', 503, undefined), authentication },
    ] as const) {
      const run = await played(60_000, [{ response: first }, pending, confirmed]);
      assert.deepEqual(
        run.client.polls.map((poll) => poll.authentication),
        [undefined, authentication, authentication],
      );
    }
  });

  it('polls no sooner than a busy service wants, as long as the code lasts, and not after it has expired', async () => {
    const code = { response: deviceCode({ expiresIn: 100 }) };
    const run = await played(
      200_000,
      Array.from({ length: 20 }, () => busy(1_000)),
      { code },
    );
    const [waiting, end] = run.states.slice(-2);
    assert.ok(waiting?.kind === 'waiting' && waiting.interruption instanceof ServiceError);
    assert.equal(end?.kind, 'expired');
    assert.deepEqual(pollTimes(run), [5_000, 95_000], 'one more, as late as it can be');
  });

  it('polls no sooner than the service wants while it’s pending', async () => {
    const later: Scripted<PollResult> = { response: { kind: 'pending', retryAfter: 60 } };
    const run = await played(100_000, [later, pending, confirmed]);
    assert.deepEqual(pollTimes(run), [5_000, 65_000, 70_000]);
  });

  it('throws an error of our own', async () => {
    const defect = new TypeError('a defect');
    const run = start([{ response: defect }]);
    const rejected = assert.rejects(run.done, defect);
    await run.clock.advance(5_000);
    await rejected;
    assert.equal(run.clock.sleeping, 0);
  });
});

describe('canceling the device flow', () => {
  for (const [name, moment] of [
    ['before it begins', undefined],
    ['while the code is asked for', 100],
    ['between two polls', 3_000],
  ] as const) {
    it(`settles at once ${name}, aborts what is in flight, and sends nothing afterwards`, async () => {
      const run = start([{ ...confirmed, after: 1_000 }], { code: { response: deviceCode(), after: 200 } });
      const requests = () => [...run.client.codeRequests, ...run.client.polls];
      if (moment !== undefined) {
        await run.clock.advance(moment);
      }
      const sent = requests().length;
      run.abort.abort();
      await run.done;
      assert.equal(run.states.at(-1)?.kind, 'canceled');
      await run.clock.advance(100_000);
      assert.equal(requests().length, sent);
      assert.ok(requests().every(({ respondedAt, aborted }) => aborted === (respondedAt === undefined)));
      assert.equal(run.clock.sleeping, 0);
    });
  }

  for (const [outcome, after, end] of [
    ['returns tokens that it brings', 2_000, 'signedIn'],
    ['returns tokens that it brings after 20 s', 20_000, 'signedIn'],
    ['returns tokens that it brings after almost a minute', 59_000, 'signedIn'],
  ] as const) {
    it(`listens to a poll in flight, ${outcome}, and sends nothing afterwards`, async () => {
      const run = start([{ ...confirmed, after }]);
      await run.clock.advance(5_500);
      run.abort.abort();
      await run.clock.advance(after - 501);
      assert.ok(run.states.every(({ kind }) => kind === 'requesting' || kind === 'waiting'));
      await run.clock.advance(1);
      await run.done;
      assert.equal(run.states.at(-1)?.kind, end);
      await run.clock.advance(100_000);
      assert.deepEqual([run.client.polls.length, run.client.polls[0]?.aborted], [1, false]);
      assert.equal(run.clock.sleeping, 0);
    });
  }

  for (const [outcome, after, at, end] of [
    ['returns tokens that it brings', 2_000, 7_000, 'signedIn'],
    ['gives it up if that takes long', 60_000, 7_500, 'canceled'],
  ] as const) {
    it(`listens to a poll in flight for two seconds if the window closes, and ${outcome}`, async () => {
      const run = start([{ ...confirmed, after }]);
      await run.clock.advance(5_500);
      run.closing.abort();
      await run.clock.advance(at - 1 - 5_500);
      assert.deepEqual(kinds(run), ['requesting', 'waiting']);
      await run.clock.advance(1);
      await run.done;
      assert.deepEqual(kinds(run), ['requesting', 'waiting', end]);
      await run.clock.advance(100_000);
      assert.deepEqual([run.client.polls.length, run.client.polls[0]?.aborted], [1, end === 'canceled']);
      assert.equal(run.clock.sleeping, 0);
    });
  }

  it("settles immediately even if a request ignores that it's aborted", async () => {
    const run = start();
    run.client.requestDeviceAuthorization = () => new Promise(() => undefined);
    await settle();
    run.abort.abort();
    await run.done;
    assert.deepEqual(kinds(run), ['requesting', 'canceled']);
  });
});

describe('the verification page of the device flow', () => {
  for (const uri of [
    'https://elsewhere.example/device',
    'https://service.example:444/device',
    'http://service.example/d',
  ]) {
    it(`is refused if it has a different origin than the one that is set: ${uri}`, async () => {
      const run = await played(0, [], {
        code: { response: deviceCode({ verificationUri: uri }) },
        origin: 'https://service.example',
      });
      assert.deepEqual(run.states, [{ kind: 'requesting' }, { kind: 'foreign page' }]);
      await run.clock.advance(60_000);
      assert.equal(run.client.polls.length, 0);
    });
  }

  for (const origin of [undefined, 'https://service.example']) {
    it(`is passed on as it was sent if the origin that is set is ${origin ?? 'none'}`, async () => {
      const uri = 'https://SERVICE.example:443/d?a=%2B&b';
      const run = start([], { code: { response: deviceCode({ verificationUri: uri }) }, origin });
      await settle();
      const waiting = run.states.at(-1);
      assert.equal(waiting?.kind === 'waiting' && waiting.code.authorization.verificationUri, uri);
      run.abort.abort();
      await run.done;
    });
  }
});
