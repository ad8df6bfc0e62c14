import type * as vscode from 'vscode';
import { registerDeviceFlow } from 'vscode-device-flow';

export function activate(context: vscode.ExtensionContext): void {
  const service = { protocol: 'rfc8628', baseUrl: 'https://login.acme.example', clientId: 'tools' } as const;
  registerDeviceFlow(context, { id: 'acme', label: 'Acme', service });
}
