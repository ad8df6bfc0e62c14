import assert from 'node:assert/strict';
import { until } from '../../scripts/host/until';
import { describeServer } from '../../scripts/host/versions';
import { signOut } from '../../scripts/scene/person';
import { answers, useProbedScene, version } from './probedScene';

/** Lifetime of an access token in seconds: short, so that a minute sees many rotations. */
const LIFETIME = 4;
/** How many rotations there are before a window is killed, before a late one opens, and after that. */
const ROTATIONS = 2;

/** Guards that windows of the real editor share one rotating token, and survive each other's death. */
describe(`several windows of ${describeServer(version)}`, () => {
  const scene = useProbedScene(LIFETIME);

  it('refreshes once per expiry, serves current tokens everywhere, survives a kill, and signs out everywhere', async () => {
    const { service } = scene();
    const first = await scene().open();
    await scene().signIn(first);
    const second = await scene().open();
    const third = await scene().open();
    const three = [first.extensionHost, second.extensionHost, third.extensionHost];
    await scene().untilAnswered('a token', three);
    const allOpen = Date.now();

    await scene().rotations(ROTATIONS);
    const killed = await scene().kill(first.extensionHost);
    await scene().rotations(1);
    await scene().untilAnswered('a token', [second.extensionHost, third.extensionHost]);
    // The token may expire before the refresh that the kill cost is made up for.
    const recovered = Date.now();
    const isInGap = (at: number): boolean => at >= killed && at <= recovered;
    await scene().rotations(ROTATIONS);
    const late = await scene().open();
    const survivors = [second.extensionHost, third.extensionHost, late.extensionHost];
    await scene().untilAnswered('a token', survivors);
    await scene().rotations(ROTATIONS);
    const end = Date.now();
    await scene().checkRequests();
    const { record } = service;
    const counts = record.counts();
    const refreshes = record.of('refresh').filter(({ result }) => result?.issued !== undefined);
    const starts = refreshes.map(({ at }) => at);
    await until('the last rotation to be told', async () => {
      const [told] = await scene().events(second, starts.at(-1) ?? 0);
      return told !== undefined;
    });
    const lines = await scene().probed();
    const soonest = Math.min(...starts.slice(1).map((at, index) => at - (starts[index] ?? 0)));
    assert.ok(soonest > LIFETIME * 1000 * 0.65, `no refresh before it was due: ${soonest} ms after the one before`);

    assert.deepEqual(
      lines.filter((line) => line.kind === 'failed' && line.pid !== first.extensionHost && !isInGap(line.at)),
      [],
      'every question was answered',
    );
    // A token dies at some moment between the arrival of a refresh and its response.
    const deaths = refreshes.map(({ at, monotonicAt, result }) => ({
      from: at - 5,
      to: at + 5 + (result?.monotonicAt ?? monotonicAt) - monotonicAt,
    }));
    const dead = answers(lines).filter(
      ({ asked, served, status, tried }) =>
        served < end &&
        status === 401 &&
        !isInGap(asked) &&
        !deaths.some(({ from, to }) => to >= asked && from <= tried),
    );
    assert.deepEqual(dead, [], 'no token was served that had been replaced before it was asked for');
    const unanswered = answers(lines).filter(
      ({ pid, asked, status }) => survivors.includes(pid) && asked > allOpen && asked < end && status === undefined,
    );
    assert.ok(
      unanswered.every(({ pid }) => pid === late.extensionHost),
      'nobody who had a session was told that there is none',
    );
    const events = lines.filter(
      (line) => line.kind === 'event' && line.pid === second.extensionHost && line.at > allOpen,
    );
    const rotations = starts.filter((at) => at > allOpen).length;
    assert.ok(Math.abs(events.length - rotations) <= 1, `one event per rotation: ${events.length} of ${rotations}`);

    await signOut(third.workbench);
    await scene().untilAnswered('no session', survivors);
    console.log(
      `      ${counts.refreshed} rotations, ${counts.resentRefreshTokens} replays, ${answers(lines).length} tokens served in 4 windows`,
    );
  });
});
