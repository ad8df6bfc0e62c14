import assert from 'node:assert/strict';
import { SERVICE_NAME } from '../../../demo/configured';
import { until } from '../../../scripts/host/until';
import { allowUse } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { tellAsOneStory } from '../../support/story';

/**
 * Guards that an extension which may use an account gets the session of a later sign-in for it without a question: VS Code
 * finds the account that an extension uses by its label, not by the ID of a session.
 */
describe('a sign-in that replaces a session', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({ service: { protocol: 'rfc8628', rotation: 'reuse-detection' } });

  /** Waits for what the sample extension says, and takes it away. */
  const said = (): Promise<string> => workbench().notifications.take(/^Sample: /);
  const inMenu = (): Promise<void> => workbench().accounts.waitForAccounts(['Ada'], SERVICE_NAME);

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
    assert.match(await said(), /^Sample: whoami returned 200 /);
    const { token } = scene().service.record.of('whoami').at(-1) ?? assert.fail('the service was not called');
    assert.deepEqual([token?.session, token?.state], [signIn, 'current']);
  }

  it('is preceded by one for which an extension gets access', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await allowUse(workbench());
    await signIn();
    await askSilently(1);
  });

  it('for more scopes gives the extension the new session without a question', async () => {
    await workbench().runCommand('Sample: Ask for More Scopes');
    await workbench().quickInput.pick('Ada');
    await allowUse(workbench());
    await signIn();
    await askSilently(2);
  });

  it('as the same user gives the extension the new session without a question', async () => {
    await workbench().runCommand('Sample: Sign In Again With an Account');
    await workbench().quickInput.pick('Ada');
    await allowUse(workbench());
    await signIn();
    await askSilently(3);
  });

  it('outlives a reload', async () => {
    await workbench().reload();
    await inMenu();
    await askSilently(3);
  });

  it('leaves nothing of the sessions that it replaced', async () => {
    await workbench().accounts.chooseFor(/^Ada \(/, /^Sign Out$/);
    await workbench().dialog.answer(/Ada/, 'Sign Out');
    await workbench().accounts.waitUntilGone(/^Ada \(/);
    const { record } = scene().service;
    await record.until(() => record.of('revocation').some(({ result }) => result !== undefined));
    assert.deepEqual(
      record.of('revocation').map(({ token }) => token?.session),
      [3],
    );
  });
});
