import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DataFolder } from '../../host/dataFolder';
import { ROOT } from '../../host/paths';
import { packageForService } from '../../scripts/package/forService';
import { VSCE } from '../../scripts/package/packager';
import type { McpServerOptions } from '../../src/vscode/mcp/options';
import type { ServiceOptions } from '../../src/vscode/settings/serviceFields';

/**
 * Builds a package for one service under the name of a company, with MCP servers if there are any.
 * @returns the path of the VSIX
 */
export async function packForService(
  data: DataFolder,
  company: string,
  service: ServiceOptions,
  mcpServers: readonly McpServerOptions[] = [],
): Promise<string> {
  const id = company.toLowerCase();
  const file = path.join(data.root, `${id}.json`);
  const contents = {
    publisher: id,
    name: `${id}-tools`,
    displayName: company,
    version: '1.0.0',
    providerId: id,
    prefix: id,
    ...(mcpServers.length > 0 && { mcpServers }),
    service: { ...service, serviceName: company },
  };
  await writeFile(file, JSON.stringify(contents), { mode: 0o600 });
  return await packageForService(file, { into: data.root, parts: ROOT, vsce: VSCE });
}
