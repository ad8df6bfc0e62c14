import assert from 'node:assert/strict';
import { createService, type EmbeddedService } from '../../../../demo/service';
import { fetch } from '../../../../src/oauth/fetch';
import { ExtensionInMemory } from '../../../support/extensionInMemory';
import { FakeClock } from '../../../support/fakeClock';
import { callTool, connectMcp } from '../../../support/mcpClient';
import { Pace, STEP } from '../../../support/pace';

const SECOND = 1_000;
/** Seconds, on the test's clock as everything. A refresh comes before its end. */
const ACCESS_TOKEN_TTL = 8;

/** Some hundred real requests, on a machine that may be busy. Milliseconds. */
const PATIENT = 90_000;

type Client = Awaited<ReturnType<typeof connectMcp>>;

/** Guards that calls of tools go through refreshes, that none carries a dead token, and that another service ends them. */
describe('an MCP server of a build, all the way to the demo service', () => {
  let clock: FakeClock;
  let pace: Pace;
  let service: EmbeddedService;
  let window: ExtensionInMemory;
  let client: Client | undefined;
  const finish = <T>(promise: Promise<T>): Promise<T> => pace.finish(promise);

  beforeEach(async () => {
    clock = new FakeClock();
    service = await createService({ clock, accessTokenTtl: ACCESS_TOKEN_TTL, interval: 1 });
    pace = new Pace(clock, fetch);
    const { baseUrl, clientId, clientSecret, mcpUrl } = service;
    window = new ExtensionInMemory(pace.fetch, {
      clock,
      mcpServers: [{ label: 'Tools', url: mcpUrl }],
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
    await finish(window.close());
    await service.close();
  });

  /** The requests to the server that carried a token other than the current one. */
  const dead = (): number => service.record.of('mcp').filter(({ token }) => token?.state !== 'current').length;

  /** VS Code starts the server, as it's offered. */
  async function start(): Promise<Client> {
    const { mcpServers = assert.fail('none is registered') } = window.editor;
    const { headers, url } = await finish(mcpServers.start('Tools'));
    client = await finish(connectMcp(url, () => headers));
    return client;
  }

  it('finishes a call of 25 s, with a further call each second, while tokens last 8 s, and none of them is dead', async () => {
    const own = await start();
    const waited = callTool(own, 'wait', { seconds: 25 });
    const end = clock.monotonic() + 25 * SECOND;
    while (clock.monotonic() < end) {
      assert.equal(await finish(callTool(own, 'whoami')), 'You are demo.');
      await finish(clock.sleep(SECOND));
    }
    assert.equal(await finish(waited), 'demo waited 25 s.');
    assert.ok(service.record.counts().refreshed >= 3, 'it was refreshed during the call');
    assert.equal(dead(), 0);
  }).timeout(PATIENT);

  it('ends when another service is configured', async () => {
    const own = await start();
    // Two requests begin the session of the protocol, and the third one is the stream.
    await finish(service.record.until((record) => record.of('mcp').length === 3));
    window.editor.set({ baseUrl: 'https://another.example' });
    await assert.rejects(finish(callTool(own, 'whoami')), /The MCP server Tools was stopped because you signed out/);
    assert.equal(service.record.of('mcp').length, 3);
  });
});
