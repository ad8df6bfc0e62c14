import assert from 'node:assert/strict';
import { approveSignIn, FIRST_ACCOUNT, signOut, takeCode, untilNoSignIn } from '../../../scripts/scene/person';
import type { EditorWindow } from '../../../host/browser';
import { until } from '../../../host/until';
import { describeServer, OLDEST } from '../../../host/versions';
import { useProbedScene, version } from '../probedScene';
import { testRotations } from '../rotations';

const ENDED = /^You’ve been signed out of .*the service ended the session/;
/** Other windows know of a change by then. Milliseconds. */
const SPREAD = 1_000;

/**
 * Guards that several windows of the real editor show one session, and change together; and, in the oldest, that they share one
 * rotating token, and survive each other's death.
 */
describe(`a session in two windows of ${describeServer(version)}`, () => {
  const scene = useProbedScene();
  const windows: EditorWindow[] = [];
  let hosts: readonly number[];

  const picture = (name: string, { workbench }: EditorWindow): Promise<void> =>
    workbench.screenshot(`${version.name}/windows-${name}`);
  const nth = (index: number): EditorWindow => {
    const window = windows[index];
    if (window === undefined) throw new Error('There is no such window.');
    return window;
  };

  /** Waits until each window's consumers were told once since a moment, and checks that all were within a second. */
  async function toldOnce(since: number): Promise<void> {
    const told = await until('every window to be told', async () => {
      const events = await Promise.all(windows.map((window) => scene().events(window, since)));
      return events.every(({ length }) => length > 0) ? events.map(([first]) => first ?? 0) : undefined;
    });
    const spread = Math.max(...told) - Math.min(...told);
    assert.ok(spread < SPREAD, `the last window was told ${spread} ms after the first`);
    console.log(`      the last window was told ${spread} ms after the first`);
  }

  /** Checks that there was one event in each of these windows. */
  async function oneEventEach(since: number, among = windows): Promise<void> {
    const events = await Promise.all(among.map((window) => scene().events(window, since)));
    assert.deepEqual(
      events.map(({ length }) => length),
      among.map(() => 1),
    );
  }

  before('open the windows', async () => {
    for (let opened = 0; opened < 2; opened++) {
      const window = await scene().open();
      // A window that opens while another makes the key would have to be reloaded.
      await scene().untilAnswered('no session', [window.extensionHost]);
      windows.push(window);
    }
    hosts = windows.map(({ extensionHost }) => extensionHost);
  });

  it('shows in all of them within a second of the sign-in, in menus too', async () => {
    const goOn = await pause(nth(1));
    const since = Date.now();
    await scene().signIn(nth(0));
    await toldOnce(since);
    await goOn();
    await scene().untilAnswered('a token', hosts);
    for (const { workbench } of windows) await workbench.accounts.waitFor(FIRST_ACCOUNT);
    for (const { workbench } of windows) await until('no badge', async () => (await workbench.accounts.badge()) === 0);
    // If the person allowed an extension to use the account, VS Code tells of that, too.
    await oneEventEach(since, windows.slice(1));
    await picture('signed-in', nth(1));
  });

  it('is refreshed once if a hundred callers report its token at once', async () => {
    const { service } = scene();
    const since = Date.now();
    const before = service.counts().requests.refresh;
    await nth(1).workbench.runCommand('Probe: Report Rejected Token');
    const reported = await until('the reports to be answered', async () =>
      (await scene().probed()).find((line) => line.kind === 'reported'),
    );
    assert.deepEqual([...new Set(reported.answers)], [true]);
    assert.equal(reported.answers.length, 100);
    assert.equal(service.counts().requests.refresh - before, 1);
    await toldOnce(since);
    await scene().untilAnswered('a token', hosts);
    // Asked once more: a second event would have come by then.
    await scene().untilAnswered('a token', hosts);
    await oneEventEach(since);
  });

  it('is gone from all of them within a second of the sign-out, from menus too, with one event each', async () => {
    const goOn = await pause(nth(0));
    const since = Date.now();
    await signOut(nth(1).workbench);
    await toldOnce(since);
    await goOn();
    await scene().untilAnswered('no session', hosts);
    for (const { workbench } of windows) await workbench.accounts.waitUntilGone(FIRST_ACCOUNT);
    await oneEventEach(since);
    // Who has just signed out isn't asked to sign in again, in no window.
    for (const { workbench } of windows) assert.equal(await workbench.accounts.badge(), 0);
    await picture('signed-out', nth(0));
  });

  it('shows in all of them after a sign-in by the command, with one event each, and ends the one that another window began', async () => {
    const waiting = nth(0).workbench;
    await waiting.runCommand('Device Flow: Sign In');
    await takeCode(waiting);
    const since = Date.now();
    await nth(1).workbench.runCommand('Device Flow: Sign In');
    await approveSignIn(nth(1).workbench, scene().service);
    await toldOnce(since);
    await untilNoSignIn(waiting);
    await scene().untilAnswered('a token', hosts);
    for (const { workbench } of windows) await workbench.accounts.waitFor(FIRST_ACCOUNT);
    await oneEventEach(since);
  });

  it('that the service ended is served by none, and one window tells why, with a way to sign in', async () => {
    const since = Date.now();
    scene().service.revoke(2, 'both');
    await nth(0).workbench.runCommand('Probe: Report Rejected Token');
    await scene().untilAnswered('no session', hosts);
    await toldOnce(since);
    const telling = await until('a window to tell the person', async () => {
      const told = await Promise.all(windows.map(tellsOfTheEnd));
      return told.includes(true) ? told : undefined;
    });
    assert.deepEqual(telling, [true, false], 'the window that learned it tells it');
    for (const { workbench } of windows) await workbench.accounts.waitUntilGone(FIRST_ACCOUNT);
    await picture('ended', nth(0));
    await picture('ended-elsewhere', nth(1));
    // In the centre, as what popped up may have gone by now.
    await nth(1).workbench.notifications.toggleCentre();
    assert.equal(await tellsOfTheEnd(nth(1)), false);
    await nth(1).workbench.notifications.toggleCentre();

    await nth(0).workbench.notifications.click(ENDED, 'Sign In');
    await approveSignIn(nth(0).workbench, scene().service);
    await scene().untilAnswered('a token', hosts);
    for (const { workbench } of windows) await workbench.accounts.waitFor(FIRST_ACCOUNT);
  });

  // Many processes rotate a token, and die, in the tests of the rotation, too, so that one version is enough here.
  if (version === OLDEST) {
    describe('whose tokens live for seconds', () => {
      testRotations(
        scene,
        () => windows,
        async () => {
          await nth(1).workbench.runCommand('Probe: Report Rejected Token');
          await scene().rotations(1);
          await scene().untilAnswered('a token', hosts);
        },
      );
    });
  }
});

/** Lets nobody ask for sessions in a window any more: it learns of changes by itself. Returns how to go on. */
async function pause({ workbench }: EditorWindow): Promise<() => Promise<void>> {
  await workbench.runCommand('Probe: Pause');
  return () => workbench.runCommand('Probe: Go On');
}

async function tellsOfTheEnd({ workbench }: EditorWindow): Promise<boolean> {
  const told = (await workbench.notifications.list()).filter(({ text }) => ENDED.test(text));
  assert.ok(told.every(({ buttons }) => buttons.includes('Sign In')));
  assert.ok(told.length <= 1);
  return told.length === 1;
}
