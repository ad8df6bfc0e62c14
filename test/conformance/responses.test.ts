import assert from 'node:assert/strict';
import { type Api, type ApiResponse, bearer, text, tokensOf, useApi } from './api';

/** Guards that the demo service's responses have exactly the fields of the specification. */
describe('responses of the service (specification 2)', () => {
  const api = useApi({ interval: 7, deviceCodeTtl: 8600, accessTokenTtl: 1234 }, true);

  it('the device code response (2.1) has exactly these fields', async () => {
    const { status, body } = await api().requestCode();
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['code', 'user_code', 'verification_uri', 'expires_in', 'interval']);
    assert.match(
      text(body, 'user_code'),
      /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/,
      'people can read and type it',
    );
    assert.equal(body['verification_uri'], api().service.verificationUrl);
    assert.equal((await fetch(text(body, 'verification_uri'))).status, 200);
    assert.deepEqual([body['expires_in'], body['interval']], [8600, 7], 'integers, in seconds');
    api().service.approve(text(body, 'user_code'));
    assert.equal((await api().poll(text(body, 'code'))).status, 200, 'code obtains the tokens');
  });

  it('the token response (2.2) has exactly these fields; scope is absent after a refresh', async () => {
    const first = await api().poll((await api().approvedCode()).deviceCode);
    const second = await api().refresh(tokensOf(first).refreshToken);
    const third = await api().refresh(tokensOf(second).refreshToken);
    const fields = ['access_token', 'token_type', 'expires_in', 'refresh_token'];
    const names = [first, second, third].map(({ body }) => Object.keys(body));
    assert.deepEqual(names, [[...fields, 'scope'], fields, fields]);
    assert.equal(first.body['scope'], null);
    for (const { status, body } of [first, second, third]) {
      assert.deepEqual([status, body['token_type'], body['expires_in']], [200, 'bearer', 1234]);
    }
    assert.ok(await api().accepts(tokensOf(third)));
    const tokens = [first, second, third].map(tokensOf).flatMap((pair) => [pair.accessToken, pair.refreshToken]);
    assert.equal(new Set(tokens).size, 6, 'all tokens are new');
  });

  it('an error response (2.3) has a code and a description; authorization_pending has no description', async () => {
    const { body } = await api().requestCode({ client_secret: 'wrong' });
    assert.deepEqual(Object.keys(body), ['error', 'error_description']);
    assert.equal(body['error'], 'invalid_client');
    assert.match(text(body, 'error_description'), /client credentials are invalid\.$/);
    const { deviceCode } = await api().issueCode();
    assert.deepEqual((await api().poll(deviceCode)).body, { error: 'authorization_pending' });
  });

  const requests: Record<string, (api: Api, accessToken: string) => Promise<ApiResponse>> = {
    'a device code': (api) => api.requestCode(),
    'an error of the device endpoint': (api) => api.requestCode({ client_id: 'wrong' }),
    'a rejected poll': (api) => api.poll('unknown'),
    'a rejected refresh': (api) => api.refresh('unknown'),
    'the resource': (api, token) => api.whoami(token),
    'a rejected access token': (api) => api.whoami('unknown'),
    'a notification': (api, token) => api.send('/device/notify', {}, { headers: bearer(token) }),
    'an unknown path': (api) => api.send('/elsewhere'),
    'an unsupported method': (api) => api.send('/oauth2/token', {}, { method: 'GET' }),
    'a malformed address': (api) => api.send('/%ZZ'),
    'a body that is too large': (api) =>
      api.send('/device/notify', {}, { body: 'x'.repeat(70_000), headers: { 'content-type': 'a/b' } }),
  };
  for (const [name, request] of Object.entries(requests)) {
    it(`${name}: Content-Type application/json, Cache-Control no-store`, async () => {
      const { headers } = await request(api(), (await api().signIn()).accessToken);
      assert.equal(headers.get('content-type'), 'application/json');
      assert.equal(headers.get('cache-control'), 'no-store');
    });
  }
});
