// A module of its own, so that bundling loads node-fetch when it is needed, and leaves out what nobody asks of it.
import nodeFetch from 'node-fetch';
import type { Fetch } from './http';
import { onlySecureAnswers } from './secureResponses';

/** `node-fetch`, which takes only the service's word for the service's. */
export const fetch: Fetch = onlySecureAnswers(nodeFetch);
