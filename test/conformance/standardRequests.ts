import assert from 'node:assert/strict';
import { type Api, type ApiResponse, outcome, type Query, text, useApi } from './api';

export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Credentials that a client which encodes too little gets wrong. */
export const CREDENTIALS = { clientId: 'an id & more', clientSecret: 'a b+c/d=e%26&ü:"' };

/** Scopes with which a standard service issues all that it can. */
export const SCOPE = 'openid profile offline_access read';

/** What a request carries to authenticate its client. */
export interface Authentication {
  readonly headers?: Record<string, string>;
  readonly form?: Query;
}

/** A header with these credentials (RFC 6749, section 2.3.1). */
export function basic(id: string, secret: string): Authentication {
  const [encodedId, encodedSecret] = [id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
  const encoded = Buffer.from(`${encodedId ?? ''}:${encodedSecret ?? ''}`).toString('base64');
  return { headers: { authorization: `Basic ${encoded}` } };
}

/** Sends a form, by default from a client that authenticates in it. */
export function post(api: Api, path: string, form: Query, by: Authentication = {}): Promise<ApiResponse> {
  const { headers = {}, form: credentials = headers['authorization'] === undefined ? api.client : {} } = by;
  return api.send(path, {}, { headers, body: new URLSearchParams({ ...credentials, ...form }) });
}

/** Asks for codes. */
export function authorize(api: Api, form: Query = { scope: SCOPE }): Promise<ApiResponse> {
  return post(api, '/device_authorization', form);
}

/** Polls with this device code. */
export function poll(api: Api, device_code: string): Promise<ApiResponse> {
  return post(api, '/token', { grant_type: DEVICE_CODE_GRANT, device_code });
}

/** Refreshes with this token. */
export function refresh(api: Api, refresh_token: string): Promise<ApiResponse> {
  return post(api, '/token', { grant_type: 'refresh_token', refresh_token });
}

/** A device code that somebody has allowed. */
export async function approved(api: Api, form?: Query): Promise<string> {
  const { body } = await authorize(api, form);
  api.service.approve(text(body, 'user_code'), 'ada');
  return text(body, 'device_code');
}

/** The token response to a sign-in. */
export async function signIn(api: Api, form?: Query): Promise<ApiResponse['body']> {
  const response = await poll(api, await approved(api, form));
  assert.deepEqual(outcome(response), [200, undefined]);
  return response.body;
}

/** A standard service for each test of a suite, or once for all of them. */
export function useStandardApi(options: Parameters<typeof useApi>[0] = {}, once = false): () => Api {
  return useApi({ protocol: 'rfc8628', ...options }, once);
}
