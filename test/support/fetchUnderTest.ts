import { createRequire } from 'node:module';
import path from 'node:path';
import installed from 'node-fetch';

/**
 * Names the environment variable with the file, below the project's folder, of a bundled node-fetch to test in the place
 * of the installed one: bundling leaves out what the extension does not use.
 */
export const BUNDLED_FETCH = 'DEVICE_FLOW_BUNDLED_FETCH';

/** What the protocol is tested with: node-fetch as it is installed, or as it was bundled. */
export const fetchUnderTest: typeof installed = chosen();

function chosen(): typeof installed {
  const file = process.env[BUNDLED_FETCH];
  if (file === undefined) return installed;
  const { fetch } = createRequire(path.join(process.cwd(), 'package.json'))(`./${file}`) as {
    readonly fetch?: typeof installed;
  };
  if (fetch === undefined) throw new Error(`${file} has no fetch.`);
  return fetch;
}
