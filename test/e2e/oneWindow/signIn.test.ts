import assert from 'node:assert/strict';
import { until } from '../../../host/until';
import { EXAMPLE_CODE, EXAMPLE_PAGE, giveExampleCode } from '../../../scripts/scene/exampleCode';
import {
  approveSignIn,
  CODE_MESSAGE,
  CODE_STATUS,
  signOut as signOutByCommand,
  userCodeIn,
  untilSignedIn,
} from '../../../scripts/scene/person';
import { codeButtons } from '../../../src/vscode/signin/codeMessage';
import { createTexts } from '../../../src/vscode/texts/texts';
import { english } from '../../unit/vscode/english';
import { useScene } from '../../../scripts/scene/useScene';

const EXPIRED = /^The code expired before you confirmed it/;

/** Guards that a person gets to the end of a sign-in if VS Code shows no notifications, opens no browser, or time runs out. */
describe('a sign-in that meets an obstacle', () => {
  const { scene, workbench } = useScene();
  const picture = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/experience-${name}`);

  /** Begins a sign-in and resolves with the code in the status bar. */
  async function begin(): Promise<string> {
    await workbench().runCommand('Device Flow: Sign In');
    return userCodeIn(await workbench().statusBarItem(CODE_STATUS));
  }

  /** Waits until the extension has no item in the status bar. */
  async function noSignIn(): Promise<void> {
    const ours = workbench().page.locator('.statusbar-item[id^="device-flow.device-flow-authentication"]');
    await until('the status bar to be quiet', async () => (await ours.count()) === 0);
  }

  async function signOut(): Promise<void> {
    await signOutByCommand(workbench());
    await workbench().notifications.take(/^Signed out of /);
  }

  it('keeps the code available if notifications are turned off', async () => {
    await workbench().runCommand('Notifications: Toggle Do Not Disturb Mode');
    const code = await begin();
    assert.deepEqual(await workbench().notifications.list(), []);
    await workbench().runCommand('Device Flow: Copy Code');
    await until('the code in the clipboard', async () => (await workbench().clipboard()) === code);
    assert.deepEqual(await workbench().notifications.list(), [], 'nor later');
    await picture('do-not-disturb');
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await noSignIn();
    // Otherwise, those that came meanwhile keep the next one from popping up.
    await workbench().runCommand('Notifications: Clear All Notifications');
    await workbench().runCommand('Notifications: Toggle Do Not Disturb Mode');
  });

  it('keeps the code in sight if no browser is opened, and offers the QR code, and the address to copy', async () => {
    giveExampleCode(scene().service);
    assert.equal(await begin(), EXAMPLE_CODE);
    await workbench().notifications.click(CODE_MESSAGE, 'Open browser');
    await workbench().dialog.answer(/external website/, 'Cancel');
    await workbench().statusBarItem(/^The browser didn’t open\. Open the address in any browser, on any device\.$/);
    // Right after a dialog, VS Code often lists a message in the notification centre without letting it pop up.
    await workbench().notifications.toggleCentre();
    const { text, buttons } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.match(text, /^Your code is ABCD-1234\. Enter it at https:\/\/service\.example\/activate /);
    assert.deepEqual(buttons, codeButtons(createTexts(english, 'en'), true));
    await picture('no-browser');
    await workbench().notifications.toggleCentre();
    await workbench().clickStatusBarItem(new RegExp(EXAMPLE_CODE));
    await workbench().quickInput.enter('Copy Address');
    await until('the address in the clipboard', async () => (await workbench().clipboard()) === EXAMPLE_PAGE);
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await noSignIn();
  });

  it('says that a code expired, and offers a new one', async () => {
    giveExampleCode(scene().service, 2);
    await workbench().runCommand('Device Flow: Sign In');
    const { buttons } = await workbench().notifications.waitFor(EXPIRED);
    assert.deepEqual(buttons, ['Get a new code']);
    await noSignIn();
    await picture('expired');
    await workbench().notifications.click(EXPIRED, 'Get a new code');
    await approveSignIn(workbench(), scene().service);
    await untilSignedIn(workbench());
    await noSignIn();
    await signOut();
  });
});
