import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import { McpServers } from '../../../../src/vscode/mcp/mcpServers';
import type { McpServerOptions } from '../../../../src/vscode/mcp/options';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { RecordingLog } from '../../../support/recordingLog';
import { FakeClock, settle } from '../../../support/fakeClock';
import { english } from '../english';
import { FakeEditor } from '../fakeEditor';
import { fetch } from '../../../../src/oauth/nodeFetch';
import { ask, RecordingServer } from './bridgeBench';

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: {} });
const SIGN_IN_NEEDED = /^The MCP server Tools needs access to your Acme account\. Sign in or allow access/;

function sessionOf(account: string, accessToken = `token of ${account}`): vscode.AuthenticationSession {
  return { id: `session of ${account}`, accessToken, account: { id: account, label: account }, scopes: [] };
}

/** ID of a session of another extension that has registered the same provider. */
const FOREIGN = 'session of a stranger';

/** Guards that an MCP server has the session of one account, asks for it when it starts, and ends with it. */
describe('MCP servers', () => {
  let editor: FakeEditor;
  let log: RecordingLog;
  let clock: FakeClock;
  let upstream: RecordingServer;
  let servers: McpServers;
  /** What VS Code hands out. */
  let session: vscode.AuthenticationSession | undefined;
  /** What it was asked. */
  let asked: vscode.AuthenticationGetSessionOptions[];
  let changes: number;
  let closing: AbortController;

  const create = (options: Partial<McpServerOptions> = {}): void => {
    const texts = createTexts(english, 'en');
    const reportRejectedToken = () => Promise.resolve(false);
    const common = {
      clock,
      closing: closing.signal,
      editor,
      fetch,
      hasSession: (id: string) => Promise.resolve(id !== FOREIGN),
      log,
      random: randomBytes,
      reportRejectedToken,
      texts,
    };
    servers = new McpServers({ ...common, serviceName: () => 'Acme' }, [
      { label: 'Tools', url: upstream.url, version: '1.0', ...options },
    ]);
    servers.onDidChange(() => (changes += 1));
  };
  beforeEach(async () => {
    [asked, changes, session] = [[], 0, sessionOf('ada')];
    closing = new AbortController();
    log = new RecordingLog();
    clock = new FakeClock();
    upstream = await new RecordingServer().start();
    editor = new FakeEditor();
    editor.session = (_scopes, options) => {
      asked.push(options);
      return Promise.resolve(session);
    };
    create();
  });
  afterEach(() => {
    servers.dispose();
    upstream.stop();
  });

  it('are listed without asking anybody, with their own address and no secret', () => {
    assert.deepEqual(servers.list(), [{ label: 'Tools', url: upstream.url, headers: {}, version: '1.0' }]);
    assert.deepEqual(asked, []);
    assert.equal(editor.mcpServers, servers);
  });

  it('start with a session that’s there, without showing anything', async () => {
    const started = await servers.start('Tools');
    assert.deepEqual(asked, [{ silent: true }]);
    assert.equal((await ask(started, { body: CALL })).status, 200);
    assert.deepEqual(upstream.tokens, ['token of ada']);
    assert.deepEqual(servers.list()[0]?.headers, {});
  });

  it('ask VS Code for the session with their scopes', async () => {
    const scopes: (readonly string[])[] = [];
    servers.dispose();
    create({ scopes: ['tools'] });
    editor.session = (wanted) => {
      scopes.push(wanted);
      return Promise.resolve(session);
    };
    await ask(await servers.start('Tools'), { body: CALL });
    await servers.sessionsChanged();
    assert.deepEqual(scopes, [['tools'], ['tools'], ['tools']]);
  });

  it('ask the person to sign in when they start, and begin with that session', async () => {
    session = undefined;
    editor.session = (_scopes, { createIfNone }) => {
      if (createIfNone === true) session = sessionOf('ada');
      return Promise.resolve(session);
    };
    await ask(await servers.start('Tools'), { body: CALL });
    assert.deepEqual(upstream.tokens, ['token of ada']);
  });

  it('say what to do if the person declines, and then leave the question to the Accounts menu', async () => {
    session = undefined;
    editor.session = (_scopes, options) => {
      asked.push(options);
      return options.createIfNone === true ? Promise.reject(new Error('No consent.')) : Promise.resolve(session);
    };
    await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
    await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
    assert.deepEqual(asked, [{ silent: true }, { createIfNone: true }, { silent: true }, {}]);
    await servers.sessionsChanged();
    await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
    assert.deepEqual(asked.at(-1), { createIfNone: true });
  });

  it('pass on why a session can’t be used right now, without asking anything', async () => {
    editor.session = () => Promise.reject(new Error('The service can’t be reached.'));
    await assert.rejects(servers.start('Tools'), { message: 'The service can’t be reached.' });
  });

  it('go on with the next token after a refresh, and aren’t listed again', async () => {
    const started = await servers.start('Tools');
    session = sessionOf('ada', 'the next token');
    await servers.sessionsChanged();
    await ask(started, { body: CALL });
    assert.deepEqual([upstream.tokens, changes], [['the next token'], 0]);
  });

  for (const [why, next] of [
    ['the person signs out, or withdraws access', undefined],
    ['the person chooses another account', sessionOf('grace')],
  ] as const) {
    it(`end if ${why}, and have another version then, which makes VS Code stop them`, async () => {
      const started = await servers.start('Tools');
      session = next;
      await Promise.all([servers.sessionsChanged(), servers.sessionsChanged(), servers.sessionsChanged()]);
      assert.deepEqual([changes, servers.list()[0]?.version], [1, '1.0+1']);
      // Until VS Code has stopped it, calls are told why, even if the session is back.
      session ??= sessionOf('ada');
      assert.match((await ask(started, { body: CALL })).body, /"message":"The MCP server Tools was stopped, because/);
      await clock.advance(5_000);
      await assert.rejects(ask(started, { body: CALL }), /ECONNREFUSED|ECONNRESET|hang up/);
      await ask(await servers.start('Tools'), { body: CALL });
      assert.deepEqual(upstream.tokens, [session.accessToken]);
    });

    it(`hand out no token if ${why} and nothing was announced, but say what happened`, async () => {
      const started = await servers.start('Tools');
      session = next;
      const { body } = await ask(started, { body: CALL });
      assert.match(body, /"message":"The MCP server Tools was stopped, because you signed out of Acme, chose another/);
      assert.deepEqual([upstream.received, changes], [[], 1]);
    });
  }

  it('send no token of another extension that has registered the same provider', async () => {
    const started = await servers.start('Tools');
    session = { ...sessionOf('ada'), id: FOREIGN };
    assert.match((await ask(started, { body: CALL })).body, /"message":"The MCP server Tools was stopped/);
    await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
    assert.deepEqual(upstream.received, []);
  });

  it('stay while a session can’t be looked at for a moment', async () => {
    const started = await servers.start('Tools');
    editor.session = () => Promise.reject(new Error('offline'));
    await servers.sessionsChanged();
    editor.session = () => Promise.resolve(session);
    await ask(started, { body: CALL });
    assert.deepEqual([upstream.tokens, changes], [['token of ada'], 0]);
  });

  it('replace themselves if VS Code starts them again: the first key is dead', async () => {
    const first = await servers.start('Tools');
    const second = await servers.start('Tools');
    assert.equal((await ask(first, { body: CALL })).status, 410);
    assert.equal((await ask(second, { body: CALL })).status, 200);
  });

  it('end with the window', async () => {
    const started = await servers.start('Tools');
    servers.dispose();
    await settle();
    assert.equal(editor.mcpServers, undefined);
    await assert.rejects(ask(started, { body: CALL }), /ECONNREFUSED|ECONNRESET|hang up/);
  });

  it('don’t start anymore if the window closes while the person is asked', async () => {
    session = undefined;
    let answer: (session: vscode.AuthenticationSession) => void = () => undefined;
    editor.session = (_scopes, { createIfNone }) =>
      createIfNone === true ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(session);
    const started = servers.start('Tools');
    await settle();
    closing.abort();
    servers.dispose();
    answer(sessionOf('ada'));
    await assert.rejects(started, { name: 'AbortError' });
  });

  it('can’t be started by a name that isn’t theirs', async () => {
    await assert.rejects(servers.start('Others'), { message: 'There is no MCP server Others.' });
  });
});
