import * as vscode from 'vscode';

/** Says whether a call brought a session and whose, and what a tool of an MCP server returned. */
export function activate(context: vscode.ExtensionContext): void {
  const command = (name: string, options: vscode.AuthenticationGetSessionOptions): vscode.Disposable =>
    vscode.commands.registerCommand(`caller.${name}`, async () => {
      const session = await vscode.authentication.getSession('acme', [], options);
      void vscode.window.showInformationMessage(`Caller: ${session?.account.label ?? 'nobody'}`);
    });
  context.subscriptions.push(
    command('ask', { createIfNone: true }),
    command('askSilently', { silent: true }),
    vscode.commands.registerCommand('caller.runTool', async () => {
      const tool = vscode.lm.tools.find(({ name }) => name.endsWith('_whoami'));
      const input = { input: {}, toolInvocationToken: undefined };
      const result = tool === undefined ? undefined : await vscode.lm.invokeTool(tool.name, input);
      void vscode.window.showInformationMessage(`Caller: ${JSON.stringify(result?.content ?? 'no tool')}`);
    }),
  );
}
