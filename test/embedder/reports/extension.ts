import * as vscode from 'vscode';

export const PROVIDER = 'device-flow';
/** Identifies the service by its base URL. Put scopes that every call needs before it. */
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
export async function callService(
  url: string,
  scopes: readonly string[] = SCOPES,
  preferred: { account?: vscode.AuthenticationSessionAccountInformation } = {},
): Promise<Response> {
  const options = { ...preferred, createIfNone: true } as const;
  const { accessToken, account } = await vscode.authentication.getSession(PROVIDER, scopes, options);
  const response = await send(url, accessToken);
  if (response.status !== 401) return response;
  await vscode.commands.executeCommand('deviceFlow.reportRejectedToken', accessToken);
  const next = await vscode.authentication.getSession(PROVIDER, scopes, { silent: true, account });
  return next === undefined || next.accessToken === accessToken ? response : send(url, next.accessToken);
}

function send(url: string, accessToken: string): Promise<Response> {
  return fetch(url, { headers: { Authorization: `Bearer ${accessToken}` } });
}
