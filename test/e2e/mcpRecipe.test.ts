import assert from 'node:assert/strict';
import { runTool, takeEntry } from '../../scripts/scene/mcp';
import { giveConsent, signIn, UNNAMED } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';

/** Guards that the recipe for MCP servers on the page for authors works, and costs what it says. */
describe('the recipe for an MCP server of an extension that uses the session', () => {
  const { scene, workbench } = useScene({
    settings: { 'chat.disableAIFeatures': false },
    service: { accessTokenTtl: 20 },
  });

  it('starts the server with the session', async () => {
    await signIn(workbench(), scene().profile.context);
    await workbench().runCommand('MCP: List Servers');
    await takeEntry(workbench(), 'Sample Service');
    await takeEntry(workbench(), 'Start Server');
    await giveConsent(workbench(), UNNAMED);
    await scene().service.record.until((record) => record.of('mcp').length >= 3);
    assert.match(await runTool(workbench(), 'whoami'), /^Sample: the tool said: You are demo\.$/);
  });

  it('starts the server again with the next token, without a prompt, which cancels a running call', async () => {
    const { record } = scene().service;
    const before = record.counts().refreshed;
    assert.match(await runTool(workbench(), 'wait', { seconds: 60 }), /^Sample: failed: .*Cancell?ed/);
    assert.ok(record.counts().refreshed > before, 'the token was refreshed during the call');
    assert.match(await runTool(workbench(), 'whoami'), /^Sample: the tool said: You are demo\.$/);
  });
});
