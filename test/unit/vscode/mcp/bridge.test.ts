import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { once } from 'node:events';
import { Agent, request as send, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ask, BridgeBench, request, RecordingServer } from './bridgeBench';

const STOPPED = 'The MCP server was stopped. Start it again.';
/** A request of the protocol, as VS Code sends it. */
const CALL = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: {} });
/** What a server responds to it. */
const RESULT = JSON.stringify({ jsonrpc: '2.0', id: 7, result: {} });
/** What needs no result. */
const NOTIFICATION = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

/** What whoever called a tool reads. */
function errorIn(body: string): string {
  const { jsonrpc, id, error } = JSON.parse(body) as Record<string, unknown> & { error: { message: string } };
  assert.deepEqual([jsonrpc, id], ['2.0', 7]);
  return error.message;
}

/** Addresses under which this machine is reached too, if there are any. All of 127.0.0.0/8 is this machine on Linux. */
function otherAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const others = all.filter(({ address, family }) => family === 'IPv4' && address !== '127.0.0.1');
  return [...others.map(({ address }) => address), ...(process.platform === 'linux' ? ['127.0.0.2'] : [])];
}

/** Guards that only VS Code reaches an MCP server through the bridge, always with the current token, and learns why if it can’t. */
describe('the bridge to an MCP server', () => {
  let bench: BridgeBench;
  beforeEach(async () => {
    bench = new BridgeBench();
    await bench.server.start();
  });
  afterEach(() => {
    bench.stop();
  });

  const open = () => bench.bridge.open(bench.target);

  it('sends a request on with the token, the fixed headers, and those of the protocol, and nothing else', async () => {
    const bridged = await open();
    bench.server.handler = (_request, response) => {
      response.writeHead(202, { 'Mcp-Session-Id': 's1', 'Content-Type': 'application/json', 'Set-Cookie': 'a=b' });
      response.end('{"ok":true}');
    };
    const answer = await ask(bridged, {
      body: CALL,
      headers: {
        'Content-Type': 'application/json',
        'Mcp-Session-Id': 's0',
        'MCP-Protocol-Version': '1',
        'X-Other': '1',
      },
    });
    assert.deepEqual([answer.status, answer.body, answer.headers['mcp-session-id']], [202, '{"ok":true}', 's1']);
    assert.equal(answer.headers['set-cookie'], undefined);
    const [{ body, headers, method, url } = assert.fail()] = bench.server.received;
    assert.deepEqual([method, url, body], ['POST', '/mcp?tenant=1', CALL]);
    assert.equal(headers.authorization, 'Bearer token-1');
    assert.equal(headers['x-fixed'], 'yes');
    // Compressed events would wait for one another.
    assert.equal(headers['accept-encoding'], 'identity');
    assert.equal(headers['mcp-session-id'], 's0');
    assert.equal(headers['mcp-protocol-version'], '1');
    assert.equal(headers['x-other'], undefined);
    assert.doesNotMatch(JSON.stringify(headers), new RegExp(String(bridged.headers['Authorization']).slice(7)));
  });

  it('sends a fixed header instead of the caller’s, however it’s spelled', async () => {
    const bridged = await bench.bridge.open({ ...bench.target, headers: { 'User-Agent': 'Acme/1' } });
    await ask(bridged, { body: CALL, headers: { 'user-agent': 'node' } });
    assert.equal(bench.server.received[0]?.headers['user-agent'], 'Acme/1');
  });

  it('ends a request that still waits for its token when the server ends', async () => {
    let onAsked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (onAsked = resolve));
    const current = (): Promise<string> => {
      onAsked();
      return new Promise(() => undefined);
    };
    bench.source = { ...bench.source, current };
    const bridged = await open();
    const answer = ask(bridged, { body: CALL });
    await isAsked;
    bridged.end();
    assert.match(errorIn((await answer).body), /stopped/);
  });

  it('takes the token that’s current at each request', async () => {
    const bridged = await open();
    await ask(bridged, { body: CALL });
    bench.tokens.shift();
    await ask(bridged, { method: 'GET' });
    assert.deepEqual(bench.server.tokens, ['token-1', 'token-2']);
  });

  it('sends on that VS Code ends its session, and isn’t held up by a server that never responds', async () => {
    const bridged = await open();
    const arrived = new Promise<ServerResponse>((resolve) => {
      bench.server.handler = (_request, response) => {
        resolve(response);
      };
    });
    const answer = await ask(bridged, { method: 'DELETE' });
    assert.deepEqual([answer.status, answer.body], [202, '']);
    // VS Code starts the server again, perhaps before the request is on its way.
    bridged.end();
    const ended = once(await arrived, 'close');
    assert.deepEqual([bench.server.received[0]?.method, bench.server.tokens], ['DELETE', ['token-1']]);
    bench.bridge.close();
    await ended;
  });

  it('passes on each part of a stream as it comes, and breaks off as the server does', async () => {
    const bridged = await open();
    const streams: ServerResponse[] = [];
    bench.server.handler = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      streams.push(response);
    };
    const response = await request(bridged, { method: 'GET' });
    assert.equal(response.headers['content-type'], 'text/event-stream');
    const data = once(response, 'data');
    streams[0]?.write('data: 1\n\n');
    assert.equal(String(await data), 'data: 1\n\n');
    const broken = once(response.resume(), 'error');
    streams[0]?.destroy();
    assert.match(String(await broken), /aborted/);
  });

  describe('when a call gets no result', () => {
    const NO_RESULT =
      'The response from the MCP server Tools was incomplete or invalid. If a tool was called, it may have run. Check whether it did before you try again.';
    /** Has the server respond to a call with this stream, and the connection break off then. */
    const streamThenBreak = (...events: readonly string[]): void => {
      bench.server.handler = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        events.forEach((event) => response.write(event));
        setImmediate(() => response.destroy());
      };
    };
    /** The last event, of which there are so many. */
    const lastOf = (body: string, count: number): string => {
      const events = body.split('\n\n').slice(0, -1);
      assert.equal(events.length, count, body);
      return String(events.at(-1)).replace('data: ', '');
    };

    it('tells whoever called if the stream breaks off, even in the middle of an event', async () => {
      const bridged = await open();
      streamThenBreak('data: {"method":"notifications/progress","id":7}\n\n', 'data: {"jsonrpc":"2.0","id":7,"res');
      assert.equal(errorIn(lastOf((await ask(bridged, { body: CALL })).body, 2)), NO_RESULT);
      streamThenBreak('data: {"jsonrpc":"2.0","id":7,"res');
      assert.equal(errorIn(lastOf((await ask(bridged, { body: CALL })).body, 1)), NO_RESULT);
    });

    it('tells them if the stream ends without it', async () => {
      const bridged = await open();
      bench.server.handler = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('data: {"id":"7","result":{}}\n\n');
      };
      assert.equal(errorIn(lastOf((await ask(bridged, { body: CALL })).body, 2)), NO_RESULT);
    });

    it('tells them if there’s something else instead', async () => {
      const bridged = await open();
      for (const [type, body] of [
        ['text/html', '<h1>Sign in to the network</h1>'],
        ['application/json', ''],
        ['application/json', RESULT.replace('7', '8')],
        ['application/json', CALL],
      ]) {
        bench.server.handler = (_request, response) => response.writeHead(200, { 'Content-Type': type }).end(body);
        assert.equal(errorIn((await ask(bridged, { body: CALL })).body), NO_RESULT, body);
      }
      bench.server.handler = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' }).write('{"jsonrpc"');
        setImmediate(() => response.destroy());
      };
      assert.equal(errorIn((await ask(bridged, { body: CALL })).body), NO_RESULT);
    });

    it('breaks off a subscription as its server does, because an error would say that there can be none', async () => {
      const bridged = await open();
      const event = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n';
      streamThenBreak(event);
      for (let times = 0; times < 2; times++) {
        const response = await request(bridged, { body: CALL.replace('tools/call', 'subscriptions/listen') });
        let received = '';
        response.on('data', (chunk) => (received += String(chunk)));
        await once(response, 'error');
        assert.equal(received, event);
        bench.server.handler = (_request, ended) => {
          ended.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(event);
        };
      }
    });

    it('adds nothing to a result, whatever becomes of its stream, and to what needs none', async () => {
      const bridged = await open();
      for (const result of [RESULT, `[${CALL},${RESULT}]`]) {
        bench.server.handler = (_request, response) => {
          response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(`data: ${result}\n\n`);
        };
        assert.equal((await ask(bridged, { body: CALL })).body, `data: ${result}\n\n`);
      }
      streamThenBreak(`data: ${RESULT}\n\n`);
      const response = await request(bridged, { body: CALL });
      await assert.rejects(text(response), /aborted/);
      bench.server.handler = (_request, response) => response.writeHead(202).end();
      for (const body of [NOTIFICATION, RESULT, CALL]) {
        const { status, body: received } = await ask(bridged, { body });
        assert.deepEqual([status, received], [202, ''], body);
      }
    });
  });

  it('passes on events with their fields alone, however their lines end', async () => {
    const bridged = await open();
    const parts = [
      '\uFEFFid: 1\r\nretry:10\revent: message\ndata: a\ndata:  b\r',
      '\n\r',
      '\n: still here\nfoo: bar\n\n\n\uFEFFevent: endpoint\n',
      'data: ü',
      'x\r\rid\n\ndata: cut off',
    ];
    bench.server.handler = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      void (async () => {
        for (const part of parts) await new Promise((resolve) => response.write(part, resolve));
        response.end();
      })();
    };
    const { body } = await ask(bridged, { method: 'GET' });
    assert.equal(body, 'id: 1\nretry: 10\nevent: message\ndata: a\ndata:  b\n\n' + ':\n' + 'data: üx\n\n' + 'id: \n\n');
  });

  it('breaks off a stream with which the server would get messages, and the bridge’s key, sent elsewhere', async () => {
    const bridged = await open();
    for (const event of [
      'event: endpoint\ndata: https://evil.example\n\n',
      'event:endpoint\rdata: https://evil.example\r\r',
      'data: https://evil.example\n\uFEFFevent: other\nevent: endpoint\n\n',
    ]) {
      bench.server.handler = ({ method }, response) => {
        // VS Code reads events in any response to a GET.
        const type = method === 'GET' ? 'text/plain' : 'Text/Event-Stream';
        response.writeHead(200, { 'Content-Type': type }).write(`data: 1\n\n${event}`);
      };
      const { body } = await ask(bridged, { body: CALL });
      assert.doesNotMatch(body, /evil|endpoint/);
      assert.match(body, /^data: 1\n\ndata: .*"error"/);
      const stream = await request(bridged, { method: 'GET' });
      let received = '';
      stream.on('data', (chunk) => (received += String(chunk)));
      await once(stream, 'error');
      assert.equal(received, 'data: 1\n\n');
    }
  });

  it('lets a stream of notifications that can’t be had right now fail, so that VS Code asks again', async () => {
    const bridged = await open();
    for (const status of [401, 408, 409, 425, 429, 500, 503, 511]) {
      bench.server.handler = (_request, response) => response.writeHead(status).end();
      await assert.rejects(ask(bridged, { method: 'GET' }), /ECONNRESET|hang up/, String(status));
    }
    for (const status of [404, 405]) {
      bench.server.handler = (_request, response) => response.writeHead(status).end();
      assert.equal((await ask(bridged, { method: 'GET' })).status, status);
    }
    bench.source = { ...bench.source, current: () => Promise.reject(new Error('Sign in.')) };
    await assert.rejects(ask(await open(), { method: 'GET' }), /ECONNRESET|hang up/);
    bench.server.stop();
    await assert.rejects(ask(bridged, { method: 'GET' }), /ECONNRESET|hang up/);
  });

  it('keeps connections open, however long nothing comes', async () => {
    const bridged = await open();
    const agent = new Agent({ keepAlive: true });
    const { headers } = await ask(bridged, { body: NOTIFICATION, agent });
    assert.deepEqual([headers.connection, headers['keep-alive']], ['keep-alive', undefined]);
    const [socket = assert.fail()] = Object.values(agent.freeSockets).flat();
    // They're closed when nobody needs them anymore.
    const closed = once(socket, 'close');
    bridged.end();
    await closed;
  });

  it('lets nobody in without the key of that very server', async () => {
    const bridged = await open();
    const other = await open();
    const key = String(bridged.headers['Authorization']);
    const wrong = key.slice(0, -2) + (key.endsWith('AA') ? 'BB' : 'AA');
    for (const authorization of [
      '',
      'Bearer ',
      key.slice(0, -1),
      `${key}A`,
      wrong,
      key.toLowerCase(),
      String(other.headers['Authorization']),
    ]) {
      const { status, body } = await ask(bridged, { body: CALL, headers: { authorization } });
      assert.deepEqual([status, body], [410, STOPPED], authorization);
    }
    const { origin } = new URL(bridged.url);
    for (const path of ['/', '/3', '/1/', '/1?a=b', '//1', '/%31']) {
      assert.equal((await ask({ ...bridged, url: origin + path })).status, 410, path);
    }
    assert.deepEqual(bench.server.received, []);
    assert.match(key, /^Bearer [\w-]{43}$/);
  });

  it('refuses pages in browsers, whatever they call this machine, and whatever they know', async () => {
    const bridged = await open();
    const { port } = new URL(bridged.url);
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: new URL(bridged.url).origin },
      { Host: `evil.example:${port}` },
      { Host: `localhost:${port}` },
      { Host: '127.0.0.1' },
    ]) {
      assert.equal((await ask(bridged, { body: CALL, headers })).status, 421, JSON.stringify(headers));
    }
    for (const method of ['OPTIONS', 'PUT', 'HEAD', 'TRACE']) {
      const { status, headers } = await ask(bridged, { method });
      assert.equal(status, 405);
      assert.equal(headers['access-control-allow-origin'], undefined);
    }
    assert.deepEqual(bench.server.received, []);
  });

  it('listens on this machine only, from the first server to the last, and then again', async () => {
    const [first, second] = [await open(), await open()];
    assert.equal(new URL(first.url).origin, new URL(second.url).origin);
    assert.equal(new URL(first.url).hostname, '127.0.0.1');
    for (const address of otherAddresses()) {
      const elsewhere = { ...first, url: first.url.replace('127.0.0.1', address) };
      await assert.rejects(ask(elsewhere, { body: CALL }), /ECONNREFUSED/, address);
    }
    first.end();
    assert.equal((await ask(first, { body: CALL })).status, 410);
    assert.equal((await ask(second, { body: CALL })).status, 200);
    second.end();
    second.end();
    await assert.rejects(ask(second, { body: CALL }), /ECONNREFUSED|ECONNRESET|hang up/);
    const third = await open();
    assert.equal((await ask(third, { body: CALL })).status, 200);
    assert.equal((await ask({ ...third, headers: first.headers })).status, 410);
  });

  it('gets another token for a rejected one, and sends the same request once more with that', async () => {
    const bridged = await open();
    bench.server.handler = (received, response) => {
      const isDead = received.headers.authorization === 'Bearer token-1';
      response
        .writeHead(isDead ? 401 : 200, { 'WWW-Authenticate': 'Bearer', 'Content-Type': 'application/json' })
        .end(isDead ? 'x'.repeat(100_000) : RESULT);
    };
    const { status, headers, body } = await ask(bridged, { body: CALL });
    assert.deepEqual([status, body, headers['www-authenticate']], [200, RESULT, undefined]);
    assert.deepEqual(
      bench.server.received.map((one) => one.body),
      [CALL, CALL],
    );
    assert.deepEqual([bench.server.tokens, bench.refreshed], [['token-1', 'token-2'], ['token-1']]);
    assert.equal(bench.rejections, 0);
  });

  it('gives up after a second rejected token, and says so in words that VS Code shows', async () => {
    const bridged = await open();
    bench.server.handler = (_request, response) => response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    const rejected = /^The MCP server Tools rejected your session\. Sign in again\./;
    const { status, headers, body } = await ask(bridged, { body: CALL });
    assert.equal(status, 200);
    assert.match(errorIn(body), rejected);
    assert.equal(headers['www-authenticate'], undefined);
    assert.deepEqual(bench.server.tokens, ['token-1', 'token-2']);
    assert.equal(bench.rejections, 1);
    // What has no ID gets no response of the protocol. Because of an error status, VS Code would end the server.
    const answer = await ask(bridged, { body: 'not JSON' });
    assert.equal(answer.status, 502);
    assert.match(answer.body, rejected);
    assert.equal((await ask(bridged, { body: NOTIFICATION })).status, 202);
  });

  it('sends a new token once more a second later, refreshes nothing, and blames nobody, if the server learns of it late', async () => {
    bench.areNew = true;
    const bridged = await open();
    let isKnown = false;
    bench.server.handler = (_request, response) =>
      response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' }).end(RESULT);
    const calls = Array.from({ length: 5 }, () => ask(bridged, { body: CALL }));
    while (bench.clock.sleeping < calls.length) await nextTurn();
    isKnown = true;
    await bench.clock.advance(1_000);
    for (const { body } of await Promise.all(calls)) assert.equal(body, RESULT);
    assert.deepEqual([bench.refreshed, bench.rejections], [[], 0]);
  });

  it('sends no token again that was rejected, even if it’s still the current one', async () => {
    bench.tokens = ['token-1'];
    bench.source = { ...bench.source, replace: () => Promise.resolve('token-1') };
    const bridged = await open();
    bench.server.handler = (_request, response) => response.writeHead(401).end();
    assert.match(errorIn((await ask(bridged, { body: CALL })).body), /rejected your session/);
    assert.deepEqual(bench.server.tokens, ['token-1']);
    assert.equal(bench.rejections, 1);
  });

  it('begins no sign-in of VS Code’s own, and follows no redirect', async () => {
    const stranger = await new RecordingServer().start();
    const bridged = await open();
    for (const [code, message] of [
      [403, /refused access \(HTTP 403\)/],
      [302, /has moved to another address/],
      [307, /has moved to another address/],
    ] as const) {
      bench.server.handler = (_request, response) => response.writeHead(code, { Location: stranger.url }).end();
      assert.match(errorIn((await ask(bridged, { body: CALL })).body), message);
      assert.equal((await ask(bridged, { method: 'GET' })).status, 502);
      assert.match(bench.log.text(), new RegExp(`MCP server Tools: GET failed \\(HTTP ${code}\\)\\.$`, 'm'));
    }
    assert.deepEqual(stranger.received, []);
    stranger.stop();
  });

  it('says that the server can’t be reached, without its address', async () => {
    // The bridge first: it could get the port that the server has left.
    const bridged = await bench.bridge.open(bench.target);
    bench.server.stop();
    const { body } = await ask(bridged, { body: CALL });
    assert.match(errorIn(body), /^Couldn’t reach the MCP server Tools \(ECONNREFUSED\)\./);
    assert.doesNotMatch(body + bench.log.text(), /127\.0\.0\.1|tenant|token-1/);
    assert.match(bench.log.text(), /MCP server Tools: POST failed \(ECONNREFUSED\)\.$/m);
    assert.doesNotMatch(bench.log.text(), /^\s*at /m);
  });

  it('passes on the words in which there is no session', async () => {
    bench.source = { ...bench.source, current: () => Promise.reject(new Error('Sign in.')) };
    const bridged = await open();
    assert.equal(errorIn((await ask(bridged, { body: CALL })).body), 'Sign in.');
    assert.deepEqual(bench.server.received, []);
  });

  it('breaks off the request to the server if VS Code no longer waits', async () => {
    const bridged = await open();
    const closed = new Promise<void>((resolve) => {
      bench.server.handler = (received, response) => {
        response.flushHeaders();
        received.socket.once('close', resolve);
      };
    });
    (await request(bridged, { method: 'GET' })).destroy();
    await closed;
    assert.deepEqual(bench.log.text().includes('failed'), false);
  });

  it('breaks off the request to the server if VS Code no longer waits, even before the server has responded', async () => {
    const bridged = await open();
    const call = send(bridged.url, { method: 'POST', headers: { ...bridged.headers } });
    const closed = new Promise<void>((resolve) => {
      bench.server.handler = (received) => {
        received.socket.once('close', resolve);
        call.destroy();
      };
    });
    call.on('error', () => undefined).end(CALL);
    await closed;
  });

  it('ends the requests in progress with the server: streams break off, and calls are told', async () => {
    const bridged = await open();
    await open();
    const called = new Promise<void>((resolve) => {
      bench.server.handler = (_request, response, body) => {
        if (body === CALL) {
          resolve();
        } else {
          response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\ndata: 2\n');
        }
      };
    });
    const stream = await request(bridged, { method: 'GET' });
    const begun = await request(bridged, { body: CALL.replace('{', '{ ') });
    const call = ask(bridged, { body: CALL });
    await called;
    const broken = once(stream.resume(), 'error');
    bridged.end();
    assert.match(String(await broken), /aborted/);
    assert.equal(errorIn((await call).body), STOPPED);
    const [first, last = ''] = (await text(begun)).split('\n\ndata: ');
    assert.deepEqual([first, errorIn(last)], ['data: 1', STOPPED]);
  });

  it('serves many requests at once, and each gets its own response', async () => {
    const bridged = await open();
    bench.server.handler = (_request, response, body) => {
      setImmediate(() => response.end(body));
    };
    const bodies = Array.from({ length: 200 }, (_, index) => `request ${index} ${'x'.repeat(index * 100)}`);
    const answers = await Promise.all(bodies.map((body) => ask(bridged, { body })));
    assert.deepEqual(
      answers.map(({ body }) => body),
      bodies,
    );
  });

  it('survives clients that send half a request, or nonsense', async () => {
    const bridged = await open();
    const half = send(bridged.url, { method: 'POST', headers: { ...bridged.headers, 'Content-Length': '100' } });
    await new Promise((resolve) => half.on('error', () => undefined).write('{', resolve));
    half.destroy();
    const { hostname, port } = new URL(bridged.url);
    const socket = connect(Number(port), hostname);
    socket.end('GET http://evil.example/1 HTTP/9\r\n\0\r\n\r\n');
    await once(socket.resume(), 'close');
    assert.equal((await ask(bridged, { body: CALL })).status, 200);
  });

  it('writes no token, no key and no query to the log', async () => {
    const bridged = await open();
    await ask(bridged, { body: CALL });
    await ask(bridged, { body: CALL, headers: { authorization: 'Bearer wrong' } });
    assert.match(bench.log.text(), /MCP server Tools: POST returned 200/);
    assert.doesNotMatch(bench.log.text(), /token-|tenant|Bearer/);
  });
});
