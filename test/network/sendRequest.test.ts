import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { Response } from 'node-fetch';
import type { OAuthClient } from '../../src/oauth/types';
import { InvalidResponseError, NetworkError, ServiceError, type Operation } from '../../src/oauth/errors';
import type { Fetch } from '../../src/oauth/fetch';
import { FakeClock, settle } from '../support/fakeClock';
import { answering, client, credentials, failure, fails, NOTIFICATION, TOKENS, until } from '../unit/oauth/harness';
import { serveRaw, type Loopback } from '../unit/oauth/servers';
import { endpointsAt } from '../unit/oauth/standardHarness';

const HEAD = 'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** A service that sends this to whoever asks, and leaves the connection open. */
async function serveOpen(text: string): Promise<{ readonly server: Loopback; readonly isAsked: () => boolean }> {
  let asked = false;
  const server = await serveRaw((socket) => {
    socket.write(text);
    asked = true;
  });
  return { server, isAsked: () => asked };
}

const WHOLE = HEAD + chunk(JSON.stringify(TOKENS));

const ACCOUNT = { path: '/user', field: 'name', idField: undefined, accessTokenIn: 'header' } as const;

/** Guards that each request ends in time, can be canceled, and never fills the memory. */
describe('the time limit', () => {
  for (const [operation, limit, run] of [
    ['device authorization', 15_000, (oauth, baseUrl) => oauth.requestDeviceAuthorization(credentials(baseUrl))],
    ['poll', 60_000, (oauth, baseUrl) => oauth.poll(credentials(baseUrl), 'd')],
    ['refresh', 300_000, (oauth, baseUrl) => oauth.refresh(credentials(baseUrl), 'r')],
    ['notification', 15_000, (oauth, baseUrl) => oauth.notify(baseUrl, NOTIFICATION, 'a')],
    ['account', 5_000, (oauth, baseUrl) => oauth.fetchAccount(baseUrl, ACCOUNT, 'access-1')],
  ] as [Operation, number, (oauth: OAuthClient, baseUrl: string) => Promise<unknown>][]) {
    it(`ends a ${operation} request without a response after ${limit / 1000} s, not before`, async () => {
      const { server, isAsked } = await serveOpen('');
      const clock = new FakeClock();
      let error: unknown;
      const request = failure(run(client(undefined, clock).oauth, server.baseUrl)).then((e) => (error = e));
      await until(isAsked);
      await clock.advance(limit - 1);
      assert.equal(error, undefined);
      await clock.advance(1);
      assert.deepEqual(await request, new NetworkError(operation, 'timeout', true));
      await until(() => server.sockets.size === 0);
    });
  }

  it('ends a request whose response changes the protocol', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const { server, isAsked } = await serveOpen(upgrade);
    const clock = new FakeClock();
    const request = failure(client(undefined, clock).oauth.poll(credentials(server.baseUrl), 'd'));
    await until(() => isAsked() && server.sockets.size === 0);
    await clock.advance(60_000);
    assert.deepEqual(await request, new NetworkError('poll', 'timeout', true));
  });

  it('still uses tokens that are complete when the time is up', async () => {
    const { server } = await serveOpen(WHOLE);
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
});

describe('tokens', () => {
  for (const [dialect, options] of [
    ['draft', {}],
    ['standard', { protocol: 'rfc8628', endpoints: endpointsAt('https://service.example') }],
  ] as const) {
    it(`are as old as their request, however late the response is read: ${dialect}`, async () => {
      const clock = new FakeClock();
      const begun = clock.now();
      const respond: Fetch = () => {
        clock.sleepMachine(600_000);
        return Promise.resolve(new Response(JSON.stringify(TOKENS)));
      };
      const { oauth } = client(respond, clock);
      const service = { ...credentials(), ...options };
      const polled = await oauth.poll(service, 'd');
      assert.equal(polled.kind === 'tokens' && polled.tokens.requestedAt, begun);
      assert.equal((await oauth.refresh(service, 'r')).requestedAt, begun + 600_000);
    });
  }
});

describe('cancelling', () => {
  it('before the request sends nothing', async () => {
    const request = client(() => assert.fail('sent')).oauth.poll(credentials(), 'd', AbortSignal.abort());
    await fails(request, new NetworkError('poll', 'aborted', false));
  });

  for (const [phase, sends] of [
    ['before the answer', ''],
    ['within its head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['before its body', HEAD],
    ['within its body', HEAD + chunk('{"access_token":')],
    ['after its last field', WHOLE],
  ] as const) {
    it(`${phase} settles at once and closes the connection`, async () => {
      const { server, isAsked } = await serveOpen(sends);
      const clock = new FakeClock();
      const cancel = new AbortController();
      const request = failure(client(undefined, clock).oauth.poll(credentials(server.baseUrl), 'd', cancel.signal));
      await until(isAsked);
      await settle();
      cancel.abort(new Error('a reason of the caller'));
      assert.deepEqual(await request, new NetworkError('poll', 'aborted', true));
      assert.equal(clock.sleeping, 0);
      await until(() => server.sockets.size === 0);
    });
  }

  it('is listened for only while a request runs', async () => {
    const server = await serveRaw((socket) => socket.end(WHOLE + chunk('')));
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
    await fails(client().refresh(server.baseUrl), new InvalidResponseError('refresh', 200, 'too large'));
    await until(() => server.sockets.size === 0);
    // What the two kernels hold of a connection counts too.
    assert.ok(written < 32 * 1024 * 1024, `${written} bytes were taken`);
  });

  for (const status of [400, 404, 503]) {
    it(`leaves nothing but the status of an error: HTTP ${status}`, async () => {
      const body = JSON.stringify({ error: 'invalid_grant' }).padEnd(1024 * 1024 + 1);
      await fails(answering(status, body).refresh(), new ServiceError('refresh', status, undefined));
    });
  }

  it('closes the connection of a redirect without reading its body', async () => {
    const found = 'HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\nContent-Length: 1000000\r\n\r\n';
    const { server } = await serveOpen(found);
    await fails(client().refresh(server.baseUrl), new InvalidResponseError('refresh', 302, 'redirect'));
    await until(() => server.sockets.size === 0);
  });
});

describe('a response that a gateway compressed', () => {
  const json = JSON.stringify(TOKENS);
  const page = '<html>'.padEnd(1024 * 1024 + 1);

  /** A service that responds with these bytes to everything. */
  async function responding(body: Uint8Array, headers = ''): Promise<string> {
    const head = `HTTP/1.1 200 OK\r\nConnection: close\r\n${headers}\r\n`;
    const { baseUrl } = await serveRaw((socket) => socket.end(Buffer.concat([Buffer.from(head), body])));
    return baseUrl;
  }

  for (const [how, headers] of [
    ['if the head says so', 'Content-Encoding: gzip\r\n'],
    ['if the head doesn’t say so', ''],
    ['if the head says something else', 'Content-Encoding: br\r\n'],
  ] as const) {
    it(`is read in both dialects, after a poll and after a refresh, ${how}`, async () => {
      const baseUrl = await responding(gzipSync(json), headers);
      const { oauth } = client();
      const standard = { ...credentials(baseUrl), protocol: 'rfc8628', endpoints: endpointsAt(baseUrl) } as const;
      for (const service of [credentials(baseUrl), standard]) {
        assert.equal((await oauth.refresh(service, 'refresh-0')).refreshToken, 'refresh-1');
        assert.equal((await oauth.poll(service, 'device-1')).kind, 'tokens');
      }
    });
  }

  it('is refused if it becomes too large', async () => {
    const request = client().refresh(await responding(gzipSync(page)));
    await fails(request, new InvalidResponseError('refresh', 200, 'too large'));
  });

  it('has lost its tokens if it becomes too large with them', async () => {
    const request = client().refresh(await responding(gzipSync(json.replace('access-1', page.slice(6)))));
    await fails(request, new InvalidResponseError('refresh', 200, 'tokens lost'));
  });

  it('is read even if the head says that it’s compressed, but it isn’t', async () => {
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const { refresh } = client();
      const { refreshToken } = await refresh(await responding(Buffer.from(json), `Content-Encoding: ${encoding}\r\n`));
      assert.equal(refreshToken, 'refresh-1');
    }
  });

  for (const [what, body] of [
    ['the checksum of gzip is missing', gzipSync(json).subarray(0, -8)],
    ['zeros follow gzip', Buffer.concat([gzipSync(json), Buffer.alloc(8)])],
  ] as const) {
    it(`is read although ${what}`, async () => {
      assert.equal((await client().refresh(await responding(body))).refreshToken, 'refresh-1');
    });
  }

  it('is an error with its code', async () => {
    const body = gzipSync('{"error":"invalid_grant"}');
    await fails(answering(400, body).refresh(), new ServiceError('refresh', 400, 'invalid_grant'));
  });

  it('isn’t readable if it’s damaged', async () => {
    const damaged = gzipSync(json).fill(0xff, 12, 40);
    await fails(answering(400, damaged).refresh(), new ServiceError('refresh', 400, undefined));
  });
});

describe('an error response', () => {
  for (const [name, body] of Object.entries({
    'no body': '',
    'no error field': '{"message":"no"}',
    'an error that is an object': '{"error":{"code":"x"}}',
    'an error with a link': '{"error":"[a](command:b)"}',
    'an error with a line break': '{"error":"a\\nb"}',
    'an error that is a sentence': '{"error":"Refresh token is invalid or expired"}',
    'an error that is an address': '{"error":"https://evil.example/"}',
    'an error that is too long': `{"error":"${'e'.repeat(65)}"}`,
    'an empty error': '{"error":""}',
    'invalid UTF-8': Buffer.from('7b226572726f72223a22ff227d', 'hex'),
  })) {
    it(`has no code: ${name}`, async () => {
      await fails(answering(400, body).refresh(), new ServiceError('refresh', 400, undefined));
    });
  }

  for (const code of ['invalid_grant', 'InvalidGrant', 'E-401', '1004', 'oauth2.no', 'e'.repeat(64)]) {
    it(`has a code that looks like one: ${code.slice(0, 20)}`, async () => {
      await fails(answering(400, { error: code }).refresh(), new ServiceError('refresh', 400, code));
    });
  }

  it("doesn't pass on what was sent", async () => {
    const clientSecret = 'hunter2';
    for (const error of [clientSecret, 'refresh-0']) {
      const request = answering(400, { error }).oauth.refresh({ ...credentials(), clientSecret }, 'refresh-0');
      await fails(request, new ServiceError('refresh', 400, undefined));
      const { oauth } = answering(400, { error });
      const endpoints = endpointsAt('https://service.example');
      const standard = { ...credentials(), clientSecret, protocol: 'rfc8628', endpoints } as const;
      await fails(oauth.refresh(standard, 'refresh-0'), new ServiceError('refresh', 400, undefined));
    }
  });
});
