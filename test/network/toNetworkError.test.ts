import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { FetchError, Response } from 'node-fetch';
import type { TokenResponse } from '../../src/oauth/types';
import { NetworkError } from '../../src/oauth/errors';
import { encodeRequest } from '../../src/oauth/encodeRequest';
import { settle } from '../support/fakeClock';
import { RESET_LEAVES_WHAT_CAME } from '../support/thisSystem';
import { client, credentials, failure, fails, TOKENS } from '../unit/oauth/harness';
import { listen, record, serveRaw } from '../unit/oauth/servers';

const BODY = JSON.stringify(TOKENS);
const HEAD = `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n`;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const CHUNK = `${BODY.length.toString(16)}\r\n${BODY}\r\n`;

function cut(socket: Socket, text: string): void {
  socket.write(text, () => setImmediate(() => socket.resetAndDestroy()));
}

function close(socket: Socket, text: string): void {
  socket.end(text);
}

function leave(socket: Socket, text: string): void {
  socket.write(text);
}

/** Responses whose connection is reset behind them. */
const THEN_RESET = [
  ['with its connection reset behind it', HEAD + BODY, cut],
  ['without its last chunk, reset', CHUNKED + CHUNK, cut],
] as const;

/** A refresh at a service that sends this and then ends its connection so. */
async function refreshAt(end: (socket: Socket, text: string) => void, text: string): Promise<TokenResponse> {
  const server = await serveRaw((socket) => {
    end(socket, text);
  });
  return await client().refresh(server.baseUrl);
}

/** Why there was no response to a refresh. */
async function lost(request: Promise<unknown>): Promise<NetworkError> {
  const error = await failure(request);
  assert.ok(error instanceof NetworkError);
  return error;
}

/** Guards that it's known of every request whether the service may have got it, on which the whole rotation depends. */
describe('a request', () => {
  for (const [baseUrl, path, expected] of [
    ['https://service.example', '/oauth2/token', 'https://service.example/oauth2/token?a=b'],
    ['https://service.example/v1', '/oauth2/token', 'https://service.example/v1/oauth2/token?a=b'],
    ['https://service.example/v1/', 'oauth2/token', 'https://service.example/v1/oauth2/token?a=b'],
    ['https://service.example/a/b', '//x', 'https://service.example/a/b/x?a=b'],
    ['https://service.example/v1?x=1#y', '/x/../z', 'https://service.example/v1/z?a=b'],
    ['http://localhost:8080', '?c=d#e', 'http://localhost:8080/%3Fc=d%23e?a=b'],
    ['http://[::1]', '@other.example/', 'http://[::1]/@other.example/?a=b'],
    ['http://127.0.0.1', '\\\\other.example', 'http://127.0.0.1///other.example?a=b'],
  ] as const) {
    it(`goes to ${expected} for ${baseUrl} and ${path}`, () => {
      assert.equal(
        encodeRequest({ operation: 'poll', address: baseUrl, path, parameters: { a: 'b' } }).url.href,
        expected,
      );
    });
  }

  it('encodes a space so that every decoder reads it as one', () => {
    const parameters = { 'a b': 'c+d&%' };
    const request = { operation: 'poll', address: 'https://service.example', parameters } as const;
    assert.equal(encodeRequest({ ...request, parametersIn: 'form' }).body, 'a%20b=c%2Bd%26%25');
  });

  it('is never sent with half of a surrogate pair in the secret, which no encoding can carry', async () => {
    const { oauth } = client(() => assert.fail('a request was sent'));
    const refresh = oauth.refresh({ ...credentials(), clientSecret: 'a\ud800b' }, 'r');
    await fails(refresh, new NetworkError('refresh', 'unknown', false, { systemCode: 'ERR_INVALID_URL' }));
  });
});

describe('a request that gets no response', () => {
  it("wasn't sent if the connection is refused", async () => {
    const server = await serveRaw(() => undefined);
    await server.close();
    for (const host of ['127.0.0.1', 'localhost']) {
      const request = client().refresh(`http://${host}:${server.port}`);
      await fails(request, new NetworkError('refresh', 'connection refused', false, { systemCode: 'ECONNREFUSED' }));
    }
  });

  it("wasn't sent if the host doesn't exist", async () => {
    const { reason, maybeSent, systemCode } = await lost(client().refresh('https://service.invalid'));
    assert.deepEqual([reason, maybeSent], ['host not found', false]);
    assert.match(systemCode ?? '', /^E(?:NOTFOUND|AI_)/);
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
    ['a code of tomorrow', 'ESOMETHING', 'read', 'unknown', true],
    ['a code of tomorrow while connecting', 'ESOMETHING', 'connect', 'unreachable', false],
    ['a firewall of this machine', 'EACCES', 'connect', 'unreachable', false],
    ['a security policy', 'EPERM', 'connect', 'unreachable', false],
    ['too many open files', 'EMFILE', 'connect', 'unreachable', false],
    ['too many open files in the system', 'ENFILE', 'socket', 'unreachable', false],
    ['no free port', 'EADDRINUSE', 'bind', 'unreachable', false],
    ['no memory for sockets', 'ENOBUFS', 'connect', 'unreachable', false],
    ['a reset while connecting', 'ECONNRESET', 'connect', 'connection lost', false],
    ['a name that can’t be looked up', 'EAI_SYSTEM', 'getaddrinfo', 'host not found', false],
    ['a look-up without resources', 'EMFILE', 'getaddrinfo', 'unreachable', false],
    ['a server for names that’s broken', 'ESERVFAIL', 'queryA', 'unreachable', false],
    ['addresses that all take too long', 'ERR_SOCKET_CONNECTION_TIMEOUT', undefined, 'timeout', false],
    ['a handshake that takes too long', 'ERR_TLS_HANDSHAKE_TIMEOUT', undefined, 'TLS', false],
    ['no permission to write', 'EACCES', 'write', 'unknown', true],
  ] as const) {
    it(`says what's known about ${name}`, async () => {
      const error = Object.assign(new Error('reason'), { code, erroredSysCall: systemCall });
      const { refresh } = client(() => Promise.reject(error));
      await fails(refresh(), new NetworkError('refresh', reason, maybeSent, { systemCode: code }));
    });
  }

  for (const [code, cause, reason, maybeSent] of [
    ['ENOTFOUND', {}, 'host not found', false],
    ['ECONNREFUSED', { syscall: 'connect' }, 'connection refused', false],
    ['ETIMEDOUT', { syscall: 'connect' }, 'timeout', false],
    ['UND_ERR_CONNECT_TIMEOUT', {}, 'timeout', false],
    ['UND_ERR_SOCKET', {}, 'connection lost', true],
  ] as const) {
    it(`says what’s known about ${code} in the cause, which is where the web’s fetch has it`, async () => {
      const error = new TypeError('fetch failed', { cause: Object.assign(new Error('reason'), { code, ...cause }) });
      const { refresh } = client(() => Promise.reject(error));
      await fails(refresh(), new NetworkError('refresh', reason, maybeSent, { systemCode: code }));
    });
  }

  /** One attempt for each address of a host. */
  const attempts = (...codes: readonly (readonly [code: string, systemCall: string])[]): Error =>
    new AggregateError(codes.map(([code, syscall]) => Object.assign(new Error(code), { code, syscall })));

  for (const [what, error, reason, maybeSent, code] of [
    ['two', attempts(['ETIMEDOUT', 'connect'], ['ENETUNREACH', 'connect']), 'timeout', false, 'ETIMEDOUT'],
    [
      'two with a code',
      Object.assign(attempts(['EACCES', 'connect']), { code: 'EACCES' }),
      'unreachable',
      false,
      'EACCES',
    ],
    [
      'three',
      attempts(['ECONNREFUSED', 'connect'], ['EHOSTUNREACH', 'connect'], ['EMFILE', 'connect']),
      'connection refused',
      false,
      'ECONNREFUSED',
    ],
    ['one', attempts(['ECONNREFUSED', 'connect']), 'connection refused', false, 'ECONNREFUSED'],
    [
      'one that was connected',
      attempts(['ECONNREFUSED', 'connect'], ['ECONNRESET', 'read']),
      'connection refused',
      true,
      'ECONNREFUSED',
    ],
    ['none', attempts(), 'unknown', true, undefined],
  ] as const) {
    it(`says what’s known if each address of a host failed: ${what}`, async () => {
      for (const thrown of [error, new TypeError('fetch failed', { cause: error })]) {
        const { refresh } = client(() => Promise.reject(thrown));
        await fails(refresh(), new NetworkError('refresh', reason, maybeSent, { systemCode: code }));
      }
    });
  }

  for (const proxies of [
    'PROXY localhost:3128',
    'HTTPS proxy.example:443',
    'SOCKS 10.0.0.1:1080',
    'PROXY <credentials>@p:1',
    '',
  ]) {
    it(`wasn’t sent if VS Code’s agent can’t reach the proxy: ${proxies}`, async () => {
      const message = `Failed to establish a socket connection to proxies: ${proxies}`;
      for (const error of [
        new Error(message),
        new FetchError(`request to https://service.example/?secret failed, reason: ${message}`, 'system'),
        new TypeError('fetch failed', { cause: new Error(message) }),
      ]) {
        const { refresh } = client(() => Promise.reject(error));
        await fails(refresh(), new NetworkError('refresh', 'proxy', false));
      }
    });
  }

  it('says what’s known about a refused connection to the web’s fetch itself', async () => {
    const { refresh } = client((url, init) => globalThis.fetch(url, init));
    const server = await serveRaw(() => undefined);
    await server.close();
    const expected = new NetworkError('refresh', 'connection refused', false, { systemCode: 'ECONNREFUSED' });
    await fails(refresh(server.baseUrl), expected);
  });

  // What a network should not throw, and might. A signal throws whatever it was aborted with.
  for (const thrown of [null, 'text', 7, {}, new Error('x'), { code: 5 }, { code: 'a code with\nlines' }]) {
    it(`says that nothing is known about ${inspect(thrown).split('\n', 1).join()}`, async () => {
      const { refresh } = client(async () => {
        await Promise.resolve(AbortSignal.abort(thrown)).then((signal) => {
          signal.throwIfAborted();
        });
        assert.fail('nothing was thrown');
      });
      await fails(refresh(), new NetworkError('refresh', 'unknown', true));
    });
  }

  it('is lost if the connection ends immediately, whether that was before it stood or after', async () => {
    const server = await listen(createServer((socket) => socket.resetAndDestroy()));
    assert.equal((await lost(client().refresh(server.baseUrl))).reason, 'connection lost');
  });

  for (const [phase, text] of [
    ['before the response', ''],
    ['within the status line', 'HTTP/1.1 2'],
    ['within the head', HEAD.slice(0, -4)],
    ['before the body', HEAD],
    ['within the body', HEAD + BODY.slice(0, 30)],
    ['before the first chunk', CHUNKED],
    ['within a chunk', CHUNKED + CHUNK.slice(0, 30)],
    ['after an interim response', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ] as const) {
    for (const [how, end] of [
      ['reset', cut],
      ['closed', close],
    ] as const) {
      it(`is lost if the connection is ${how} ${phase}`, async () => {
        const { reason, maybeSent, systemCode } = await lost(refreshAt(end, text));
        assert.match(systemCode ?? '', /^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|HPE_INVALID_EOF_STATE)$/);
        assert.deepEqual([reason, maybeSent], ['connection lost', true]);
      });
    }
  }

  for (const [name, text] of [
    ['garbage', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['a head without end', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(20_000)}`],
    ['a bad chunk size', `${CHUNKED}zz\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
  ] as const) {
    it(`may have been sent if the service responds with ${name}`, async () => {
      assert.equal((await lost(refreshAt(leave, text))).maybeSent, true);
    });
  }
});

describe('a response that broke off', () => {
  for (const code of ['ECONNREFUSED', 'CERT_HAS_EXPIRED', 'HPE_INVALID_CHUNK_SIZE', 'ENOTFOUND']) {
    it(`is a lost connection whatever the network says: ${code}`, async () => {
      const { refresh } = client(() => {
        const body = Readable.from(
          (async function* () {
            yield await Promise.resolve(Buffer.from('{'));
            throw Object.assign(new Error('reason'), { code });
          })(),
        );
        return Promise.resolve(new Response(body));
      });
      await fails(refresh(), new NetworkError('refresh', 'connection lost', true, { systemCode: code }));
    });
  }
});

describe('a response that came', () => {
  for (const [name, text, end] of [
    ['with an interim response first', `HTTP/1.1 100 Continue\r\n\r\n${HEAD}${BODY}`, close],
    ['without a length', `HTTP/1.0 200 OK\r\n\r\n${BODY}`, close],
    ['with trailers', `${CHUNKED}${CHUNK}0\r\nX: y\r\n\r\n`, close],
    ['without its last chunk, closed', CHUNKED + CHUNK, close],
    ['with a length that is too long', `HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${BODY}`, close],
    ['with more behind it', `${HEAD}${BODY}HTTP/1.1 500 Oops\r\n\r\n`, close],
    ...(RESET_LEAVES_WHAT_CAME ? THEN_RESET : []),
  ] as const) {
    it(`is used ${name}`, async () => {
      assert.equal((await refreshAt(end, text)).refreshToken, 'refresh-1');
    });
  }

  it('is used over IPv6', async () => {
    const { server, seen } = await record([{ json: TOKENS }], '::1');
    assert.equal((await client().refresh(server.baseUrl)).refreshToken, 'refresh-1');
    assert.equal(seen.length, 1);
  });
});

describe('an HTTP client that the first request loads', () => {
  it('sends nothing if the request was canceled while it was loaded', async () => {
    const cancelling = new AbortController();
    const seen: boolean[] = [];
    const { oauth } = client(async (_url, { signal }) => {
      await settle();
      cancelling.abort();
      await settle();
      seen.push(signal.aborted);
      throw new Error('aborted');
    });
    const request = oauth.poll(credentials(), 'd', cancelling.signal);
    await fails(request, new NetworkError('poll', 'aborted', true));
    await settle();
    assert.deepEqual(seen, [true]);
  });
});
