import assert from 'node:assert/strict';
import { Response } from 'node-fetch';
import type { Service } from '../../../src/oauth/client';
import { client } from './harness';
import { record } from './servers';

const SERVICE: Service = { baseUrl: 'https://service.example/v1', clientId: 'editor' };
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

/** Guards that a service counts as unreachable only if nothing left this machine, and that asking for it reveals nothing. */
describe('whether a service can be reached', () => {
  for (const [service, origin] of [
    [SERVICE, 'https://service.example/'],
    [STANDARD, 'https://tokens.example/'],
  ] as const) {
    it(`is tried where its refreshes go: ${origin}`, async () => {
      const urls: string[] = [];
      const { oauth } = client((url) => {
        urls.push(url);
        return Promise.resolve(new Response('', { status: 404 }));
      });
      assert.equal(await oauth.isReachable(service), true);
      assert.deepEqual(urls, [origin]);
    });
  }

  it('is tried without saying who asks', async () => {
    const { server, seen } = await record([{ json: {} }]);
    assert.equal(await client().oauth.isReachable({ ...SERVICE, baseUrl: `${server.baseUrl}/v1` }), true);
    assert.deepEqual(
      seen.map(({ method, path, query, body }) => ({ method, path, query, body })),
      [{ method: 'GET', path: '/', query: [], body: '' }],
    );
    assert.ok(seen.every(({ headers }) => headers.authorization === undefined));
  });

  for (const status of [200, 302, 401, 500]) {
    it(`is clear from HTTP ${status}`, async () => {
      const { oauth } = client(() => Promise.resolve(new Response('<html>', { status })));
      assert.equal(await oauth.isReachable(SERVICE), true);
    });
  }

  for (const [code, expected] of [
    ['ENOTFOUND', false],
    ['ENETUNREACH', false],
    ['ECONNREFUSED', false],
    ['ECONNRESET', true],
  ] as const) {
    it(`is ${expected ? 'assumed' : 'denied'} after ${code}`, async () => {
      const { oauth } = client(() => Promise.reject(systemError(code)));
      assert.equal(await oauth.isReachable(SERVICE), expected);
    });
  }
});
