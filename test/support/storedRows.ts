import path from 'node:path';
import { runProgram } from '../../host/processes';
import { installHost } from '../../host/install';
import { hostVersion } from '../../host/versions';

/**
 * Runs a statement of SQL on what the extension has stored in an editor's folder, as another program would, and returns the
 * rows that it gives. The editor's Node.js runs it, because this one may have no SQLite. The rows of a folder that doesn't
 * exist are none.
 */
export async function queryStore(
  storage: string,
  statement: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { node } = await installHost(hostVersion());
  const output = await runProgram(node, [path.join(__dirname, 'queryDatabases.js'), storage, statement]);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Readonly<Record<string, unknown>>[];
}

/** The names of the stored rows that begin so. */
export async function storedNames(storage: string, prefix: string): Promise<string[]> {
  const rows = await queryStore(storage, `SELECT name FROM row WHERE name GLOB '${prefix}*' ORDER BY name`);
  return rows.map(({ name }) => String(name));
}
