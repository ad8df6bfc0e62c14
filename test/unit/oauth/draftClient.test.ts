import assert from 'node:assert/strict';
import fc from 'fast-check';
import { client, credentials, DEVICE_CODE, facts, failure, TOKENS } from './harness';
import { record } from './servers';

/** Many runs take their time on a busy machine. Milliseconds. */
const PATIENT = 20_000;

describe('what the oauth client sends', () => {
  it('asks for a device code with the parameters of specification 4.1 and no others', async () => {
    const { server, seen } = await record(DEVICE_CODE);
    await client().oauth.requestDeviceAuthorization(credentials(server.baseUrl));
    await server.close();
    assert.equal(seen.length, 1);
    const [request] = seen;
    assert.equal(request?.method, 'POST');
    assert.equal(request.path, '/oauth2/device');
    assert.deepEqual(request.query, [
      ['grant_type', 'device_code'],
      ['client_id', 'editor'],
      ['client_secret', 'not a real secret'],
    ]);
    assert.equal(request.body, '');
  });

  it('polls with the parameters of specification 4.2 and no others', async () => {
    const { server, seen } = await record(TOKENS);
    await client().oauth.poll(credentials(server.baseUrl), 'device-1');
    await server.close();
    const [request] = seen;
    assert.equal(request?.method, 'POST');
    assert.equal(request.path, '/oauth2/device');
    assert.deepEqual(request.query, [
      ['grant_type', 'device_token'],
      ['client_id', 'editor'],
      ['client_secret', 'not a real secret'],
      ['code', 'device-1'],
    ]);
    assert.equal(request.body, '');
  });

  it('refreshes with the parameters of specification 4.3 and no others', async () => {
    const { server, seen } = await record(TOKENS);
    await client().oauth.refresh(credentials(server.baseUrl), 'refresh-0');
    await server.close();
    const [request] = seen;
    assert.equal(request?.method, 'POST');
    assert.equal(request.path, '/oauth2/token');
    assert.deepEqual(request.query, [
      ['grant_type', 'refresh_token'],
      ['client_id', 'editor'],
      ['client_secret', 'not a real secret'],
      ['refresh_token', 'refresh-0'],
    ]);
    assert.equal(request.body, '');
  });

  it('sends the headers that it needs and no others, and keeps no connection', async () => {
    const { server, seen } = await record(TOKENS);
    await client().oauth.refresh(credentials(server.baseUrl), 'refresh-0');
    await server.close();
    assert.deepEqual(seen[0]?.headers, {
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
      'content-length': '0',
      host: new URL(server.baseUrl).host,
      'user-agent': 'test-client/1.0',
    });
  });

  it('appends its paths to the path of the base URL', async () => {
    const { server, seen } = await record(TOKENS);
    for (const path of ['/v1', '/v1/', '/a/b']) {
      await client().oauth.refresh(credentials(server.baseUrl + path), 'refresh-0');
    }
    await server.close();
    assert.deepEqual(
      seen.map((request) => request.path),
      ['/v1/oauth2/token', '/v1/oauth2/token', '/a/b/oauth2/token'],
    );
  });

  it('brings any credentials, codes and tokens to the service unchanged', async () => {
    const { server, seen } = await record(TOKENS);
    const { oauth } = client();
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.string({
        unit: fc.constantFrom('%', '&', '+', '=', '#', ' ', '?', '/', '\\', '"', "'", '\n', '\0', '字', '😀'),
      }),
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
    await server.close();
  }).timeout(PATIENT);

  it('encodes a space so that it is read as one by every decoder', async () => {
    const queries: string[] = [];
    const { oauth } = client((url) => {
      queries.push(url.slice(url.indexOf('?')));
      return Promise.reject(new Error('enough'));
    });
    await failure(oauth.refresh({ ...credentials(), clientSecret: 'a b+c' }, 'r'));
    assert.deepEqual(queries, ['?grant_type=refresh_token&client_id=editor&client_secret=a%20b%2Bc&refresh_token=r']);
  });

  for (const [name, given] of [
    ['half of a surrogate pair in the secret', { ...credentials(), clientSecret: 'a\ud800b' }],
    ['a base URL that is none', credentials('service.example')],
    ['credentials in the base URL', credentials('https://user:password@service.example')],
    ['a user name in the base URL', credentials('https://user@service.example')],
    ['http to another machine', credentials('http://service.example')],
    ['another scheme', credentials('ftp://service.example')],
  ] as const) {
    it(`sends nothing at all for ${name}`, async () => {
      let sent = 0;
      const { oauth } = client(() => {
        sent += 1;
        return Promise.reject(new Error('sent'));
      });
      const error = await failure(oauth.refresh(given, 'refresh-0'));
      assert.deepEqual(facts(error), {
        operation: 'refresh',
        reason: 'unknown',
        maybeSent: false,
        systemCode: 'ERR_INVALID_URL',
        name: 'NetworkError',
      });
      assert.equal(sent, 0);
    });
  }

  it('drops query and fragment of the base URL', async () => {
    const { server, seen } = await record(TOKENS);
    await client().oauth.refresh(credentials(`${server.baseUrl}/v1?x=1#y`), 'r');
    await server.close();
    assert.equal(seen[0]?.path, '/v1/oauth2/token');
    assert.deepEqual(
      seen[0].query.map(([name]) => name),
      ['grant_type', 'client_id', 'client_secret', 'refresh_token'],
    );
  });
});
