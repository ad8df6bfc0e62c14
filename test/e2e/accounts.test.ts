import assert from 'node:assert/strict';
import type { Workbench } from '../host/workbench';
import { SERVICE_NAME } from '../host/configured';
import { until } from '../host/until';
import { CODE_MESSAGE, confirmSignIn, STATUS, userCodeIn } from './person';
import { useScene } from './scene';

describe('several accounts', () => {
  const scene = useScene();
  const workbench = (): Workbench => scene().workbench;
  const picture = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/experience-${name}`);

  const inMenu = (...accounts: readonly string[]): Promise<void> =>
    workbench().accounts.waitForAccounts(accounts, SERVICE_NAME);

  it('have names that the person gives them, and can be renamed', async () => {
    await workbench().runCommand('Device Flow: Sign In');
    await confirmSignIn(workbench(), scene().service);
    await workbench().runCommand('Device Flow: Show Status');
    await workbench().quickInput.waitUntilOpen();
    await until('the facts to be drawn', async () => (await workbench().quickInput.labels()).length > 10);
    await picture('status');
    const placeholder = await workbench().quickInput.placeholder();
    assert.match(placeholder, /^Signed in (now|.* ago), next refresh in /);
    await until(
      'the times of the open status to move on',
      async () => (await workbench().quickInput.placeholder()) !== placeholder,
    );
    await workbench().quickInput.pick('Sign In to Another Account');
    await until('the name to be asked for', async () =>
      (await workbench().quickInput.message()).includes('Name the account'),
    );
    await workbench().quickInput.enter('Ada');
    await confirmSignIn(workbench(), scene().service);
    await workbench().accounts.waitFor(/^Ada /);
    await inMenu('Ada', 'Sample Service');
    await workbench().runCommand('Device Flow: Show Status');
    await workbench().quickInput.waitUntilOpen();
    await picture('status-of-two');
    await workbench().quickInput.enter('Ada');
    await workbench().quickInput.pick('Rename');
    await until('the name to be asked for', async () => (await workbench().quickInput.value()) === 'Ada');
    await workbench().quickInput.enter('Grace');
    await workbench().accounts.waitFor(/^Grace /);
    await workbench().accounts.waitUntilGone(/^Ada /);
    await inMenu('Grace', 'Sample Service');
  });

  it('are signed in one at a time: another one is refused while a sign-in runs, and its code is shown', async () => {
    await workbench().quickInput.cancel();
    await workbench().runCommand('Device Flow: Sign In');
    await workbench().quickInput.enter('Edsger');
    const code = userCodeIn(await workbench().statusBarItem(STATUS));
    await workbench().clearNotifications();
    await workbench().runCommand('Device Flow: Show Status');
    await workbench().quickInput.enter('Grace');
    await workbench().quickInput.pick('Sign In Again');
    await workbench().notifications.waitFor(/^Finish or cancel the sign-in that’s in progress first\.$/);
    assert.equal(userCodeIn((await workbench().notifications.waitFor(CODE_MESSAGE)).text), code);
    await picture('one-at-a-time');
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await workbench().clearNotifications();
  });

  it('are replaced when signing in again, and signed out one by one', async () => {
    await workbench().quickInput.cancel();
    await workbench().runCommand('Device Flow: Show Status');
    await workbench().quickInput.enter('Grace');
    await workbench().quickInput.pick('Sign In Again');
    await confirmSignIn(workbench(), scene().service);
    await inMenu('Grace', 'Sample Service');
    await workbench().runCommand('Device Flow: Sign Out');
    await workbench().quickInput.enter('Sample Service');
    await workbench().notifications.waitFor(/^Signed out of Sample Service/);
    await workbench().accounts.waitUntilGone(/^Sample Service \(/);
    await inMenu('Grace');
  });
});
