import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Response } from 'node-fetch';
import { client, credentials, facts, failure, TOKENS } from './harness';
import { listen, record, serve, serveRaw } from './servers';

const BODY = JSON.stringify(TOKENS);
const HEAD = `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n`;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const CHUNK = `${BODY.length.toString(16)}\r\n${BODY}\r\n`;

/** What a network should not throw, and might. */
const THROWN: readonly unknown[] = [null, 'text', 7, {}, new Error('x'), { code: 5 }, { code: 'a code with\nlines' }];

function cut(socket: Socket, text: string): void {
  socket.write(text, () => setImmediate(() => socket.resetAndDestroy()));
}

function close(socket: Socket, text: string): void {
  socket.end(text);
}

describe('a request that gets no response', () => {
  it('is known not to have been sent where the connection is refused', async () => {
    const server = await serveRaw(() => undefined);
    await server.close();
    for (const host of ['127.0.0.1', 'localhost']) {
      const error = await failure(client().oauth.refresh(credentials(`http://${host}:${server.port}`), 'r'));
      const { systemCode, ...rest } = facts(error);
      assert.deepEqual(rest, {
        operation: 'refresh',
        reason: 'connection refused',
        maybeSent: false,
        name: 'NetworkError',
      });
      assert.equal(systemCode, 'ECONNREFUSED');
    }
  });

  it('is known not to have been sent where the host does not exist', async () => {
    const error = await failure(client().oauth.refresh(credentials('https://service.invalid'), 'r'));
    const { systemCode, ...rest } = facts(error);
    assert.deepEqual(rest, { operation: 'refresh', reason: 'host not found', maybeSent: false, name: 'NetworkError' });
    assert.match(String(systemCode), /^E(?:NOTFOUND|AI_)/);
  });

  for (const [name, code, systemCall, reason, maybeSent] of [
    ['a host without a route', 'EHOSTUNREACH', 'connect', 'unreachable', false],
    ['no network', 'ENETUNREACH', undefined, 'unreachable', false],
    ['a route that was lost', 'EHOSTUNREACH', 'read', 'unreachable', true],
    ['a connection that was never made', 'ETIMEDOUT', 'connect', 'timeout', false],
    ['a connection that went silent', 'ETIMEDOUT', 'read', 'timeout', true],
    ['a timeout that does not say when', 'ETIMEDOUT', undefined, 'timeout', true],
    ['a broken pipe', 'EPIPE', 'write', 'connection lost', true],
    ['an expired certificate', 'CERT_HAS_EXPIRED', undefined, 'TLS', false],
    ['an unknown issuer', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', undefined, 'TLS', false],
    ['a certificate for another host', 'ERR_TLS_CERT_ALTNAME_INVALID', undefined, 'TLS', false],
    ['plain text instead of TLS, whenever it came', 'ERR_SSL_WRONG_VERSION_NUMBER', undefined, 'TLS', true],
    ['a handshake that the other side refuses', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', undefined, 'TLS', true],
    ['an error in the protocol', 'EPROTO', 'write', 'TLS', true],
    ['a TLS record that was tampered with', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', undefined, 'TLS', true],
    ['a proxy that refuses', 'ERR_PROXY_TUNNEL', undefined, 'proxy', false],
    ['what is not HTTP', 'HPE_INVALID_CONSTANT', undefined, 'unknown', true],
    ['a code of tomorrow', 'ESOMETHING', 'connect', 'unknown', true],
  ] as const) {
    it(`says what is known of ${name}`, async () => {
      const { oauth } = client(() =>
        Promise.reject(Object.assign(new Error('reason'), { code, erroredSysCall: systemCall })),
      );
      const expected = { operation: 'refresh', reason, maybeSent, systemCode: code, name: 'NetworkError' };
      assert.deepEqual(facts(await failure(oauth.refresh(credentials(), 'r'))), expected);
    });
  }

  for (const thrown of THROWN) {
    it(`says that nothing is known of ${inspect(thrown, { breakLength: Infinity }).split('\n', 1).join()}`, async () => {
      const { oauth } = client(async () => {
        // A signal throws whatever it was aborted with.
        await Promise.resolve(AbortSignal.abort(thrown)).then((signal) => {
          signal.throwIfAborted();
        });
        assert.fail('nothing was thrown');
      });
      const expected = { operation: 'poll', reason: 'unknown', maybeSent: true, name: 'NetworkError' };
      assert.deepEqual(facts(await failure(oauth.poll(credentials(), 'd'))), expected);
    });
  }

  it('may have been sent where the connection ends at once', async () => {
    const server = await listen(createServer((socket) => socket.resetAndDestroy()));
    const error = await failure(client().oauth.refresh(credentials(server.baseUrl), 'r'));
    assert.equal(facts(error)['maybeSent'], true);
    assert.equal(facts(error)['reason'], 'connection lost');
    await server.close();
  });

  for (const [phase, text] of [
    ['before the answer', ''],
    ['within the status line', 'HTTP/1.1 2'],
    ['within the head', HEAD.slice(0, -4)],
    ['before the body', HEAD],
    ['within the body', HEAD + BODY.slice(0, 30)],
    ['before the first chunk', CHUNKED],
    ['within a chunk', CHUNKED + CHUNK.slice(0, 30)],
    ['after an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ] as const) {
    for (const [how, end] of [
      ['reset', cut],
      ['closed', close],
    ] as const) {
      it(`is lost where the connection is ${how} ${phase}`, async () => {
        const server = await serveRaw((socket) => {
          end(socket, text);
        });
        const { systemCode, ...error } = facts(await failure(client().oauth.refresh(credentials(server.baseUrl), 'r')));
        assert.match(String(systemCode), /^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|HPE_INVALID_EOF_STATE)$/);
        assert.equal(error['maybeSent'], true);
        assert.equal(error['reason'], 'connection lost');
        await server.close();
      });
    }
  }

  for (const [name, text] of [
    ['garbage', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['a head without end', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(20_000)}`],
    ['a bad chunk size', `${CHUNKED}zz\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
  ] as const) {
    it(`may have been sent where the service answers ${name}`, async () => {
      const server = await serveRaw((socket) => {
        socket.write(text);
      });
      const error = facts(await failure(client().oauth.refresh(credentials(server.baseUrl), 'r')));
      assert.equal(error['name'], 'NetworkError');
      assert.equal(error['maybeSent'], true);
      await server.close();
    });
  }
});

describe('an answer that broke off', () => {
  for (const code of ['ECONNREFUSED', 'CERT_HAS_EXPIRED', 'HPE_INVALID_CHUNK_SIZE', 'ENOTFOUND']) {
    it(`is a lost connection whatever the network says: ${code}`, async () => {
      const { oauth } = client(() => {
        const body = Readable.from(
          (async function* () {
            yield await Promise.resolve(Buffer.from('{'));
            throw Object.assign(new Error('reason'), { code });
          })(),
        );
        return Promise.resolve(new Response(body));
      });
      const expected = { operation: 'refresh', reason: 'connection lost', maybeSent: true, systemCode: code };
      assert.deepEqual(facts(await failure(oauth.refresh(credentials(), 'r'))), {
        ...expected,
        name: 'NetworkError',
      });
    });
  }
});

describe('an answer that came', () => {
  it('is used where it was compressed unasked', async () => {
    const server = await serve((_request, response) => {
      response.setHeader('Content-Encoding', 'gzip');
      response.end(gzipSync(BODY));
    });
    assert.equal((await client().oauth.refresh(credentials(server.baseUrl), 'r')).refreshToken, 'refresh-1');
    await server.close();
  });

  for (const [name, text, end] of [
    ['with an interim answer first', `HTTP/1.1 100 Continue\r\n\r\n${HEAD}${BODY}`, close],
    ['without a length', `HTTP/1.0 200 OK\r\n\r\n${BODY}`, close],
    ['with trailers', `${CHUNKED}${CHUNK}0\r\nX: y\r\n\r\n`, close],
    ['with its connection reset behind it', HEAD + BODY, cut],
    ['without its last chunk, closed', CHUNKED + CHUNK, close],
    ['without its last chunk, reset', CHUNKED + CHUNK, cut],
    ['with a length that is too long', `HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${BODY}`, close],
    ['without its last byte', HEAD + BODY.slice(0, -1), close],
    ['with more behind it', `${HEAD}${BODY}HTTP/1.1 500 Oops\r\n\r\n`, close],
  ] as const) {
    it(`is used ${name}`, async () => {
      const server = await serveRaw((socket) => {
        end(socket, text);
      });
      assert.equal((await client().oauth.refresh(credentials(server.baseUrl), 'r')).refreshToken, 'refresh-1');
      await server.close();
    });
  }

  it('is read however it was split on the way', async () => {
    const text = `${CHUNKED}5\r\n${BODY.slice(0, 5)}\r\n${(BODY.length - 5).toString(16)}\r\n${BODY.slice(5)}\r\n0\r\n\r\n`;
    const server = await serveRaw((socket) => {
      socket.setNoDelay(true);
      const next = (at: number): void => {
        if (at === text.length) {
          socket.end();
        } else {
          socket.write(text.charAt(at), () => setImmediate(next, at + 1));
        }
      };
      next(0);
    });
    assert.equal((await client().oauth.refresh(credentials(server.baseUrl), 'r')).refreshToken, 'refresh-1');
    await server.close();
  });

  it('is used over IPv6', async () => {
    const { server, seen } = await record(TOKENS, '::1');
    assert.equal((await client().oauth.refresh(credentials(server.baseUrl), 'r')).refreshToken, 'refresh-1');
    assert.equal(seen.length, 1);
    await server.close();
  });
});
