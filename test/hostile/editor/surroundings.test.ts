import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { SERVICE_NAME, settingsFor } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { CODE_MESSAGE, confirmSignIn, FIRST_ACCOUNT, refreshNow } from '../../../scripts/scene/person';
import { until } from '../../../host/until';
import { storedNames } from '../../support/storedRows';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../../../scripts/scene/useScene';
import { makeStrangersFolder } from './strangersFolder';

const RESTORED = /Session \S+: its journal was missing or outdated, and was restored\./g;
/** In a browser, a window can't tell a key that's gone from another browser's, or, right after it was made, from a new one. */
const NOT_SIGNED_IN = /^(This window can’t share sign-ins|Sample: no session)/;

/**
 * Guards that no folder leads a person or their tokens to a stranger's service, and that damage on the disk or in the keyring signs
 * nobody out in the real editor.
 */
describe('settings and sessions, in strangers’ folders, and with damage to what is stored,', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({
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
    other = await createService({ clientName: 'Other Client', interval: 1 });
  });
  after('stop the other service', () => other?.close());

  const stored = (prefix: string): Promise<string[]> => storedNames(scene().data.storage, prefix);
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
    // From it the session is made again.
    await until('the copy in SecretStorage', async () =>
      (await scene().data.log()).includes('SecretStorage has a copy of generation 1.'),
    );
  });

  it('are not lost if the keyring fails, and nothing is stored in place of the key', async () => {
    const { data } = scene();
    const before = [await stored('key/'), await stored('session/')];
    assert.equal(before[1]?.length, 1);
    // The sample extension would hand over the client secret, with which a new key is made.
    await rm(data.secretFile);
    await scene().closeWindow();
    await scene().openWindow({ keyringFails: true });
    await workbench().runCommand('Sample: Ask Silently');
    await workbench().notifications.waitFor(NOT_SIGNED_IN);
    assert.deepEqual([await stored('key/'), await stored('session/')], before);
    await workbench().screenshot('hostile/keyring-fails');
  });

  it('are not lost if the whole folder is gone, after that', async () => {
    const { data, service } = scene();
    const restorations = async (): Promise<number> => (await data.log()).match(RESTORED)?.length ?? 0;
    const [before, sessions] = [await restorations(), await stored('session/')];
    await scene().closeWindow();
    await rm(data.storage, { recursive: true });
    await scene().openWindow();
    await workbench().accounts.waitFor(FIRST_ACCOUNT);
    await until('the log to say so', async () => (await restorations()) > before);
    assert.deepEqual(await stored('session/'), sessions, 'the journal is back');
    assert.equal(service.counts().requests['device code'], 1, 'nobody had to sign in again');
    assert.equal(service.counts().deadRefreshTokens, 0);
  });

  it('keep the session, in a stranger’s workspace that sets every setting and is trusted', async () => {
    const { data, service } = scene();
    await scene().closeWindow();
    await data.writeSettings({ ...settingsFor(service), 'security.workspace.trust.enabled': false });
    await openStrangers('workspace');
    await workbench().accounts.waitFor(FIRST_ACCOUNT);
    await refreshNow(workbench(), service);
    assert.equal(service.counts().refreshed, 1);
    assert.ok(!(await workbench().statusBar()).includes('Restricted Mode'));
    await workbench().screenshot('hostile/stranger-workspace');
    assert.equal(otherService().requests.length, 0, 'nothing reaches the stranger');
    assert.equal(service.counts().deadRefreshTokens, 0);
  });
});
