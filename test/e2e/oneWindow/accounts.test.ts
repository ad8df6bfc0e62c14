import assert from 'node:assert/strict';
import { SERVICE_NAME } from '../../../demo/configured';
import { until } from '../../../host/until';
import { answerQuestions, confirmSignIn, giveConsent, signOut, UNNAMED } from '../../../scripts/scene/person';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../../../scripts/scene/useScene';

const MAIN = UNNAMED;

/** Guards that several accounts get along in VS Code: their names, and which of them other extensions get. */
describe('several accounts', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene();
  const inMenu = (...accounts: readonly string[]): Promise<void> =>
    workbench().accounts.waitForAccounts(accounts, SERVICE_NAME);
  const picture = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/experience-${name}`);

  it('have names that the person gives them, and can be renamed', async () => {
    const { quickInput } = workbench();
    await workbench().runCommand('Device Flow: Sign In');
    await confirmSignIn(workbench(), scene().service);
    await workbench().runCommand('Device Flow: Show Status');
    await quickInput.waitUntilOpen();
    await until('the facts to be drawn', async () => (await quickInput.labels()).length > 10);
    await picture('status');
    assert.match(await quickInput.placeholder(), /^Signed in (now|.* ago), next refresh in /);
    await quickInput.pick('Sign In to Another Account');
    await answerQuestions(workbench(), ['Enter a display name for the account', 'Grace']);
    await confirmSignIn(workbench(), scene().service);
    await inMenu('Grace', MAIN);
    await workbench().runCommand('Device Flow: Show Status');
    await quickInput.waitUntilOpen();
    await picture('status-of-two');
    await quickInput.enter('Grace');
    await quickInput.pick('Rename…');
    await until('the name to be asked for', async () => (await quickInput.value()) === 'Grace');
    await quickInput.enter('Ada');
    await inMenu('Ada', MAIN);
    await quickInput.cancel();
    await workbench().clearNotifications();
  });

  /** Waits for what the sample extension says, and takes it away. */
  const said = (): Promise<string> => workbench().notifications.take(/^Sample: /);

  it('are served to another extension as the person chooses, once', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await giveConsent(workbench(), 'Ada');
    assert.equal(await said(), 'Sample: session of Ada');
    await workbench().runCommand('Sample: Ask Silently');
    assert.equal(await said(), 'Sample: session of Ada');
  });

  it('are chosen again with clearSessionPreference', async () => {
    await workbench().runCommand('Sample: Choose the Account Again');
    await giveConsent(workbench(), MAIN);
    assert.equal(await said(), `Sample: session of ${MAIN}`);
    await workbench().runCommand('Sample: Ask Silently');
    assert.equal(await said(), `Sample: session of ${MAIN}`);
  });

  it('are served by name, with account', async () => {
    for (const account of ['Ada', MAIN]) {
      await workbench().runCommand('Sample: Ask for the Session of an Account');
      await workbench().quickInput.pick(account);
      assert.equal(await said(), `Sample: session of ${account}`);
    }
  });

  it('are still served after signing out of another one', async () => {
    await signOut(workbench(), 'Device Flow', 'Ada');
    await workbench().notifications.waitFor(/^You signed out of Ada/);
    await workbench().accounts.waitUntilGone(/^Ada /);
    // Versions differ in whether they ask again after the chosen account has gone, so the other one is named.
    await workbench().runCommand('Sample: Ask for the Session of an Account');
    await workbench().quickInput.pick(MAIN);
    assert.equal(await said(), `Sample: session of ${MAIN}`);
  });
});
