import assert from 'node:assert/strict';
import path from 'node:path';
import { SERVICE_NAME, settingsFor } from '../../../demo/configured';
import type { Workbench } from '../../../scripts/host/workbench';
import { createService, type EmbeddedService } from '../../../demo/service';
import { CODE_MESSAGE, CODE_STATUS, FIRST_ACCOUNT, signIn } from '../../../scripts/scene/person';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../../../scripts/scene/useScene';
import { makeStrangersFolder } from './strangersFolder';

/** Lifetime of access tokens in seconds, so that several are refreshed in a test. */
const LIFETIME = 4;

/** Guards that no folder leads a person or their tokens to a stranger's service. */
describe('settings and sessions, in strangers’ folders,', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({
    service: { accessTokenTtl: LIFETIME },
    // The first window, too, is in restricted mode. Older versions ask with a dialog, newer ones with a banner.
    workspaceTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
  });
  let other: EmbeddedService | undefined;
  const otherService = (): EmbeddedService => {
    assert.ok(other !== undefined);
    return other;
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
      await window.waitUntilStatusBarItemGone(CODE_STATUS);
    });
    assert.equal(otherService().requests.length, 0, 'nothing reaches the stranger');
  });

  it('keep the session, in a stranger’s workspace that sets every setting and is trusted', async () => {
    const { data, service } = scene();
    await signIn(workbench(), scene().profile.context);
    await scene().closeWindow();
    await data.writeSettings({ ...settingsFor(service), 'security.workspace.trust.enabled': false });
    const { refreshed } = service.counts();
    const before = otherService().requests.length;
    await inStrangersWindow('workspace', async (window) => {
      await window.accounts.waitFor(FIRST_ACCOUNT);
      await service.record.until(() => service.counts().refreshed > refreshed);
      assert.ok(!(await window.statusBar()).includes('Restricted Mode'));
      await window.screenshot('hostile/stranger-workspace');
    });
    assert.equal(otherService().requests.length, before, 'nothing reaches the stranger');
    assert.equal(service.counts().deadRefreshTokens + otherService().counts().deadRefreshTokens, 0);
  });
});
