import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';

const PROVIDER = 'device-flow';
const SCOPES = ['sample'];

/**
 * Names a file that contains the client secret of the service that `npm start` runs, and that only its user can read. A
 * publisher's companion extension would bring the secret with it.
 */
const SECRET_FILE = 'DEVICE_FLOW_SAMPLE_SECRET_FILE';
/** Names the walkthrough to open when this extension first starts; absent if none should open. */
const WALKTHROUGH = 'DEVICE_FLOW_SAMPLE_WALKTHROUGH';

/** A sample of an extension that uses the sessions: it asks for them, calls the service, and listens for changes. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Sample Consumer', { log: true });
  const tokens = new Tokens();
  const status = vscode.window.createStatusBarItem('deviceFlowSample', vscode.StatusBarAlignment.Left);
  status.name = 'Sample Consumer';
  status.tooltip = 'Who Am I';
  status.command = 'deviceFlowSample.whoAmI';
  status.show();
  let changes = 0;

  const ask = async (options: vscode.AuthenticationGetSessionOptions): Promise<string> => {
    const session = await vscode.authentication.getSession(PROVIDER, SCOPES, options);
    tokens.add(session);
    return session === undefined ? 'no session' : `session of ${session.account.label}`;
  };
  const askFor = async (title: string, options: vscode.AuthenticationGetSessionOptions): Promise<string> => {
    const account = await pickAccount(title);
    return account === undefined ? 'no account' : ask({ ...options, account });
  };
  const command = (name: string, run: () => Promise<string>): vscode.Disposable =>
    vscode.commands.registerCommand(`deviceFlowSample.${name}`, async () => {
      const text = await run().catch((error: unknown) => `failed: ${messageOf(error)}`);
      log.info(text);
      // Not awaited, so that the command ends when the message appears.
      void vscode.window.showInformationMessage(`Sample: ${text}`);
    });
  const showStatus = async (): Promise<void> => {
    const text = `Sample: ${await whoIsSignedIn()}`;
    status.text = `$(account) ${text}`;
    status.accessibilityInformation = { label: `${text}, sessions changed ${changes} times` };
  };
  /** The account that this extension can use, or the accounts that it hasn't been given access to. */
  const whoIsSignedIn = async (): Promise<string> => {
    const session = await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true });
    tokens.add(session);
    if (session !== undefined) return session.account.label;
    const accounts = await vscode.authentication.getAccounts(PROVIDER);
    if (accounts.length === 0) return 'not signed in';
    return `${accounts.map(({ label }) => label).join(', ')} (no access yet)`;
  };
  const logFailure = (what: string) => (error: unknown) => {
    log.error(`${what}: ${messageOf(error)}`);
  };

  context.subscriptions.push(
    log,
    status,
    command('askForSession', () => ask({ createIfNone: true })),
    command('askSilently', () => ask({ silent: true })),
    command('askForAccount', () => askFor('Account whose session to ask for', { createIfNone: true })),
    command('chooseAgain', () => ask({ clearSessionPreference: true, createIfNone: true })),
    command('signInAgain', () => askFor('Account to sign in with again', { forceNewSession: true })),
    command('whoAmI', async () => {
      const result = await ask({ silent: true });
      return tokens.current === undefined ? result : whoAmI(tokens.current);
    }),
    command('whoAmIBefore', () =>
      tokens.previous === undefined ? Promise.resolve('there is no previous token') : whoAmI(tokens.previous),
    ),
    vscode.authentication.onDidChangeSessions(({ provider }) => {
      if (provider.id !== PROVIDER) return;
      changes += 1;
      log.info(`The sessions of ${provider.label} changed (change ${changes} in this window).`);
      showStatus().catch(logFailure("The status couldn't be updated after a change"));
    }),
  );
  // Not awaited, because VS Code runs no command before the activation has finished.
  void handOverSecret()
    .catch(logFailure("The client secret couldn't be handed over"))
    .then(showStatus)
    .catch(logFailure("The status couldn't be shown"));
  void openWalkthrough(context.globalState).catch(logFailure("The walkthrough couldn't be opened"));
}

/** The newest access token, and the one before it, which the service rejects after a refresh. */
class Tokens {
  current: string | undefined;
  previous: string | undefined;

  add(session: vscode.AuthenticationSession | undefined): void {
    const token = session?.accessToken;
    if (token === this.current) return;
    this.previous = this.current ?? this.previous;
    this.current = token;
  }
}

async function pickAccount(placeHolder: string): Promise<vscode.AuthenticationSessionAccountInformation | undefined> {
  const accounts = await vscode.authentication.getAccounts(PROVIDER);
  const items = accounts.map((account) => ({ label: account.label, account }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.account;
}

/** Asks the service whose token this is, like any call of its API. */
async function whoAmI(accessToken: string): Promise<string> {
  const baseUrl = vscode.workspace.getConfiguration('deviceFlow').get('baseUrl', '');
  const response = await fetch(`${baseUrl}/api/whoami`, { headers: { Authorization: `Bearer ${accessToken}` } });
  return `whoami returned ${response.status} ${await response.text()}`;
}

async function handOverSecret(): Promise<void> {
  const file = process.env[SECRET_FILE];
  if (file === undefined) return;
  await vscode.commands.executeCommand('deviceFlow.setClientSecret', await readFile(file, 'utf8'));
}

async function openWalkthrough(state: vscode.Memento): Promise<void> {
  const walkthrough = process.env[WALKTHROUGH];
  if (walkthrough === undefined || state.get<boolean>('walkthroughOpened') === true) return;
  await state.update('walkthroughOpened', true);
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', walkthrough, false);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
