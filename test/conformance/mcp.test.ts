import assert from 'node:assert/strict';
import { callTool, connectMcp } from '../support/mcpClient';
import { bearer, type Tokens, tokensOf, useApi } from './api';

/** Guards that the demo service's MCP server accepts current tokens only, as other MCP servers do. */
describe('the MCP server', () => {
  const api = useApi();
  let tokens: Tokens;
  beforeEach(async () => {
    tokens = await api().signIn('ada');
  });

  /** A client that always sends the newest tokens of this test. */
  const connect = () => connectMcp(api().service.mcpUrl, () => bearer(tokens.accessToken));

  it('has tools for whoever is signed in', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['whoami', 'wait'],
    );
    assert.equal(await callTool(client, 'whoami'), 'You are ada.');
    await client.close();
  });

  it('demands a current token with each request, and finishes a call whose token was replaced meanwhile', async () => {
    const client = await connect();
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const waited = callTool(client, 'wait', { seconds: 60 }, begun);
    await hasBegun;
    const renewed = tokensOf(await api().refresh(tokens.refreshToken));
    await api().clock.advance(60_000);
    assert.equal(await waited, 'ada waited 60 s.');
    await assert.rejects(callTool(client, 'whoami'), { code: 401 });
    tokens = renewed;
    assert.equal(await callTool(client, 'whoami'), 'You are ada.');
    await client.close();
  });

  it('says that a token is needed, in the words of the protocol', async () => {
    for (const headers of [{}, bearer('unknown')]) {
      const response = await fetch(api().service.mcpUrl, { method: 'POST', headers, body: '{}' });
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    }
  });

  it('keeps the sessions of different accounts apart', async () => {
    const client = await connect();
    tokens = await api().signIn('grace');
    await assert.rejects(callTool(client, 'whoami'), { code: 404 });
    await client.close();
  });

  it('responds as tests want it to', async () => {
    api().service.faults.switchOn('mcp', { kind: 'respond', status: 503 });
    await assert.rejects(connect(), { code: 503 });
  });
});
