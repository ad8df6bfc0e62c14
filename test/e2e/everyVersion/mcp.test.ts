import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { WHO_SIGNED_IN } from '../../../demo/configured';
import { createService, type EmbeddedService, type ServiceOptions } from '../../../demo/service';
import { until } from '../../../host/until';
import { hostVersion, NEWEST } from '../../../host/versions';
import { runTool, takeEntry } from '../../../scripts/scene/mcp';
import {
  allowUse,
  changeAccount,
  confirmSignIn,
  giveConsent,
  refreshNow,
  signOut,
  takeCode,
  UNNAMED,
  withdrawAccess,
} from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { BentMcpServer } from '../../support/bentMcpServer';
import { PUBLIC_CLIENT } from '../../support/embedder';
import { packForService } from '../../support/packForService';

const WANTS_TO_SIGN_IN = /Acme.* wants to sign in/;
const BENT_WANTS_TO_SIGN_IN = /Initech.* wants to sign in[^]*This access is for the MCP server Bent\./;
const YOU_ARE_DEMO = /^Sample: the tool said: You are demo\.$/;
const ECHO = /^Sample: the tool said: echo$/;
const YOU_ARE_GRACE = /^Sample: the tool said: You are grace\.$/;
/** Until VS Code has stopped the server, which takes it half a second, calls are told so, or VS Code cancels them. */
const STOPPED = /^Sample: failed: .*(?:The MCP server (?:Acme Tools )?was stopped|Cancell?ed$)/;

/**
 * Guards that an MCP server of a build is always signed in, through refreshes and failures, and stops with the session; that
 * packages for single services work side by side, without any configuration; that a call of a tool always ends, and that what's wrong
 * with one MCP server concerns nobody else. And that the recipe for MCP servers on the page for authors works, and costs what it says.
 */
describe('MCP servers', () => {
  let acme: EmbeddedService;
  let globex: EmbeddedService;
  let initech: EmbeddedService;
  const bent = new BentMcpServer();
  const { scene, workbench } = useScene({
    settings: { 'chat.disableAIFeatures': false },
    surroundings: async (_service, data, cleanUp) => {
      const create = async (options: ServiceOptions): Promise<EmbeddedService> => {
        const service = await createService({ interval: 1, ...options });
        cleanUp.add(() => service.close());
        return service;
      };
      [acme, globex, initech] = await Promise.all([
        create({ clientName: 'Acme' }),
        create({ clientName: 'Globex' }),
        create(PUBLIC_CLIENT),
      ]);
      await bent.comeBack();
      cleanUp.add(() => bent.goAway());
      const draft = ({ baseUrl, clientId, clientSecret }: EmbeddedService) =>
        ({ protocol: 'draft', baseUrl, clientId, clientSecret }) as const;
      const { baseUrl, clientId } = initech;
      const extensions = await Promise.all([
        packForService(data, 'Acme', { ...draft(acme), ...WHO_SIGNED_IN }, [{ label: 'Acme Tools', url: acme.mcpUrl }]),
        packForService(data, 'Globex', draft(globex)),
        // This service gives no refresh token.
        packForService(data, 'Initech', { protocol: 'rfc8628', baseUrl, clientId, scopes: ['openid', 'profile'] }, [
          { label: 'Bent', url: bent.url },
        ]),
      ]);
      return { extensions };
    },
  });

  async function startServer(label: string): Promise<void> {
    await workbench().runCommand('MCP: List Servers');
    await takeEntry(workbench(), label);
    await takeEntry(workbench(), 'Start Server');
  }

  it('of a package start from the list of servers, with a sign-in', async () => {
    await startServer('Acme Tools');
    await allowUse(workbench(), 'Acme');
    await confirmSignIn(workbench(), acme);
    await acme.record.until((record) => record.of('mcp').length >= 3);
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
  });

  it('finish a call during which the token is refreshed, and go on with the next, all without a prompt', async () => {
    const { record } = acme;
    const received = record.of('mcp').length;
    const called = runTool(workbench(), 'wait', { seconds: 8 });
    await record.until((now) => now.of('mcp').length > received);
    await refreshNow(workbench(), acme, 'Acme');
    assert.equal(await called, 'Sample: the tool said: demo waited 8 s.');
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
    assert.ok(record.of('mcp').every(({ token }) => token?.state === 'current'));
    assert.equal(record.of('device code').length, 1);
  });

  it('are beside another package, with a service of its own, and nothing has to be configured', async () => {
    assert.deepEqual(globex.requests, []);
    await workbench().runCommand('Globex: Sign In');
    await confirmSignIn(workbench(), globex);
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

  it('run in a second window without a prompt', async () => {
    const other = await scene().openWindow();
    assert.match(await runTool(other.workbench, 'whoami'), YOU_ARE_DEMO);
    await other.close();
  });

  it('tell whoever calls a tool that they can’t be reached, or are busy, and the next call works', async () => {
    const headers = { 'retry-after': '30' };
    for (const [fault, message] of [
      [
        { kind: 'drop', when: 'before' },
        /^Sample: failed: .*Couldn’t reach the MCP server Acme Tools \([A-Z_]+\)\. Check your network/,
      ],
      [
        { kind: 'respond', status: 429, headers },
        /^Sample: failed: .*Acme Tools was busy \(HTTP 429\)\. Try again in 30 seconds\./,
      ],
    ] as const) {
      acme.faults.switchOn('mcp', fault);
      assert.match(await runTool(workbench(), 'whoami'), message);
      assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
    }
  });

  /**
   * Calls a tool after the server has lost its session, until VS Code asks the person for one, and answers.
   * @param account that the person allows it to use; `undefined` if they decline
   */
  async function callAndAnswer(account?: string): Promise<string> {
    const { record } = acme;
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

  it('stop when their person signs out; the next call asks, and says what to do if they decline', async () => {
    await signOut(workbench(), 'Acme');
    await workbench().notifications.take(/^You signed out of /);
    await workbench().accounts.waitForAccounts([], 'Acme');
    await workbench().accounts.waitForAccounts([UNNAMED], 'Globex');
    const needsAccess = /^Sample: failed: .*The MCP server Acme Tools needs access to your Acme account\. Sign in/;
    assert.match(await callAndAnswer(), needsAccess);
  });

  it('run after their person has signed out and in', async () => {
    await workbench().runCommand('Acme: Sign In');
    await confirmSignIn(workbench(), acme);
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
    await workbench().screenshot(`${scene().server.host.version.name}/mcp`);
  });

  it('stop when their person withdraws their access, and run again when they allow it', async () => {
    await withdrawAccess(workbench(), 'Acme', 'Acme');
    assert.match(await callAndAnswer('demo'), YOU_ARE_DEMO);
  });

  it('run with the account that their person chooses for them', async () => {
    await workbench().runCommand('Acme: Show Status');
    await workbench().quickInput.pick('Sign In to Another Account');
    await confirmSignIn(workbench(), acme, 'grace');
    assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
    await changeAccount(workbench(), { account: /^demo \(Acme\)/, extension: 'Acme' }, 'grace');
    assert.match(await callAndAnswer('grace'), YOU_ARE_GRACE);
  });

  it('stop during a call when their person chooses another account, and use that without a prompt if they may', async () => {
    const { record } = acme;
    const received = record.of('mcp').length;
    const called = runTool(workbench(), 'wait', { seconds: 60 });
    await record.until((now) => now.of('mcp').length > received);
    await changeAccount(workbench(), { account: /^grace \(Acme\)/, extension: 'Acme' }, 'demo');
    let said = await called;
    assert.match(said, STOPPED);
    while (STOPPED.test(said)) said = await runTool(workbench(), 'whoami');
    assert.match(said, YOU_ARE_DEMO);
  });

  describe('that fail', () => {
    it('start with a question again if the sign-in failed, or somebody signs in after declining', async () => {
      initech.faults.switchOn('device code', { kind: 'respond', status: 500 });
      await startServer('Bent');
      await allowUse(workbench(), 'Initech');
      await initech.record.until((record) => record.of('device code').length === 1);
      await startServer('Bent');
      await workbench().dialog.answer(BENT_WANTS_TO_SIGN_IN, 'Cancel');
      await workbench().runCommand('Initech: Sign In');
      await confirmSignIn(workbench(), initech);
      await workbench().clearNotifications();
      await startServer('Bent');
      await giveConsent(workbench(), 'demo', 'Initech');
      assert.match(await runTool(workbench(), 'echo'), ECHO);
    });

    it('end a call whose stream breaks off, and the next one works, of other servers, too', async () => {
      const called = runTool(workbench(), 'linger');
      await until('the call to begin', () => bent.lingering === 1);
      await bent.goAway();
      assert.match(await called, /^Sample: failed: .*The response from the MCP server Bent was incomplete or invalid/);
      assert.match(await runTool(workbench(), 'whoami'), YOU_ARE_DEMO);
      await bent.comeBack();
      assert.match(await runTool(workbench(), 'echo'), ECHO);
    });

    it('still notify of changes after they were away', async () => {
      await until('a stream of notifications', () => bent.listening > 0);
      await bent.goAway();
      // VS Code finds nobody there meanwhile.
      await sleep(4_000);
      await bent.comeBack();
      await until('the stream to be opened again', () => bent.listening > 0);
      bent.addTool('added');
      assert.match(await runTool(workbench(), 'added'), /^Sample: the tool said: added$/);
    });

    it('tell whoever calls that a sign-in is open', async () => {
      await changeAccount(workbench(), { account: /^demo \(Initech\)/, extension: 'Initech' }, 'Use a new account...');
      await takeCode(workbench());
      assert.match(await runTool(workbench(), 'echo'), /A sign-in to Initech was in progress\. Finish or cancel it/);
      await workbench().runCommand('Initech: Cancel Sign In');
      assert.match(await runTool(workbench(), 'echo'), ECHO);
    });
  });

  // VS Code 1.103 doesn't start the server again, and calls of its tools don't end after a refresh.
  if (hostVersion() === NEWEST) {
    describe('of an extension that uses the session, by the recipe,', () => {
      /** VS Code calls a tool by what the server calls itself, and numbers it, because another one says the same. */
      const tool = (name: string): string => `demo_service2_${name}`;

      it('start with the session', async () => {
        const { record } = scene().service;
        await workbench().runCommand('Device Flow: Sign In');
        await confirmSignIn(workbench(), scene().service);
        await startServer('Sample Service');
        await giveConsent(workbench(), UNNAMED);
        await record.until((now) => now.of('mcp').length >= 3);
        assert.match(await runTool(workbench(), tool('whoami')), YOU_ARE_DEMO);
      });

      it('start again with the next token, without a prompt, which cancels a running call', async () => {
        const { record } = scene().service;
        const received = record.of('mcp').length;
        const called = runTool(workbench(), tool('wait'), { seconds: 60 });
        await record.until((now) => now.of('mcp').length > received);
        await refreshNow(workbench(), scene().service);
        assert.match(await called, /^Sample: failed: .*Cancell?ed/);
        assert.match(await runTool(workbench(), tool('whoami')), YOU_ARE_DEMO);
      });
    });
  }
});
