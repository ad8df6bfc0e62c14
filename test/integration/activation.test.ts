import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const EXTENSION = 'device-flow.device-flow-authentication';

type Settings = Record<string, { scope: string }>;

/** Guards that VS Code activates the extension, and offers what the manifest promises. */
describe('the extension in a real extension host', () => {
  it('is activated when the editor has started', async () => {
    const extension = vscode.extensions.getExtension(EXTENSION);
    assert.ok(extension);
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('provides sessions to any extension: none before a sign-in', async () => {
    const session = await vscode.authentication.getSession('device-flow', ['integration'], { silent: true });
    assert.equal(session, undefined);
  });

  it('offers no account before a sign-in', async () => {
    assert.deepEqual(await vscode.authentication.getAccounts('device-flow'), []);
  });

  it('registers every command that it promises', async () => {
    const registered = await vscode.commands.getCommands(true);
    const promised = ['signIn', 'signOut', 'configure', 'setClientSecret', 'copyUserCode', 'openVerificationPage']
      .concat(['cancelSignIn', 'showStatus', 'showLog', 'troubleshoot', 'reportRejectedToken'])
      .map((name) => `deviceFlow.${name}`);
    assert.deepEqual(
      promised.filter((name) => !registered.includes(name)),
      [],
    );
  });

  it('keeps every setting out of the reach of a workspace', () => {
    const extension = vscode.extensions.getExtension(EXTENSION);
    const manifest = extension?.packageJSON as { contributes: { configuration: { properties: Settings } } };
    const { properties } = manifest.contributes.configuration;
    assert.ok(Object.keys(properties).length > 0);
    for (const [name, { scope }] of Object.entries(properties)) assert.equal(scope, 'application', name);
  });
});
