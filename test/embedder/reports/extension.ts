import * as vscode from 'vscode';

const PROVIDER = 'device-flow';
/** The service that's meant, by its base URL; in front of that, the scopes that each call needs, if any. */
export const SCOPES = ['DEVICE_FLOW_SERVICE:https://login.acme.example'];

export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(vscode.commands.registerCommand('acme.showReports', showReports));
}

async function showReports(): Promise<void> {
  try {
    const response = await callService('https://api.acme.example/reports');
    void vscode.window.showInformationMessage(`Acme says: ${await response.text()}`);
  } catch (error) {
    // The person declined, canceled, or has read why the sign-in failed.
    if (/^(Canceled|ExplainedError|Error: User did not consent)/.test(String(error))) return;
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

/** Calls the service, and once more with the next token if it rejects this one. Asks to sign in if that's needed. */
export async function callService(url: string, scopes: readonly string[] = SCOPES): Promise<Response> {
  const { accessToken, account } = await vscode.authentication.getSession(PROVIDER, scopes, { createIfNone: true });
  const response = await send(url, accessToken);
  if (response.status !== 401) return response;
  await vscode.commands.executeCommand('deviceFlow.reportRejectedToken', accessToken);
  const next = await vscode.authentication.getSession(PROVIDER, scopes, { silent: true, account });
  return next === undefined || next.accessToken === accessToken ? response : send(url, next.accessToken);
}

function send(url: string, accessToken: string): Promise<Response> {
  return fetch(url, { headers: { Authorization: `Bearer ${accessToken}` } });
}
