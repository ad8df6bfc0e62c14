import assert from 'node:assert/strict';
import path from 'node:path';
import { SERVICE_NAME, settingsFor } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { CODE_MESSAGE, confirmSignIn, FIRST_ACCOUNT } from '../../../scripts/scene/person';
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
    windowless: true,
    // Older versions ask with a dialog, newer ones with a banner.
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
  after('stop the other service', () => other?.close());

  /** Opens the first window, on a stranger's folder or on a workspace file of theirs. */
  const openStrangers = async (kind: 'folder' | 'workspace'): Promise<void> => {
    const folder = path.join(scene().data.root, `stranger-${kind}`);
    const target = (await makeStrangersFolder(folder, otherService()))[kind];
    await scene().openWindow({ [kind]: target });
  };

  it('keep the service that the person set, in a stranger’s untrusted folder that sets every setting', async () => {
    await openStrangers('folder');
    await workbench().statusBarItem(/^Restricted Mode$/);
    await scene().data.secretStored();
    await workbench().accounts.waitFor(new RegExp(`^Sign in with ${SERVICE_NAME} to use `));
    await workbench().runCommand('Device Flow: Sign In');
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.ok(text.includes(scene().service.verificationUrl));
    await workbench().screenshot('hostile/stranger-folder');
    await confirmSignIn(workbench(), scene().service);
    assert.equal(otherService().requests.length, 0, 'nothing reaches the stranger');
  });

  it('keep the session, in a stranger’s workspace that sets every setting and is trusted', async () => {
    const { data, service } = scene();
    await scene().closeWindow();
    await data.writeSettings({ ...settingsFor(service), 'security.workspace.trust.enabled': false });
    const { refreshed } = service.counts();
    await openStrangers('workspace');
    await workbench().accounts.waitFor(FIRST_ACCOUNT);
    await service.record.until(() => service.counts().refreshed > refreshed);
    assert.ok(!(await workbench().statusBar()).includes('Restricted Mode'));
    await workbench().screenshot('hostile/stranger-workspace');
    assert.equal(otherService().requests.length, 0, 'nothing reaches the stranger');
    assert.equal(service.counts().deadRefreshTokens, 0);
  });
});
