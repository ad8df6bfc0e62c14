import assert from 'node:assert/strict';
import type { NotificationOptions } from '../../../src/oauth/client';
import { answering, client, facts, failure, until } from './harness';
import type { SeenRequest } from './servers';
import { record, serveRaw } from './servers';

const SHAPE: NotificationOptions = {
  path: '/device/notify',
  method: 'POST',
  parameters: { title: 'My editor', hardware: 'A & B' },
  parametersIn: 'query',
  accessTokenIn: 'header',
};

const PARAMETERS = [
  ['title', 'My editor'],
  ['hardware', 'A & B'],
];

async function sent(change: Partial<NotificationOptions>, basePath = ''): Promise<SeenRequest> {
  const { server, seen } = await record({ status: 200 });
  await client().oauth.notify(server.baseUrl + basePath, { ...SHAPE, ...change }, 'access+1');
  await server.close();
  assert.equal(seen.length, 1);
  const [request] = seen;
  assert.ok(request);
  return request;
}

describe('the device notification', () => {
  it('goes to its path below the base URL, with its parameters in the query and the token in a header', async () => {
    const request = await sent({}, '/v1');
    assert.equal(request.method, 'POST');
    assert.equal(request.path, '/v1/device/notify');
    assert.deepEqual(request.query, PARAMETERS);
    assert.equal(request.headers.authorization, 'Bearer access+1');
    assert.equal(request.headers['content-type'], undefined);
    assert.equal(request.body, '');
  });

  it('carries the token in the query where it belongs there', async () => {
    const request = await sent({ accessTokenIn: 'query' });
    assert.deepEqual(request.query, [...PARAMETERS, ['access_token', 'access+1']]);
    assert.equal(request.headers.authorization, undefined);
  });

  it('carries its parameters as a form', async () => {
    const request = await sent({ parametersIn: 'form', accessTokenIn: 'query' });
    assert.deepEqual(request.query, [['access_token', 'access+1']]);
    assert.equal(request.headers['content-type'], 'application/x-www-form-urlencoded');
    assert.deepEqual([...new URLSearchParams(request.body)], PARAMETERS);
  });

  it('carries its parameters as JSON', async () => {
    const request = await sent({ parametersIn: 'json' });
    assert.deepEqual(request.query, []);
    assert.equal(request.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(request.body), SHAPE.parameters);
  });

  it('carries them in the query with GET, which has no body', async () => {
    for (const parametersIn of ['query', 'form', 'json'] as const) {
      const request = await sent({ method: 'get', parametersIn });
      assert.equal(request.method, 'GET');
      assert.deepEqual(request.query, PARAMETERS);
      assert.equal(request.headers['content-type'], undefined);
      assert.equal(request.body, '');
    }
  });

  it('needs no parameters', async () => {
    assert.deepEqual((await sent({ parameters: {} })).query, []);
  });

  for (const path of ['device/notify', '//device/notify', '/x/../device/notify']) {
    it(`stays at its service for the path ${path}`, async () => {
      assert.equal((await sent({ path })).path, '/device/notify');
    });
  }

  for (const path of ['@other.example/', '//other.example/', '\\\\other.example', '?a=b', '#x']) {
    it(`stays at its service and in its path for ${path}`, async () => {
      const { query } = await sent({ path, parameters: {} });
      assert.deepEqual(query, []);
    });
  }

  for (const [status, body] of [
    [200, '{"status":200}'],
    [200, 'OK'],
    [201, ''],
    [299, '{'],
  ] as const) {
    it(`is done with HTTP ${status} and "${body}"`, async () => {
      await answering(status, body).oauth.notify('https://service.example', SHAPE, 'a');
    });
  }

  it('does not wait for the rest of a success', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{');
    });
    await client().oauth.notify(server.baseUrl, SHAPE, 'a');
    await until(() => server.sockets.size === 0);
    await server.close();
  });

  it("fails with the service's error, with a redirect and without an answer", async () => {
    const run = async (status: number, body: unknown): Promise<Record<string, unknown>> =>
      facts(await failure(answering(status, body).oauth.notify('https://service.example', SHAPE, 'a')));
    const operation = 'notification';
    assert.deepEqual(await run(401, { error: 'unauthorized' }), {
      operation,
      status: 401,
      code: 'unauthorized',
      name: 'ServiceError',
    });
    assert.deepEqual(await run(500, 'Oops'), { operation, status: 500, name: 'ServiceError' });
    assert.deepEqual(await run(307, ''), {
      operation,
      status: 307,
      problem: 'redirect',
      name: 'InvalidResponseError',
    });
    const { oauth } = client(() => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })));
    assert.deepEqual(facts(await failure(oauth.notify('https://service.example', SHAPE, 'a'))), {
      operation,
      reason: 'host not found',
      maybeSent: false,
      systemCode: 'ENOTFOUND',
      name: 'NetworkError',
    });
  });
});
