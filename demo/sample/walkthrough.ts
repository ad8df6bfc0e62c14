import * as vscode from 'vscode';

/** Set if this extension opens its walkthrough, as `npm start` wants it. */
const WALKTHROUGH = 'DEVICE_FLOW_SAMPLE_WALKTHROUGH';

/** Opens the walkthrough of this extension if `npm start` wants it, the first time that VS Code opens a window. */
export async function openWalkthrough({ extension, globalState }: vscode.ExtensionContext): Promise<void> {
  if (process.env[WALKTHROUGH] === undefined || globalState.get('walkthroughOpened') === true) return;
  await globalState.update('walkthroughOpened', true);
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extension.id}#firstSteps`, false);
}
