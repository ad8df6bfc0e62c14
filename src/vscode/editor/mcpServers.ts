import vscode = require('vscode');
import { bestEffort, type Log } from '../../log';
import type { McpDefinition, McpServers } from '../mcp/mcpServers';

/** What VS Code asks about MCP servers. */
export type McpServerSource = Pick<McpServers, 'list' | 'start' | 'onDidChange' | 'sessionsChanged'>;

/**
 * Registers MCP servers. If this editor doesn't know them, signing in works all the same.
 * @param id of the authentication provider; the manifest contributes the servers under the same one
 */
export function registerMcpServers(id: string, servers: McpServerSource, log: Log): vscode.Disposable {
  const disposables = [
    vscode.authentication.onDidChangeSessions(({ provider }) => {
      if (provider.id === id) {
        void servers.sessionsChanged();
      }
    }),
  ];
  void bestEffort(log, 'warn', "This editor doesn't offer MCP servers", () => {
    disposables.push(vscode.lm.registerMcpServerDefinitionProvider(id, definitionProvider(servers)));
  });
  return vscode.Disposable.from(...disposables);
}

function definitionProvider(
  servers: McpServerSource,
): vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition> {
  return {
    onDidChangeMcpServerDefinitions: (listener: (change: undefined) => unknown) => {
      const subscription = servers.onDidChange(() => listener(undefined));
      return vscode.Disposable.from(subscription);
    },
    provideMcpServerDefinitions: () => servers.list().map(toDefinition),
    // Another object than the listed one: VS Code stores what's listed on the disk, and these headers are secret.
    resolveMcpServerDefinition: async ({ label }) => toDefinition(await servers.start(label)),
  };
}

function toDefinition({ label, url, headers, version }: McpDefinition): vscode.McpHttpServerDefinition {
  return new vscode.McpHttpServerDefinition(label, vscode.Uri.parse(url, true), { ...headers }, version);
}
