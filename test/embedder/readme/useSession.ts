import * as vscode from 'vscode';

/** Calls the service for a person who ran a command. VS Code asks them for consent, and to sign in, if that's needed. */
export async function fetchReports(): Promise<Response> {
  const scopes = ['DEVICE_FLOW_SERVICE:https://login.acme.example'];
  const session = await vscode.authentication.getSession('device-flow', scopes, { createIfNone: true });
  return fetch('https://api.acme.example/reports', { headers: { Authorization: `Bearer ${session.accessToken}` } });
}
