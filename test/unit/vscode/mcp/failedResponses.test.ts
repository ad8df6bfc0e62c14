import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { settle } from '../../../support/fakeClock';
import { ask, BridgeBench } from './bridgeBench';

const SESSION = { 'Mcp-Session-Id': 's1' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const PAGE = '<html><body>Please wait</body></html>';

const call = (id: number | string = 7, method = 'tools/call'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: {} });
const error = (id: unknown, code: number, message = 'What the server says'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data: { why: 1 } } });

/** Guards that a response that isn't the protocol's fails the one call it's for, with the reason, and neither the server nor others. */
describe('a response of an MCP server that isn’t a success', () => {
  let bench: BridgeBench;
  beforeEach(async () => {
    bench = new BridgeBench();
    await bench.server.start();
  });
  afterEach(() => {
    bench.stop();
  });

  /** Has the server respond with this to everything. */
  const respond = (status: number, headers: OutgoingHttpHeaders = {}, body = ''): void => {
    bench.server.handler = (_request, response) => response.writeHead(status, headers).end(body);
  };

  /** The error that a call gets. */
  async function errorOf(body = call(), headers: OutgoingHttpHeaders = {}): Promise<Record<string, unknown>> {
    const answer = await ask(await bench.bridge.open(bench.target), { body, headers });
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/json'], answer.body);
    const { id, error: found, jsonrpc } = JSON.parse(answer.body) as Record<string, unknown>;
    assert.deepEqual([jsonrpc, id], ['2.0', (JSON.parse(body) as { id: unknown }).id]);
    return found as Record<string, unknown>;
  }

  for (const [status, headers, message] of [
    [429, {}, 'The MCP server Tools was busy (HTTP 429). Try again later.'],
    [429, { 'Retry-After': '30' }, 'The MCP server Tools was busy (HTTP 429). Try again in 30 seconds.'],
    [503, { 'Retry-After': '61' }, 'The MCP server Tools was busy (HTTP 503). Try again in 2 minutes.'],
    [
      503,
      { 'Retry-After': 'Tue, 01 Jan 2030 00:00:20 GMT', Date: 'Tue, 01 Jan 2030 00:00:00 GMT' },
      'The MCP server Tools was busy (HTTP 503). Try again in 20 seconds.',
    ],
    [425, { 'Retry-After': 'soon' }, 'The MCP server Tools was busy (HTTP 425). Try again later.'],
    ...[408, 500, 502, 504, 511, 529].map(
      (status) =>
        [
          status,
          {},
          `The MCP server Tools couldn’t finish the request (HTTP ${status}). If a tool was called, it may have run. Check whether it did, and then try again later.`,
        ] as const,
    ),
    ...[400, 402, 404, 405, 406, 410, 413, 415, 422, 451].map(
      (status) =>
        [
          status,
          { 'Retry-After': '5' },
          `The MCP server Tools refused the request (HTTP ${status}). Update the extension that provides it, or ask whoever manages the server.`,
        ] as const,
    ),
  ] as const) {
    it(`fails the call with its reason: ${status} ${JSON.stringify(headers)}`, async () => {
      for (const body of ['', PAGE, '{"error":"busy"}', '[]', error(8, -32_603), error('7', -32_603)]) {
        respond(status, headers, body);
        assert.deepEqual(await errorOf(call(7)), { code: -32_000, message });
      }
      assert.match(bench.log.text(), new RegExp(`MCP server Tools: POST failed \\(HTTP ${status}\\)\\.$`, 'm'));
      assert.doesNotMatch(bench.log.text(), /Please wait/);
    });
  }

  it('fails no other call', async () => {
    const bridged = await bench.bridge.open(bench.target);
    bench.server.handler = (_request, response, body) => {
      const { id } = JSON.parse(body) as { id: number };
      if (id % 2 === 0)
        setImmediate(() => response.writeHead(200, JSON_TYPE).end(`{"jsonrpc":"2.0","id":${id},"result":{}}`));
      else response.writeHead([429, 500, 503, 302, 403][id % 5] ?? 0).end(PAGE);
    };
    const ids = Array.from({ length: 20 }, (_, id) => id);
    const answers = await Promise.all(ids.map((id) => ask(bridged, { body: call(id) })));
    answers.forEach(({ body, status }, id) => {
      assert.equal(status, 200);
      assert.equal('result' in (JSON.parse(body) as object), id % 2 === 0, body);
    });
  });

  it('is the server’s own response if it’s for the call, whatever its status', async () => {
    for (const [status, id, body] of [
      [400, 7, error(7, -32_602)],
      [404, 'a', error('a', -32_601)],
      [500, 7, error(7, -32_603)],
      [429, 'x', error('x', -32_000)],
      [503, 7, '{"jsonrpc":"2.0","id":7,"result":{}}'],
    ] as const) {
      respond(status, JSON_TYPE, body);
      for (const headers of [{}, SESSION]) {
        const answer = await ask(await bench.bridge.open(bench.target), { body: call(id), headers });
        assert.deepEqual([answer.status, answer.body], [200, body]);
      }
    }
  });

  it('says why a request is refused if the server says that of no call', async () => {
    for (const [status, body] of [
      [400, error(null, -32_000)],
      [404, error(undefined, -32_001)],
      [406, error(null, -32_000)],
      [415, error(null, -32_700)],
      [413, error(null, -32_600)],
    ] as const) {
      respond(status, JSON_TYPE, body);
      const found = await errorOf();
      assert.deepEqual(found, {
        code: (JSON.parse(body) as { error: { code: number } }).error.code,
        message: 'What the server says',
        data: { why: 1 },
      });
    }
    // It's busy, which is what matters.
    respond(429, { 'Retry-After': '5' }, error(null, -32_000));
    assert.match(String((await errorOf())['message']), /Try again in 5 seconds/);
    respond(400, {}, '{"jsonrpc":"2.0","id":null,"error":{"code":"x"}}');
    assert.deepEqual(await errorOf(), {
      code: -32_000,
      message:
        'The MCP server Tools refused the request (HTTP 400). Update the extension that provides it, or ask whoever manages the server.',
    });
  });

  it('is passed on if the session of the protocol is over, because VS Code then begins another one', async () => {
    for (const [status, body] of [
      [404, ''],
      [404, PAGE],
      [404, error(null, -32_001)],
      [400, error(null, -32_000)],
      [400, error(undefined, -32_000)],
    ] as const) {
      respond(status, JSON_TYPE, body);
      for (const sent of [call(), '{"jsonrpc":"2.0","method":"notifications/cancelled"}']) {
        const answer = await ask(await bench.bridge.open(bench.target), { body: sent, headers: SESSION });
        assert.deepEqual([answer.status, answer.body], [status, body]);
      }
    }
    respond(400, {}, PAGE);
    assert.match(String((await errorOf(call(), SESSION))['message']), /refused the request \(HTTP 400\)/);
  });

  it('disturbs nobody if it’s for a notification or a response, but is in the log', async () => {
    const bridged = await bench.bridge.open(bench.target);
    for (const status of [302, 400, 401, 403, 404, 429, 500, 503]) {
      respond(status, {}, PAGE);
      for (const sent of [
        '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
        '{"jsonrpc":"2.0","id":3,"result":{}}',
      ]) {
        const answer = await ask(bridged, { body: sent });
        assert.deepEqual([answer.status, answer.body], [202, ''], String(status));
      }
      assert.match(bench.log.text(), new RegExp(`POST failed \\(HTTP ${status}\\)\\.$`, 'm'));
    }
    bench.server.stop();
    assert.equal((await ask(bridged, { body: '{"jsonrpc":"2.0","method":"notifications/cancelled"}' })).status, 202);
  });

  it('isn’t waited for if its body never ends, or is huge', async () => {
    bench.server.handler = (_request, response) => response.writeHead(500).write('{"jsonrpc":');
    const found = errorOf();
    while (bench.clock.sleeping === 0) await settle();
    await bench.clock.advance(6_000);
    assert.match(String((await found)['message']), /HTTP 500/);
    bench.server.handler = (_request, response) => {
      const flood = (): void => {
        if (!response.destroyed) response.write('x'.repeat(16_384), flood);
      };
      response.writeHead(503);
      flood();
    };
    assert.match(String((await errorOf())['message']), /HTTP 503/);
  });

  describe('because the session lacks scopes', () => {
    const needs = (scope: string): OutgoingHttpHeaders => ({
      'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
    });

    it('says which, and doesn’t count as a rejected token', async () => {
      for (const status of [401, 403]) {
        respond(status, needs('read write'));
        assert.deepEqual(await errorOf(), { code: -32_000, message: 'Needs write.' });
      }
      assert.deepEqual([bench.missing, bench.rejections, bench.refreshed], [[['write'], ['write']], 0, []]);
      assert.equal(bench.server.received.length, 2);
    });

    it('is refused access if the session has them, or if the service has none', async () => {
      respond(403, needs('read'));
      assert.match(String((await errorOf())['message']), /refused access \(HTTP 403\)/);
      bench.scopes = undefined;
      respond(403, needs('write'));
      assert.match(String((await errorOf())['message']), /refused access \(HTTP 403\)/);
      assert.deepEqual(bench.missing, []);
    });

    it('is told of a notification and a stream, too, which begin no sign-in of VS Code’s own', async () => {
      respond(403, needs('write'));
      const bridged = await bench.bridge.open(bench.target);
      assert.equal((await ask(bridged, { body: '{"jsonrpc":"2.0","method":"notifications/cancelled"}' })).status, 202);
      const { headers, status } = await ask(bridged, { method: 'GET' });
      assert.deepEqual([status, headers['www-authenticate']], [502, undefined]);
      assert.equal(bench.missing.length, 2);
    });
  });
});
