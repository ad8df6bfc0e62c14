import * as vscode from 'vscode';

export const EXTENSION = 'device-flow.device-flow-authentication';
export const PROVIDER = 'device-flow';
/** What this extension needs at the service. */
export const SCOPES = ['sample'];
/** What it needs for something that only some people do. */
export const MORE_SCOPES = [...SCOPES, 'sample.write'];

/** The address of this path at the default service. */
export function serviceUrl(path: string): string {
  const [baseUrl] = configuredServices();
  return baseUrl === undefined ? '' : baseUrl + path;
}

/** The base URLs of the services that are configured, of which the first one is the default. */
export function configuredServices(): readonly string[] {
  const services = vscode.workspace.getConfiguration('deviceFlow').get<readonly { baseUrl: string }[]>('services', []);
  return services.map(({ baseUrl }) => baseUrl);
}

/**
 * Whether Device Flow Authentication may be installed. If not, offers to show it. In a remote window, an extension can't
 * see those that run elsewhere.
 */
export async function checkInstalled(): Promise<boolean> {
  if (vscode.extensions.getExtension(EXTENSION) !== undefined || vscode.env.remoteName !== undefined) return true;
  const show = 'Show Extension';
  const message = 'To sign in, install the extension Device Flow Authentication.';
  if ((await vscode.window.showInformationMessage(message, show)) === show) {
    await vscode.commands.executeCommand('extension.open', EXTENSION);
  }
  return false;
}

/** A session for a command that the person ran. Asks for consent, and to sign in, if that's needed. */
export async function requireSession(): Promise<vscode.AuthenticationSession> {
  return vscode.authentication.getSession(PROVIDER, SCOPES, { createIfNone: true });
}

/** Whether the person knows why there's no session: they declined, canceled, or have read why the sign-in failed. */
export function isKnown(error: unknown): boolean {
  return error instanceof Error && /^(Canceled|ExplainedError|Error: User did not consent)/.test(String(error));
}

/** A session of the service at this base URL. Asks for consent, to sign in, and to add the service, if that's needed. */
export async function requireSessionOf(baseUrl: string): Promise<vscode.AuthenticationSession> {
  const scopes = [...SCOPES, `DEVICE_FLOW_SERVICE:${baseUrl}`];
  // VS Code prefers one account for your extension, which may be another service's: so ask for each that there is.
  for (const account of await vscode.authentication.getAccounts(PROVIDER)) {
    const session = await vscode.authentication.getSession(PROVIDER, scopes, { silent: true, account });
    if (session !== undefined) return session;
  }
  return vscode.authentication.getSession(PROVIDER, scopes, { createIfNone: true });
}

/** Calls the service, and once more with the next token if it rejects the session's. */
export async function callService(url: string, session: vscode.AuthenticationSession): Promise<Response> {
  const response = await send(url, session.accessToken);
  if (response.status !== 401) return response;
  const isReplaced = await vscode.commands.executeCommand('deviceFlow.reportRejectedToken', session.accessToken);
  if (isReplaced !== true) return response;
  const options = { silent: true, account: session.account };
  const current = await vscode.authentication.getSession(PROVIDER, SCOPES, options);
  return current === undefined ? response : send(url, current.accessToken);
}

export function send(url: string, accessToken: string): Promise<Response> {
  return fetch(url, { headers: { Authorization: `Bearer ${accessToken}` } });
}

/** Stores the client secret of the service at this base URL. Rejects if that isn't configured: no other one gets it. */
export async function setClientSecret(clientSecret: string, baseUrl: string): Promise<void> {
  await vscode.commands.executeCommand('deviceFlow.setClientSecret', clientSecret, baseUrl);
}

/** Runs `update` when somebody signs in or out, and when a token is refreshed. */
export function onDidChangeSessions(update: () => void): vscode.Disposable {
  return vscode.authentication.onDidChangeSessions(({ provider }) => {
    if (provider.id === PROVIDER) update();
  });
}

/** Whose session this extension can use, or who is signed in. Never shows anything. */
export async function whoIsSignedIn(): Promise<string> {
  const session = await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true });
  if (session !== undefined) return session.account.label;
  const accounts = await vscode.authentication.getAccounts(PROVIDER);
  return accounts.length === 0 ? 'not signed in' : `${accounts.map(({ label }) => label).join(', ')} (no access yet)`;
}

/** The account that the person picks; `undefined` if they pick none. */
export async function pickAccount(
  placeHolder: string,
): Promise<vscode.AuthenticationSessionAccountInformation | undefined> {
  const accounts = await vscode.authentication.getAccounts(PROVIDER);
  const items = accounts.map((account) => ({ label: account.label, account }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.account;
}
