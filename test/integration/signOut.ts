import * as vscode from 'vscode';

/** Signs out as a person does. VS Code shows no dialogs while it runs tests, so this answers them in its place. */
export async function signOut(): Promise<void> {
  const { showInformationMessage } = vscode.window;
  const answer = (_text: string, _options: vscode.MessageOptions, button: string): Promise<string> =>
    Promise.resolve(button);
  Object.assign(vscode.window, { showInformationMessage: answer });
  try {
    await vscode.commands.executeCommand('deviceFlow.signOut');
  } finally {
    Object.assign(vscode.window, { showInformationMessage });
  }
}
