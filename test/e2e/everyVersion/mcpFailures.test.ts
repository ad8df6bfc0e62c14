import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../scripts/host/until';
import { runTool, takeEntry } from '../../../scripts/scene/mcp';
import { allowUse, changeAccount, CODE_STATUS, confirmSignIn, giveConsent } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { BentMcpServer } from '../../support/bentMcpServer';
import { PUBLIC_CLIENT } from '../../support/embedder';
import { packForService } from '../../support/packForService';

const WANTS_TO_SIGN_IN = /Acme.* wants to sign in[^]*It’s for the MCP server Bent\./;

/** Guards that a call of a tool always ends, and that what's wrong with one MCP server concerns nobody else. */
describe('MCP servers of a package that fail', () => {
  const bent = new BentMcpServer();
  const { scene, workbench } = useScene({
    unconfigured: true,
    settings: { 'chat.disableAIFeatures': false },
    service: PUBLIC_CLIENT,
    surroundings: async ({ baseUrl, clientId, mcpUrl }, data, cleanUp) => {
      await bent.comeBack();
      cleanUp.add(() => bent.goAway());
      // This service gives no refresh token.
      const service = { protocol: 'rfc8628', baseUrl, clientId, scopes: ['openid', 'profile', 'read'] } as const;
      const servers = [
        { label: 'Acme Tools', url: mcpUrl },
        { label: 'Bent', url: bent.url },
      ];
      return { extensions: [await packForService(data, 'Acme', service, servers)] };
    },
  });

  async function startServer(label: string): Promise<void> {
    await workbench().runCommand('MCP: List Servers');
    await takeEntry(workbench(), label);
    await takeEntry(workbench(), 'Start Server');
  }

  it('start with a question again if the sign-in failed, or somebody signs in after declining', async () => {
    scene().service.faults.switchOn('device code', { kind: 'respond', status: 500 });
    await startServer('Bent');
    await allowUse(workbench(), 'Acme');
    await scene().service.record.until((record) => record.of('device code').length === 1);
    await startServer('Bent');
    await workbench().dialog.answer(WANTS_TO_SIGN_IN, 'Cancel');
    await workbench().runCommand('Acme: Sign In');
    await confirmSignIn(workbench(), scene().service);
    await workbench().clearNotifications();
    await startServer('Bent');
    await giveConsent(workbench(), 'demo', 'Acme');
    assert.match(await runTool(workbench(), 'echo'), /^Sample: the tool said: echo$/);
    await startServer('Acme Tools');
    assert.match(await runTool(workbench(), 'whoami'), /You are demo\./);
  });

  it('end a call whose stream breaks off, and the next one works', async () => {
    const called = runTool(workbench(), 'linger');
    await until('the call to begin', () => bent.lingering === 1);
    await bent.goAway();
    assert.match(await called, /^Sample: failed: .*The response from the MCP server Bent was incomplete or invalid/);
    await bent.comeBack();
    assert.match(await runTool(workbench(), 'echo'), /^Sample: the tool said: echo$/);
  });

  it('still notify of changes after they were away', async () => {
    await until('a stream of notifications', () => bent.listening > 0);
    await bent.goAway();
    await sleep(4_000);
    await bent.comeBack();
    await until('the stream to be opened again', () => bent.listening > 0);
    bent.addTool('added');
    assert.match(await runTool(workbench(), 'added'), /^Sample: the tool said: added$/);
  });

  it('mark nothing if they reject a token that can’t be refreshed: others go on with it', async () => {
    const { faults, record } = scene().service;
    faults.switchOn('mcp', { kind: 'respond', status: 401, headers: { 'www-authenticate': 'Bearer' } });
    const rejected = /The MCP server Acme Tools rejected your session\. Sign in again\./;
    assert.match(await runTool(workbench(), 'whoami'), rejected);
    assert.deepEqual((await workbench().notifications.waitFor(rejected)).buttons, ['Sign In']);
    assert.match(await runTool(workbench(), 'echo'), /^Sample: the tool said: echo$/);
    assert.match(await runTool(workbench(), 'whoami'), /You are demo\./);
    assert.equal(record.of('device code').length, 2);
  });

  it('fail one call alone if they’re busy, with the time to try again, and nothing else ends', async () => {
    const { faults } = scene().service;
    for (const [status, headers, message] of [
      [429, { 'retry-after': '30' }, /^Sample: failed: .*Acme Tools is busy \(HTTP 429\)\. Try again in 30 seconds\./],
      [503, {}, /^Sample: failed: .*Acme Tools is busy \(HTTP 503\)\. Try again later\./],
      [500, {}, /^Sample: failed: .*Acme Tools couldn’t finish the request \(HTTP 500\)\./],
    ] as const) {
      faults.switchOn('mcp', { kind: 'respond', status, headers });
      assert.match(await runTool(workbench(), 'whoami'), message);
      assert.match(await runTool(workbench(), 'whoami'), /You are demo\./);
    }
  });

  it('ask for scopes that the session lacks, once, and go on with the wider one', async () => {
    const { faults } = scene().service;
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="read write"' };
    const needs = { kind: 'respond', status: 403, headers } as const;
    const message = /^The MCP server Acme Tools needs more access to your Acme account: write\./;
    for (let calls = 0; calls < 2; calls++) {
      faults.switchOn('mcp', needs);
      assert.match(await runTool(workbench(), 'whoami'), /needs more access to your Acme account: write\./);
    }
    await workbench().notifications.waitFor(message);
    assert.equal(
      (await workbench().notifications.list()).filter(({ text }) =>
        text.startsWith('The MCP server Acme Tools needs more access to your Acme account: write.'),
      ).length,
      1,
    );
    await workbench().notifications.click(message, 'Sign In');
    await confirmSignIn(workbench(), scene().service);
    assert.match(await runTool(workbench(), 'whoami'), /You are demo\./);
    // The session has the scope now, so there's nothing to ask for.
    faults.switchOn('mcp', needs);
    assert.match(await runTool(workbench(), 'whoami'), /refused access \(HTTP 403\)/);
    assert.match(await runTool(workbench(), 'echo'), /^Sample: the tool said: echo$/);
  });

  it('tell whoever calls that a sign-in is open', async () => {
    await changeAccount(workbench(), { account: /^demo \(Acme\)/, extension: 'Acme' }, 'Use a new account...');
    await workbench().statusBarItem(CODE_STATUS);
    assert.match(await runTool(workbench(), 'whoami'), /A sign-in to Acme is in progress\. Finish or cancel it/);
    await workbench().runCommand('Acme: Cancel Sign In');
    assert.match(await runTool(workbench(), 'whoami'), /You are demo\./);
  });
});
