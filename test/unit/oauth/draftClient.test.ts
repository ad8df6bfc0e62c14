import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { NotificationOptions, OAuthClient } from '../../../src/oauth/client';
import { ServiceError } from '../../../src/oauth/errors';
import { answering, client, credentials, fails, NOTIFICATION, sent, TOKENS, until } from './harness';
import { record, serveRaw, type SeenRequest } from './servers';

/** Many runs take their time on a busy machine. Milliseconds. */
const PATIENT = 20_000;

describe('what the client sends', () => {
  const CREDENTIALS = [
    ['client_id', 'editor'],
    ['client_secret', 'not a real secret'],
  ];

  for (const [what, send, path, query] of [
    [
      'a device authorization request (specification 4.1)',
      (oauth: OAuthClient, baseUrl: string) => oauth.requestDeviceAuthorization(credentials(baseUrl)),
      '/oauth2/device',
      [['grant_type', 'device_code'], ...CREDENTIALS],
    ],
    [
      'a poll (specification 4.2)',
      (oauth: OAuthClient, baseUrl: string) => oauth.poll(credentials(baseUrl), 'device-1'),
      '/oauth2/device',
      [['grant_type', 'device_token'], ...CREDENTIALS, ['code', 'device-1']],
    ],
    [
      'a refresh (specification 4.3)',
      (oauth: OAuthClient, baseUrl: string) => oauth.refresh(credentials(baseUrl), 'refresh-0'),
      '/oauth2/token',
      [['grant_type', 'refresh_token'], ...CREDENTIALS, ['refresh_token', 'refresh-0']],
    ],
  ] as const) {
    it(`is ${what}, with its parameters, the headers it needs, no others and no body, on a connection of its own`, async () => {
      const { headers, ...request } = await sent(send);
      assert.deepEqual(request, { method: 'POST', path, query, body: '' });
      const { host, ...others } = headers;
      assert.match(host ?? '', /^127\.0\.0\.1:\d+$/);
      assert.deepEqual(others, {
        accept: 'application/json',
        'accept-encoding': 'identity',
        connection: 'close',
        'content-length': '0',
        'user-agent': 'test-client/1.0',
      });
    });
  }

  it('is any credentials, codes and tokens, unchanged', async () => {
    const { server, seen } = await record(TOKENS);
    const { oauth } = client();
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.string({ unit: fc.constantFrom(...Array.from('%&+=# ?/\\"\'\n\0字😀')) }),
    );
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (clientId, clientSecret, token) => {
        seen.length = 0;
        await oauth.refresh({ baseUrl: server.baseUrl, clientId, clientSecret }, token);
        await oauth.poll({ baseUrl: server.baseUrl, clientId, clientSecret }, token);
        const both = [
          ['client_id', clientId],
          ['client_secret', clientSecret],
        ];
        assert.deepEqual(seen[0]?.query, [['grant_type', 'refresh_token'], ...both, ['refresh_token', token]]);
        assert.deepEqual(seen[1]?.query, [['grant_type', 'device_token'], ...both, ['code', token]]);
      }),
      { numRuns: 150 },
    );
  }).timeout(PATIENT);
});

describe('a poll', () => {
  for (const status of [400, 401, 403, 418, 428, 499]) {
    it(`is pending for authorization_pending with HTTP ${status}`, async () => {
      const { oauth } = answering(status, { error: 'authorization_pending', status });
      assert.deepEqual(await oauth.poll(credentials(), 'd'), { kind: 'pending' });
    });
  }

  for (const [status, code] of [
    [400, 'invalid_client'],
    [400, 'slow_down'],
    [401, 'unauthorized'],
    [429, 'rate_limit-1'],
    [500, 'authorization_pending'],
    [503, 'server_error'],
    [200, 'authorization_pending'],
  ] as const) {
    it(`fails with HTTP ${status} ${code}`, async () => {
      const { oauth } = answering(status, { error: code, error_description: 'Some text.' });
      await fails(oauth.poll(credentials(), 'd'), new ServiceError('poll', status, code));
    });
  }

  it('alone can be pending', async () => {
    const { oauth, refresh } = answering(400, { error: 'authorization_pending' });
    await fails(refresh(), new ServiceError('refresh', 400, 'authorization_pending'));
    const request = oauth.requestDeviceAuthorization(credentials());
    await fails(request, new ServiceError('device authorization', 400, 'authorization_pending'));
  });
});

describe('the device notification', () => {
  const PARAMETERS = Object.entries(NOTIFICATION.parameters);

  function notified(change: Partial<NotificationOptions>, basePath = ''): Promise<SeenRequest> {
    return sent((oauth, baseUrl) => oauth.notify(baseUrl + basePath, { ...NOTIFICATION, ...change }, 'access+1'));
  }

  it('goes to its path below the base URL, with its parameters in the query and the token in a header', async () => {
    const { headers, ...request } = await notified({}, '/v1');
    assert.deepEqual(request, { method: 'POST', path: '/v1/device/notify', query: PARAMETERS, body: '' });
    assert.deepEqual([headers.authorization, headers['content-type']], ['Bearer access+1', undefined]);
  });

  it('carries the token in the query if it belongs there', async () => {
    const { query, headers } = await notified({ accessTokenIn: 'query' });
    assert.deepEqual(query, [...PARAMETERS, ['access_token', 'access+1']]);
    assert.equal(headers.authorization, undefined);
  });

  it('carries its parameters as a form', async () => {
    const { query, headers, body } = await notified({ parametersIn: 'form', accessTokenIn: 'query' });
    assert.deepEqual(query, [['access_token', 'access+1']]);
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
    assert.deepEqual([...new URLSearchParams(body)], PARAMETERS);
  });

  it('carries its parameters as JSON', async () => {
    const { query, headers, body } = await notified({ parametersIn: 'json' });
    assert.deepEqual([query, headers['content-type']], [[], 'application/json']);
    assert.deepEqual(JSON.parse(body), NOTIFICATION.parameters);
  });

  it('carries them in the query with GET, which has no body', async () => {
    for (const parametersIn of ['query', 'form', 'json'] as const) {
      const { method, query, headers, body } = await notified({ method: 'get', parametersIn });
      assert.deepEqual([method, query, headers['content-type'], body], ['GET', PARAMETERS, undefined, '']);
    }
  });

  it('needs no parameters', async () => {
    assert.deepEqual((await notified({ parameters: {} })).query, []);
  });

  for (const path of ['device/notify', '//device/notify', '/x/../device/notify']) {
    it(`stays at its service for the path ${path}`, async () => {
      assert.equal((await notified({ path })).path, '/device/notify');
    });
  }

  for (const path of ['@other.example/', '//other.example/', '\\\\other.example', '?a=b', '#x']) {
    it(`stays at its service and in its path for ${path}`, async () => {
      assert.deepEqual((await notified({ path, parameters: {} })).query, []);
    });
  }

  for (const [status, body] of [
    [200, '{"status":200}'],
    [200, 'OK'],
    [201, ''],
    [299, '{'],
  ] as const) {
    it(`is done with HTTP ${status} and "${body}"`, async () => {
      await answering(status, body).oauth.notify('https://service.example', NOTIFICATION, 'a');
    });
  }

  it("doesn't wait for the rest of a success", async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{');
    });
    await client().oauth.notify(server.baseUrl, NOTIFICATION, 'a');
    await until(() => server.sockets.size === 0);
  });

  it("fails with the service's error", async () => {
    const { oauth } = answering(401, { error: 'unauthorized' });
    const request = oauth.notify('https://service.example', NOTIFICATION, 'a');
    await fails(request, new ServiceError('notification', 401, 'unauthorized'));
  });
});
