import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { until } from '../../scripts/host/until';
import { EXAMPLE_CODE, EXAMPLE_PAGE, giveExampleCode } from '../../scripts/scene/exampleCode';
import {
  approveSignIn,
  CODE_MESSAGE,
  signOut as signOutByCommand,
  STATUS,
  userCodeIn,
} from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';

const GOES_ON = /^Your sign-in to Sample Service continues in this window\./;
const EXPIRED = /^The code expired before you confirmed it/;
const NO_BROWSER = /^No browser was opened\./;
const SIGNED_IN = /^Signed in to Sample Service/;

/** Guards that a sign-in ends well in the real editor, whatever happens while it waits for the person. */
describe('signing in, whatever happens meanwhile', () => {
  const { scene, workbench } = useScene();
  const picture = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/experience-${name}`);

  /** Begins a sign-in and resolves with the code in the status bar. */
  async function begin(): Promise<string> {
    await workbench().runCommand('Device Flow: Sign In');
    return userCodeIn(await workbench().statusBarItem(STATUS));
  }

  /** Waits until the extension has no item in the status bar. */
  async function noSignIn(): Promise<void> {
    const ours = workbench().page.locator('.statusbar-item[id^="device-flow.device-flow-authentication"]');
    await until('the status bar to be quiet', async () => (await ours.count()) === 0);
  }

  async function signOut(): Promise<void> {
    await workbench().notifications.dismiss(SIGNED_IN);
    await signOutByCommand(workbench());
    await workbench().notifications.take(/^Signed out of /);
  }

  it('spells out the code for screen readers, and shows the address as a QR code for a phone', async () => {
    giveExampleCode(scene().service);
    const code = await begin();
    const spoken = Array.from(code, (letter) => (letter === '-' ? 'dash' : letter)).join(', ');
    const item = workbench().page.getByRole('button', {
      name: `Signing in to Sample Service. The code is ${spoken}.`,
    });
    await item.first().waitFor();
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.equal(userCodeIn(text), code);
    await workbench().clickStatusBarItem(/-.* · /);
    await workbench().quickInput.waitUntilOpen();
    await picture('menu');
    await workbench().quickInput.pick('Show QR Code');
    const page = workbench().page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
    await page.getByRole('img', { name: `QR code for ${EXAMPLE_PAGE}` }).waitFor();
    assert.match(await page.locator('body').innerText(), new RegExp(code));
    await picture('qr-code');
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await noSignIn();
    await page.locator('svg').waitFor({ state: 'detached' });
  });

  it('keeps the code available if notifications are turned off', async () => {
    await workbench().runCommand('Notifications: Toggle Do Not Disturb Mode');
    const code = await begin();
    assert.deepEqual(await workbench().notifications.list(), []);
    await workbench().runCommand('Device Flow: Copy User Code');
    await until('the code in the clipboard', async () => (await workbench().clipboard()) === code);
    assert.deepEqual(await workbench().notifications.list(), [], 'nor later');
    await picture('do-not-disturb');
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await noSignIn();
    // Otherwise, those that came meanwhile keep the next one from popping up.
    await workbench().runCommand('Notifications: Clear All Notifications');
    await workbench().runCommand('Notifications: Toggle Do Not Disturb Mode');
  });

  it('offers the address to copy and the QR code if no browser is opened', async () => {
    giveExampleCode(scene().service);
    assert.equal(await begin(), EXAMPLE_CODE);
    await workbench().notifications.click(CODE_MESSAGE, 'Open browser');
    await workbench().dialog.answer(/external website/, 'Cancel');
    const { text, buttons } = await workbench().notifications.waitFor(NO_BROWSER);
    assert.match(text, /Open https:\/\/service\.example\/activate in any browser, .* enter the code ABCD-1234 /);
    assert.deepEqual(buttons, ['Show QR code', 'Copy address', 'Copy code']);
    await picture('no-browser');
    await workbench().notifications.click(NO_BROWSER, 'Copy address');
    await until('the address in the clipboard', async () => (await workbench().clipboard()) === EXAMPLE_PAGE);
    await workbench().notifications.take(NO_BROWSER);
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await noSignIn();
  });

  it('says that a code expired, and continues with a new one', async () => {
    giveExampleCode(scene().service, 2);
    await workbench().runCommand('Device Flow: Sign In');
    const { buttons } = await workbench().notifications.waitFor(EXPIRED);
    assert.deepEqual(buttons, ['Get a new code']);
    await noSignIn();
    await picture('expired');
    await workbench().notifications.click(EXPIRED, 'Get a new code');
    await approveSignIn(workbench(), scene().service);
    await workbench().notifications.waitFor(SIGNED_IN);
    await noSignIn();
    await signOut();
  });

  it('continues with the same code after the window was reloaded', async () => {
    const code = await begin();
    const requests = scene().service.counts.requests['device code'];
    const storage = scene().data.storage;
    await until('the sign-in to be saved', async () => (await readdir(storage)).includes('pendingSignIn.json'));
    await workbench().reload();
    const { text } = await workbench().notifications.waitFor(GOES_ON);
    assert.equal(userCodeIn(text), code);
    await picture('reloaded');
    assert.equal(scene().service.approve(code), undefined);
    await workbench().notifications.waitFor(SIGNED_IN);
    assert.equal(scene().service.counts.requests['device code'], requests);
    assert.equal(scene().service.counts.earlyPolls, 0);
    await signOut();
  });

  it('ends well when the machine slept while it waited', async () => {
    const code = await begin();
    const [host] = scene().server.extensionHosts().slice(-1);
    assert.ok(host !== undefined);
    process.kill(host, 'SIGSTOP');
    try {
      assert.equal(scene().service.approve(code), undefined);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    } finally {
      process.kill(host, 'SIGCONT');
    }
    await workbench().notifications.waitFor(SIGNED_IN);
    await noSignIn();
    assert.equal(scene().service.counts.earlyPolls, 0);
    await signOut();
  });

  it('runs in two windows at once, each with a code of its own, and each ends with an account', async () => {
    const { service } = scene();
    const window = await scene().openWindow();
    const other = window.workbench;
    const first = await begin();
    await other.runCommand('Device Flow: Sign In');
    const second = userCodeIn(await other.statusBarItem(STATUS));
    assert.notEqual(first, second);
    assert.equal(service.approve(first), undefined);
    await workbench().notifications.waitFor(/^Signed in to Sample Service\.$/);
    await noSignIn();
    assert.equal(userCodeIn(await other.statusBarItem(STATUS)), second, 'the other sign-in goes on');
    assert.equal(service.approve(second), undefined);
    await other.notifications.waitFor(/^Signed in to Sample Service as Sample Service \(2\)\.$/);
    for (const { accounts } of [workbench(), other]) {
      await accounts.waitFor(/^Sample Service \(Sample Service\)$/);
      await accounts.waitFor(/^Sample Service \(2\) \(Sample Service\)$/);
    }
    assert.equal(service.counts.earlyPolls, 0);
    await window.close();
  });
});
