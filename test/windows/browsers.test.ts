import assert from 'node:assert/strict';
import type { EditorWindow } from '../../host/browser';
import { until } from '../../host/until';
import { describeServer } from '../../host/versions';
import { answerQuestions, CODE_MESSAGE, FIRST_ACCOUNT, signOut, userCodeIn } from '../../scripts/scene/person';
import { queryStore, storedNames } from '../support/storedRows';
import { tellAsOneStory } from '../support/story';
import { useProbedScene, version } from './probedScene';

const RELOAD = /^This window can’t share sign-ins with other windows yet\. /;
/** Lifetime of an access token in seconds: short, so that some seconds see some rotations. */
const LIFETIME = 3;

/** Guards what's different if the windows are in browsers: keys, other browsers, and tabs that die. */
describe(`browsers on one server of ${describeServer(version)}`, () => {
  tellAsOneStory();
  const scene = useProbedScene(LIFETIME);
  let early: EditorWindow;
  let first: EditorWindow;

  const picture = (name: string, { workbench }: EditorWindow): Promise<void> =>
    workbench.screenshot(`${version.name}/windows-${name}`);
  const keys = (): Promise<string[]> => storedNames(scene().data.storage, 'key/');

  /** Waits for the extension host that starts next. */
  function nextHost(): Promise<number> {
    const before = scene().server.extensionHosts();
    const found = (pid: number): boolean => !before.includes(pid);
    return until('another extension host', () => scene().server.extensionHosts().find(found));
  }

  /** Opens a window whose extension host does nothing yet, as on a machine that is busy. */
  async function openStopped(): Promise<EditorWindow> {
    const stopped = nextHost().then((pid) => process.kill(pid, 'SIGSTOP'));
    const [window] = await Promise.all([scene().open(), stopped]);
    return window;
  }

  before('open the windows', async () => {
    early = await openStopped();
    assert.deepEqual(await keys(), [], 'there is no key yet');
    first = await scene().open();
    await until('the first window to make the key', async () => (await keys()).length === 1);
  });

  it('a window that was open before the key asks for a reload, and serves after it', async () => {
    process.kill(early.extensionHost, 'SIGCONT');
    await scene().signIn(first);
    await scene().untilAnswered('a token', [first.extensionHost]);
    const { buttons } = await early.workbench.notifications.waitFor(RELOAD);
    assert.deepEqual(buttons, ['Reload Window']);
    await picture('reload', early);
    assert.equal((await keys()).length, 1, 'it made no key of its own');
    assert.ok(
      !(await scene().probed()).some(
        (line) => line.kind === 'asked' && line.pid === early.extensionHost && line.status !== undefined,
      ),
    );

    const [reloaded] = await Promise.all([nextHost(), early.workbench.notifications.click(RELOAD, 'Reload Window')]);
    await early.workbench.waitUntilDrawn(60_000);
    await scene().untilAnswered('a token', [first.extensionHost, reloaded]);
    await early.workbench.accounts.waitFor(FIRST_ACCOUNT);
    assert.deepEqual(await early.workbench.notifications.list(), []);
    await picture('reloaded', early);
    await scene().checkRequests();
  });

  it('another browser has a key and a sign-in of its own, and neither disturbs the other', async () => {
    // A window that opens within a minute of the making of a key can't know that it's another browser's.
    const longAgo = "UPDATE row SET text = json_set(text, '$.writtenAt', 0) WHERE name GLOB 'key/*' RETURNING name";
    assert.equal((await queryStore(scene().data.storage, longAgo)).length, 1);
    const other = await scene().newProfile();
    const stranger = await scene().open(other);
    await scene().untilAnswered('no session', [stranger.extensionHost]);
    await scene().signIn(stranger);
    await scene().untilAnswered('a token', [first.extensionHost, stranger.extensionHost]);
    assert.equal((await keys()).length, 2);
    await scene().rotations(4);
    await scene().untilAnswered('a token', [first.extensionHost, stranger.extensionHost]);
    await scene().checkRequests();
    const sessions = new Set(
      scene()
        .service.record.of('refresh')
        .slice(-4)
        .map(({ token }) => token?.session),
    );
    assert.deepEqual([...sessions].sort(), [1, 2], 'both are refreshed');
    await signOut(stranger.workbench);
    await scene().untilAnswered('no session', [stranger.extensionHost]);
    await scene().untilAnswered('a token', [first.extensionHost]);
    await stranger.close();
    await other.close();
  });

  it("the only window that's reloaded during its request stores the response before it closes", async () => {
    const { service } = scene();
    await early.close();
    await until('one window to be left', () => scene().server.extensionHosts().length === 1);
    const { resentRefreshTokens } = service.counts();
    const delay = service.faults.switchOn('refresh', { kind: 'delay', when: 'after', milliseconds: 1_500 });
    await delay.reached();
    const [reloaded] = await Promise.all([nextHost(), first.workbench.reload()]);
    await scene().untilAnswered('a token', [reloaded]);
    await scene().rotations(1);
    assert.equal(service.counts().resentRefreshTokens, resentRefreshTokens, 'the answer was not lost');
    await scene().checkRequests();
  });

  it('an extension host whose tab died keeps refreshing, and others continue from there, and stores the tokens of the sign-in that it began', async () => {
    const { server, service } = scene();
    const code = await beginAnother(first);
    const [host = 0, ...others] = server.extensionHosts();
    assert.deepEqual(others, []);
    await scene().crash(first);
    await scene().rotations(2);
    assert.ok(server.extensionHosts().includes(host), 'the extension host of the dead tab lives');
    const last = await scene().open();
    await scene().untilAnswered('a token', [last.extensionHost]);
    assert.equal(service.approve(code), undefined);
    await last.workbench.accounts.waitFor(/^Grace /);
    assert.ok(server.extensionHosts().includes(host));
    await picture('continued', last);
    await scene().kill(host);
    await scene().rotations(2);
    await scene().untilAnswered('a token', [last.extensionHost]);
    await scene().checkRequests();
  });
});

/** Begins a sign-in to another account, and resolves with its code. */
async function beginAnother({ workbench }: EditorWindow): Promise<string> {
  await workbench.runCommand('Device Flow: Show Status');
  await workbench.quickInput.pick('Sign In to Another Account');
  await answerQuestions(workbench, ['Enter a display name for the account', 'Grace']);
  return userCodeIn((await workbench.notifications.waitFor(CODE_MESSAGE)).text);
}
