import * as vscode from 'vscode';
import { type DeviceFlow, registerDeviceFlow } from 'vscode-device-flow';
import { activate as activateFirst, deactivate as deactivateFirst } from './extension';

let staging: DeviceFlow;

/** The extension of the recipe, with a second service, which it may replace at any time. */
export function activate(context: vscode.ExtensionContext): void {
  activateFirst(context);
  staging = registerStaging(context);
  const changeService = (): void => {
    staging.setService({ protocol: 'rfc8628', baseUrl: 'https://login.acme.example', clientId: 'tools' });
  };
  const registerAgain = (): void => {
    staging.dispose();
    staging = registerStaging(context);
    void vscode.window.showInformationMessage('Acme is registered again.');
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('acme.changeService', changeService),
    vscode.commands.registerCommand('acme.registerAgain', registerAgain),
  );
}

export async function deactivate(): Promise<void> {
  await Promise.all([deactivateFirst(), staging.close()]);
}

function registerStaging(context: vscode.ExtensionContext): DeviceFlow {
  return registerDeviceFlow(context, {
    id: 'acme-staging',
    label: 'Acme Staging',
    service: { protocol: 'rfc8628', baseUrl: 'https://staging.acme.example', clientId: 'tools' },
  });
}
