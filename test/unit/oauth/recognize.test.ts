import assert from 'node:assert/strict';
import { Response } from 'node-fetch';
import type { Service } from '../../../src/oauth/service';
import { NetworkError } from '../../../src/oauth/errors';
import { client } from './harness';
import { record } from './servers';

const SERVICE: Service = { baseUrl: 'https://service.example/v1', clientId: 'editor', protocol: 'draft' };
const STANDARD: Service = {
  baseUrl: 'https://issuer.example/tenant',
  clientId: 'editor',
  protocol: 'rfc8628',
  endpoints: {
    issuer: 'https://issuer.example/tenant',
    deviceAuthorization: 'https://issuer.example/device',
    token: 'https://tokens.example/token',
    authentication: 'basic',
  },
};

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'connect' });
}

/** Guards that only a service with the default protocol is taken for one, and that asking reveals nothing. */
describe('whether a service with the default protocol is there', () => {
  it('is asked with a request for a device code that has no credentials', async () => {
    const { server, seen } = await record([{ status: 400, json: { error: 'invalid_client' } }]);
    assert.equal(await client().oauth.recognize({ ...SERVICE, baseUrl: `${server.baseUrl}/v1` }), true);
    assert.deepEqual(
      seen.map(({ method, path, query, body }) => ({ method, path, query, body })),
      [{ method: 'POST', path: '/v1/oauth2/device', query: [['grant_type', 'device_code']], body: '' }],
    );
    assert.ok(seen.every(({ headers }) => headers.authorization === undefined));
  });

  for (const [what, status, body, expected] of [
    ['an error of a service', 401, '{"error":"invalid_client","error_description":"…"}', true],
    ['a device code', 200, '{"code":"a","user_code":"b"}', true],
    ['a page', 200, '<html></html>', false],
    ['another API', 200, '{"status":"ok"}', false],
    ['a page that isn’t found, as of VS Code’s own server', 404, 'Not found', false],
    ['another API that knows no such path', 404, '{"message":"Not Found"}', false],
    ['a page in another place', 302, '', false],
    ['a server that knows no such method', 501, '<html></html>', false],
    ['an error of a service that wants credentials', 401, '{"error":"unauthorized"}', true],
    ['a framework’s word that it wants credentials', 401, '{"status":401,"error":"Unauthorized"}', false],
    ['a framework’s word that it’s forbidden', 403, '{"status":403,"error":"Forbidden"}', false],
    ['another API that has a code for a path it doesn’t know', 404, '{"error":"not_found"}', false],
    ['another API that has a code for a method it doesn’t know', 405, '{"error":"method_not_allowed"}', false],
    ['an error of a service that’s busy', 503, '{"error":"temporarily_unavailable"}', true],
  ] as const) {
    it(`is ${expected ? 'assumed' : 'denied'} after ${what}`, async () => {
      const { oauth } = client(() => Promise.resolve(new Response(body, { status })));
      assert.equal(await oauth.recognize(SERVICE), expected);
    });
  }

  for (const [what, status, body] of [
    ['is busy', 503, '<html></html>'],
    ['wants fewer requests', 429, ''],
  ] as const) {
    it(`isn’t known if what responds ${what}`, async () => {
      const { oauth } = client(() => Promise.resolve(new Response(body, { status })));
      await assert.rejects(Promise.resolve(oauth.recognize(SERVICE)), { name: 'ServiceError', status });
    });
  }

  it('isn’t known if nothing responds', async () => {
    const { oauth } = client(() => Promise.reject(systemError('ECONNREFUSED')));
    await assert.rejects(Promise.resolve(oauth.recognize(SERVICE)), NetworkError);
  });

  it('isn’t asked of a standard service, whose metadata says it', async () => {
    const { oauth } = client(() => Promise.reject(new Error('nothing is to be sent')));
    assert.equal(await oauth.recognize(STANDARD), true);
  });
});
