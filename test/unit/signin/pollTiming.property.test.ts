import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PollResult } from '../../../src/oauth/types';
import { FakeClock } from '../../support/fakeClock';
import { deviceCode, pending, silence, start, type Scripted } from './scriptedClient';

const latency = fc.integer({ min: 0, max: 20_000 });

/** Answers that keep the polling going. */
const response: fc.Arbitrary<Scripted<PollResult>> = fc.oneof(
  latency.map((after) => ({ ...pending, after })),
  latency.map((after) => silence(after)),
);

/** A code doesn't live longer than so many intervals: all polls after the last response of a scenario are alike. */
const MOST_POLLS = 100;

const scenario = fc.record({
  interval: fc.double({ min: 0.5, max: 120, noNaN: true }),
  life: fc.double({ min: 1, max: 900, noNaN: true }),
  codeLatency: latency,
  responses: fc.array(response, { maxLength: 40 }),
  /** Share of each sleep that it falls short by, as timers of real machines do. */
  shortBy: fc.constantFrom(0, 0.001, 0.3),
  jump: fc.integer({ min: -1e9, max: 1e9 }),
});

/** A clock whose sleeps may end early. */
class HastyClock extends FakeClock {
  constructor(private readonly shortBy: number) {
    super();
  }

  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(milliseconds > 1 ? milliseconds * (1 - this.shortBy) : milliseconds, signal);
  }
}

/** The last poll is due when the code ends, and its timer ends first. */
const ENDS_WITH_POLL = {
  interval: 1.2252769087373596,
  life: 122.52769087373596,
  codeLatency: 12_941,
  responses: [],
  shortBy: 0.3 as const,
  jump: 0,
};

/** Many runs take their time on a busy machine. Milliseconds. */
const PATIENT = 20_000;

/** Guards that no poll comes too early, and none too late. */
describe('the timing of polls, over any interval, life of the code, delays and faults', () => {
  it('is never early, never past the end of the code, and never more than the allowed pause late', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ interval, life, codeLatency, responses, shortBy, jump }) => {
        const expiresIn = Math.min(life, MOST_POLLS * interval);
        const clock = new HastyClock(shortBy);
        const code = { response: deviceCode({ interval, expiresIn }), after: codeLatency };
        const { client, states, done } = start(responses, { clock, code });
        await clock.advance(codeLatency);
        clock.jump(jump);
        const codeArrived = client.codeRequests[0]?.respondedAt ?? Number.NaN;
        const codeEnds = codeArrived + expiresIn * 1000;
        const left = codeEnds - clock.monotonic();
        if (left > 1) {
          await clock.advance(left - 1);
          const [, ...waiting] = states;
          assert.ok(waiting.every((state) => state.kind === 'waiting' && state.code.expiresAt === codeEnds));
        }
        // A poll in flight may still respond.
        await clock.advance(20_002);
        await done;
        const sent = client.polls.length;
        await clock.advance(100_000);
        assert.equal(client.polls.length, sent, 'nothing is sent afterwards');

        let arrived = codeArrived;
        for (const poll of client.polls) {
          const pause = poll.at - arrived;
          assert.ok(pause >= interval * 1000 - 1e-6, `a poll came ${pause} ms after a response`);
          assert.ok(
            pause <= Math.max(2 * interval, 30) * 1000 + 1,
            `a poll came as late as ${pause} ms after a response`,
          );
          assert.ok(poll.at < codeEnds, 'a poll came after the end of the code');
          arrived = poll.respondedAt ?? Number.POSITIVE_INFINITY;
        }
        assert.equal(states.at(-1)?.kind, 'expired');
        assert.equal(clock.sleeping, 0);
      }),
      { numRuns: 300, examples: [[ENDS_WITH_POLL]] },
    );
  }).timeout(PATIENT);
});
