import assert from 'node:assert/strict';
import { SERVICE_NAME } from '../../demo/configured';
import { takePicture } from '../../scripts/host/picture';
import { until } from '../../scripts/host/until';
import { Peer } from '../peer/peer';
import { tellAsOneStory } from '../support/story';
import { CODE_MESSAGE, openBrowser, signOut, userCodeIn } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';

/** Guards that a person can sign in on the pages of a certified provider. */
describe('a standard service, from the request to the sign-out', () => {
  tellAsOneStory();
  let peer: Peer;
  const { scene, workbench } = useScene({
    surroundings: async ({ clientSecret }, _, cleanUp) => {
      peer = await Peer.start({ clientSecret });
      cleanUp.add(() => peer.stop());
      return {
        // Opens its pages as they are.
        env: { VSCODE_PROXY_URI: `${peer.issuer}/` },
        settings: {
          'deviceFlow.protocol': 'rfc8628',
          'deviceFlow.baseUrl': peer.issuer,
          'deviceFlow.clientId': 'confidential',
        },
      };
    },
  });
  const picture = (name: string): Promise<void> => workbench().screenshot(`newest/standard-service-${name}`);

  it('isn’t signed in to for an extension that means another service, and the person learns of both', async () => {
    await workbench().runCommand('Sample: Ask for the Session of a Service');
    await workbench().quickInput.enter('https://other.example');
    await workbench().dialog.answer(/Sample Consumer.* wants to sign in/, 'Allow');
    const { buttons, text } = await workbench().notifications.waitFor(/^An extension asked you to sign in to/);
    assert.ok(text.includes('https://other.example') && text.includes(peer.issuer), text);
    assert.deepEqual(buttons, ['Configure Service']);
    await picture('0-other-service');
    await workbench().notifications.take(/^Sample: failed: An extension asked you to sign in to/);
    await workbench().runCommand('Notifications: Clear All Notifications');
    assert.deepEqual(peer.of('device code'), []);
  });

  it('shows the code when another extension asks for a session', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await workbench().dialog.answer(/Sample Consumer.* wants to sign in/, 'Allow');
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.ok(text.includes(`${peer.issuer}/device`), 'the message names the page');
    assert.equal(peer.of('device code')[0]?.form['scope'], 'sample openid profile offline_access');
    await picture('1-code');
  });

  it('opens the page, which knows the code, and is signed in when the person has confirmed it', async () => {
    const code = userCodeIn((await workbench().notifications.waitFor(CODE_MESSAGE)).text);
    const { page } = await openBrowser(workbench(), scene().profile.context);
    await page.getByRole('heading', { name: 'Confirm Device' }).waitFor();
    assert.equal(await page.locator('code').innerText(), code);
    await takePicture(page, 'newest/standard-service-2-page');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByPlaceholder('Enter any login').fill('Ada');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByText('offline access').waitFor();
    await takePicture(page, 'newest/standard-service-3-consent');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Sign-in Success' }).waitFor();
    await page.close();
    await workbench().notifications.waitFor(/^Signed in to Sample Service as Ada Example\.$/);
    await picture('4-signed-in');
    assert.equal(await workbench().notifications.take(/^Sample: session of/), 'Sample: session of Ada Example');
    await workbench().accounts.waitForAccounts(['Ada Example'], SERVICE_NAME);
    assert.equal(peer.earlyPolls, 0);
  });

  it('serves a token that the service accepts', async () => {
    await workbench().runCommand('Sample: Who Am I');
    assert.match(await workbench().notifications.take(/^Sample: whoami returned/), /returned 200 .*"sub":"Ada"/);
  });

  it('gives its session to an extension that means it', async () => {
    await workbench().runCommand('Sample: Ask for the Session of a Service');
    await workbench().quickInput.enter(peer.issuer);
    assert.equal(await workbench().notifications.take(/^Sample: session of/), 'Sample: session of Ada Example');
  });

  it('revokes the tokens when the person signs out', async () => {
    await signOut(workbench());
    await workbench().notifications.waitFor(/^Signed out of Ada Example/);
    await workbench().statusBarItem(/^Sample: not signed in$/);
    await picture('5-signed-out');
    await workbench().accounts.waitForAccounts([], SERVICE_NAME);
    await until('the revocation', () => peer.of('revocation').length > 0);
    assert.equal(await peer.userOf(peer.lastToken('access_token')), undefined);
  });
});
