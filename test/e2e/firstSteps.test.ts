import assert from 'node:assert/strict';
import path from 'node:path';
import { packageExtension } from '../../scripts/package/extension';
import { until } from '../../scripts/host/until';
import { createService, type EmbeddedService } from '../../demo/service';
import { answerQuestions, CODE_MESSAGE, signOut, UNNAMED, userCodeIn, untilSignedIn } from '../../scripts/scene/person';
import { tellAsOneStory } from '../support/story';
import { useScene } from '../../scripts/scene/useScene';

const ENTRY = 'Sign in with ';

/** Guards that a person without any configuration is led to a sign-in by VS Code's own menus. */
describe('the first steps', () => {
  tellAsOneStory();
  // People have the package of a release, which knows where its repository is.
  const { scene, workbench } = useScene({
    unconfigured: true,
    withoutExtension: true,
    surroundings: async (_service, data) => {
      const vsix = path.join(data.root, 'release.vsix');
      await packageExtension({ url: 'https://repository.example/sign-in', ref: 'v1.2.3' }, vsix);
      return { extensions: [vsix] };
    },
  });
  let other: EmbeddedService;
  /** What it's called as long as nobody names it. */
  let OTHER: string;
  before(async () => {
    other = await createService({ interval: 1, clientId: 'other-client' });
    OTHER = new URL(other.baseUrl).host;
  });
  after(() => other.close());

  const answer = (...answers: Parameters<typeof answerQuestions>[1][]): Promise<void> =>
    answerQuestions(workbench(), ...answers);

  async function change(...answers: readonly (readonly [string, string])[]): Promise<void> {
    await workbench().runCommand('Device Flow: Configure Service');
    await workbench().quickInput.enter('Change…');
    await answer(...answers);
    await workbench().notifications.take(/ is configured\.$/);
  }

  /** Gives the service another name, by hand. */
  async function rename(serviceName: string): Promise<void> {
    const { 'deviceFlow.services': services } = await scene().data.settings();
    const [element] = services as readonly object[];
    await scene().data.writeSettings({ 'deviceFlow.services': [{ ...element, serviceName }] });
    await workbench().reload();
  }

  /** Waits until the whole Accounts menu is our offer to sign in, under this name of the service. */
  async function offered(service: string): Promise<void> {
    await workbench().accounts.waitForAll([`${ENTRY}${service} to use Device Flow Authentication (1)`]);
    assert.equal(await workbench().accounts.badge(), 1);
  }

  it('begin in the Accounts menu, which asks for what is missing', async () => {
    await offered('Device Flow');
    const { baseUrl, clientId, clientSecret } = scene().service;
    await workbench().accounts.choose(/^Sign in with Device Flow to use /);
    await until('the well-known services', async () => (await workbench().quickInput.labels()).includes('Other…'));
    await workbench().screenshot(`${scene().server.host.version.name}/experience-well-known`);
    await workbench().quickInput.enter('Other…');
    await answer(['the base URL', baseUrl], ['the client ID', clientId], ['the client secret', clientSecret]);
    const text = await workbench().notifications.take(CODE_MESSAGE);
    assert.ok(text.includes(`to sign in to ${new URL(baseUrl).host}.`), text);
    await workbench().runCommand('Device Flow: Cancel Sign In');
  });

  it('lead from a message to the page that explains it', async () => {
    const unknownClient = { kind: 'respond', status: 401, body: '{"error":"invalid_client"}' } as const;
    scene().service.faults.switchOn('device code', unknownClient);
    await workbench().runCommand('Device Flow: Sign In');
    await workbench().notifications.click(/doesn’t accept the client ID or the client secret/, 'Troubleshoot');
    const address = 'https://repository.example/sign-in/blob/HEAD/docs/troubleshooting.md';
    const { context } = scene().profile;
    await context.route(address, (route) => route.fulfill({ body: 'What to do' }));
    const [page] = await Promise.all([
      context.waitForEvent('page'),
      workbench().dialog.answer(/open the external website/, 'Open'),
    ]);
    await page.waitForURL(`${address}#the-sign-in-fails`);
    await page.close();
  });

  it('ask for the secret of another service, and keep nothing of the one before', async () => {
    const { baseUrl, clientId, clientSecret } = other;
    await change(['the base URL', baseUrl], ['the client ID', clientId], ['the client secret', clientSecret]);
    await offered(OTHER);
    await workbench().accounts.choose(/^Sign in with 127\.0\.0\.1:\d+ to use /);
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.equal(other.approve(userCodeIn(text)), undefined);
    await untilSignedIn(workbench(), `${OTHER}.`);
    await workbench().accounts.waitForAll([`${UNNAMED} (${OTHER})`]);
    assert.equal(await workbench().accounts.badge(), 0);
  });

  const ticked = () => workbench().page.locator('.codicon-getting-started-step-checked');

  async function openWalkthrough(): Promise<void> {
    await workbench().runCommand('Welcome: Open Walkthrough...');
    await workbench().quickInput.enter('Get started with Device Flow Authentication');
  }

  async function closeEditors(): Promise<void> {
    await workbench().page.keyboard.press('Control+K');
    await workbench().page.keyboard.press('Control+W');
    await workbench().page.locator('.tab').first().waitFor({ state: 'hidden' });
  }

  it('are checked off in the walkthrough, which opens at the first that isn’t done', async () => {
    const codes = other.counts().requests['device code'];
    await openWalkthrough();
    // The last one is checked off when it opens.
    await until('all steps to be ticked', async () => (await ticked().count()) === 3);
    await workbench().screenshot(`${scene().server.host.version.name}/experience-walkthrough`);
    await workbench()
      .page.locator('.getting-started-step h3', { hasText: /^Sign in$/ })
      .click();
    await workbench().page.getByText('Sign In', { exact: true }).first().click();
    await workbench().notifications.waitFor(new RegExp(`^Signed in to ${OTHER}\\.$`));
    assert.equal(other.counts().requests['device code'], codes, 'who is signed in already is not asked to do it again');
    await closeEditors();
  });

  it('hide no account without saying so when another service is configured', async () => {
    await workbench().clearNotifications();
    const { baseUrl, clientId } = scene().service;
    await workbench().runCommand('Device Flow: Configure Service');
    await workbench().quickInput.enter('Change…');
    await answer(['the base URL', baseUrl], ['the client ID', clientId]);
    const { text } = await workbench().notifications.waitFor(
      new RegExp(`^These accounts are hidden .*: ${UNNAMED} \\(${OTHER}\\)\\.`),
    );
    assert.ok(
      text.includes(`base URL ${other.baseUrl}, the client ID ${other.clientId}, and the protocol draft.`),
      text,
    );
    await workbench().runCommand('Device Flow: Show Status');
    await until('the hidden account to be listed', async () =>
      (await workbench().quickInput.labels()).includes(`${UNNAMED} (${OTHER})`),
    );
    await workbench().screenshot(`${scene().server.host.version.name}/experience-hidden-account`);
    await workbench().quickInput.cancel();
    await workbench().quickInput.waitUntilClosed();
    await offered(new URL(baseUrl).host);
    await change(['the base URL', other.baseUrl], ['the client ID', other.clientId]);
    await workbench().accounts.waitFor(new RegExp(`^${UNNAMED} \\(${OTHER}`));
    const operations = ['refresh', 'notification', 'whoami'];
    const sent = [scene().service, other].flatMap(({ requests }) => requests);
    const foreign = sent.filter(({ operation, token }) => operations.includes(operation) && token === undefined);
    assert.deepEqual(foreign, [], 'no token of one service was sent to the other');
  });

  it('end without an offer after the sign-out, until the window is reloaded: then it’s under the name that is set', async () => {
    await signOut(workbench());
    await workbench().notifications.take(new RegExp(`^Signed out of ${UNNAMED} \\(${OTHER}\\)`));
    assert.equal(await workbench().accounts.badge(), 0);
    await rename('Second Cloud');
    await offered('Second Cloud');
  });

  it('ask for the protocol of a service that doesn’t respond now, and need no secret for the standard one', async () => {
    const gone = 'http://127.0.0.1:1';
    await workbench().runCommand('Device Flow: Configure Service');
    await workbench().quickInput.enter('Change…');
    await answer(['the base URL', gone], ['To use this base URL anyway', gone]);
    await until('the protocols', async () => (await workbench().quickInput.labels()).length === 2);
    await workbench().screenshot(`${scene().server.host.version.name}/experience-protocol`);
    await workbench().quickInput.enter('RFC 8628');
    await answer(['the client ID', 'a client']);
    // By its name: the message about an earlier service may still be there.
    await workbench().notifications.take(/^127\.0\.0\.1:1 is configured\. If the client has a secret, set it now\.$/);
    await workbench().runCommand('Device Flow: Set Client Secret');
    await answer(['Leave this empty to use none', '']);
    await workbench().notifications.take(/^Couldn’t reach/);
  });
});
