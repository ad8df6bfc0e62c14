import assert from 'node:assert/strict';
import { until } from '../../../scripts/host/until';
import { CODE_MESSAGE } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';

const VERIFICATION = 'https://service.example/activate';

/** A device-code answer that is right but for these fields. */
function deviceCode(fields: Readonly<Record<string, unknown>>): string {
  const right = { code: 'not a real device code', user_code: 'ABCD-1234', verification_uri: VERIFICATION };
  return JSON.stringify({ ...right, expires_in: 60, interval: 5, ...fields });
}

/** What a service says to the request of a code, and what the person reads. */
interface Case {
  readonly name: string;
  readonly status: number;
  readonly body: string;
  readonly told: RegExp;
}

const REFUSED: readonly Case[] = [
  {
    name: 'a user code with a link to a command',
    status: 200,
    body: deviceCode({ user_code: '[Click here](command:workbench.action.closeWindow)' }),
    told: /^Sample Service sent a code that isn’t safe to show, so the sign-in was stopped\.$/,
  },
  {
    name: 'a verification URI with text that is turned round',
    status: 200,
    body: deviceCode({ verification_uri: 'https://service.example/\u202egro.elpmaxe' }),
    told: /^Sample Service sent a web address that isn’t safe to open, so the sign-in was stopped\./,
  },
  {
    name: 'an error with links in its code and its description',
    status: 400,
    body: JSON.stringify({
      // Short enough to be a code, so that its characters alone refuse it.
      error: '[invalid](command:workbench.view.scm)',
      error_description: 'Your account is locked. [Unlock](https://other.example) $(alert)',
    }),
    told: /^Sample Service didn’t understand the request \(HTTP 400\)\./,
  },
];

/** Guards that VS Code shows what a service sends as mere text. */
describe('hostile texts', () => {
  const { scene, workbench } = useScene();
  /** Links in messages, which a click would follow. */
  const links = (): Promise<number> => workbench().page.locator('.notification-list-item-message a').count();

  for (const { name, status, body, told } of REFUSED) {
    it(`make no more than a plain sentence: ${name}`, async () => {
      const { faults } = scene().service;
      const fault = faults.switchOn('device code', { kind: 'respond', status, body });
      await workbench().runCommand('Device Flow: Sign In');
      const message = await workbench().notifications.waitFor(told);
      assert.equal(fault.hits, 1);
      assert.equal(await links(), 0);
      assert.equal(await workbench().page.locator('.notification-list-item-message .codicon').count(), 0);
      assert.doesNotMatch(message.text, /\p{Cc}|\p{Cf}/u);
      await workbench().screenshot(`hostile/text-${name.replace(/[^a-z]+/g, '-')}`);
      await workbench().notifications.dismiss(told);
      const shown = workbench().page.locator('.notification-list-item:visible');
      await until('all messages to be gone', async () => (await shown.count()) === 0);
    });
  }

  it('show an address with brackets as an address, not as a link', async () => {
    const { faults } = scene().service;
    const verification_uri = `${VERIFICATION}/[x](command:workbench.action.closeWindow)`;
    faults.switchOn('device code', { kind: 'respond', status: 200, body: deviceCode({ verification_uri }) });
    await workbench().runCommand('Device Flow: Sign In');
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.ok(text.includes('%28command:workbench.action.closeWindow%29'));
    assert.equal(await workbench().page.locator('.notification-list-item-message a[href^="command:"]').count(), 0);
    await workbench().screenshot('hostile/text-brackets');
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await workbench().statusBarItem(/The sign-in was canceled/);
  });
});

describe('a wrong setting', () => {
  const { scene, workbench } = useScene();

  it('is refused by name, with a button that leads to it', async () => {
    const told = /^The setting deviceFlow\.verificationUrl is invalid\. Enter a web address/;
    const before = scene().service.requests.length;
    await scene().configure({ 'deviceFlow.verificationUrl': '[Click](command:workbench.action.closeWindow)' });
    await workbench().runCommand('Device Flow: Sign In');
    const message = await workbench().notifications.waitFor(told);
    assert.deepEqual(message.buttons, ['Open Settings']);
    assert.equal(await workbench().page.locator('.notification-list-item-message a').count(), 0);
    await workbench().screenshot('hostile/setting');
    await workbench().notifications.click(told, 'Open Settings');
    const search = workbench().page.locator('.settings-editor .settings-header .view-lines');
    await until('the settings to be searched for it', async () =>
      (await search.innerText()).includes('verificationUrl'),
    );
    await workbench().page.locator('.settings-editor', { hasText: '1 Setting Found' }).waitFor();
    await workbench().screenshot('hostile/setting-opened');
    assert.equal(scene().service.requests.length, before);
  });
});
