import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Response } from 'node-fetch';
import { systemClock, type Clock } from '../../../src/clock';
import type { NotificationOptions, OAuthClient } from '../../../src/oauth/types';
import type { Credentials } from '../../../src/oauth/service';
import { createClient } from '../../../src/oauth/createClient';
import { OAuthError, ServiceError } from '../../../src/oauth/errors';
import type { Fetch } from '../../../src/oauth/fetch';
import { FakeClock } from '../../support/fakeClock';
import { fetchUnderTest } from '../../support/fetchUnderTest';
import { RecordingLog } from '../../support/recordingLog';
import { record, type SeenRequest } from './servers';

/** An OAuth client and what it logged. */
export interface Harness {
  readonly oauth: OAuthClient;
  readonly log: RecordingLog;
  /** Refreshes a token pair, as most tests do. */
  readonly refresh: (baseUrl?: string) => ReturnType<OAuthClient['refresh']>;
}

/** A client over this `fetch`. */
export function client(fetch: Fetch = fetchUnderTest, clock: Clock = systemClock): Harness {
  const log = new RecordingLog();
  const oauth = createClient({ fetch, clock, log, random: randomBytes, userAgent: 'test-client/1.0' });
  return { oauth, log, refresh: (baseUrl) => oauth.refresh(credentials(baseUrl), 'refresh-0') };
}

/** A client whose every request gets this response. */
export function answering(status: number, body: unknown, headers: Record<string, string> = {}): Harness {
  const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return client(() => Promise.resolve(new Response(content, { status, headers })), new FakeClock(0));
}

/** The one request that `send` sends. */
export async function sent(send: (oauth: OAuthClient, baseUrl: string) => Promise<unknown>): Promise<SeenRequest> {
  const { server, seen } = await record([{ json: { ...DEVICE_CODE, ...TOKENS, name: 'Ada' } }]);
  await send(client().oauth, server.baseUrl);
  assert.equal(seen.length, 1);
  return seen[0] ?? assert.fail();
}

/** Credentials for this base URL. */
export function credentials(baseUrl = 'https://service.example'): Credentials {
  return { protocol: 'draft', baseUrl, clientId: 'editor', clientSecret: 'not a real secret' };
}

export const DEVICE_CODE = {
  code: 'device-1',
  user_code: 'ABCD-1234',
  verification_uri: 'https://service.example/activate',
  expires_in: 600,
  interval: 7,
};

export const TOKENS = {
  access_token: 'access-1',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'refresh-1',
  scope: null,
};

export const NOTIFICATION: NotificationOptions = {
  path: '/device/notify',
  method: 'POST',
  parameters: { title: 'My editor', hardware: 'A & B' },
  parametersIn: 'query',
  accessTokenIn: 'header',
};

/** The error of a request, which must be one of the client's. */
export async function failure(request: Promise<unknown>): Promise<OAuthError> {
  try {
    await request;
  } catch (error) {
    assert.ok(error instanceof OAuthError, `unexpected ${String(error)}`);
    return error;
  }
  assert.fail('the request succeeded');
}

/** Checks that a request fails in exactly this way. What an error response has in it only counts if that's said. */
export async function fails(request: Promise<unknown>, expected: OAuthError): Promise<void> {
  const error = await failure(request);
  const isOpen = expected instanceof ServiceError && expected.body === 'other';
  assert.deepEqual(isOpen ? Object.assign(error, { body: 'other' }) : error, expected);
}

/** Waits until this holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
