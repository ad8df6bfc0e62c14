import type * as vscode from 'vscode';
import { authentication, Disposable, lm, McpHttpServerDefinition, Uri } from 'vscode';
import type { Event } from '../../event';
import { bestEffort, type Log } from '../../log';

/** An MCP server as VS Code lists or starts it. */
export interface McpDefinition {
  readonly label: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** VS Code stops a server whose version changes. */
  readonly version: string | undefined;
}

/** What VS Code asks about MCP servers. */
export interface McpServerSource {
  /** All servers, without asking anybody for anything. */
  list(): readonly McpDefinition[];
  /** How VS Code reaches a server that it's about to start. @throws Error with a message for people */
  start(label: string): Promise<McpDefinition>;
  /** The servers must be listed again. */
  readonly onDidChange: Event<void>;
  /** Somebody may have signed in or out, or a token may have been refreshed. */
  sessionsChanged(): Promise<void>;
}

/**
 * Registers MCP servers. If this editor doesn't know them, signing in works all the same.
 * @param id of the authentication provider; the manifest contributes the servers under the same one
 */
export function registerMcpServers(id: string, servers: McpServerSource, log: Log): Disposable {
  const disposables = [
    authentication.onDidChangeSessions(({ provider }) => {
      if (provider.id === id) {
        void servers.sessionsChanged();
      }
    }),
  ];
  void bestEffort(log, 'warn', "This editor doesn't offer MCP servers", () => {
    disposables.push(lm.registerMcpServerDefinitionProvider(id, definitionProvider(servers)));
  });
  return Disposable.from(...disposables);
}

function definitionProvider(servers: McpServerSource): vscode.McpServerDefinitionProvider<McpHttpServerDefinition> {
  return {
    onDidChangeMcpServerDefinitions: servers.onDidChange,
    provideMcpServerDefinitions: () => servers.list().map(toDefinition),
    // Another object than the listed one: VS Code stores what's listed on the disk, and these headers are secret.
    resolveMcpServerDefinition: async ({ label }) => toDefinition(await servers.start(label)),
  };
}

function toDefinition({ label, url, headers, version }: McpDefinition): McpHttpServerDefinition {
  return new McpHttpServerDefinition(label, Uri.parse(url, true), { ...headers }, version);
}
