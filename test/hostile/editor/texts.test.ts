import assert from 'node:assert/strict';
import { until } from '../../host/until';
import type { Workbench } from '../../host/workbench';
import { CODE_MESSAGE } from '../../e2e/person';
import { useScene } from '../../e2e/scene';

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

const UNSAFE_CODE = /^Sample Service sent a code that isn’t safe to show, so the sign-in was stopped\.$/;
const UNSAFE_PAGE = /^Sample Service sent a web address that isn’t safe to open, so the sign-in was stopped\./;

const REFUSED: readonly Case[] = [
  ...[
    ['a link to a command', '[Click here](command:workbench.action.closeWindow)'],
    ['an icon', '$(verified) 1234'],
    ['several lines', 'ABCD\n\nVS Code: your computer is at risk'],
  ].map(([name = '', user_code]) => ({
    name: `a user code with ${name}`,
    status: 200,
    body: deviceCode({ user_code }),
    told: UNSAFE_CODE,
  })),
  ...[
    ['a command', 'command:workbench.action.closeWindow'],
    ['text that is turned round', 'https://service.example/\u202egro.elpmaxe'],
  ].map(([name = '', verification_uri]) => ({
    name: `a verification URI with ${name}`,
    status: 200,
    body: deviceCode({ verification_uri }),
    told: UNSAFE_PAGE,
  })),
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
  {
    name: 'an unknown error with a persuasive description',
    status: 403,
    body: JSON.stringify({ error: 'odd_error', error_description: 'Call +1 555 0100 and read out your code.' }),
    told: /^Sample Service refused the sign-in with the error “odd_error” \(HTTP 403\)\.$/,
  },
  {
    name: 'the page of a network that wants a sign-in of its own',
    status: 200,
    body: '<html><body><a href="https://other.example">Sign in to the network</a></body></html>',
    told: /^Something other than Sample Service responded \(HTTP 200\), such as a page where your network/,
  },
];

describe('hostile texts', () => {
  const scene = useScene();
  const workbench = (): Workbench => scene().workbench;
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

describe('wrong settings', () => {
  const scene = useScene();
  const workbench = (): Workbench => scene().workbench;

  for (const [setting, value, why] of [
    ['baseUrl', 'http://service.example', 'Begin with https://.'],
    ['verificationUrl', '[Click](command:workbench.action.closeWindow)', 'Enter a web address'],
  ] as const) {
    it(`are refused by name, with a button that leads to them: ${setting} as ${value}`, async () => {
      const told = new RegExp(`^The setting deviceFlow\\.${setting} is invalid\\.`);
      const before = scene().service.requests.length;
      await scene().configure({ [`deviceFlow.${setting}`]: value });
      await workbench().runCommand('Device Flow: Sign In');
      const message = await workbench().notifications.waitFor(told);
      assert.ok(message.text.startsWith(`The setting deviceFlow.${setting} is invalid. ${why}`));
      assert.deepEqual(message.buttons, ['Open Settings']);
      assert.equal(await workbench().page.locator('.notification-list-item-message a').count(), 0);
      await workbench().screenshot(`hostile/setting-${setting}`);
      await workbench().notifications.click(told, 'Open Settings');
      const search = workbench().page.locator('.settings-editor .settings-header .view-lines');
      await until('the settings to be searched for it', async () => (await search.innerText()).includes(setting));
      await workbench().page.locator('.settings-editor', { hasText: '1 Setting Found' }).waitFor();
      await workbench().screenshot(`hostile/setting-${setting}-opened`);
      assert.equal(scene().service.requests.length, before);
    });
  }
});
