import * as vscode from 'vscode';
import { PROVIDER, requireSession, SCOPES } from './service';

/** An MCP server at the service, which gets the access token of the person who is signed in. */
export class McpServers implements vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition> {
  readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.changed.event;
  /** The token that the running server has. */
  token: string | undefined;
  restarts = 0;

  constructor(private readonly address: () => string | undefined) {}

  /** VS Code calls this at any time, so it asks the person nothing. */
  provideMcpServerDefinitions(): vscode.McpHttpServerDefinition[] {
    const address = this.address();
    if (address === undefined) return [];
    const uri = vscode.Uri.parse(address);
    return [new vscode.McpHttpServerDefinition('Sample Service', uri, {}, `1.0.0+${this.restarts}`)];
  }

  /** VS Code calls this when the server starts, so it may ask the person to sign in. */
  async resolveMcpServerDefinition(server: vscode.McpHttpServerDefinition): Promise<vscode.McpHttpServerDefinition> {
    const { accessToken } = await requireSession();
    this.token = accessToken;
    const headers = { Authorization: `Bearer ${accessToken}` };
    return new vscode.McpHttpServerDefinition(server.label, server.uri, headers, server.version);
  }

  /** Run this when the sessions change: another version stops a server whose token is dead. The next call starts it again. */
  async update(): Promise<void> {
    if (this.token === undefined) return;
    const session = await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true });
    if (session?.accessToken === this.token) return;
    this.token = undefined;
    this.restarts += 1;
    this.changed.fire();
  }
}

/** Runs a tool of an MCP server, as an agent does, and tells what it said. */
export async function runMcpTool(): Promise<string> {
  const tools = vscode.lm.tools.filter(({ tags }) => tags.includes('mcp'));
  if (tools.length === 0) return 'no MCP tools are known: start a server with “MCP: List Servers” first';
  const items = tools.map((tool) => ({ label: tool.name, description: tool.description, tool }));
  const tool = (await vscode.window.showQuickPick(items, { placeHolder: 'Tool to run' }))?.tool;
  if (tool === undefined) return 'no tool';
  const input = await askForInput(tool);
  const { content } = await vscode.lm.invokeTool(tool.name, { input, toolInvocationToken: undefined });
  return `the tool said: ${content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join(' ')}`;
}

/** What's suggested for each parameter of a tool. The only one in the demo is how many seconds the tool `wait` waits. */
const SUGGESTION = 10;

/** The parameters that the person enters, if the tool has any. */
async function askForInput({ inputSchema = {} }: vscode.LanguageModelToolInformation): Promise<object> {
  const { properties = {} } = inputSchema as { properties?: object };
  const names = Object.keys(properties);
  if (names.length === 0) return {};
  const value = JSON.stringify(Object.fromEntries(names.map((name) => [name, SUGGESTION])));
  const text = await vscode.window.showInputBox({ prompt: 'Parameters of the tool, as JSON', value });
  return JSON.parse(text ?? '{}') as object;
}
