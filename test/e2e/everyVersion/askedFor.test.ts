import assert from 'node:assert/strict';
import { SERVICE_NAME } from '../../host/configured';
import type { Workbench } from '../../host/workbench';
import { confirmSignIn } from '../person';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../scene';

const MAIN = SERVICE_NAME;
const CONSENT = /Sample Consumer.* wants (you )?to (sign in|access)/;

describe('what another extension requests with several accounts', () => {
  tellAsOneStory();
  const scene = useScene();
  const workbench = (): Workbench => scene().workbench;
  const inMenu = (...accounts: readonly string[]): Promise<void> =>
    workbench().accounts.waitForAccounts(accounts, SERVICE_NAME);

  before('sign in to two accounts', async () => {
    await workbench().runCommand('Device Flow: Sign In');
    await confirmSignIn(workbench(), scene().service);
    await workbench().clearNotifications();
    await workbench().runCommand('Device Flow: Sign In');
    await workbench().quickInput.enter('Ada');
    await confirmSignIn(workbench(), scene().service);
    await workbench().clearNotifications();
    await inMenu('Ada', MAIN);
  });

  /** Waits for what the sample extension says, and takes it away. */
  async function said(): Promise<string> {
    const { text } = await workbench().notifications.waitFor(/^Sample: /);
    await workbench().notifications.dismiss(/^Sample: /);
    return text;
  }

  it('is the account that the person chooses once', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await workbench().dialog.answer(CONSENT, 'Allow');
    await workbench().quickInput.pick('Ada');
    assert.equal(await said(), 'Sample: session of Ada');
    await workbench().runCommand('Sample: Ask Silently');
    assert.equal(await said(), 'Sample: session of Ada');
  });

  it('is chosen again with clearSessionPreference', async () => {
    await workbench().runCommand('Sample: Choose the Account Again');
    await workbench().dialog.answer(CONSENT, 'Allow');
    await workbench().quickInput.pick(MAIN);
    assert.equal(await said(), `Sample: session of ${MAIN}`);
    await workbench().runCommand('Sample: Ask Silently');
    assert.equal(await said(), `Sample: session of ${MAIN}`);
  });

  it('is the one that it names with account', async () => {
    for (const account of ['Ada', MAIN]) {
      await workbench().runCommand('Sample: Ask for the Session of an Account');
      await workbench().quickInput.pick(account);
      assert.equal(await said(), `Sample: session of ${account}`);
    }
  });

  it('is a new session in the place of the old one with forceNewSession', async () => {
    const codes = scene().service.counts.requests['device code'];
    await workbench().runCommand('Sample: Sign In Again With an Account');
    await workbench().quickInput.pick('Ada');
    await workbench().dialog.answer(CONSENT, 'Allow');
    await confirmSignIn(workbench(), scene().service);
    assert.equal(await said(), 'Sample: session of Ada');
    assert.equal(scene().service.counts.requests['device code'], codes + 1);
    await inMenu('Ada', MAIN);
  });

  it('is still served from the other account after signing out of one', async () => {
    await workbench().runCommand('Device Flow: Sign Out');
    await workbench().quickInput.enter('Ada');
    await workbench().notifications.waitFor(/^Signed out of Ada/);
    await workbench().accounts.waitUntilGone(/^Ada /);
    // Versions differ in whether they ask anew after the chosen account has gone, so the other one is named.
    await workbench().runCommand('Sample: Ask for the Session of an Account');
    await workbench().quickInput.pick(MAIN);
    assert.equal(await said(), `Sample: session of ${MAIN}`);
  });
});
