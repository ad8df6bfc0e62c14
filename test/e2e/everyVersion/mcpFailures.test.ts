import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedService } from '../../../demo/service';
import type { DataFolder } from '../../../scripts/host/dataFolder';
import { ROOT } from '../../../scripts/host/paths';
import { until } from '../../../scripts/host/until';
import { packageForService } from '../../../scripts/package/forService';
import { VSCE } from '../../../scripts/package/packager';
import { runTool, takeEntry } from '../../../scripts/scene/mcp';
import { allowUse, changeAccount, CODE_STATUS, confirmSignIn, giveConsent } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { BentMcpServer } from '../../support/bentMcpServer';
import { PUBLIC_CLIENT } from '../../support/embedder';

const WANTS_TO_SIGN_IN = /Acme.* wants to sign in[^]*It’s for the MCP server Bent\./;

/** Guards that a call of a tool always ends, and that what's wrong with one MCP server concerns nobody else. */
describe('MCP servers of a package that fail', () => {
  const bent = new BentMcpServer();
  const { scene, workbench } = useScene({
    unconfigured: true,
    settings: { 'chat.disableAIFeatures': false },
    service: PUBLIC_CLIENT,
    surroundings: async (service, data, cleanUp) => {
      await bent.comeBack();
      cleanUp.add(() => bent.goAway());
      return { extensions: [await build(service, data)] };
    },
  });

  /** Builds a package for this service, which gives no refresh token, with its MCP server and the bent one. */
  async function build({ baseUrl, clientId, mcpUrl }: EmbeddedService, data: DataFolder): Promise<string> {
    const file = path.join(data.root, 'tools.json');
    const contents = {
      publisher: 'acme',
      name: 'acme-tools',
      displayName: 'Acme',
      version: '1.0.0',
      providerId: 'acme',
      prefix: 'acme',
      mcpServers: [
        { label: 'Acme Tools', url: mcpUrl },
        { label: 'Bent', url: bent.url },
      ],
      service: { protocol: 'rfc8628', baseUrl, clientId, serviceName: 'Acme', scopes: ['openid', 'profile', 'read'] },
    };
    await writeFile(file, JSON.stringify(contents), { mode: 0o600 });
    return await packageForService(file, { into: data.root, parts: ROOT, vsce: VSCE });
  }

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

  it('tell whoever calls that a sign-in is open', async () => {
    await changeAccount(workbench(), { account: /^demo \(Acme\)/, extension: 'Acme' }, 'Use a new account...');
    await workbench().statusBarItem(CODE_STATUS);
    assert.match(await runTool(workbench(), 'whoami'), /A sign-in to Acme is in progress\. Finish or cancel it/);
    await workbench().runCommand('Acme: Cancel Sign In');
    assert.match(await runTool(workbench(), 'whoami'), /You are demo\./);
  });
});
