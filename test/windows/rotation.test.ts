import assert from 'node:assert/strict';
import { until } from '../host/until';
import { describeServer } from '../host/versions';
import { answers } from './probeLines';
import { useStage, version } from './stage';

/** Lifetime of an access token in seconds: short, so that a minute sees many rotations. */
const LIFETIME = 3;
const ROTATIONS = 12;
const KILL_AFTER = 4;
const LATE_WINDOW_AFTER = 8;

describe(`several windows of ${describeServer(version)}`, () => {
  const stage = useStage({ accessTokenTtl: LIFETIME });

  const refreshed = (count: number): Promise<true> =>
    until(`${count} rotations`, () => stage().service.counts.refreshed >= count, 120_000).then(() => true);

  /** Whether every one of these windows has been served a token that works, asked for after `since`. */
  const servedSince = async (pids: readonly number[], since: number): Promise<boolean> => {
    const lines = answers(await stage().probed());
    return pids.every((pid) => lines.some((line) => line.pid === pid && line.asked >= since && line.status === 200));
  };

  it('refreshes once per expiry, serves current tokens everywhere, survives a kill, and signs out everywhere', async () => {
    const { service } = stage();
    const first = await stage().open();
    await stage().signIn(first);
    const second = await stage().open();
    const third = await stage().open();
    const three = [first.extensionHost, second.extensionHost, third.extensionHost];
    await until('all three windows to serve the session', () => servedSince(three, 0));
    const allOpen = Date.now();

    await refreshed(KILL_AFTER);
    // An answer that is under way when its window dies is lost; no protocol can help that.
    const answered = Date.now();
    await until('the answer to be stored', () => servedSince(three, answered));
    process.kill(first.extensionHost, 'SIGKILL');
    await refreshed(LATE_WINDOW_AFTER);
    const late = await stage().open();
    const survivors = [second.extensionHost, third.extensionHost, late.extensionHost];
    await until('the late window to serve the session', () => servedSince(survivors, Date.now() - 5_000));
    await refreshed(ROTATIONS);
    const end = Date.now();
    await stage().checkRequests();
    const { counts } = service;
    const starts = service.record.of('refresh').map(({ at }) => at);
    await until('the last rotation to be told', async () => {
      const [told] = await stage().events(second, starts.at(-1) ?? 0);
      return told !== undefined;
    });
    const lines = await stage().probed();
    const soonest = Math.min(...starts.slice(1).map((at, index) => at - (starts[index] ?? 0)));
    assert.ok(soonest > LIFETIME * 1000 * 0.65, `no refresh before it was due: ${soonest} ms after the one before`);

    assert.deepEqual(
      lines.filter((line) => line.kind === 'failed' && line.pid !== first.extensionHost),
      [],
      'every question was answered',
    );
    // A token dies at some moment between the arrival of a refresh and its response.
    const deaths = service.record
      .of('refresh')
      .flatMap(({ at, monotonicAt, result }) =>
        result === undefined ? [] : [{ from: at - 5, to: at + 5 + result.monotonicAt - monotonicAt }],
      );
    const dead = answers(lines).filter(
      ({ asked, served, status, tried }) =>
        served < end && status === 401 && !deaths.some(({ from, to }) => to >= asked && from <= tried),
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

    await third.workbench.runCommand('Device Flow: Sign Out');
    await stage().untilAnswered('no session', survivors);
    console.log(
      `      ${counts.refreshed} rotations, ${counts.resentRefreshTokens} replays, ${answers(lines).length} tokens served in 4 windows`,
    );
  });
});
