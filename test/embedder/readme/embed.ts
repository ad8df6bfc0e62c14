import type * as vscode from 'vscode';
import { type DeviceFlow, registerDeviceFlow } from 'vscode-device-flow';

let acme: DeviceFlow;

export function activate(context: vscode.ExtensionContext): void {
  const service = { protocol: 'rfc8628', baseUrl: 'https://login.acme.example', clientId: 'tools' } as const;
  acme = registerDeviceFlow(context, { id: 'acme', label: 'Acme', service });
}

/** Lets a refresh that's on its way finish, so that its tokens aren't lost. */
export function deactivate(): Promise<void> {
  return acme.close();
}
