import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../src/clock';
import { FakeClock } from '../../support/fakeClock';
import { exactly, type Results } from '../figure';
import { spreadOf } from '../statistics';
import { instantService, mint, openWindow } from './oneWindow';

const SESSIONS = 3;
const HOUR = 60 * 60 * 1000;
/** Of an access token. */
const LIFETIME = HOUR;
/** The earliest moment at which a token is due, as a part of its life. */
const EARLIEST_DUE = 0.7;
/** Simulated time stands still for so long at each wake-up, to give the real disk time. Milliseconds. */
const TIME_FOR_THE_DISK = 4;

/** What an open window costs that nobody uses: an hour of simulated time, with some sessions. */
export async function measureIdle(): Promise<Results> {
  const clock = new FakeClock({ now: Date.now() });
  const counted = countingSleeps(clock);
  const requests: number[] = [];
  const client = instantService(clock, () => requests.push(clock.monotonic()));
  const window = await openWindow({ clock: counted.clock, client });
  try {
    for (let session = 0; session < SESSIONS; session++) {
      await window.signIn(`Account ${session}`, { ...mint(), expiresIn: LIFETIME / 1000 });
    }
    const began = clock.monotonic();
    void window.sessions.run();
    await pause(TIME_FOR_THE_DISK);
    window.disk.reset();
    counted.reset();
    const before = process.cpuUsage();
    while (clock.monotonic() - began < HOUR) {
      await pause(TIME_FOR_THE_DISK);
      await clock.advance(clock.nextWakeIn ?? 0);
    }
    const { user, system } = process.cpuUsage(before);
    const early = requests.filter((at) => at - began < LIFETIME * EARLIEST_DUE).length;
    const undue = spreadOf([early + Math.max(0, requests.length - SESSIONS)]);
    const reported = (what: string, unit: string, value: number, note?: string): Results['figures'][number] => ({
      ...{ what: `An idle hour with ${SESSIONS} sessions: ${what}`, unit, measured: spreadOf([value]) },
      ...(note === undefined ? {} : { note }),
    });
    return {
      figures: [
        {
          ...reported('requests that were not due', '', undue.median),
          target: exactly(0, undue),
          note: `${requests.length} requests in all: each of the ${SESSIONS} sessions is due once in the hour.`,
        },
        reported('wake-ups', '', counted.wakes()),
        reported('disk calls', '', window.disk.total, 'Nearly all are one stat for each wake-up.'),
        reported(
          'processor time',
          'ms',
          (user + system) / 1000,
          'An upper bound: it includes the cost of simulating the time.',
        ),
      ],
    };
  } finally {
    const closing = window.close();
    await clock.advance(HOUR);
    await closing;
  }
}

/** The same clock, with a count of the sleeps that ended. */
function countingSleeps(clock: Clock): { readonly clock: Clock; wakes(): number; reset(): void } {
  let wakes = 0;
  return {
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: async (milliseconds, signal) => {
        await clock.sleep(milliseconds, signal);
        wakes++;
      },
    },
    wakes: () => wakes,
    reset: () => {
      wakes = 0;
    },
  };
}
