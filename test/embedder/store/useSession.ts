import * as vscode from 'vscode';

/** Calls the service for a person who ran a command. VS Code asks them for consent, and to sign in, if that's needed. */
export async function fetchReports(): Promise<Response | undefined> {
  const scopes = ['DEVICE_FLOW_SERVICE:https://login.acme.example'];
  try {
    const session = await vscode.authentication.getSession('device-flow', scopes, { createIfNone: true });
    return await fetch('https://api.acme.example/reports', {
      headers: { Authorization: `Bearer ${session.accessToken}` },
    });
  } catch (error) {
    // The person declined, canceled, or has read why the sign-in failed.
    if (error instanceof Error && /^(Canceled|ExplainedError|Error: User did not consent)/.test(String(error))) return;
    throw error;
  }
}
