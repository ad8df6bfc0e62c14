import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';

const PROVIDER = 'device-flow';
const SCOPES = ['sample'];

/**
 * Names the file with the client secret of the service that `npm start` runs, which only its own user can read. A
 * publisher's companion extension would bring the secret with it.
 */
const SECRET_FILE = 'DEVICE_FLOW_SAMPLE_SECRET_FILE';

/** A sample of an extension that uses the sessions: it asks, calls the service, and listens. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Sample Consumer', { log: true });
  const tokens = new Tokens();
  const status = vscode.window.createStatusBarItem('deviceFlowSample', vscode.StatusBarAlignment.Left);
  status.name = 'Sample Consumer';
  let changes = 0;
  const draw = async (): Promise<void> => {
    const session = await ask({ silent: true });
    tokens.see(session);
    status.text = `Sample: ${session?.account.label ?? 'no session'}, ${changes} changes`;
    status.show();
  };

  const command = (name: string, run: () => Promise<string>): vscode.Disposable =>
    vscode.commands.registerCommand(`deviceFlowSample.${name}`, async () => {
      const text = await run().catch((error: unknown) => `failed: ${messageOf(error)}`);
      log.info(text);
      // Not awaited: the command has ended when the message is shown.
      void vscode.window.showInformationMessage(`Sample: ${text}`);
    });

  context.subscriptions.push(
    log,
    status,
    command('askForSession', async () => {
      const session = await ask({ createIfNone: true });
      tokens.see(session);
      return describe(session);
    }),
    command('askSilently', async () => {
      const session = await ask({ silent: true });
      tokens.see(session);
      return describe(session);
    }),
    command('askForAccount', async () => {
      const account = await chooseAccount('Ask for the session of which account?');
      return account === undefined ? 'no account' : describe(await ask({ account, createIfNone: true }));
    }),
    command('chooseAgain', async () => describe(await ask({ clearSessionPreference: true, createIfNone: true }))),
    command('signInAgain', async () => {
      const account = await chooseAccount('Sign in again with which account?');
      return account === undefined ? 'no account' : describe(await ask({ account, forceNewSession: true }));
    }),
    command('whoAmI', async () => {
      const session = await ask({ silent: true });
      tokens.see(session);
      return session === undefined ? describe(session) : whoAmI(session.accessToken);
    }),
    command('whoAmIBefore', async () =>
      tokens.before === undefined ? 'there was no token before' : whoAmI(tokens.before),
    ),
    vscode.authentication.onDidChangeSessions((event) => {
      if (event.provider.id !== PROVIDER) return;
      changes += 1;
      log.info(`The sessions of ${event.provider.label} changed; that was change ${changes}.`);
      draw().catch((error: unknown) => {
        log.warn(`After a change: ${messageOf(error)}`);
      });
    }),
  );
  handOverSecret().catch((error: unknown) => {
    log.error(`The client secret could not be handed over: ${messageOf(error)}`);
  });
}

/** The newest access token that was served, and the one before it, which the service refuses after a refresh. */
class Tokens {
  before: string | undefined;
  private newest: string | undefined;

  see(session: vscode.AuthenticationSession | undefined): void {
    if (session === undefined || session.accessToken === this.newest) return;
    this.before = this.newest;
    this.newest = session.accessToken;
  }
}

async function ask(options: vscode.AuthenticationGetSessionOptions): Promise<vscode.AuthenticationSession | undefined> {
  return vscode.authentication.getSession(PROVIDER, SCOPES, options);
}

/** Lets the person choose among the accounts that are signed in. */
async function chooseAccount(placeHolder: string): Promise<vscode.AuthenticationSessionAccountInformation | undefined> {
  const accounts = await vscode.authentication.getAccounts(PROVIDER);
  const lines = accounts.map((account) => ({ label: account.label, account }));
  return (await vscode.window.showQuickPick(lines, { placeHolder }))?.account;
}

function describe(session: vscode.AuthenticationSession | undefined): string {
  return session === undefined ? 'no session' : `session of ${session.account.label}`;
}

/** Asks the service who the token belongs to, as any call of its API would. */
async function whoAmI(accessToken: string): Promise<string> {
  const baseUrl = vscode.workspace.getConfiguration('deviceFlow').get('baseUrl', '');
  const response = await fetch(`${baseUrl}/api/whoami`, { headers: { Authorization: `Bearer ${accessToken}` } });
  return `whoami answered ${response.status} ${await response.text()}`;
}

async function handOverSecret(): Promise<void> {
  const file = process.env[SECRET_FILE];
  if (file === undefined) return;
  await vscode.commands.executeCommand('deviceFlow.setClientSecret', (await readFile(file, 'utf8')).trim());
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
