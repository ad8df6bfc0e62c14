import assert from 'node:assert/strict';
import { Agent, createServer } from 'node:https';
import { connect } from 'node:net';
import { Response } from 'node-fetch';
import { createIdentity } from '../hostile/editor/network/certificates';
import { fetchUnderTest } from '../support/fetchUnderTest';
import { type Fetch, observeConnections } from '../../src/oauth/fetch';
import { NetworkError, type Operation } from '../../src/oauth/errors';
import { client, credentials, DEVICE_CODE, failure, fails, NOTIFICATION, TOKENS } from '../unit/oauth/harness';
import { listen, type Loopback, serveRaw } from '../unit/oauth/servers';

/** Has what answers on this port speak for every host, without TLS, as a proxy does that refuses a tunnel. */
function through({ port }: Loopback): Fetch {
  const agent = Object.assign(new Agent(), { createConnection: () => connect(port, '127.0.0.1') });
  return (url, init) => fetchUnderTest(url, { ...init, agent });
}

function onTheWay(status: number, body: unknown): Promise<Loopback> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return serveRaw((socket) => {
    socket.end(
      `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
  });
}

/** Guards that what a proxy says isn't taken for the service's word, and that no tokens are lost for it. */
describe('what responds on the way instead of an https service', () => {
  for (const [status, body] of [
    [400, { error: 'invalid_grant' }],
    [400, { error: 'authorization_pending' }],
    [403, '<html>Not from here</html>'],
    [407, { error: 'invalid_grant' }],
    [302, ''],
    [503, ''],
  ] as const) {
    it(`is not taken for it: HTTP ${status} ${JSON.stringify(body).slice(0, 40)}`, async () => {
      const proxy = await onTheWay(status, body);
      const { oauth } = client(through(proxy));
      const requests = {
        'device authorization': () => oauth.requestDeviceAuthorization(credentials()),
        poll: () => oauth.poll(credentials(), 'd'),
        refresh: () => oauth.refresh(credentials(), 'r'),
        notification: () => oauth.notify(credentials().baseUrl, NOTIFICATION, 'a'),
      };
      for (const [operation, request] of Object.entries(requests)) {
        await fails(
          request(),
          new NetworkError(operation as Operation, 'proxy', false, { systemCode: 'ERR_PROXY_RESPONDED' }),
        );
      }
    });
  }

  it('costs no other request to the same address its tokens', async () => {
    const certificate = await createIdentity('localhost', undefined);
    let begin: () => void = () => undefined;
    const isRefused = new Promise<void>((resolve) => (begin = resolve));
    const service = createServer(certificate, (_request, response) => {
      // The other request is refused while this one waits for its response.
      void isRefused.then(() => response.end(JSON.stringify(TOKENS)));
    });
    const { port } = await listen(service, 'https', 'localhost');
    const proxy = await onTheWay(400, { error: 'invalid_grant' });
    const agent = new Agent({ ca: certificate.cert });
    const address = `https://localhost:${port}`;
    const passed = client((url, init) => fetchUnderTest(url, { ...init, agent })).refresh(address);
    for (let times = 0; times < 3; times++) {
      const refused = await failure(client(through(proxy)).refresh(address));
      assert.ok(refused instanceof NetworkError && refused.reason === 'proxy' && !refused.maybeSent);
    }
    begin();
    assert.equal((await passed).refreshToken, 'refresh-1');
  });

  it('is used if it’s a success: nobody else has the tokens in it', async () => {
    for (const status of [200, 201]) {
      const { refresh } = client(through(await onTheWay(status, { ...DEVICE_CODE, ...TOKENS })));
      assert.equal((await refresh()).refreshToken, 'refresh-1');
    }
  });

  it('is used if nothing is known about the connection', async () => {
    const fetch = observeConnections(() => Promise.resolve(new Response(JSON.stringify(TOKENS))));
    assert.equal((await client(fetch).refresh()).refreshToken, 'refresh-1');
  });
});
