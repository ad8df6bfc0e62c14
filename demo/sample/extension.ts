import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { sampleCommands } from './commands';
import { McpServers } from './mcp';
import { onDidChangeSessions, PROVIDER, SCOPES, serviceUrl, setClientSecret, whoIsSignedIn } from './service';
import { openWalkthrough } from './walkthrough';

/**
 * Names a file that contains the client secret of the service that `npm start` runs, and that only its user can read. A
 * publisher's companion extension would bring the secret with it.
 */
const SECRET_FILE = 'DEVICE_FLOW_SAMPLE_SECRET_FILE';
/** The base URL of that service. */
const SECRET_SERVICE = 'DEVICE_FLOW_SAMPLE_SECRET_SERVICE';

/** A sample of an extension that uses the sessions: it asks for them, calls the service, and listens for changes. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Sample Consumer', { log: true });
  const logFailure = (what: string) => (error: unknown) => {
    log.error(`${what}: ${messageOf(error)}`);
  };
  const status = new Status();
  const mcpServers = new McpServers(() => (serviceUrl('') === '' ? undefined : serviceUrl('/mcp')));
  const commands = Object.entries(sampleCommands()).map(([name, run]) =>
    vscode.commands.registerCommand(`deviceFlowSample.${name}`, (from) => runAndTell(name, run, log, from === 'step')),
  );
  context.subscriptions.push(
    log,
    status,
    ...commands,
    vscode.lm.registerMcpServerDefinitionProvider('deviceFlowSample.mcpServers', mcpServers),
    onDidChangeSessions(() => {
      status.changes += 1;
      log.info(`The sessions changed (change ${status.changes} in this window).`);
      status.update().catch(logFailure("The status couldn't be updated after a change"));
      mcpServers.update().catch(logFailure("The MCP server couldn't be updated after a change"));
    }),
  );
  // Not awaited, because VS Code runs no command before the activation has finished.
  void handOverSecret()
    .catch(logFailure("The client secret couldn't be handed over"))
    .then(() => status.update())
    .catch(logFailure("The status couldn't be shown"));
  void openWalkthrough(context).catch(logFailure("The walkthrough couldn't be opened"));
}

/** What the commands of the walkthrough's steps say if they worked. */
const WORKED: Readonly<Record<string, RegExp>> = {
  askForSession: /^session of /,
  whoAmI: /^whoami returned 200 /,
  runMcpTool: /^the tool said: /,
};

/**
 * Runs a command, and tells the person what came of it. If it worked, its step of the walkthrough is checked off.
 * @param isStep whether that says enough, because the person selected it there, and the product says who signed in
 */
async function runAndTell(
  name: string,
  run: () => Promise<string | undefined>,
  log: vscode.LogOutputChannel,
  isStep: boolean,
): Promise<void> {
  const text = await run().catch((error: unknown) => `failed: ${messageOf(error)}`);
  if (text === undefined) return;
  log.info(text);
  if (WORKED[name]?.test(text) === true) {
    void vscode.commands.executeCommand('setContext', `deviceFlowSample.${name}Worked`, true);
    if (isStep) return;
  }
  // Not awaited, so that the command ends when the message appears.
  void vscode.window.showInformationMessage(`Sample: ${text}`);
}

/** Who is signed in, in the status bar. */
class Status implements vscode.Disposable {
  /** How often the sessions changed in this window. */
  changes = 0;
  readonly #item = vscode.window.createStatusBarItem('deviceFlowSample', vscode.StatusBarAlignment.Left);
  #updated = Promise.resolve();

  constructor() {
    this.#item.name = 'Sample Consumer';
    this.#item.show();
  }

  /** Looks who is signed in now. One look after another, so that what was found out first isn't shown last. */
  update(): Promise<void> {
    const show = (): Promise<void> => this.#show();
    this.#updated = this.#updated.then(show, show);
    return this.#updated;
  }

  dispose(): void {
    this.#item.dispose();
  }

  async #show(): Promise<void> {
    const text = `Sample: ${await whoIsSignedIn()}`;
    const hasSession = (await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true })) !== undefined;
    this.#item.text = `$(account) ${text}`;
    this.#item.tooltip = hasSession ? 'Who Am I' : 'Ask for a Session';
    this.#item.command = `deviceFlowSample.${hasSession ? 'whoAmI' : 'askForSession'}`;
    this.#item.accessibilityInformation = {
      label: `${text}, sessions changed ${this.changes} ${this.changes === 1 ? 'time' : 'times'}`,
    };
  }
}

async function handOverSecret(): Promise<void> {
  const { [SECRET_FILE]: file, [SECRET_SERVICE]: baseUrl } = process.env;
  if (file === undefined || baseUrl === undefined) return;
  await setClientSecret(await readFile(file, 'utf8'), baseUrl);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
