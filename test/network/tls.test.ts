import assert from 'node:assert/strict';
import { request } from 'node:http';
import { Agent, createServer } from 'node:https';
import { connect, createServer as createRawServer, type Socket } from 'node:net';
import type { Fetch } from '../../src/oauth/fetch';
import { createIdentity } from '../hostile/editor/network/certificates';
import { fetchUnderTest } from '../support/fetchUnderTest';
import { NetworkError } from '../../src/oauth/errors';
import { FakeClock } from '../support/fakeClock';
import { client, credentials, failure, fails, TOKENS, until } from '../unit/oauth/harness';
import { listen, serve } from '../unit/oauth/servers';

const HOUR = 3_600_000;

/** `node-fetch` as it is if the person's machine trusts this certificate. */
function trusting(cert: string): Fetch {
  return (url, init) => fetchUnderTest(url, { ...init, agent: new Agent({ ca: cert }) });
}

/** Guards that a connection that isn't secure carries nothing. */
describe('a request over TLS', () => {
  for (const [name, host, endsIn, code] of [
    ['is trusted', 'localhost', HOUR, undefined],
    ['nobody trusts', 'localhost', HOUR, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has ended', 'localhost', -HOUR, 'CERT_HAS_EXPIRED'],
    ['is for another host', 'service.example', HOUR, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const) {
    it(`is${code === undefined ? '' : "n't"} sent if the certificate is one that ${name}`, async () => {
      const certificate = await createIdentity(host, undefined, endsIn);
      let requests = 0;
      const service = createServer(certificate, (_request, response) => {
        requests += 1;
        response.end(JSON.stringify(TOKENS));
      });
      // The client hangs up on a certificate that it does not like.
      service.on('tlsClientError', (_error, socket) => socket.destroy());
      const server = await listen(service, 'https', 'localhost');
      const { refresh } = client(name === 'nobody trusts' ? undefined : trusting(certificate.cert));
      if (code === undefined) assert.equal((await refresh(server.baseUrl)).refreshToken, 'refresh-1');
      else await fails(refresh(server.baseUrl), new NetworkError('refresh', 'TLS', false, { systemCode: code }));
      assert.equal(requests, code === undefined ? 1 : 0);
    });
  }

  for (const path of ['/mcp', '/mcp?', '/mcp?a=b', '/mcp?a=b?', '/?']) {
    it(`is recognized by its response if it's for ${path}`, async () => {
      const certificate = await createIdentity('localhost', undefined);
      const service = createServer(certificate, (_request, response) => response.end('yes'));
      const { port } = await listen(service, 'https', 'localhost');
      const init = {
        method: 'POST',
        headers: {},
        body: null,
        redirect: 'manual',
        signal: AbortSignal.timeout(HOUR),
      } as const;
      const response = await trusting(certificate.cert)(`https://localhost:${port}${path}`, init);
      assert.equal(response.status, 200);
    });
  }

  it('isn’t mixed up with one without TLS that has the same path, at another host', async () => {
    const certificate = await createIdentity('localhost', undefined);
    const plain = await serve((_request, response) => response.end());
    const service = createServer(certificate, (_request, response) => {
      const other = request(`${plain.baseUrl}/token`, { method: 'POST' }, (answer) => {
        answer.resume().once('end', () => response.end(JSON.stringify(TOKENS)));
      });
      other.end();
    });
    const { port } = await listen(service, 'https', 'localhost');
    const { oauth } = client(trusting(certificate.cert));
    const endpoints = {
      issuer: '',
      deviceAuthorization: '',
      authentication: 'basic' as const,
      token: `https://localhost:${port}/token`,
    };
    const standard = { ...credentials(`https://localhost:${port}`), protocol: 'rfc8628', endpoints } as const;
    assert.equal((await oauth.refresh(standard, 'refresh-0')).refreshToken, 'refresh-1');
  });

  it('may have been sent if a box in the middle responds in plain text after the request, not before', async () => {
    const certificate = await createIdentity('localhost', undefined);
    const service = createServer(certificate);
    const tls = await listen(service, 'https', 'localhost');
    const inTheMiddle = new Set<Socket>();
    const box = await listen(
      createRawServer((client) => {
        inTheMiddle.add(client);
        const upstream = connect(tls.port, 'localhost');
        client.pipe(upstream).pipe(client);
        upstream.on('error', () => client.destroy());
      }),
      'https',
      'localhost',
    );
    let requests = 0;
    service.on('request', () => {
      requests += 1;
      inTheMiddle.forEach((socket) => socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'));
    });
    const plain = await serve((_request, response) => response.end());
    for (const [port, maybeSent] of [
      [box.port, true],
      [plain.port, false],
    ] as const) {
      const error = await failure(client(trusting(certificate.cert)).refresh(`https://localhost:${port}`));
      assert.ok(error instanceof NetworkError && error.reason === 'TLS' && error.maybeSent === maybeSent);
      assert.match(error.systemCode ?? '', /^(?:ERR_SSL_|EPROTO$)/);
    }
    assert.equal(requests, 1);
  });

  for (const [how, end, expected] of [
    ['closed', (socket) => socket.end(), new NetworkError('refresh', 'TLS', false, { systemCode: 'ECONNRESET' })],
    [
      'reset',
      (socket) => socket.resetAndDestroy(),
      new NetworkError('refresh', 'connection lost', false, { systemCode: 'ECONNRESET' }),
    ],
  ] satisfies [string, (socket: Socket) => void, NetworkError][]) {
    it(`certainly wasn't sent if it's ${how} in the handshake`, async () => {
      const server = await listen(
        createRawServer((socket) => {
          socket.once('data', () => {
            end(socket);
          });
        }),
        'https',
      );
      await fails(client().refresh(server.baseUrl), expected);
    });
  }

  for (const [what, onData, maybeSent] of [
    ['wasn’t sent if the handshake never ends', undefined, false],
    ['may have been sent if the handshake has ended', 'handshake', true],
  ] as const) {
    it(`that times out ${what}`, async () => {
      const certificate = await createIdentity('localhost', undefined);
      let requests = 0;
      const service = createServer(certificate, () => (requests += 1));
      const server =
        onData === undefined
          ? await listen(createRawServer(), 'https', 'localhost')
          : await listen(service, 'https', 'localhost');
      const clock = new FakeClock();
      const pending = failure(client(trusting(certificate.cert), clock).refresh(`https://localhost:${server.port}`));
      await until(() => server.sockets.size === 1 && (!maybeSent || requests === 1));
      await clock.advance(HOUR);
      assert.deepEqual(await pending, new NetworkError('refresh', 'timeout', maybeSent));
    });
  }

  it('that may wait minutes for its response must be on its way after 15 s', async () => {
    const { port } = await listen(createRawServer(), 'https', 'localhost');
    const clock = new FakeClock();
    let error: unknown;
    const ended = failure(client(undefined, clock).refresh(`https://localhost:${port}`)).then((e) => (error = e));
    await until(() => clock.sleeping === 1);
    await clock.advance(14_999);
    assert.equal(error, undefined);
    await clock.advance(1);
    await ended;
    assert.deepEqual(error, new NetworkError('refresh', 'timeout', false));
  });

  it('that’s on its way in time may wait minutes for its response', async () => {
    const certificate = await createIdentity('localhost', undefined);
    let respond: (() => unknown) | undefined;
    const service = createServer(certificate, (_request, response) => {
      respond = () => response.end(JSON.stringify(TOKENS));
    });
    const { port } = await listen(service, 'https', 'localhost');
    const clock = new FakeClock();
    const pending = client(trusting(certificate.cert), clock).refresh(`https://localhost:${port}`);
    await until(() => respond !== undefined);
    await clock.advance(290_000);
    respond?.();
    assert.equal((await pending).refreshToken, 'refresh-1');
  });

  it('that times out may have been sent on a connection that was used before', async () => {
    const certificate = await createIdentity('localhost', undefined);
    let requests = 0;
    const service = createServer(certificate, (_request, response) => {
      requests += 1;
      if (requests === 1) response.end(JSON.stringify(TOKENS));
    });
    const { port } = await listen(service, 'https', 'localhost');
    const agent = new Agent({ ca: certificate.cert, keepAlive: true });
    const kept: Fetch = (url, { headers, ...init }) =>
      fetchUnderTest(url, { ...init, headers: { ...headers, Connection: 'keep-alive' }, agent });
    const clock = new FakeClock();
    const { refresh } = client(kept, clock);
    await refresh(`https://localhost:${port}`);
    await until(() => Object.keys(agent.freeSockets).length === 1);
    const pending = failure(refresh(`https://localhost:${port}`));
    await until(() => requests === 2);
    await clock.advance(HOUR);
    assert.deepEqual(await pending, new NetworkError('refresh', 'timeout', true));
    agent.destroy();
  });
});
