import assert from 'node:assert/strict';
import { until } from '../../../host/until';
import { EXAMPLE_CODE, giveExampleCode } from '../../../scripts/scene/exampleCode';
import {
  CODE_MESSAGE,
  CODE_PROGRESS,
  signOut as signOutByCommand,
  userCodeIn,
  untilNoSignIn,
  untilSignedIn,
} from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';

const EXPIRED = /^The code expired before you confirmed it/;

/** Guards that a person gets to the end of a sign-in if VS Code shows no notifications, opens no browser, or time runs out. */
describe('a sign-in that meets an obstacle', () => {
  const { scene, workbench } = useScene();
  const picture = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/experience-${name}`);

  const signIn = (): Promise<void> => workbench().runCommand('Device Flow: Sign In');

  async function signOut(): Promise<void> {
    await signOutByCommand(workbench());
    await workbench().notifications.take(/^You signed out of /);
  }

  it('shows the code in the status bar if notifications are turned off', async () => {
    await workbench().runCommand('Notifications: Toggle Do Not Disturb Mode');
    await signIn();
    const code = userCodeIn(await workbench().statusBarItem(CODE_PROGRESS));
    assert.deepEqual(await workbench().notifications.list(), []);
    await workbench().runCommand('Device Flow: Copy Code');
    await until('the code in the clipboard', async () => (await workbench().clipboard()) === code);
    assert.deepEqual(await workbench().notifications.list(), [], 'nor later');
    await picture('do-not-disturb');
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await untilNoSignIn(workbench());
    // Otherwise, those that came meanwhile keep the next one from popping up.
    await workbench().runCommand('Notifications: Clear All Notifications');
    await workbench().runCommand('Notifications: Toggle Do Not Disturb Mode');
  });

  it('says in the progress that no browser was opened, and keeps the code in sight, with all that can be done', async () => {
    giveExampleCode(scene().service);
    await signIn();
    const { text, buttons } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.match(text, /^Your code is ABCD-1234\. Enter it at https:\/\/service\.example\/activate /);
    assert.deepEqual(buttons, ['Open browser', 'Copy code', 'Show QR code']);
    await picture('message');
    await workbench().notifications.click(CODE_MESSAGE, 'Open browser');
    await workbench().dialog.answer(/external website/, 'Cancel');
    const noBrowser = /^ABCD-1234: The browser didn’t open\. Enter this code at https:\/\/service\.example\/activate /;
    const progress = await workbench().notifications.waitFor(noBrowser);
    assert.ok(progress.text.endsWith('Open Browser · Copy Code · Show QR Code'), progress.text);
    assert.deepEqual(progress.buttons, ['Cancel']);
    await picture('no-browser');
    await workbench().notifications.follow(CODE_PROGRESS, 'Copy Code');
    await until('the code in the clipboard', async () => (await workbench().clipboard()) === EXAMPLE_CODE);
    await workbench().notifications.click(CODE_PROGRESS, 'Cancel');
    await untilNoSignIn(workbench());
  });

  it('follows with a progress that says that the code is copied, which stays in the status bar if it’s hidden', async () => {
    giveExampleCode(scene().service);
    await signIn();
    await workbench().notifications.click(CODE_MESSAGE, 'Copy code');
    const copied = /^ABCD-1234: Code copied\. Paste it at https:\/\/service\.example\/activate /;
    await workbench().notifications.waitFor(copied);
    assert.equal(await workbench().clipboard(), EXAMPLE_CODE);
    const shown = (await workbench().notifications.list()).map((one) => one.text);
    assert.deepEqual(
      shown.filter((one) => CODE_MESSAGE.test(one)),
      [],
      'the message is answered',
    );
    await picture('copied');
    // Who opens the notification center, and closes it, has hidden what was there.
    await workbench().notifications.toggleCentre();
    await picture('center');
    await workbench().notifications.toggleCentre();
    const item = await workbench().statusBarItem(CODE_PROGRESS);
    assert.equal(userCodeIn(item), EXAMPLE_CODE);
    await picture('hidden-progress');
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await untilNoSignIn(workbench());
  });

  it('says that a code expired, and offers a new one, which is in no second message', async () => {
    giveExampleCode(scene().service, 2);
    await signIn();
    const { buttons } = await workbench().notifications.waitFor(EXPIRED);
    assert.deepEqual(buttons, ['Get a new code']);
    await picture('expired');
    await workbench().notifications.click(EXPIRED, 'Get a new code');
    const { text } = await workbench().notifications.waitFor(CODE_PROGRESS);
    const codes = (await workbench().notifications.list())
      .map((one) => one.text)
      .filter((one) => CODE_MESSAGE.test(one));
    assert.deepEqual(codes.map(userCodeIn), codes.length === 0 ? [] : [EXAMPLE_CODE]);
    await picture('new-code');
    assert.equal(scene().service.approve(userCodeIn(text)), undefined);
    await untilSignedIn(workbench());
    await untilNoSignIn(workbench());
    await signOut();
  });
});
