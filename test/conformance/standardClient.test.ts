import assert from 'node:assert/strict';
import type { AuthorizationRequest, OAuthClient, TokenResponse } from '../../src/oauth/client';
import { createClient } from '../../src/oauth/createClient';
import { ServiceError } from '../../src/oauth/errors';
import type { ServiceOptions } from '../../demo/service';
import { fetchUnderTest } from '../support/fetchUnderTest';
import { RecordingLog } from '../support/recordingLog';
import { type Api, CREDENTIALS, useApi } from './api';

const SCOPES = ['openid', 'profile', 'offline_access', 'read'];

/** The extension's own client of a service, whose clock it shares, and what the metadata says. */
async function open(api: Api): Promise<{ readonly oauth: OAuthClient; readonly request: AuthorizationRequest }> {
  const { clock, service } = api;
  const oauth = createClient({ fetch: fetchUnderTest, clock, log: new RecordingLog(), userAgent: 'test-client/1.0' });
  const metadata = await oauth.discover(service, {});
  assert.ok(metadata !== undefined);
  return { oauth, request: { ...service, endpoints: metadata.endpoints, scopes: SCOPES } };
}

/** Signs in: polls too soon once, is pending once, and then gets tokens. */
async function signIn(api: Api, slowDown: number): Promise<TokenResponse> {
  const { oauth, request } = await open(api);
  const { deviceCode, userCode, interval, verificationUri, verificationUriComplete } =
    await oauth.requestDeviceAuthorization(request);
  assert.deepEqual([verificationUri, interval], [api.service.verificationUrl, 5]);
  assert.equal(verificationUriComplete, `${verificationUri}?user_code=${userCode}`);
  assert.equal((await oauth.poll(request, deviceCode)).kind, 'pending');
  const slowed = await oauth.poll(request, deviceCode);
  assert.ok(slowed.kind === 'pending');
  assert.equal(slowed.slowDown, slowDown);
  await api.clock.advance(10_000);
  assert.equal(api.service.approve(userCode, 'ada'), undefined);
  const result = await oauth.poll(request, deviceCode);
  assert.ok(result.kind === 'tokens');
  return result.tokens;
}

/** Guards that the extension's client understands the demo service in each way in which standard services differ. */
describe('the extension’s client of a standard service', () => {
  for (const [what, options, slowDown] of [
    ['with a secret that must be encoded', CREDENTIALS, 0],
    ['without a secret', { clientSecret: '' }, 0],
    ['whose errors have the status 200', { deviations: ['status-200'] }, 0],
    ['whose responses are forms', { deviations: ['form'] }, 0],
    ['that names its page in verification_url', { deviations: ['verification-url'] }, 0],
    ['whose slow_down has the status 429', { deviations: ['slow-down-429'] }, 0],
    ['whose slow_down names a new interval', { deviations: ['slow-down-interval'] }, 10],
    ['that does all of this', { deviations: ['status-200', 'form', 'verification-url', 'slow-down-interval'] }, 10],
  ] as [string, ServiceOptions, number][]) {
    describe(`of a service ${what}`, () => {
      const api = useApi({ protocol: 'rfc8628', ...options });

      it('signs in, refreshes, learns of refusals, and revokes', async () => {
        const { user, scopes, refreshToken = '', accessToken = '' } = await signIn(api(), slowDown);
        assert.deepEqual([scopes, user?.name], [SCOPES, 'ada']);
        assert.equal((await api().whoami(accessToken)).status, 200);
        const { oauth, request } = await open(api());
        const renewed = await oauth.refresh(request, refreshToken);
        assert.deepEqual([renewed.listedScopes, renewed.expiresIn], [SCOPES, 3600]);
        const refused = await oauth.refresh(request, refreshToken).catch((error: unknown) => error);
        assert.ok(refused instanceof ServiceError);
        assert.equal(refused.code, 'invalid_grant');
        assert.equal((await api().whoami(renewed.accessToken ?? '')).status, 200);
        await oauth.revoke(request, renewed);
        assert.equal((await api().whoami(renewed.accessToken ?? '')).status, 401);
        const errors = api().service.requests.map(({ result }) => result?.error);
        assert.deepEqual(errors.filter(Boolean).sort(), [
          'authorization_pending',
          'invalid_grant',
          'invalid_token',
          'slow_down',
        ]);
      });
    });
  }
});
