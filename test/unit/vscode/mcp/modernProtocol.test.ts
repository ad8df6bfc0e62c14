import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/client';
import type { BridgedServer } from '../../../../src/vscode/mcp/bridge';
import { callTool, connectMcp } from '../../../support/mcpClient';
import { callModernTool, connectModernMcp, type Negotiation } from '../../../support/modernMcpClient';
import { ModernMcpServer } from '../../../support/modernMcpServer';
import { BridgeBench } from './bridgeBench';

/** Guards that MCP 2026-07-28 goes through the bridge as it is, and that its clients learn of what breaks off. */
describe('MCP 2026-07-28 through the bridge', () => {
  let bench: BridgeBench;
  let server: ModernMcpServer;
  let bridged: BridgedServer;
  const clients: { close(): Promise<void> }[] = [];
  beforeEach(async () => {
    bench = new BridgeBench();
    await bench.server.start();
    server = await new ModernMcpServer(bench.clock).start();
    bridged = await bench.bridge.open({ ...bench.target, url: server.url });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    bench.stop();
    await server.stop();
  });

  async function connect(mode?: Negotiation): Promise<Client> {
    const client = await connectModernMcp(bridged.url, () => bridged.headers, mode);
    clients.push(client);
    return client;
  }

  it('discovers the server, calls its tools, and has no session', async () => {
    for (const mode of [undefined, 'auto'] as const) {
      server.requests.length = 0;
      const client = await connect(mode);
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
      assert.deepEqual((await client.listTools()).tools.map(({ name }) => name).sort(), ['delete', 'echo', 'wait']);
      assert.equal(await callModernTool(client, 'echo'), 'echo');
      const methods = server.requests.map(({ headers }) => headers['mcp-method']);
      assert.deepEqual(methods, ['server/discover', 'tools/list', 'tools/call']);
      for (const { headers, method, token } of server.requests) {
        assert.deepEqual([method, token, headers['mcp-session-id']], ['POST', 'token-1', undefined]);
        assert.equal(headers['mcp-protocol-version'], '2026-07-28');
      }
      assert.equal(server.requests.at(-1)?.headers['mcp-name'], 'echo');
    }
  });

  it('asks the person within a call (input_required), and each of its requests has the current token', async () => {
    const client = await connect();
    client.setRequestHandler('elicitation/create', () => {
      bench.tokens.shift();
      return { action: 'accept', content: { confirm: true } };
    });
    assert.equal(await callModernTool(client, 'delete'), 'deleted');
    assert.deepEqual(
      server.requests.slice(-2).map(({ token }) => token),
      ['token-1', 'token-2'],
    );
  });

  it('passes on the notifications of a subscription, and that it breaks off, so that the client subscribes again', async () => {
    const client = await connect();
    let changes = 0;
    let onChange: () => void = () => undefined;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      changes += 1;
      onChange();
    });
    const changed = (): Promise<void> => new Promise((resolve) => (onChange = resolve));
    for (let times = 0; times < 2; times++) {
      const { closed } = await client.listen({ toolsListChanged: true });
      const next = changed();
      server.toolsChanged();
      await next;
      server.breakOff();
      assert.equal(await closed, 'remote');
    }
    assert.equal(changes, 2);
    assert.equal(await callModernTool(client, 'echo'), 'echo');
  });

  it('passes on that the server ends a subscription, and that the bridge does', async () => {
    const client = await connect();
    const first = await client.listen({ toolsListChanged: true });
    await server.endSubscriptions();
    assert.equal(await first.closed, 'graceful');
    await server.stop();
    server = await new ModernMcpServer(bench.clock).start();
    bridged = await bench.bridge.open({ ...bench.target, url: server.url });
    const second = await (await connect()).listen({ toolsListChanged: true });
    bridged.end();
    assert.equal(await second.closed, 'remote');
  });

  it('fails one call alone', async () => {
    const client = await connect();
    const waits = callModernTool(client, 'wait', { seconds: 1 });
    while (!server.requests.some(({ headers: sent }) => sent['mcp-name'] === 'wait')) await new Promise(setImmediate);
    server.refuse = () => Promise.resolve(new Response('<html>', { status: 429, headers: { 'Retry-After': '5' } }));
    await assert.rejects(callModernTool(client, 'echo'), /busy \(HTTP 429\)\. Try again in 5 seconds/);
    server.refuse = () => Promise.resolve(undefined);
    assert.equal(await callModernTool(client, 'echo'), 'echo');
    await bench.clock.advance(1_000);
    assert.equal(await waits, 'waited 1 s');
  });

  it('passes on why the server refuses a request, whatever the status', async () => {
    const client = await connect();
    await assert.rejects(client.request({ method: 'prompts/list' }), { code: -32_601 });
    await assert.rejects(client.callTool({ name: 'none' }), { code: -32_602 });
  });

  it('serves today’s clients, too, and a client that knows both finds out which one a server knows', async () => {
    const old = await connectMcp(bridged.url, () => bridged.headers);
    clients.push(old);
    assert.equal(await callTool(old, 'echo'), 'echo');
    // As a server of an earlier version responds to what it doesn't know.
    for (const response of [
      [400, { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Bad Request: Server not initialized' } }],
      [404, undefined],
      [405, undefined],
    ] as const) {
      server.refuse = ({ headers }) =>
        Promise.resolve(
          headers['mcp-method'] === 'server/discover'
            ? new Response(JSON.stringify(response[1]), { status: response[0] })
            : undefined,
        );
      const client = await connect('auto');
      assert.notEqual(client.getNegotiatedProtocolVersion(), '2026-07-28');
      assert.equal(await callModernTool(client, 'echo'), 'echo');
    }
  });
});
