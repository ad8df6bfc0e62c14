import * as vscode from 'vscode';
import { type DeviceFlow, DeviceFlowError, registerDeviceFlow } from 'vscode-device-flow';

let acme: DeviceFlow;

export function activate(context: vscode.ExtensionContext): void {
  acme = registerDeviceFlow(context, {
    id: 'acme',
    label: 'Acme',
    commandPrefix: 'acme',
    service: { protocol: 'rfc8628', baseUrl: 'https://login.acme.example', clientId: 'tools' },
  });
  const whoAmI = async (): Promise<void> => {
    try {
      const response = await acme.fetch('https://api.acme.example/me', { interactive: true });
      void vscode.window.showInformationMessage(`Acme says: ${await response.text()}`);
    } catch (error) {
      // The person has canceled, or has read why the sign-in failed.
      if (error instanceof DeviceFlowError && error.isKnown) return;
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  };
  context.subscriptions.push(vscode.commands.registerCommand('acme.whoAmI', whoAmI));
}

export function deactivate(): Promise<void> {
  return acme.close();
}
