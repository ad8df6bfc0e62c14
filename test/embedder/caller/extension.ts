import * as vscode from 'vscode';

/** Says whether the call brought a session, and whose. */
export function activate(context: vscode.ExtensionContext): void {
  const command = (name: string, options: vscode.AuthenticationGetSessionOptions): vscode.Disposable =>
    vscode.commands.registerCommand(`caller.${name}`, async () => {
      const session = await vscode.authentication.getSession('acme', [], options);
      void vscode.window.showInformationMessage(`Caller: ${session?.account.label ?? 'nobody'}`);
    });
  context.subscriptions.push(command('ask', { createIfNone: true }), command('askSilently', { silent: true }));
}
