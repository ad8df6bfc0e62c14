import * as vscode from 'vscode';
import { type DeviceFlow, DeviceFlowError, registerDeviceFlow } from 'vscode-device-flow';

let acme: DeviceFlow;

export function activate(context: vscode.ExtensionContext): void {
  acme = registerDeviceFlow(context, { id: 'acme', label: 'Acme', services: [] });
  update();
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(update),
    vscode.commands.registerCommand('acme.whoAmI', whoAmI),
  );
}

/** The base URLs that the person lists. */
const servers = (): string[] => vscode.workspace.getConfiguration('acme').get('servers', []);

function update(): void {
  try {
    acme.setServices(servers().map((baseUrl) => ({ protocol: 'rfc8628', baseUrl, clientId: 'tools' })));
  } catch (error) {
    // It names what's wrong, such as services[2].baseUrl. The services stay as they were.
    void vscode.window.showErrorMessage(String(error));
  }
}

async function whoAmI(): Promise<void> {
  const service = await vscode.window.showQuickPick(servers());
  if (service === undefined) return;
  try {
    const response = await acme.fetch(`${service}/api/whoami`, { service, interactive: true });
    void vscode.window.showInformationMessage(`Acme says: ${await response.text()}`);
  } catch (error) {
    if (error instanceof DeviceFlowError && error.isKnown) return;
    throw error;
  }
}

export function deactivate(): Promise<void> {
  return acme.close();
}
