import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedRequest } from '../../../demo/service/record';
import { Fleet, type WindowProcess } from '../../../scripts/bench/fleet/fleet';
import { spreadOf } from '../../../scripts/bench/report';
import { until } from '../../../host/until';
import { tellAsOneStory } from '../../support/story';
import { HAS_SIGNALS } from '../../support/thisSystem';

// If you want to know what the code in src/sessions and src/storage is for, start here.
//
// A sign-in begins a family of tokens, and each refresh brings the family's next generation. The service accepts only the
// refresh token of the newest generation: whoever sends an older one gets nothing, and the person has to sign in again.
//
// Five windows share a family. Each is a process of its own, and all race for the next generation when the access token is
// about to expire. Two of them must not send the same token, and what one of them receives must reach the others, although
// any may be killed or stand still in the middle of it. What the service recorded shows who won: a request names the family
// (`session`) and the generation of the token that it sent.

const WINDOWS = 5;
/** Of an access token, in seconds. */
const LIFETIME = 1;
/** How many generations come while nothing happens, and after a request was lost. */
const QUIET_GENERATIONS = 6;
const GENERATIONS_AFTER_LOSS = 2;
/** How many come while windows are killed and stopped: `RACE_GENERATIONS=200` for a long race. */
const GENERATIONS = Number(process.env['RACE_GENERATIONS'] ?? 8);
/** Until the next kill or stop, and until a stopped window goes on, at most. Milliseconds. */
const LONGEST_PEACE = 300;
const LONGEST_STOP = 600;
/** Milliseconds. */
const PATIENT = 60_000;

/** Guards that windows that share a session lose it to nothing but an answer that nobody received. */
describe(`${WINDOWS} windows that race for each refresh`, function () {
  this.timeout(20 * 60_000);
  tellAsOneStory();
  let fleet: Fleet;
  /** How many sign-ins there were. */
  let families = 0;
  before('open the windows, and sign in', async () => {
    fleet = await Fleet.start(WINDOWS, LIFETIME);
    families = 1;
  });
  after('close all', () => fleet.stop());

  it('send each refresh token once, and all serve what it brings', async () => {
    await comeGenerations(QUIET_GENERATIONS);
    const sent = refreshesOf(1).map(({ token }) => token?.generation);
    assert.deepEqual(
      sent,
      sent.map((_, index) => index + 1),
    );
    await checkThatAllServeOneToken();
    const { median, highest } = spreadOf(fleet.convergence());
    console.log(`      to the last window: median ${median.toFixed(1)} ms, most ${highest.toFixed(1)} ms`);
  });

  it('send a token again if the request was lost, and go on with the same family', async () => {
    const lost = fleet.service.faults.switchOn('refresh', { kind: 'drop', when: 'before' });
    await lost.reached();
    await comeGenerations(GENERATIONS_AFTER_LOSS);
    assert.equal(fleet.service.counts().resentRefreshTokens, 1);
    assert.equal(fleet.service.counts().deadRefreshTokens, 0);
    await checkThatAllServeOneToken();
  });

  it('lose the family if the answer was lost, because its token was replaced, and tell the person so once', async () => {
    const lost = fleet.service.faults.switchOn('refresh', { kind: 'drop', when: 'after' });
    await lost.reached();
    await until('the family to end', () => ends().length > 0, PATIENT);
    const [last = assert.fail(), again = assert.fail()] = refreshesOf(1).slice(-2);
    const { generation = 0 } = last.token ?? {};
    assert.equal(last.result?.issued?.generation, generation + 1, 'the answer that was lost');
    assert.deepEqual([again.token?.generation, again.token?.state], [generation, 'replaced']);
    await signInAgain();
    await comeGenerations(GENERATIONS_AFTER_LOSS);
    await checkThatAllServeOneToken();
    assert.deepEqual(
      ends().map(({ responseLost }) => responseLost),
      [true],
    );
  });

  it(`lose a family only if a killed window was to receive the answer, over ${GENERATIONS} generations`, async () => {
    const lostBefore = ends().length;
    const goal = fleet.service.counts().refreshed + GENERATIONS;
    let kills = 0;
    let stops = 0;
    while (fleet.service.counts().refreshed < goal) {
      await pause(Math.random() * LONGEST_PEACE);
      const window = anyWindow();
      if (!HAS_SIGNALS || Math.random() < 0.5) {
        kills++;
        await fleet.kill(window);
        await fleet.open();
      } else {
        stops++;
        window.child.kill('SIGSTOP');
        await pause(Math.random() * LONGEST_STOP);
        window.child.kill('SIGCONT');
      }
      if (ends().length === families) await signInAgain();
    }
    const lost = ends().slice(lostBefore);
    console.log(`      ${GENERATIONS} generations, ${kills} kills, ${stops} stops, ${lost.length} families lost`);
    assert.ok(lost.every(({ responseLost }) => responseLost));
    assert.ok(lost.length <= kills);
    for (let family = 1; family <= families; family++) checkFamily(family);
    assert.equal(fleet.service.counts().overlappingRefreshes, 0, 'no request began during another');
    assert.equal(fleet.service.counts().deadRefreshTokens, ends().length);
  });

  /** Waits for so many further generations, of whichever family. */
  async function comeGenerations(count: number): Promise<void> {
    const goal = fleet.service.counts().refreshed + count;
    const missing = (): string => `${count} generations; ${ends().length} of ${families} families were lost`;
    await until(missing, () => fleet.service.counts().refreshed >= goal, PATIENT);
  }

  /** What the windows sent of a family, oldest first. */
  function refreshesOf(family: number): readonly RecordedRequest[] {
    return fleet.service.record.of('refresh').filter(({ token }) => token?.session === family);
  }

  /** The token that was sent is the newest, unless an answer was lost: then the family's last request finds that out. */
  function checkFamily(family: number): void {
    const allButLast = refreshesOf(family).slice(0, -1);
    const dead = allButLast.filter(({ token }) => token?.state !== 'current');
    assert.deepEqual(dead, [], `family ${family}`);
  }

  /** What people were told about the end of a family, by any window. */
  function ends() {
    return fleet.reports.filter((report) => report.kind === 'ended');
  }

  /** The person does what they were told to. */
  async function signInAgain(): Promise<void> {
    families++;
    await fleet.signIn();
  }

  async function checkThatAllServeOneToken(): Promise<void> {
    await until('all windows to serve the same token', async () => {
      const served = await Promise.all(fleet.windows.map((window) => fleet.ask(window, { kind: 'serve' }, 'served')));
      return (
        new Set(served.map(({ prints }) => prints.join())).size === 1 &&
        served.every(({ prints }) => prints.length === 1)
      );
    });
  }

  function anyWindow(): WindowProcess {
    return fleet.windows[Math.floor(Math.random() * fleet.windows.length)] ?? assert.fail();
  }
});
