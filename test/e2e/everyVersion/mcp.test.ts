import assert from 'node:assert/strict';
import { createService, type EmbeddedService } from '../../../demo/service';
import { until } from '../../../scripts/host/until';
import { runTool, takeEntry } from '../../../scripts/scene/mcp';
import {
  allowUse,
  changeAccount,
  confirmSignIn,
  signOut,
  UNNAMED,
  withdrawAccess,
} from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { packForService } from '../../support/packForService';

const WANTS_TO_SIGN_IN = /Acme.* wants to sign in/;
const YOU_ARE_DEMO = /^Sample: the tool said: You are demo\.$/;
const YOU_ARE_GRACE = /^Sample: the tool said: You are grace\.$/;
/** Until VS Code has stopped the server, which takes it half a second, calls are told so, or VS Code cancels them. */
const STOPPED = /^Sample: failed: .*(?:The MCP server (?:Acme Tools )?was stopped|Cancell?ed$)/;

/**
 * Guards that an MCP server of a build is always signed in, through refreshes and failures, and stops with the session; and that
 * packages for single services work side by side, without any configuration.
 */
describe('an MCP server of a package for one service', () => {
  let second: EmbeddedService;
  const { scene, workbench } = useScene({
    unconfigured: true,
    settings: { 'chat.disableAIFeatures': false },
    service: { accessTokenTtl: 20 },
    surroundings: async ({ baseUrl, clientId, clientSecret, mcpUrl }, data, cleanUp) => {
      const account = { path: '/api/whoami', field: 'name', idField: 'id' };
      const service = { protocol: 'draft', baseUrl, clientId, clientSecret, account } as const;
      second = await createService({ clientName: 'Globex', interval: 1 });
      cleanUp.add(() => second.close());
      const others = {
        protocol: 'draft',
        baseUrl: second.baseUrl,
        clientId: second.clientId,
        clientSecret: second.clientSecret,
      } as const;
      const extensions = await Promise.all([
        packForService(data, 'Acme', service, [{ label: 'Acme Tools', url: mcpUrl }]),
        packForService(data, 'Globex', others),
      ]);
      return { extensions };
    },
  });
  /** The requests that the server received with anything but a current token. */
  const rejected = (): number =>
    scene()
      .service.record.of('mcp')
      .filter(({ token }) => token?.state !== 'current').length;

  it('starts from the list of servers, with a sign-in', async () => {
    await workbench().runCommand('MCP: List Servers');
    await takeEntry(workbench(), 'Acme Tools');
    await takeEntry(workbench(), 'Start Server');
    await allowUse(workbench(), 'Acme');
    await confirmSignIn(workbench(), scene().service);
    await scene().service.record.until((record) => record.of('mcp').length >= 3);
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
  });

  it('finishes a call during which the token is refreshed, and goes on with the next, all without a prompt', async () => {
    const { record } = scene().service;
    const before = record.counts().refreshed;
    const said = await runTool(workbench(), 'wait', { seconds: 22 });
    assert.equal(said, 'Sample: the tool said: demo waited 22 s.');
    assert.ok(record.counts().refreshed > before, 'the token was refreshed during the call');
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
    assert.equal(rejected(), 0);
    assert.equal(record.of('device code').length, 1);
  });

  it('is beside another package, with a service of its own, and nothing has to be configured', async () => {
    assert.deepEqual(second.requests, []);
    await workbench().runCommand('Globex: Sign In');
    await confirmSignIn(workbench(), second);
    await workbench().accounts.waitForAccounts([UNNAMED], 'Globex');
    await workbench().accounts.waitForAccounts(['demo'], 'Acme');
    await workbench().accounts.open();
    await workbench().screenshot(`${scene().server.host.version.name}/two-packages`);
    await workbench().page.keyboard.press('Escape');
    await workbench().runCommand('Acme: Show Status');
    const labels = await until('the status to be drawn', async () => {
      const drawn = await workbench().quickInput.labels();
      return drawn.includes('Refresh Now') ? drawn : undefined;
    });
    assert.ok(!labels.includes('Configure Service'));
    await workbench().quickInput.cancel();
    await workbench().clearNotifications();
  });

  it('runs in a second window without a prompt', async () => {
    const other = await scene().openWindow();
    assert.match(await runTool(other.workbench, 'whoami'), YOU_ARE_DEMO);
    await other.close();
  });

  it('tells whoever calls a tool that it can’t be reached, or rejects every token', async () => {
    const { faults } = scene().service;
    faults.switchOn('mcp', { kind: 'drop', when: 'before' });
    const unreachable = /^Sample: failed: .*Couldn’t reach the MCP server Acme Tools \([A-Z_]+\)\. Check your network/;
    assert.match(await runTool(workbench(), 'whoami'), unreachable);
    faults.switchOn('mcp', { kind: 'respond', status: 401, headers: { 'www-authenticate': 'Bearer' } }, 100);
    const refused = /^Sample: failed: .*The MCP server Acme Tools rejected your session\. Sign in again\./;
    for (let calls = 0; calls < 2; calls++) assert.match(await runTool(workbench(), 'whoami'), refused);
    await workbench().notifications.take(/^The MCP server Acme Tools rejected your session/);
    faults.clear();
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
  });

  /**
   * Calls a tool after the server has lost its session, until VS Code asks the person for one, and answers.
   * @param account that the person allows it to use; `undefined` if they decline
   */
  async function callAndAnswer(account?: string): Promise<string> {
    const { record } = scene().service;
    const received = record.of('mcp').length;
    const asked = workbench()
      .dialog.waitFor(WANTS_TO_SIGN_IN)
      .then(() => true);
    let called = runTool(workbench(), 'whoami');
    while (!(await Promise.race([asked, called.then(() => false)]))) {
      assert.match(await called, STOPPED);
      called = runTool(workbench(), 'whoami');
    }
    const served = record.of('mcp').slice(received);
    assert.ok(!served.some(({ result }) => result?.status === 200), 'no request was served without a session');
    await workbench().dialog.answer(WANTS_TO_SIGN_IN, account === undefined ? 'Cancel' : 'Allow');
    if (account !== undefined) await workbench().quickInput.pick(account);
    return await called;
  }

  it('stops when its person signs out; the next call asks, and says what to do if they decline', async () => {
    await signOut(workbench(), 'Acme');
    await workbench().notifications.take(/^Signed out of /);
    await workbench().accounts.waitForAccounts([], 'Acme');
    await workbench().accounts.waitForAccounts([UNNAMED], 'Globex');
    const needsAccess = /^Sample: failed: .*The MCP server Acme Tools needs access to your Acme account\. Sign in/;
    assert.match(await callAndAnswer(), needsAccess);
  });

  it('runs after its person has signed out and in', async () => {
    await workbench().runCommand('Acme: Sign In');
    await confirmSignIn(workbench(), scene().service);
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
    await workbench().screenshot(`${scene().server.host.version.name}/mcp`);
  });

  it('stops when its person withdraws its access, and runs again when they allow it', async () => {
    await withdrawAccess(workbench(), { account: /^demo \(Acme\)/, extension: 'Acme' });
    assert.match(await callAndAnswer('demo'), YOU_ARE_DEMO);
  });

  it('runs with the account that its person chooses for it', async () => {
    await workbench().runCommand('Acme: Show Status');
    await workbench().quickInput.pick('Sign In to Another Account');
    await confirmSignIn(workbench(), scene().service, 'grace');
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
    await changeAccount(workbench(), { account: /^demo \(Acme\)/, extension: 'Acme' }, 'grace');
    assert.match(await callAndAnswer('grace'), YOU_ARE_GRACE);
  });

  it('stops during a call when its person chooses another account, and uses that without a prompt if it may', async () => {
    const { record } = scene().service;
    const received = record.of('mcp').length;
    const called = runTool(workbench(), 'wait', { seconds: 60 });
    await record.until((now) => now.of('mcp').length > received);
    await changeAccount(workbench(), { account: /^grace \(Acme\)/, extension: 'Acme' }, 'demo');
    let said = await called;
    assert.match(said, STOPPED);
    while (STOPPED.test(said)) said = await runTool(workbench(), 'whoami');
    assert.match(said, YOU_ARE_DEMO);
  });
});
