import assert from 'node:assert/strict';
import path from 'node:path';
import { SERVICE_NAME, settingsFor } from '../../../demo/configured';
import { until } from '../../../scripts/host/until';
import type { Workbench } from '../../../scripts/host/workbench';
import { createService, type EmbeddedService } from '../../../demo/service';
import { CODE_MESSAGE, giveConsent, signIn, userCodeIn } from '../../../scripts/scene/person';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../../../scripts/scene/useScene';
import { makeStrangersFolder } from './strangersFolder';

/** Lifetime of access tokens in seconds, so that several are refreshed in a test. */
const LIFETIME = 4;
const OTHER_NAME = 'Other Service';

const hasCode = (text: string): boolean => /^[A-Z0-9]{4}-[A-Z0-9]{4} /.test(text);

/** Guards that neither a stranger's folder nor another service gets anything of the person's. */
describe('settings and sessions, in strangers’ folders and beside another service,', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({
    service: { accessTokenTtl: LIFETIME },
    // The first window, too, is in restricted mode. Older versions ask with a dialog, newer ones with a banner.
    workspaceTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
  });
  const picture = (name: string): Promise<void> => workbench().screenshot(`hostile/${name}`);
  let other: EmbeddedService | undefined;
  const otherService = (): EmbeddedService => {
    assert.ok(other !== undefined);
    return other;
  };

  /** Configures a service as a person does. */
  const configure = async ({ baseUrl, clientId, clientSecret }: EmbeddedService, name: string): Promise<void> => {
    const { quickInput, notifications } = workbench();
    await workbench().runCommand('Device Flow: Configure Service');
    await quickInput.pick('Everything, step by step');
    for (const [title, text] of [
      [/1\/4/, baseUrl],
      [/2\/4/, clientId],
      [/3\/4/, clientSecret],
      [/4\/4/, name],
    ] as const) {
      await until(`step ${title.source} of the configuration`, async () => title.test(await quickInput.title()));
      await quickInput.enter(text);
    }
    await notifications.take(/ is configured\.$/);
  };

  before('start the other service', async () => {
    other = await createService({ clientName: 'Other Client', interval: 1, accessTokenTtl: LIFETIME });
  });
  before('wait for the client secret', async () => {
    // A window that is opened while the first one makes the key would have to be reloaded.
    await workbench().accounts.waitFor(/^Sign in with /);
  });
  after('stop the other service', () => other?.close());

  /** Opens a window on a stranger's folder, or on a workspace file of theirs, and closes it after `look`. */
  const inStrangersWindow = async (
    kind: 'folder' | 'workspace',
    look: (window: Workbench) => Promise<void>,
  ): Promise<void> => {
    const folder = path.join(scene().data.root, `stranger-${kind}`);
    const target = (await makeStrangersFolder(folder, otherService()))[kind];
    const window = await scene().openWindow({ [kind]: target });
    await look(window.workbench);
    await window.close();
  };

  it('keep the service that the person set, in a stranger’s untrusted folder that sets every setting', async () => {
    await inStrangersWindow('folder', async (window) => {
      await window.statusBarItem(/^Restricted Mode$/);
      await window.accounts.waitFor(new RegExp(`^Sign in with ${SERVICE_NAME} to use `));
      await window.runCommand('Device Flow: Sign In');
      const { text } = await window.notifications.waitFor(CODE_MESSAGE);
      assert.ok(text.includes(scene().service.verificationUrl));
      await window.screenshot('hostile/stranger-folder');
      await window.runCommand('Device Flow: Cancel Sign In');
      await until('the code to leave the status bar', async () => !(await window.statusBar()).some(hasCode));
    });
    assert.equal(otherService().requests.length, 0, 'nothing reaches the stranger');
  });

  it('hold the person’s sign-in to their service, with one notification as they set it', async () => {
    await signIn(workbench(), scene().profile.context);
    await workbench().runCommand('Sample: Ask for a Session');
    await giveConsent(workbench(), SERVICE_NAME);
    await workbench().notifications.waitFor(/^Sample: session of /);
    await scene().service.record.until(({ counts }) => counts.requests.notification > 0);
    assert.equal(scene().service.record.of('notification')[0]?.hasAuthorization, true);
  });

  it('send nothing of one service to another when the person turns to that', async () => {
    const { service } = scene();
    await configure(otherService(), OTHER_NAME);
    // The editor keeps the name that its entry was made with; what it leads to is the service that is set.
    await workbench().accounts.waitFor(/^Sign in with /);
    await workbench().accounts.waitUntilGone(new RegExp(`^${SERVICE_NAME} `));
    await picture('other-service');
    // A refresh that was sent before the change may still be on its way.
    await until('the last requests to the first service to end', () =>
      service.requests.every(({ result }) => result !== undefined),
    );
    const before = service.requests.length;
    await workbench().accounts.choose(/^Sign in with /);
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.ok(text.includes(otherService().verificationUrl));
    assert.equal(otherService().approve(userCodeIn(text)), undefined);
    await workbench().notifications.waitFor(new RegExp(`^Signed in to ${OTHER_NAME}`));
    await otherService().record.until(({ counts }) => counts.refreshed > 0);
    assert.equal(service.requests.length, before, 'the first service hears nothing while the other one is set');
    for (const { operation, token } of otherService().requests) {
      const carries = ['refresh', 'notification', 'whoami'].includes(operation);
      assert.equal(token !== undefined, carries, `a ${operation} carries a token of this service`);
    }
  });

  it('give the first session back when the person returns, with no new sign-in', async () => {
    const { service } = scene();
    const codes = service.counts.requests['device code'];
    await configure(service, SERVICE_NAME);
    await workbench().accounts.waitFor(new RegExp(`^${SERVICE_NAME} `));
    await workbench().clearNotifications();
    await workbench().notifications.waitUntilGone(/^Sample: /);
    await workbench().runCommand('Sample: Who Am I');
    const { text } = await workbench().notifications.waitFor(/^Sample: /);
    assert.match(text, /^Sample: whoami returned 200 /);
    assert.equal(service.counts.requests['device code'], codes);
    const foreign = service.requests.filter(
      ({ operation, token }) => ['refresh', 'notification', 'whoami'].includes(operation) && token === undefined,
    );
    assert.deepEqual(foreign, [], 'no token of the other service came here');
    assert.equal(service.counts.requests.notification, 1, 'the service was told of the device once');
  });

  it('keep the session, in a stranger’s workspace that sets every setting and is trusted', async () => {
    const { data, service } = scene();
    await scene().closeWindow();
    await data.writeSettings({ ...settingsFor(service), 'security.workspace.trust.enabled': false });
    const { refreshed } = service.counts;
    const before = otherService().requests.length;
    await inStrangersWindow('workspace', async (window) => {
      await window.accounts.waitFor(new RegExp(`^${SERVICE_NAME} `));
      await service.record.until(({ counts }) => counts.refreshed > refreshed);
      assert.ok(!(await window.statusBar()).includes('Restricted Mode'));
      await window.screenshot('hostile/stranger-workspace');
    });
    assert.equal(otherService().requests.length, before, 'nothing reaches the stranger');
    assert.equal(service.counts.deadRefreshTokens + otherService().counts.deadRefreshTokens, 0);
  });
});
