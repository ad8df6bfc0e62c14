import type { Agent } from 'node:https';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FetchInit, FetchResponse } from '../../src/oauth/http';
import { fetch as installed } from '../../src/oauth/nodeFetch';

/**
 * Names the environment variable with the file, below the project's folder, of a bundled node-fetch to test in the place
 * of the installed one: bundling leaves out what the extension does not use.
 */
export const BUNDLED_FETCH = 'DEVICE_FLOW_BUNDLED_FETCH';

/** The extension's `fetch`, which takes an agent too, as VS Code gives it one. */
export type FetchUnderTest = (url: string, init: FetchInit & { readonly agent?: Agent }) => Promise<FetchResponse>;

/** What the protocol is tested with: node-fetch as it is installed, or as it was bundled. */
export const fetchUnderTest: FetchUnderTest = chosen();

function chosen(): FetchUnderTest {
  const file = process.env[BUNDLED_FETCH];
  if (file === undefined) return installed;
  const { fetch } = createRequire(path.join(process.cwd(), 'package.json'))(`./${file}`) as {
    readonly fetch?: FetchUnderTest;
  };
  if (fetch === undefined) throw new Error(`${file} has no fetch.`);
  return fetch;
}
