import type * as vscode from 'vscode';
import { registerDeviceFlow } from 'vscode-device-flow';
import { activate as activateFirst } from './extension';

export { deactivate } from './extension';

/** The extension of the recipe, with a second service. */
export function activate(context: vscode.ExtensionContext): void {
  activateFirst(context);
  registerStaging(context);
}

function registerStaging(context: vscode.ExtensionContext): void {
  registerDeviceFlow(context, {
    id: 'acme-staging',
    label: 'Acme Staging',
    service: { protocol: 'rfc8628', baseUrl: 'https://staging.acme.example', clientId: 'tools' },
  });
}
