import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { OAuthClient } from '../../../src/oauth/client';
import { FakeClock, settle } from '../../support/fakeClock';
import { InvalidResponseError, NetworkError, type Operation } from '../../../src/oauth/errors';
import { client, credentials, failure, fails, NOTIFICATION, TOKENS, until } from './harness';
import { serveRaw } from './servers';

const HEAD = 'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

describe('the time limit', () => {
  const OPERATIONS: readonly [
    operation: Operation,
    limit: number,
    run: (oauth: OAuthClient, baseUrl: string) => Promise<unknown>,
  ][] = [
    ['device authorization', 15_000, (oauth, baseUrl) => oauth.requestDeviceAuthorization(credentials(baseUrl))],
    ['poll', 15_000, (oauth, baseUrl) => oauth.poll(credentials(baseUrl), 'd')],
    ['refresh', 300_000, (oauth, baseUrl) => oauth.refresh(credentials(baseUrl), 'r')],
    ['notification', 15_000, (oauth, baseUrl) => oauth.notify(baseUrl, NOTIFICATION, 'a')],
  ];

  for (const [operation, limit, run] of OPERATIONS) {
    it(`ends a ${operation} request without a response after ${limit / 1000} s, not before`, async () => {
      let asked = false;
      const server = await serveRaw(() => (asked = true));
      const clock = new FakeClock();
      let error: unknown;
      const request = failure(run(client(undefined, clock).oauth, server.baseUrl)).then((e) => (error = e));
      await until(() => asked);
      await clock.advance(limit - 1);
      assert.equal(error, undefined);
      await clock.advance(1);
      assert.deepEqual(await request, new NetworkError(operation, 'timeout', true, undefined));
      await until(() => server.sockets.size === 0);
    });
  }

  it('ends a request whose response changes the protocol', async () => {
    let asked = false;
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      asked = true;
    });
    const clock = new FakeClock();
    const request = failure(client(undefined, clock).oauth.poll(credentials(server.baseUrl), 'd'));
    await until(() => asked && server.sockets.size === 0);
    await clock.advance(15_000);
    assert.deepEqual(await request, new NetworkError('poll', 'timeout', true, undefined));
  });

  it('ends a response that trickles without end', async () => {
    let sent = 0;
    const server = await serveRaw((socket) => {
      socket.write(HEAD);
      const trickle = (): void => {
        if (!socket.destroyed) {
          socket.write(chunk(' '));
          sent += 1;
          setImmediate(trickle);
        }
      };
      trickle();
    });
    const clock = new FakeClock();
    const request = failure(client(undefined, clock).refresh(server.baseUrl));
    await until(() => sent > 20);
    await clock.advance(300_000);
    assert.deepEqual(await request, new NetworkError('refresh', 'timeout', true, undefined));
    await until(() => server.sockets.size === 0);
  });

  it('still uses tokens that are complete when the time is up', async () => {
    const server = await serveRaw((socket) => socket.write(HEAD + chunk(JSON.stringify(TOKENS))));
    const clock = new FakeClock();
    const { refresh, log } = client(undefined, clock);
    const request = refresh(server.baseUrl);
    await until(() => clock.sleeping === 1 && server.sockets.size === 1);
    // Nothing on this side shows that the chunk has been read, so give it turns rather than time.
    for (let turn = 0; turn < 200; turn += 1) {
      await settle();
    }
    await clock.advance(300_000);
    assert.equal((await request).refreshToken, 'refresh-1');
    assert.match(log.text(), /HTTP 200, \d+ bytes, refresh: no response: timeout/);
  });

  it('leaves no timer behind', async () => {
    const server = await serveRaw((socket) => socket.end(HEAD + chunk(JSON.stringify(TOKENS)) + chunk('')));
    const clock = new FakeClock();
    await client(undefined, clock).refresh(server.baseUrl);
    assert.equal(clock.sleeping, 0);
  });
});

describe('cancelling', () => {
  it('before the request sends nothing', async () => {
    const { oauth } = client(() => assert.fail('sent'));
    await fails(
      oauth.poll(credentials(), 'd', AbortSignal.abort()),
      new NetworkError('poll', 'aborted', false, undefined),
    );
  });

  for (const [phase, sends] of [
    ['before the answer', ''],
    ['within its head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['before its body', HEAD],
    ['within its body', HEAD + chunk('{"access_token":')],
    ['after its last field', HEAD + chunk(JSON.stringify(TOKENS))],
  ] as const) {
    it(`${phase} settles at once and closes the connection`, async () => {
      let asked = false;
      const server = await serveRaw((socket) => {
        socket.write(sends);
        asked = true;
      });
      const clock = new FakeClock();
      const cancel = new AbortController();
      const request = failure(client(undefined, clock).oauth.poll(credentials(server.baseUrl), 'd', cancel.signal));
      await until(() => asked);
      await settle();
      cancel.abort(new Error('a reason of the caller'));
      assert.deepEqual(await request, new NetworkError('poll', 'aborted', true, undefined));
      assert.equal(clock.sleeping, 0);
      await until(() => server.sockets.size === 0);
    });
  }

  it("settles immediately even if the network doesn't", async () => {
    const clock = new FakeClock();
    const { oauth } = client(() => new Promise(() => undefined), clock);
    const cancel = new AbortController();
    const request = failure(oauth.poll(credentials(), 'd', cancel.signal));
    cancel.abort();
    assert.equal((await request).name, 'NetworkError');
    const other = failure(oauth.poll(credentials(), 'd'));
    await clock.advance(15_000);
    assert.equal((await other).name, 'NetworkError');
  });

  it('is listened for only while a request runs', async () => {
    const server = await serveRaw((socket) => socket.end(HEAD + chunk(JSON.stringify(TOKENS)) + chunk('')));
    const { oauth } = client();
    const { signal } = new AbortController();
    for (let count = 0; count < 20; count += 1) {
      await oauth.poll(credentials(server.baseUrl), 'd', signal);
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    await server.close();
    await failure(oauth.poll(credentials(server.baseUrl), 'd', signal));
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});

describe('the size limit', () => {
  it('closes the connection as soon as the response is too large', async () => {
    let written = 0;
    const server = await serveRaw((socket) => {
      socket.write(HEAD);
      const flood = (): void => {
        if (!socket.destroyed) {
          written += 16_384;
          socket.write(chunk(' '.repeat(16_384)), flood);
        }
      };
      flood();
    });
    await fails(client().refresh(server.baseUrl), new InvalidResponseError('refresh', 200, 'too large', undefined));
    await until(() => server.sockets.size === 0);
    // What the two kernels hold of a connection counts too.
    assert.ok(written < 32 * 1024 * 1024, `${written} bytes were taken`);
  });

  it('closes the connection of a redirect without reading its body', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\nContent-Length: 1000000\r\n\r\n');
    });
    await fails(client().refresh(server.baseUrl), new InvalidResponseError('refresh', 302, 'redirect', undefined));
    await until(() => server.sockets.size === 0);
  });
});
