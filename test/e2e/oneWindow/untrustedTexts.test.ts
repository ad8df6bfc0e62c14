import assert from 'node:assert/strict';
import { until } from '../../../host/until';
import { CODE_MESSAGE } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';

const VERIFICATION = 'https://service.example/activate';

/** A device-code answer that is right but for these fields. It's never polled with, because the service doesn't know it. */
function deviceCode(fields: Readonly<Record<string, unknown>>): string {
  const right = { code: 'not a real device code', user_code: 'ABCD-1234', verification_uri: VERIFICATION };
  return JSON.stringify({ ...right, expires_in: 600, interval: 600, ...fields });
}

/** An error with links in its code, which is short enough for one, and in its description. */
const REFUSAL = JSON.stringify({
  error: '[invalid](command:workbench.view.scm)',
  error_description: 'Your account is locked. [Unlock](https://other.example) $(alert)',
});

/** Guards that VS Code shows what a service sends as mere text. */
describe('hostile texts', () => {
  const { scene, workbench } = useScene();
  it('make no more than a plain sentence', async () => {
    const told = /^Demo Service didn’t accept the request \(HTTP 400\)\./;
    scene().service.faults.switchOn('device code', { kind: 'respond', status: 400, body: REFUSAL });
    await workbench().runCommand('Device Flow: Sign In');
    const message = await workbench().notifications.waitFor(told);
    assert.equal(await workbench().page.locator('.notification-list-item-message a').count(), 0);
    assert.equal(await workbench().page.locator('.notification-list-item-message .codicon').count(), 0);
    assert.doesNotMatch(message.text, /\p{Cc}|\p{Cf}/u);
    await workbench().screenshot('hostile/text-refusal');
    await workbench().notifications.take(told);
  });

  it('show an address with brackets as an address, not as a link', async () => {
    const { faults } = scene().service;
    const verification_uri = `${VERIFICATION}/[x](command:workbench.action.closeWindow)`;
    faults.switchOn('device code', { kind: 'respond', status: 200, body: deviceCode({ verification_uri }) });
    await workbench().runCommand('Device Flow: Sign In');
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.ok(text.includes('%28command:workbench.action.closeWindow%29'));
    assert.equal(
      await workbench().page.locator('.notification-list-item-message a[href^="command:workbench"]').count(),
      0,
    );
    await workbench().screenshot('hostile/text-brackets');
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await workbench().statusBarItem(/The sign-in was canceled/);
  });
});

describe('a wrong setting', () => {
  const { scene, workbench } = useScene();

  it('is refused by name, with a button that leads to it', async () => {
    const told = /^The deviceFlow\.services\[0\]\.verificationUrl setting is invalid\. Enter a web address/;
    const before = scene().service.requests.length;
    await scene().configure({ verificationUrl: '[Click](command:workbench.action.closeWindow)' });
    await workbench().runCommand('Device Flow: Sign In');
    const message = await workbench().notifications.waitFor(told);
    assert.ok(message.buttons.includes('Open Settings'));
    assert.equal(await workbench().page.locator('.notification-list-item-message a').count(), 0);
    await workbench().screenshot('hostile/setting');
    await workbench().notifications.click(told, 'Open Settings');
    const search = workbench().page.locator('.settings-editor .settings-header .view-lines');
    await until('the settings to be searched for it', async () => (await search.innerText()).includes('services'));
    await workbench().page.locator('.settings-editor', { hasText: '1 Setting Found' }).waitFor();
    await workbench().screenshot('hostile/setting-opened');
    assert.equal(scene().service.requests.length, before);
  });
});
