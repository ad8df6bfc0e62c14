import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { NotificationOptions, OAuthClient } from '../../../src/oauth/types';
import { ServiceError } from '../../../src/oauth/errors';
import { answering, client, credentials, fails, NOTIFICATION, sent, TOKENS, until } from './harness';
import { record, serveRaw, type SeenRequest } from './servers';

/** Guards what the draft's client sends, byte by byte, and how it reads the responses to polls. */
describe('what the client sends', () => {
  const CREDENTIALS = [
    ['client_id', 'editor'],
    ['client_secret', 'not a real secret'],
  ];

  for (const [what, send, path, query] of [
    [
      'a device authorization request',
      (oauth: OAuthClient, baseUrl: string) => oauth.requestDeviceAuthorization(credentials(baseUrl)),
      '/oauth2/device',
      [['grant_type', 'device_code'], ...CREDENTIALS],
    ],
    [
      'a poll',
      (oauth: OAuthClient, baseUrl: string) => oauth.poll(credentials(baseUrl), 'device-1'),
      '/oauth2/device',
      [['grant_type', 'device_token'], ...CREDENTIALS, ['code', 'device-1']],
    ],
    [
      'a refresh',
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
    const { server, seen } = await record([{ json: TOKENS }]);
    const { oauth } = client();
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.string({ unit: fc.constantFrom(...Array.from('%&+=# ?/\\"\'\n\0字😀')) }),
    );
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (clientId, clientSecret, token) => {
        seen.length = 0;
        const request = { ...credentials(server.baseUrl), clientId, clientSecret };
        await oauth.refresh(request, token);
        await oauth.poll(request, token);
        const both = [
          ['client_id', clientId],
          ['client_secret', clientSecret],
        ];
        assert.deepEqual(seen[0]?.query, [['grant_type', 'refresh_token'], ...both, ['refresh_token', token]]);
        assert.deepEqual(seen[1]?.query, [['grant_type', 'device_token'], ...both, ['code', token]]);
      }),
      { numRuns: 30 },
    );
  });
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
});

describe('the device notification', () => {
  const PARAMETERS = Object.entries(NOTIFICATION.parameters);
  const FORM = 'application/x-www-form-urlencoded';

  function notified(change: Partial<NotificationOptions>, basePath = ''): Promise<SeenRequest> {
    return sent((oauth, baseUrl) => oauth.notify(baseUrl + basePath, { ...NOTIFICATION, ...change }, 'access+1'));
  }

  for (const [what, change, query, contentType, body] of [
    ['in the query', {}, PARAMETERS, undefined, ''],
    ['as a form', { parametersIn: 'form' }, [], FORM, 'title=My%20editor&hardware=A%20%26%20B'],
    ['as JSON', { parametersIn: 'json' }, [], 'application/json', JSON.stringify(NOTIFICATION.parameters)],
    ['in the query if GET can’t carry a form', { parametersIn: 'form', method: 'GET' }, PARAMETERS, undefined, ''],
    ['in the query if GET can’t carry JSON', { parametersIn: 'json', method: 'GET' }, PARAMETERS, undefined, ''],
    ['nowhere if it has none', { parameters: {} }, [], undefined, ''],
  ] as const) {
    it(`goes to its path below the base URL and carries its parameters ${what}`, async () => {
      const { headers, ...request } = await notified(change, '/v1');
      const method = 'method' in change ? 'GET' : 'POST';
      assert.deepEqual(request, { method, path: '/v1/device/notify', query, body });
      assert.deepEqual([headers.authorization, headers['content-type']], ['Bearer access+1', contentType]);
      const other = await notified({ ...change, accessTokenIn: 'query' });
      assert.deepEqual(other.query, [...query, ['access_token', 'access+1']]);
      assert.equal(other.headers.authorization, undefined);
    });
  }

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

  it("doesn't wait for the rest of a success", async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{');
    });
    await client().oauth.notify(server.baseUrl, NOTIFICATION, 'a');
    await until(() => server.sockets.size === 0);
  });
});
