import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { OAuthClient } from '../../../src/oauth/client';
import { FakeClock, settle } from '../../support/fakeClock';
import { client, credentials, facts, failure, TOKENS, until } from './harness';
import type { Loopback } from './servers';
import { serveRaw } from './servers';

const HEAD = 'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** How many of these there are. A connection that is destroyed is gone a turn or two later. */
function openConnections(server: Loopback): number {
  return server.sockets.size;
}

describe('the time limit', () => {
  const OPERATIONS: readonly [
    name: string,
    limit: number,
    run: (oauth: OAuthClient, baseUrl: string) => Promise<unknown>,
  ][] = [
    ['device authorization', 15_000, (oauth, baseUrl) => oauth.requestDeviceAuthorization(credentials(baseUrl))],
    ['poll', 15_000, (oauth, baseUrl) => oauth.poll(credentials(baseUrl), 'd')],
    ['refresh', 300_000, (oauth, baseUrl) => oauth.refresh(credentials(baseUrl), 'r')],
    [
      'notification',
      15_000,
      (oauth, baseUrl) =>
        oauth.notify(
          baseUrl,
          { path: '/n', method: 'POST', parameters: {}, parametersIn: 'query', accessTokenIn: 'header' },
          'a',
        ),
    ],
  ];

  for (const [operation, limit, run] of OPERATIONS) {
    it(`ends a ${operation} request that is not answered after ${limit / 1000} s, not before`, async () => {
      let asked = false;
      const server = await serveRaw(() => (asked = true));
      const clock = new FakeClock();
      let error: unknown;
      const request = failure(run(client(undefined, clock).oauth, server.baseUrl)).then((e) => (error = e));
      await until(() => asked);
      await clock.advance(limit - 1);
      assert.equal(error, undefined);
      await clock.advance(1);
      const expected = { operation, reason: 'timeout', maybeSent: true, name: 'NetworkError' };
      assert.deepEqual(facts(await request), expected);
      await until(() => openConnections(server) === 0);
      await server.close();
    });
  }

  it('ends a request that is answered with a change of oauth', async () => {
    let asked = false;
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      asked = true;
    });
    const clock = new FakeClock();
    const request = failure(client(undefined, clock).oauth.poll(credentials(server.baseUrl), 'd'));
    await until(() => asked && openConnections(server) === 0);
    await clock.advance(15_000);
    assert.deepEqual(facts(await request), {
      operation: 'poll',
      reason: 'timeout',
      maybeSent: true,
      name: 'NetworkError',
    });
    await server.close();
  });

  it('ends an answer that trickles without end', async () => {
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
    const request = failure(client(undefined, clock).oauth.refresh(credentials(server.baseUrl), 'r'));
    await until(() => sent > 20);
    await clock.advance(300_000);
    assert.deepEqual(facts(await request), {
      operation: 'refresh',
      reason: 'timeout',
      maybeSent: true,
      name: 'NetworkError',
    });
    await until(() => openConnections(server) === 0);
    await server.close();
  });

  it('still uses tokens that had come whole when the time was up', async () => {
    const server = await serveRaw((socket) => socket.write(HEAD + chunk(JSON.stringify(TOKENS))));
    const clock = new FakeClock();
    const { oauth, log } = client(undefined, clock);
    const request = oauth.refresh(credentials(server.baseUrl), 'r');
    await until(() => clock.sleeping === 1 && openConnections(server) === 1);
    // Nothing on this side shows that the chunk has been read, so give it turns rather than time.
    for (let turn = 0; turn < 200; turn += 1) {
      await settle();
    }
    await clock.advance(300_000);
    assert.equal((await request).refreshToken, 'refresh-1');
    assert.match(log.text(), /HTTP 200, \d+ bytes, refresh: no response: timeout/);
    await server.close();
  });

  it('leaves no timer behind', async () => {
    const server = await serveRaw((socket) => socket.end(HEAD + chunk(JSON.stringify(TOKENS)) + chunk('')));
    const clock = new FakeClock();
    await client(undefined, clock).oauth.refresh(credentials(server.baseUrl), 'r');
    assert.equal(clock.sleeping, 0);
    await server.close();
  });
});

describe('cancelling', () => {
  it('before the request sends nothing', async () => {
    const { oauth } = client(() => assert.fail('sent'));
    const error = await failure(oauth.poll(credentials(), 'd', AbortSignal.abort()));
    assert.deepEqual(facts(error), { operation: 'poll', reason: 'aborted', maybeSent: false, name: 'NetworkError' });
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
      const expected = { operation: 'poll', reason: 'aborted', maybeSent: true, name: 'NetworkError' };
      assert.deepEqual(facts(await request), expected);
      assert.equal(clock.sleeping, 0);
      await until(() => openConnections(server) === 0);
      await server.close();
    });
  }

  it('settles at once even where the network does not listen', async () => {
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
  it('closes the connection as soon as too much has come', async () => {
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
    const error = await failure(client().oauth.refresh(credentials(server.baseUrl), 'r'));
    const expected = { operation: 'refresh', status: 200, problem: 'too large', name: 'InvalidResponseError' };
    assert.deepEqual(facts(error), expected);
    await until(() => openConnections(server) === 0);
    // What the two kernels hold of a connection counts too.
    assert.ok(written < 32 * 1024 * 1024, `${written} bytes were taken`);
    await server.close();
  });

  it('closes the connection of a redirect without reading its body', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\nContent-Length: 1000000\r\n\r\n');
    });
    const error = await failure(client().oauth.refresh(credentials(server.baseUrl), 'r'));
    const expected = { operation: 'refresh', status: 302, problem: 'redirect', name: 'InvalidResponseError' };
    assert.deepEqual(facts(error), expected);
    await until(() => openConnections(server) === 0);
    await server.close();
  });
});
