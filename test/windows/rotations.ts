import assert from 'node:assert/strict';
import type { RecordedRequest } from '../../demo/service/record';
import type { EditorWindow } from '../../host/browser';
import { until } from '../../host/until';
import type { ProbeLine } from './probe/extension';
import { answers, type ProbedScene } from './probedScene';

/** Lifetime of an access token in seconds: short, so that a minute sees many rotations. */
const LIFETIME = 4;
/** The earliest part of its life at which a token may be replaced: three quarters, minus what a busy machine adds. */
const EARLIEST_PART = 0.65;
/** How many rotations there are before a window is killed, before a late one opens, and after that. */
const ROTATIONS = 2;
/** A rotation at the beginning or the end may be counted, and its event not, or the other way round. */
const UNCERTAIN_EVENTS = 1;
/** The service and the probes may date the same moment so many milliseconds apart. */
const CLOCK_TOLERANCE = 5;

/** What was seen of windows that shared a session. All times are wall-clock milliseconds. */
interface Seen {
  /** The window that was killed. */
  readonly first: EditorWindow;
  readonly second: EditorWindow;
  /** The window that opened last. */
  readonly late: EditorWindow;
  /** When the first two windows had the session, with a token that's soon to be refreshed. */
  readonly sharedAt: number;
  /** The token may expire before the refresh that the kill cost is made up for. */
  readonly gap: Span;
  readonly endedAt: number;
  /** The refreshes that brought tokens, in the order of their arrival. */
  readonly refreshes: readonly RecordedRequest[];
  /** What the probes in all windows wrote down. */
  readonly lines: readonly ProbeLine[];
}

/** A time with its first and its last moment. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Declares tests of two open windows that are signed in, one of which is killed.
 * @param startRotations has the service issue their next token, the first one that lives for seconds
 */
export function testRotations(
  scene: () => ProbedScene,
  windows: () => readonly EditorWindow[],
  startRotations: () => Promise<void>,
): void {
  let seen: Seen;

  before('let windows share a session, kill one of them, and open another one late', async () => {
    scene().countAnew();
    scene().service.setAccessTokenTtl(LIFETIME);
    await startRotations();
    seen = await shareSession(scene(), windows());
    const served = answers(seen.lines).length;
    console.log(`      ${seen.refreshes.length} rotations, ${served} tokens served in 3 windows`);
  });

  it('send one request per rotation, with the current token', async () => {
    await scene().checkRequests();
  });

  it('refresh no token before it is due', () => {
    const starts = seen.refreshes.map(({ at }) => at);
    const soonest = Math.min(...starts.slice(1).map((at, index) => at - (starts[index] ?? 0)));
    assert.ok(soonest > LIFETIME * 1000 * EARLIEST_PART, `a refresh came ${soonest} ms after the one before`);
  });

  it('answer every question, at the latest after they have made up for the death of one of them', () => {
    const { first, gap, lines } = seen;
    const failed = lines.filter(
      (line) => line.kind === 'failed' && line.pid !== first.extensionHost && !isWithin(gap, line.at),
    );
    assert.deepEqual(failed, []);
  });

  it('serve no token that had been replaced before it was asked for', () => {
    const { gap, endedAt, lines, refreshes } = seen;
    const deaths = refreshes.map(deathOfReplacedToken);
    const dead = answers(lines).filter(({ asked, served, status, tried }) => {
      const mayHaveDiedMeanwhile = deaths.some(({ from, to }) => to >= asked && from <= tried);
      return served < endedAt && status === 401 && !isWithin(gap, asked) && !mayHaveDiedMeanwhile;
    });
    assert.deepEqual(dead, []);
  });

  it('tell nobody who has a session that there is none', () => {
    const { second, late, sharedAt, endedAt, lines } = seen;
    const survivors = hostsOf([second, late]);
    const withoutSession = answers(lines).filter(
      ({ pid, asked, status }) =>
        survivors.includes(pid) && asked > sharedAt && asked < endedAt && status === undefined,
    );
    // A window that has just opened doesn't have the session yet.
    assert.ok(withoutSession.every(({ pid }) => pid === late.extensionHost));
  });

  it('tell of each rotation with one event', () => {
    const { second, sharedAt, lines, refreshes } = seen;
    const events = lines.filter(
      (line) => line.kind === 'event' && line.pid === second.extensionHost && line.at > sharedAt,
    ).length;
    const rotations = refreshes.filter(({ at }) => at > sharedAt).length;
    assert.ok(Math.abs(events - rotations) <= UNCERTAIN_EVENTS, `${events} events of ${rotations} rotations`);
  });
}

/** Of windows that share a session, the first is killed while a token is refreshed, and later a third one opens. */
async function shareSession(scene: ProbedScene, windows: readonly EditorWindow[]): Promise<Seen> {
  const [first, second] = windows;
  assert.ok(first && second);
  await scene.untilAnswered('a token', hostsOf([first, second]));
  const sharedAt = Date.now();
  await scene.rotations(ROTATIONS);

  const killedAt = await scene.kill(first.extensionHost);
  await scene.rotations(1);
  await scene.untilAnswered('a token', hostsOf([second]));
  const gap = { from: killedAt, to: Date.now() };
  await scene.rotations(ROTATIONS);

  const late = await scene.open();
  await scene.untilAnswered('a token', hostsOf([second, late]));
  await scene.rotations(ROTATIONS);
  const endedAt = Date.now();

  await scene.untilNoRefresh();
  const refreshes = scene.service.record
    .of('refresh')
    .filter(({ at, result }) => at > sharedAt && result?.issued !== undefined);
  await until('the last rotation to be told', async () => {
    const [told] = await scene.events(second, refreshes.at(-1)?.at ?? 0);
    return told !== undefined;
  });
  const lines = (await scene.probed()).filter((line) => (line.kind === 'asked' ? line.asked : line.at) > sharedAt);
  return { first, second, late, sharedAt, gap, endedAt, refreshes, lines };
}

/** When the token that a refresh replaced may have died: at some moment between the arrival of the refresh and its response. */
function deathOfReplacedToken({ at, monotonicAt, result }: RecordedRequest): Span {
  const respondedAt = at + (result?.monotonicAt ?? monotonicAt) - monotonicAt;
  return { from: at - CLOCK_TOLERANCE, to: respondedAt + CLOCK_TOLERANCE };
}

function isWithin({ from, to }: Span, at: number): boolean {
  return at >= from && at <= to;
}

function hostsOf(windows: readonly EditorWindow[]): readonly number[] {
  return windows.map(({ extensionHost }) => extensionHost);
}
