import assert from 'node:assert/strict';
import { Response } from 'node-fetch';
import type { Clock } from '../../../src/clock';
import { systemClock } from '../../../src/clock';
import type { Credentials, OAuthClient } from '../../../src/oauth/client';
import { OAuthError } from '../../../src/oauth/errors';
import type { Fetch } from '../../../src/oauth/fetch';
import { createDraftClient } from '../../../src/oauth/draftClient';
import { fetchUnderTest } from '../../support/fetchUnderTest';
import { RecordingLog } from '../../support/recordingLog';

/** A oauth client and what it logged. */
export interface Harness {
  readonly oauth: OAuthClient;
  readonly log: RecordingLog;
}

/** A client over this `fetch`. */
export function client(fetch: Fetch = fetchUnderTest, clock: Clock = systemClock): Harness {
  const log = new RecordingLog();
  return { oauth: createDraftClient({ fetch, clock, log, userAgent: 'test-client/1.0' }), log };
}

/** A client whose every request is answered with this. */
export function answering(status: number, body: unknown, headers: Record<string, string> = {}): Harness {
  const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return client(() => Promise.resolve(new Response(content, { status, headers })));
}

/** Credentials for this base URL. */
export function credentials(baseUrl = 'https://service.example'): Credentials {
  return { baseUrl, clientId: 'editor', clientSecret: 'not a real secret' };
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

/** The error of a request, which must be one that the oauth defines. */
export async function failure(request: Promise<unknown>): Promise<OAuthError> {
  try {
    await request;
  } catch (error) {
    assert.ok(error instanceof OAuthError, `unexpected ${String(error)}`);
    return error;
  }
  assert.fail('the request succeeded');
}

/** Its own properties, for comparing. */
export function facts(error: OAuthError): Record<string, unknown> {
  return Object.fromEntries(Object.entries(error).filter(([, value]) => value !== undefined));
}

/** Waits until this holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
