import assert from 'node:assert/strict';
import { Agent, createServer } from 'node:https';
import { connect, createServer as createRawServer, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import type { Fetch } from '../../../src/oauth/fetch';
import { fetchUnderTest } from '../../support/fetchUnderTest';
import { NetworkError } from '../../../src/oauth/errors';
import { client, failure, fails, TOKENS } from './harness';
import type { Loopback } from './servers';
import { listen, serve } from './servers';

interface Identity {
  readonly key: string;
  readonly cert: string;
}

const HOUR = 3_600_000;

/** A certificate for this name, that ends this many milliseconds from now. */
async function identity(name: string, endsIn = HOUR): Promise<Identity> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    notBeforeDate: new Date(now - 2 * HOUR),
    notAfterDate: new Date(now + endsIn),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  return { key, cert };
}

/** A TLS server that answers with tokens, and how many requests it has read. */
async function serveTls({
  key,
  cert,
}: Identity): Promise<{ readonly server: Loopback; readonly requests: () => number }> {
  let requests = 0;
  const server = createServer({ key, cert }, (_request, response) => {
    requests += 1;
    response.end(JSON.stringify(TOKENS));
  });
  // The client hangs up on a certificate that it does not like.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return { server: await listen(server, 'https', 'localhost'), requests: () => requests };
}

/** `node-fetch` as it is where the person's machine trusts this certificate. */
function trusting(cert: string): Fetch {
  return (url, init) => fetchUnderTest(url, { ...init, agent: new Agent({ ca: cert }) });
}

describe('a request over TLS', () => {
  it('gets a response if the certificate is trusted', async () => {
    const certificate = await identity('localhost');
    const { server, requests } = await serveTls(certificate);
    const tokens = await client(trusting(certificate.cert)).refresh(server.baseUrl);
    assert.equal(tokens.refreshToken, 'refresh-1');
    assert.equal(requests(), 1);
  });

  for (const [name, make, code] of [
    ['nobody trusts', () => identity('localhost'), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has ended', () => identity('localhost', -HOUR), 'CERT_HAS_EXPIRED'],
    ['is for another host', () => identity('service.example'), 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const) {
    it(`isn't sent if the certificate is one that ${name}`, async () => {
      const certificate = await make();
      const { server, requests } = await serveTls(certificate);
      const fetch = name === 'nobody trusts' ? undefined : trusting(certificate.cert);
      await fails(client(fetch).refresh(server.baseUrl), new NetworkError('refresh', 'TLS', false, code));
      assert.equal(requests(), 0);
    });
  }

  it('may have been sent if a box in the middle responds in plain text, before the request or after it', async () => {
    const certificate = await identity('localhost');
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
    for (const port of [box.port, plain.port]) {
      const error = await failure(client(trusting(certificate.cert)).refresh(`https://localhost:${port}`));
      assert.ok(error instanceof NetworkError && error.reason === 'TLS' && error.maybeSent);
      assert.match(error.systemCode ?? '', /^(?:ERR_SSL_|EPROTO$)/);
    }
    assert.equal(requests, 1);
  });

  it("certainly wasn't sent if the other side closes the connection during the handshake", async () => {
    const server = await listen(
      createRawServer((socket) => socket.once('data', () => socket.end())),
      'https',
    );
    await fails(client().refresh(server.baseUrl), new NetworkError('refresh', 'TLS', false, 'ECONNRESET'));
  });

  it("may have been sent if the connection is reset, because Node doesn't say when that was", async () => {
    const server = await listen(
      createRawServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
      'https',
    );
    await fails(client().refresh(server.baseUrl), new NetworkError('refresh', 'connection lost', true, 'ECONNRESET'));
  });
});
