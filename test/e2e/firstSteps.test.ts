import assert from 'node:assert/strict';
import path from 'node:path';
import { packageExtension } from '../../scripts/package/extension';
import { until } from '../../host/until';
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
    await workbench().notifications.take(/ is configured\./);
  }

  /** Waits until the whole Accounts menu is our offer to sign in, under this name of the service. */
  async function offered(service: string): Promise<void> {
    await workbench().accounts.waitForAll([`${ENTRY}${service} to use Device Flow Authentication (1)`]);
    assert.equal(await workbench().accounts.badge(), 1);
  }

  it('begin with Sign In, which asks for what is missing; the Accounts menu offers nothing yet', async () => {
    assert.equal(await workbench().accounts.badge(), 0);
    const { baseUrl, clientId, clientSecret } = scene().service;
    await workbench().runCommand('Device Flow: Sign In');
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
    await workbench().notifications.click(/didn’t accept the client ID or the client secret/, 'Troubleshoot');
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

  it('end without an offer after the sign-out', async () => {
    await signOut(workbench());
    await workbench().notifications.take(new RegExp(`^You signed out of ${UNNAMED} \\(${OTHER}\\)`));
    assert.equal(await workbench().accounts.badge(), 0);
  });
});
