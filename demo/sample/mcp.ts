import * as vscode from 'vscode';
import { requireSession } from './service';

/** An MCP server at the service, which gets the access token of the person who is signed in. */
export class McpServers implements vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition> {
  constructor(private readonly address: () => string) {}

  /** VS Code calls this at any time, so it asks the person nothing. */
  provideMcpServerDefinitions(): vscode.McpHttpServerDefinition[] {
    return [new vscode.McpHttpServerDefinition('Sample Service', vscode.Uri.parse(this.address()))];
  }

  /** VS Code calls this when the server starts, so it may ask the person to sign in. */
  async resolveMcpServerDefinition(server: vscode.McpHttpServerDefinition): Promise<vscode.McpHttpServerDefinition> {
    const { accessToken } = await requireSession();
    server.headers = { Authorization: `Bearer ${accessToken}` };
    return server;
  }
}
