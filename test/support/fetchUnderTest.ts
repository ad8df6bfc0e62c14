import type { Agent } from 'node:https';
import type { FetchInit, FetchResponse } from '../../src/oauth/fetch';
import { fetch } from '../../src/oauth/nodeFetch';

/** The extension's `fetch`. It takes an agent too, as VS Code gives it one. */
export const fetchUnderTest: (url: string, init: FetchInit & { readonly agent?: Agent }) => Promise<FetchResponse> =
  fetch;
