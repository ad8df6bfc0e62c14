import type { Agent } from 'node:https';
import { fetch, type FetchInit, type FetchResponse } from '../../src/oauth/fetch';

/** The extension's `fetch`. It takes an agent too, as VS Code gives it one. */
export const fetchUnderTest: (url: string, init: FetchInit & { readonly agent?: Agent }) => Promise<FetchResponse> =
  fetch;
