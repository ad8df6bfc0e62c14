import assert from 'node:assert/strict';
import { createService, type EmbeddedService } from '../../../../demo/service';
import { fetch } from '../../../../src/oauth/fetch';
import { ExtensionInMemory } from '../../../support/extensionInMemory';
import { FakeClock } from '../../../support/fakeClock';
import { callTool, connectMcp } from '../../../support/mcpClient';
import { callModernTool, connectModernMcp } from '../../../support/modernMcpClient';
import { ModernMcpServer } from '../../../support/modernMcpServer';
import { Pace, STEP } from '../../../support/pace';

const SECOND = 1_000;
/** Seconds, on the test's clock as everything. A refresh comes before its end. */
const ACCESS_TOKEN_TTL = 20;

/** Some hundred real requests, on a machine that may be busy. Milliseconds. */
const PATIENT = 90_000;

/** How a client connects to the bridge. */
type Connect<T> = (url: string, headers: () => Record<string, string>) => Promise<T>;

/** Guards that calls of tools go through refreshes, that none carries a dead token, and that another service ends them. */
describe('an MCP server of a build, all the way to the demo service', () => {
  let clock: FakeClock;
  let pace: Pace;
  let service: EmbeddedService;
  let window: ExtensionInMemory;
  let client: { close(): Promise<void> } | undefined;
  let modern: ModernMcpServer;
  /** The requests to the server of 2026-07-28 that carried a token other than the current one. */
  let deadModern: number;
  const finish = <T>(promise: Promise<T>): Promise<T> => pace.finish(promise);

  beforeEach(async () => {
    clock = new FakeClock();
    service = await createService({ clock, accessTokenTtl: ACCESS_TOKEN_TTL, interval: 1 });
    pace = new Pace(clock, fetch);
    deadModern = 0;
    modern = await new ModernMcpServer(clock).start();
    modern.refuse = async ({ token = '' }) => {
      const headers = { Authorization: `Bearer ${token}` };
      const { status } = await globalThis.fetch(`${service.baseUrl}/api/whoami`, { headers });
      deadModern += status === 200 ? 0 : 1;
      return status === 200 ? undefined : new Response('', { status });
    };
    const { baseUrl, clientId, clientSecret, mcpUrl } = service;
    window = new ExtensionInMemory(pace.fetch, {
      clock,
      mcpServers: [
        { label: 'Tools', url: mcpUrl },
        { label: 'Modern', url: modern.url },
      ],
      fields: { baseUrl, clientId, account: { path: '/api/whoami', field: 'name' } },
    });
    window.editor.session = async (scopes) => (await window.provider.getSessions(scopes, {}))[0];
    await finish(window.command('setClientSecret', clientSecret));
    const signedIn = window.signIn();
    while (service.pending.length === 0) await finish(clock.sleep(STEP));
    service.approve(service.pending[0] ?? '');
    await finish(signedIn);
  });
  afterEach(async () => {
    await client?.close();
    client = undefined;
    await modern.stop();
    await finish(window.close());
    await service.close();
  });

  /** The requests to the server that carried a token other than the current one. */
  const dead = (): number => service.record.of('mcp').filter(({ token }) => token?.state !== 'current').length;

  /** VS Code starts the server, as it's offered. */
  async function start<T extends { close(): Promise<void> }>(label: string, connect: Connect<T>): Promise<T> {
    const { mcpServers = assert.fail('none is registered') } = window.editor;
    const { headers, url } = await finish(mcpServers.start(label));
    const connected = await finish(connect(url, () => headers));
    client = connected;
    return connected;
  }

  it('finishes a call of 60 s, with a further call each second, while tokens last 20 s, and none of them is dead', async () => {
    const own = await start('Tools', connectMcp);
    const waited = callTool(own, 'wait', { seconds: 60 });
    const end = clock.monotonic() + 60 * SECOND;
    while (clock.monotonic() < end) {
      assert.equal(await finish(callTool(own, 'whoami')), 'You are demo.');
      await finish(clock.sleep(SECOND));
    }
    assert.equal(await finish(waited), 'demo waited 60 s.');
    assert.ok(service.record.counts().refreshed >= 3, 'it was refreshed during the call');
    assert.equal(dead(), 0);
  }).timeout(PATIENT);

  it('does so with MCP 2026-07-28, too, which has no session', async () => {
    const own = await start('Modern', connectModernMcp);
    const waited = callModernTool(own, 'wait', { seconds: 60 });
    const end = clock.monotonic() + 60 * SECOND;
    while (clock.monotonic() < end) {
      assert.equal(await finish(callModernTool(own, 'echo')), 'echo');
      await finish(clock.sleep(SECOND));
    }
    assert.equal(await finish(waited), 'waited 60 s');
    assert.ok(service.record.counts().refreshed >= 3, 'it was refreshed during the call');
    assert.ok(new Set(modern.requests.map(({ token }) => token)).size > 3);
    assert.equal(deadModern, 0);
  }).timeout(PATIENT);

  it('would send a dead token after a call of 60 s, if VS Code sent what it got at the start', async () => {
    const session = (await window.editor.session([], {})) ?? assert.fail('nobody is signed in');
    const headers = { Authorization: `Bearer ${session.accessToken}` };
    const own = await finish(connectMcp(service.mcpUrl, () => headers));
    client = own;
    assert.equal(await finish(callTool(own, 'wait', { seconds: 60 })), 'demo waited 60 s.');
    await assert.rejects(finish(callTool(own, 'whoami')), { code: 401 });
    assert.equal(dead(), 1);
  }).timeout(PATIENT);

  it('ends when another service is configured', async () => {
    const own = await start('Tools', connectMcp);
    // Two requests begin the session of the protocol, and the third one is the stream.
    await finish(service.record.until((record) => record.of('mcp').length === 3));
    window.editor.set({ baseUrl: 'https://another.example' });
    await assert.rejects(finish(callTool(own, 'whoami')), /The MCP server Tools was stopped because you signed out/);
    assert.equal(service.record.of('mcp').length, 3);
  });
});
