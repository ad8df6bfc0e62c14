import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Response } from 'node-fetch';
import type { AccountOptions } from '../../../src/oauth/client';
import { answering, client, credentials, facts, failure } from './harness';
import { record } from './servers';

const OPTIONS: AccountOptions = { path: '/user', field: 'name', idField: undefined, accessTokenIn: 'header' };

describe('asking who is signed in', () => {
  it('sends one GET with the token in the header', async () => {
    const { server, seen } = await record({ name: 'Ada' });
    assert.equal((await client().oauth.fetchAccount(`${server.baseUrl}/v1`, OPTIONS, 'access+1')).name, 'Ada');
    await server.close();
    const [{ method, path, query, headers, body } = assert.fail()] = seen;
    assert.deepEqual(
      [method, path, query, headers.authorization, body, seen.length],
      ['GET', '/v1/user', [], 'Bearer access+1', '', 1],
    );
  });

  it('sends the token in the query if it belongs there', async () => {
    const { server, seen } = await record({ name: 'Ada' });
    await client().oauth.fetchAccount(server.baseUrl, { ...OPTIONS, accessTokenIn: 'query' }, 'access+1');
    await server.close();
    assert.deepEqual([seen[0]?.query, seen[0]?.headers.authorization], [[['access_token', 'access+1']], undefined]);
  });

  it('says that a response is too large, even if its end never came', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(gzipSync(Buffer.alloc(1024 * 1024, ' ')));
      throw Object.assign(new Error('a reset'), { code: 'ECONNRESET' });
    }
    const response = new Response(Readable.from(broken()), { headers: { 'Content-Encoding': 'gzip' } });
    const { oauth } = client(() => Promise.resolve(response));
    const error = facts(await failure(oauth.fetchAccount('https://service.example', OPTIONS, 'a')));
    assert.deepEqual(error, { operation: 'account', status: 200, problem: 'too large', name: 'InvalidResponseError' });
  });

  it('fails with errors, redirects, pages and unusable addresses', async () => {
    for (const [status, body, expected] of [
      [404, { error: 'gone' }, 'ServiceError'],
      [302, '', 'InvalidResponseError'],
      [200, '<html>', 'InvalidResponseError'],
    ] as const) {
      const request = answering(status, body).oauth.fetchAccount('https://service.example', OPTIONS, 'a');
      assert.equal((await failure(request)).name, expected);
    }
    const { oauth } = client(() => assert.fail('a request was sent'));
    const { baseUrl } = credentials('http://service.example');
    assert.equal((await failure(oauth.fetchAccount(baseUrl, OPTIONS, 'a'))).name, 'NetworkError');
  });
});
