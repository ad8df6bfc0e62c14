import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { McpServers, runMcpTool } from './mcp';
import {
  callService,
  MORE_SCOPES,
  checkInstalled,
  onDidChangeSessions,
  pickAccount,
  PROVIDER,
  requireSession,
  requireSessionOf,
  SCOPES,
  send,
  whoIsSignedIn,
} from './service';

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

  const mcpServers = new McpServers(() => (serviceUrl('') === '' ? undefined : serviceUrl('/mcp')));

  const keep = (session: vscode.AuthenticationSession | undefined): string => {
    tokens.add(session);
    return session === undefined ? 'no session' : `session of ${session.account.label}`;
  };
  const ask = async (options: vscode.AuthenticationGetSessionOptions): Promise<string> =>
    keep(await vscode.authentication.getSession(PROVIDER, SCOPES, options));
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
  const updateStatus = async (): Promise<void> => {
    const text = `Sample: ${await whoIsSignedIn()}`;
    status.text = `$(account) ${text}`;
    status.accessibilityInformation = { label: `${text}, sessions changed ${changes} times` };
  };
  let updated = Promise.resolve();
  // One after another, so that what was found out first isn't shown last.
  const showStatus = (): Promise<void> => (updated = updated.then(updateStatus, updateStatus));
  const logFailure = (what: string) => (error: unknown) => {
    log.error(`${what}: ${messageOf(error)}`);
  };

  context.subscriptions.push(
    log,
    status,
    command('askForSession', async () => ((await checkInstalled()) ? keep(await requireSession()) : 'not installed')),
    command('askForService', async () => {
      const prompt = 'Base URL of the service whose session to ask for';
      const baseUrl = await vscode.window.showInputBox({ prompt, value: serviceUrl('') });
      return baseUrl === undefined ? 'no service' : keep(await requireSessionOf(baseUrl));
    }),
    command('askSilently', () => ask({ silent: true })),
    command('askForAccount', () => askFor('Account whose session to ask for', { createIfNone: true })),
    command('askForMore', async () => {
      const account = await pickAccount('Account whose session needs more scopes');
      if (account === undefined) return 'no account';
      return keep(await vscode.authentication.getSession(PROVIDER, MORE_SCOPES, { createIfNone: true, account }));
    }),
    command('chooseAgain', () => ask({ clearSessionPreference: true, createIfNone: true })),
    command('signInAgain', () => askFor('Account to sign in with again', { forceNewSession: true })),
    command('whoAmI', async () => {
      const session = await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true });
      const text = keep(session);
      return session === undefined ? text : whoAmI(await callService(serviceUrl('/api/whoami'), session));
    }),
    command('whoAmIBefore', async () =>
      tokens.previous === undefined
        ? 'there is no previous token'
        : whoAmI(await send(serviceUrl('/api/whoami'), tokens.previous)),
    ),
    command('callAgain', async () => {
      const session = await requireSession();
      const rejected = { ...session, accessToken: tokens.previous ?? session.accessToken };
      return whoAmI(await callService(serviceUrl('/api/whoami'), rejected));
    }),
    command('runMcpTool', runMcpTool),
    vscode.lm.registerMcpServerDefinitionProvider('deviceFlowSample.mcpServers', mcpServers),
    onDidChangeSessions(() => {
      changes += 1;
      log.info(`The sessions changed (change ${changes} in this window).`);
      showStatus().catch(logFailure("The status couldn't be updated after a change"));
      mcpServers.update().catch(logFailure("The MCP server couldn't be updated after a change"));
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

/** What the service says about the token of a call, like any call of its API. */
async function whoAmI(response: Response): Promise<string> {
  return `whoami returned ${response.status} ${await response.text()}`;
}

function serviceUrl(path: string): string {
  return vscode.workspace.getConfiguration('deviceFlow').get('baseUrl', '') + path;
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
