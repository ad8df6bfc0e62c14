import * as vscode from 'vscode';
import { type DeviceFlow, DeviceFlowError, registerDeviceFlow } from 'vscode-device-flow';

let acme: DeviceFlow;
/** The base URLs that the person lists, less those that can't be used. */
let servers: readonly string[] = [];

export function activate(context: vscode.ExtensionContext): void {
  acme = registerDeviceFlow(context, { id: 'acme', label: 'Acme', commandPrefix: 'acme', services: [] });
  readServers();
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('acme.servers')) readServers();
    }),
    vscode.commands.registerCommand('acme.whoAmI', whoAmI),
  );
}

function readServers(): void {
  // If somebody writes one address in place of a list, that's a list of one.
  const listed = [vscode.workspace.getConfiguration('acme').get<string | string[]>('servers', [])].flat();
  const wrong = acme.setServices(listed.map((baseUrl) => ({ protocol: 'rfc8628', baseUrl, clientId: 'tools' })));
  servers = listed.filter((_, index) => !wrong.some((one) => one.index === index));
  for (const { index, message } of wrong) {
    void vscode.window.showErrorMessage(`Element ${index + 1} of the acme.servers setting can’t be used: ${message}`);
  }
}

/** The server that the person picks; `undefined` if there's none, or they cancel. */
async function pickServer(): Promise<string | undefined> {
  if (servers.length > 0) return vscode.window.showQuickPick(servers, { placeHolder: 'Select a server' });
  const openSettings = 'Open Settings';
  const message = 'Add the address of your server to the acme.servers setting.';
  if ((await vscode.window.showInformationMessage(message, openSettings)) === openSettings) {
    await vscode.commands.executeCommand('workbench.action.openSettings', '@id:acme.servers');
  }
  return undefined;
}

async function whoAmI(): Promise<void> {
  const service = await pickServer();
  if (service === undefined) return;
  try {
    const url = `${service.replace(/\/$/, '')}/api/whoami`;
    const response = await acme.fetch(url, { service, interactive: true });
    void vscode.window.showInformationMessage(`Acme says: ${await response.text()}`);
  } catch (error) {
    // The person has canceled, or has read why the sign-in failed.
    if (error instanceof DeviceFlowError && error.isKnown) return;
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

export function deactivate(): Promise<void> {
  return acme.close();
}
