import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import type { Fetch } from '../../../src/oauth/fetch';
import { refuseInsecureResponses } from '../../../src/oauth/nodeFetch';
import { Response } from 'node-fetch';
import { fetchUnderTest } from '../../support/fetchUnderTest';
import { NetworkError, type Operation } from '../../../src/oauth/errors';
import { client, credentials, DEVICE_CODE, failure, fails, NOTIFICATION, TOKENS } from './harness';
import type { Loopback } from './servers';
import { serveRaw } from './servers';

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

/** Guards that what a proxy says isn't taken for the service's word. */
describe('what responds on the way instead of an https service', () => {
  for (const [status, body] of [
    [400, { error: 'invalid_grant' }],
    [400, { error: 'authorization_pending' }],
    [403, '<html>Not from here</html>'],
    [407, { error: 'invalid_grant' }],
    [302, ''],
    [503, ''],
    [200, { ...DEVICE_CODE, ...TOKENS }],
    [201, { ...DEVICE_CODE, ...TOKENS }],
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
        await fails(request(), new NetworkError(operation as Operation, 'proxy', false, 'ERR_PROXY_RESPONDED'));
      }
    });
  }

  it('is not taken for it by any of several requests at once', async () => {
    const proxy = await onTheWay(200, TOKENS);
    const { oauth } = client(through(proxy));
    const requests = ['r', 'r', 's'].map((token) => failure(oauth.refresh(credentials(), token)));
    for (const error of await Promise.all(requests)) {
      assert.equal(error.name, 'NetworkError');
    }
  });

  it('may be anything if nothing is known about the connection', async () => {
    const fetch = refuseInsecureResponses(() => Promise.resolve(new Response(JSON.stringify(TOKENS))));
    await fails(client(fetch).refresh(), new NetworkError('refresh', 'unknown', true, undefined));
  });
});
