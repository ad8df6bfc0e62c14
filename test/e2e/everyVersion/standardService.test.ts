import assert from 'node:assert/strict';
import { takePicture } from '../../../host/picture';
import { until } from '../../../host/until';
import { tellAsOneStory } from '../../support/story';
import {
  allowUse,
  answerQuestions,
  CODE_MESSAGE,
  openBrowser,
  takeCode,
  userCodeIn,
  untilSignedIn,
} from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';

/**
 * Guards what's different for a person if the service follows the standard; and that an extension which may use an account
 * gets the session of a later sign-in for it without a question: VS Code finds the account that an extension uses by its
 * label, not by the ID of a session.
 */
describe('a standard service (RFC 8628)', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({
    unconfigured: true,
    service: { protocol: 'rfc8628', rotation: 'reuse-detection' },
  });
  const picture = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/standard-${name}`);
  const host = (): string => new URL(scene().service.baseUrl).host;

  /** Waits for what the sample extension says, and takes it away. */
  const said = (): Promise<string> => workbench().notifications.take(/^Sample: /);
  const inMenu = (): Promise<void> => workbench().accounts.waitForAccounts(['Ada'], host());

  /** Confirms the sign-in as Ada, and waits until the sample extension has its session. */
  async function signIn(): Promise<void> {
    const { service } = scene();
    assert.equal(service.approve(await until('a code', () => service.pending[0]), 'Ada'), undefined);
    assert.equal(await said(), 'Sample: session of Ada');
    await inMenu();
  }

  /** The sample extension asks silently: it gets a session, whose token is of this sign-in at the service. */
  async function askSilently(signIn: number): Promise<void> {
    await workbench().clearNotifications();
    await workbench().runCommand('Sample: Ask Silently');
    assert.equal(await said(), 'Sample: session of Ada');
    await workbench().runCommand('Sample: Who Am I');
    assert.match(await said(), /^Sample: whoami returned 200 .*"name":"Ada"/);
    const { token } = scene().service.record.of('whoami').at(-1) ?? assert.fail('the service was not called');
    assert.deepEqual([token?.session, token?.state], [signIn, 'current']);
  }

  it('is found by its metadata when the base URL is entered, and signed in to without asking for a secret', async () => {
    const { baseUrl, clientId, record } = scene().service;
    await workbench().runCommand('Device Flow: Sign In');
    await until('the well-known services', async () => (await workbench().quickInput.labels()).includes('Other…'));
    await workbench().quickInput.enter('Other…');
    await answerQuestions(workbench(), ['the base URL', baseUrl], ['the client ID', clientId]);
    assert.equal(record.of('metadata')[0]?.result?.status, 200);
  });

  it('offers to set the client secret if its client needs one, and then to sign in', async () => {
    const { quickInput, notifications } = workbench();
    await notifications.click(/ didn’t accept the client ID or the client secret\./, 'Set Client Secret');
    const none = 'If this client has no secret, leave this empty';
    await until('what happens if it’s empty', async () => (await quickInput.message()).includes(none));
    await picture('1-secret');
    await answerQuestions(workbench(), [none, scene().service.clientSecret]);
    await notifications.follow(/^The client secret for .* was saved\./, 'Sign In');
  });

  it('shows the code, and opens its page with the code filled in', async () => {
    const { text, buttons } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.deepEqual(buttons, ['Open browser', 'Copy code']);
    assert.ok(text.includes(scene().service.verificationUrl), text);
    await picture('2-code');
    const verification = await openBrowser(workbench(), scene().profile.context);
    const code = userCodeIn(text);
    const { keepsPaths, name } = scene().server.host.version;
    if (keepsPaths) {
      assert.equal(verification.page.url(), `${scene().service.verificationUrl}?user_code=${code}`);
      assert.equal(await verification.page.getByLabel('Code').inputValue(), code);
      await takePicture(verification.page, `${name}/standard-3-page`);
      await verification.continue();
    } else {
      // The workbench of this version, in a browser, opens the same address for everything.
      await verification.enter(code);
    }
    await verification.allow('Ada');
    await verification.page.close();
  });

  it('names the account, in the Accounts menu too', async () => {
    const text = await untilSignedIn(workbench());
    assert.ok(text.includes('as Ada'), text);
    await inMenu();
    await workbench().statusBarItem(/^Sample: Ada \(no access yet\)$/);
    await workbench().accounts.open();
    await picture('4-signed-in');
    await workbench().page.keyboard.press('Escape');
    const { notifications } = scene().service;
    const counts = scene().service.counts();
    // The first request for a code was refused, because it had no client secret.
    assert.deepEqual([counts.earlyPolls, counts.requests['device code'], notifications], [0, 2, []]);
  });

  it('offers in Configure Service to set the client secret, or to have none', async () => {
    await workbench().runCommand('Device Flow: Configure Service');
    await workbench().page.locator('.quick-input-list').getByText('Set Client Secret').waitFor();
    await picture('5-configured');
    await workbench().quickInput.enter('Set Client Secret');
    const none = 'If this client has no secret, leave this empty';
    await until('what happens if it’s empty', async () => (await workbench().quickInput.message()).includes(none));
    await workbench().quickInput.cancel();
    await workbench().quickInput.waitUntilClosed();
  });

  it('gives the only account more scopes when another extension asks for them, without asking which one', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await allowUse(workbench());
    await workbench().notifications.waitFor(CODE_MESSAGE);
    await picture('7-more-scopes');
    const code = await takeCode(workbench());
    assert.equal(scene().service.approve(code, 'Ada'), undefined);
    assert.equal(await said(), 'Sample: session of Ada');
    await inMenu();
    await askSilently(2);
  });

  it('gives its session to an extension that means it', async () => {
    await workbench().runCommand('Sample: Ask for the Session of a Service');
    await workbench().quickInput.enter(scene().service.baseUrl);
    assert.equal(await workbench().notifications.take(/^Sample: session of/), 'Sample: session of Ada');
  });

  it('gives the extension the session of a sign-in for more scopes without a question', async () => {
    await workbench().runCommand('Sample: Ask for More Scopes');
    await workbench().quickInput.pick('Ada');
    await allowUse(workbench());
    await signIn();
    await askSilently(3);
  });

  it('gives the extension the session of a sign-in as the same user without a question', async () => {
    await workbench().runCommand('Sample: Sign In Again with an Account');
    await workbench().quickInput.pick('Ada');
    await allowUse(workbench());
    await signIn();
    await askSilently(4);
  });

  it('leaves nothing of the sessions that were replaced after a sign-out', async () => {
    await workbench().accounts.chooseFor(/^Ada \(/, /^Sign Out$/);
    await workbench().dialog.answer(/Ada/, 'Sign Out');
    await workbench().accounts.waitUntilGone(/^Ada \(/);
    const { record } = scene().service;
    await record.until(() => record.of('revocation').some(({ result }) => result !== undefined));
    assert.deepEqual(
      record.of('revocation').map(({ token }) => token?.session),
      [4],
    );
  });
});
