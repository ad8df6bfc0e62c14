import * as vscode from 'vscode';

/** Offers a command that changes the person's settings as VS Code's own page does, so that no window has to be reloaded. */
export function activate({ subscriptions }: vscode.ExtensionContext): void {
  const change = async (): Promise<void> => {
    const text = await vscode.window.showInputBox({ prompt: 'Settings, as JSON' });
    for (const [name, value] of Object.entries(JSON.parse(text ?? '{}') as object)) {
      await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
    }
    subscriptions.push(vscode.window.setStatusBarMessage('Settings: changed'));
  };
  subscriptions.push(vscode.commands.registerCommand('sceneSettings.change', change));
}
