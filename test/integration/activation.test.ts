import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import manifest from '../../package.json';
import { until } from '../../host/until';

const EXTENSION = 'device-flow.device-flow-authentication';

/** Guards that VS Code activates the extension, and offers what the manifest promises. */
describe('the extension in a real extension host', () => {
  it('is activated by VS Code when it has started', async () => {
    const extension = vscode.extensions.getExtension(EXTENSION);
    await until('the extension to be activated, which nobody asked for', () => extension?.isActive);
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
    const promised = [...manifest.contributes.commands.map(({ command }) => command), 'deviceFlow.reportRejectedToken'];
    assert.deepEqual(
      promised.filter((name) => !registered.includes(name)),
      [],
    );
  });

  it('keeps every setting out of the reach of a workspace', () => {
    const installed = vscode.extensions.getExtension(EXTENSION)?.packageJSON as typeof manifest;
    const { properties } = installed.contributes.configuration;
    for (const [name, { scope }] of Object.entries(properties)) assert.equal(scope, 'application', name);
  });
});
