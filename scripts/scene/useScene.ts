import { type Browser, launchBrowser } from '../../host/browser';
import { keepWhatFailed } from '../../host/failed';
import { endWithChildren } from '../../host/processes';
import { type Scene, type SceneOptions, setScene, type Standing } from './scene';
import type { Workbench } from '../../host/workbench';
import { signOutOfAll } from './person';

/** The scene of all suites that need nothing of their own, which take turns in its window. */
let common: Standing | undefined;
let browser: Promise<Browser> | undefined;

// Mocha ends without a word when it is told to; servers and browsers must not stay behind.
endWithChildren();

after('clear away what suites had in common', async () => {
  await common?.cleanUp.run();
  await (await browser)?.close();
});

/**
 * Sets a scene before the tests of the suite that calls it, and clears it away after them. If a test failed, pictures of
 * all windows and the log are left in the artifacts.
 *
 * @param options of a scene of its own; if left out, the suite finds one that others have used, tidied up
 * @returns what gives a test the scene, and its first window
 */
export function useScene(options?: SceneOptions): {
  readonly scene: () => Scene;
  readonly workbench: () => Workbench;
} {
  let current: Standing | undefined;
  let failed = false;

  before('set the scene', async () => {
    // One browser is enough for all scenes: each has a profile of its own.
    const chromium = await (browser ??= launchBrowser());
    if (options === undefined && common !== undefined && !(await tidyUp(common.scene))) {
      await common.cleanUp.run();
      common = undefined;
    }
    current = options === undefined ? (common ??= await setScene(chromium, {})) : await setScene(chromium, options);
  });
  afterEach('keep what failed', async function () {
    if (this.currentTest?.state !== 'failed') return;
    failed = true;
    if (current !== undefined) await keepWhatFailed(this.currentTest.fullTitle(), current.scene.remains);
  });
  after('keep what a suite left that could not begin', async function () {
    const suite = this.test?.parent;
    if (suite === undefined || current === undefined || hasRunTests(suite)) return;
    failed = true;
    await keepWhatFailed(suite.fullTitle(), current.scene.remains);
  });
  after('leave the scene', async () => {
    if (current === undefined || (current === common && !failed)) return;
    if (current === common) common = undefined;
    await current.cleanUp.run();
  });

  const scene = (): Scene => {
    if (current === undefined) throw new Error('The scene is set before the first test, not earlier.');
    return current.scene;
  };
  return { scene, workbench: () => scene().workbench };
}

/** False if a hook before the first test failed: then Mocha runs none of the suite's tests. */
function hasRunTests(suite: Mocha.Suite): boolean {
  let hasRun = false;
  suite.eachTest(({ state }) => {
    hasRun ||= state !== undefined;
  });
  return hasRun;
}

/** Makes all as it was when the first window had opened: nobody is signed in, and nothing else is open. False if it can't. */
async function tidyUp({ isChanged, service, workbench }: Scene): Promise<boolean> {
  if (isChanged) return false;
  service.faults.clear();
  try {
    await signOutOfAll(workbench);
    if (await workbench.page.locator('.tabs-container .tab').first().isVisible()) {
      await workbench.runCommand('View: Close All Editors');
    }
    await workbench.clearNotifications();
    return true;
  } catch (error) {
    console.error('A scene could not be tidied up for this suite, which gets another one.', error);
    return false;
  }
}
