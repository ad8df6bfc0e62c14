import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DataFolder } from '../../scripts/host/dataFolder';
import { ROOT } from '../../scripts/host/paths';
import { packageForService } from '../../scripts/package/forService';
import { VSCE } from '../../scripts/package/packager';
import type { McpServerOptions } from '../../src/vscode/mcp/options';
import type { ServiceOptions } from '../../src/vscode/settings/serviceFields';

/**
 * Builds a package for one service, which is called Acme, with MCP servers.
 * @returns the path of the VSIX
 */
export async function packMcpServers(
  data: DataFolder,
  service: ServiceOptions,
  mcpServers: readonly McpServerOptions[],
): Promise<string> {
  const file = path.join(data.root, 'tools.json');
  const contents = {
    publisher: 'acme',
    name: 'acme-tools',
    displayName: 'Acme',
    version: '1.0.0',
    providerId: 'acme',
    prefix: 'acme',
    mcpServers,
    service: { ...service, serviceName: 'Acme' },
  };
  await writeFile(file, JSON.stringify(contents), { mode: 0o600 });
  return await packageForService(file, { into: data.root, parts: ROOT, vsce: VSCE });
}
