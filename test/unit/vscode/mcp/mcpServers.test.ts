import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import { EventEmitter } from '../../../../src/event';
import type { SessionsChange } from '../../../../src/sessions/sharedSessions';
import { Messages } from '../../../../src/vscode/failures/messages';
import { McpServers } from '../../../../src/vscode/mcp/mcpServers';
import type { McpServerOptions } from '../../../../src/vscode/mcp/options';
import { OwnSessions } from '../../../../src/vscode/requests/ownSessions';
import { type Configuration, readConfiguration } from '../../../../src/vscode/settings/configuration';
import type { SettingsChange } from '../../../../src/vscode/settings/settings';
import type { SignIn } from '../../../../src/vscode/signin/signIn';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { RecordingLog } from '../../../support/recordingLog';
import { FakeClock, settle } from '../../../support/fakeClock';
import { english } from '../english';
import { FakeEditor } from '../fakeEditor';
import { SERVICE, sessionOf as currentSessionOf } from '../fakeSessions';
import { fetch } from '../../../../src/oauth/fetch';
import { ask, RecordingServer } from './bridgeBench';

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: {} });
/** How the person is asked. */
const ASK = { createIfNone: { detail: 'This access is for the MCP server Tools.' } };
const SIGN_IN_NEEDED = /^The MCP server Tools needs access to your Acme account\. Sign in or allow access/;

function sessionOf(account: string, accessToken = `token of ${account}`): vscode.AuthenticationSession {
  return { id: `session of ${account}`, accessToken, account: { id: account, label: account }, scopes: [] };
}

/** What's configured with these services. */
function configurationOf(services: readonly object[]): Configuration {
  return readConfiguration(services, 'Acme');
}

const GLOBEX = { protocol: 'rfc8628', baseUrl: 'https://globex.example', clientId: 'tools', serviceName: 'Globex' };
const INITECH = { ...GLOBEX, baseUrl: 'https://initech.example', serviceName: 'Initech' };

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
  let handedOut: vscode.AuthenticationSession[];
  /** What it was asked. */
  let asked: vscode.AuthenticationGetSessionOptions[];
  let changes: number;
  let closing: AbortController;
  /** The tokens for which others were wanted. */
  let replaced: string[];
  let sessionsChange: EventEmitter<SessionsChange>;
  let settingsChange: EventEmitter<SettingsChange>;
  let configuration: Configuration;
  let accounts: Readonly<Record<string, readonly vscode.AuthenticationSessionAccountInformation[]>>;
  let subscriptions: number;
  /** The scopes of sessions, by ID; any if they aren't there. */
  let granted: Readonly<Record<string, readonly string[]>>;
  let signIn: Pick<SignIn, 'start' | 'startIfNeeded'> & { isRunning: boolean; readonly started: unknown[] };

  /** The sessions of this extension: those of the accounts, and all that VS Code hands out, except for a stranger's. */
  const known = () => {
    const ofAccounts = Object.entries(accounts).flatMap(([baseUrl, those]) =>
      those.map(({ id, label }) => ({
        id: `session of ${id}`,
        account: { id, label },
        service: { ...SERVICE, baseUrl },
      })),
    );
    const others = handedOut
      .filter(({ id }) => id !== FOREIGN && ofAccounts.every((one) => one.id !== id))
      .map(({ account, id }) => ({ id, account, service: SERVICE }));
    return [...ofAccounts, ...others].map((one) =>
      currentSessionOf(one.account.label, one.id, { ...one, scopes: granted[one.id] }),
    );
  };

  const create = (options: Partial<McpServerOptions> = {}): void => {
    const texts = createTexts(english, 'en');
    const common = {
      clock,
      closing: closing.signal,
      editor,
      fetch,
      log,
      random: randomBytes,
      ownSessions: new OwnSessions(
        {
          list: () => Promise.resolve(known()),
          replaceRejected: (token) => {
            replaced.push(token);
            return Promise.resolve(true);
          },
          reportRejected: () => Promise.resolve(false),
        },
        async (scopes, how) => {
          const result = await editor.getSession(scopes, how);
          handedOut.push(...(result === undefined ? [] : [result]));
          return result;
        },
        clock,
        log,
      ),
      sessions: {
        onDidChange: (listener: (change: SessionsChange) => void) => {
          subscriptions += 1;
          const subscription = sessionsChange.event(listener);
          return {
            dispose: () => {
              subscription.dispose();
              subscriptions -= 1;
            },
          };
        },
      },
      signIn,
      texts,
    };
    const settings = {
      get current() {
        return configuration;
      },
      onDidChange: settingsChange.event,
    };
    const brand = { displayName: 'Acme', prefix: 'acme', commands: [], configuredBy: 'build' as const };
    const messages = new Messages(brand, editor, settings, texts);
    servers = new McpServers({ ...common, messages, settings }, [
      { label: 'Tools', url: upstream.url, version: '1.0', ...options },
    ]);
    servers.onDidChange(() => (changes += 1));
  };
  beforeEach(async () => {
    [asked, changes, handedOut, replaced, session] = [[], 0, [], [], sessionOf('ada')];
    sessionsChange = new EventEmitter();
    settingsChange = new EventEmitter();
    [configuration, accounts] = [configurationOf([]), {}];
    [subscriptions, granted] = [0, {}];
    const started: unknown[] = [];
    closing = new AbortController();
    log = new RecordingLog();
    clock = new FakeClock();
    signIn = {
      isRunning: false,
      started,
      start: (request) => Promise.resolve(void started.push(request)),
      startIfNeeded: (request, since) => Promise.resolve(void started.push({ ...request, since })),
    };
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

  /** The person isn't signed in, and won't be for this reason. */
  const decline = (why: Error): void => {
    session = undefined;
    editor.session = (_scopes, options) => {
      asked.push(options);
      return options.createIfNone === undefined ? Promise.resolve(undefined) : Promise.reject(why);
    };
  };

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

  describe('that name their service', () => {
    const ada = { id: 'ada', label: 'ada' };
    const scopes: (readonly string[])[] = [];
    beforeEach(() => {
      servers.dispose();
      create({ service: INITECH.baseUrl, scopes: ['tools'] });
      configuration = configurationOf([GLOBEX, INITECH]);
      accounts = { [INITECH.baseUrl]: [ada] };
      scopes.length = 0;
      editor.session = (wanted, options) => {
        scopes.push(wanted);
        asked.push(options);
        return Promise.resolve(session);
      };
    });

    it('ask for its session and its account, whichever one VS Code prefers', async () => {
      await ask(await servers.start('Tools'), { body: CALL });
      accounts = { [INITECH.baseUrl]: [ada, { id: 'grace', label: 'grace' }] };
      await servers.sessionsChanged();
      assert.deepEqual(asked, Array(3).fill({ silent: true, account: ada }));
      assert.deepEqual(scopes[0], ['tools', `DEVICE_FLOW_SERVICE:${INITECH.baseUrl}`]);
      assert.deepEqual(upstream.tokens, ['token of ada']);
    });

    it('needn’t name it if it’s the only one that works, although the first one doesn’t', async () => {
      servers.dispose();
      create({ scopes: ['tools'] });
      configuration = configurationOf([{ ...GLOBEX, clientId: '' }, INITECH]);
      await ask(await servers.start('Tools'), { body: CALL });
      assert.deepEqual(scopes[0], ['tools', `DEVICE_FLOW_SERVICE:${INITECH.baseUrl}`]);
      assert.deepEqual(upstream.tokens, ['token of ada']);
    });

    it('ask the person about its only account, and name it in messages', async () => {
      decline(new Error('User did not consent to login.'));
      await assert.rejects(
        servers.start('Tools'),
        /^Error: The MCP server Tools needs access to your Initech account\./,
      );
      // The second request puts what the message leads to into the Accounts menu.
      assert.deepEqual(asked.slice(-2), [{ ...ASK, account: ada }, { account: ada }]);
    });

    it('offer a sign-in to it if their server rejects the session', async () => {
      upstream.handler = (_request, response) => response.writeHead(401).end();
      await ask(await servers.start('Tools'), { body: CALL });
      await editor.press('Sign In');
      assert.deepEqual(signIn.started, [{ accountId: 'ada', services: [INITECH.baseUrl], since: clock.now() }]);
    });

    it('are listed only while it’s configured', async () => {
      configuration = configurationOf([GLOBEX]);
      settingsChange.fire({ before: configuration, after: configuration });
      assert.deepEqual([servers.list(), changes], [[], 1]);
      await assert.rejects(servers.start('Tools'), /There is no MCP server Tools/);
      configuration = configurationOf([INITECH]);
      assert.equal(servers.list().length, 1);
    });
  });

  it('ask the person to sign in when they start, and begin with that session', async () => {
    session = undefined;
    editor.session = (_scopes, { createIfNone }) => {
      if (createIfNone !== undefined) session = sessionOf('ada');
      return Promise.resolve(session);
    };
    await ask(await servers.start('Tools'), { body: CALL });
    assert.deepEqual(upstream.tokens, ['token of ada']);
  });

  for (const [how, refusal] of [
    ['VS Code’s question', new Error('User did not consent to login.')],
    ['the list of accounts', new Error('User did not consent to account access')],
    ['the sign-in', Object.assign(new Error('Canceled'), { name: 'Canceled' })],
  ] as const) {
    it(`leave the question to the Accounts menu, at once and for a minute, if the person declines in ${how}, whatever is refreshed`, async () => {
      decline(refusal);
      await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
      await servers.sessionsChanged();
      sessionsChange.fire({ added: [], changed: [], removed: [] });
      await clock.advance(59_000);
      await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
      assert.deepEqual(asked, [{ silent: true }, ASK, {}, { silent: true }, {}]);
      await clock.advance(1_000);
      await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
      assert.deepEqual(asked.slice(-2), [ASK, {}]);
    });
  }

  it('ask again at once when accounts were added or removed', async () => {
    decline(new Error('User did not consent to login.'));
    for (const name of ['added', 'removed'] as const) {
      await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
      sessionsChange.fire({ added: [], changed: [], removed: [], [name]: [currentSessionOf('Ada')] });
      await assert.rejects(servers.start('Tools'), { message: SIGN_IN_NEEDED });
      assert.deepEqual(asked.slice(-2), [ASK, {}], name);
    }
  });

  it('pass on why they got no session, and ask again next time, if nobody declined', async () => {
    decline(new Error('The service can’t be reached.'));
    for (let starts = 0; starts < 2; starts++) {
      await assert.rejects(servers.start('Tools'), { message: 'The service can’t be reached.' });
      assert.deepEqual(asked.at(-1), ASK);
    }
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
      assert.match((await ask(started, { body: CALL })).body, /"message":"The MCP server Tools was stopped because/);
      await clock.advance(5_000);
      await assert.rejects(ask(started, { body: CALL }), /ECONNREFUSED|ECONNRESET|hang up/);
      await ask(await servers.start('Tools'), { body: CALL });
      assert.deepEqual(upstream.tokens, [session.accessToken]);
    });

    it(`hand out no token if ${why} and nothing was announced, but say what happened`, async () => {
      const started = await servers.start('Tools');
      session = next;
      const { body } = await ask(started, { body: CALL });
      assert.match(body, /"message":"The MCP server Tools was stopped because you signed out of Acme, chose another/);
      assert.deepEqual([upstream.received, changes], [[], 1]);
    });
  }

  it('say after two seconds that a sign-in is open, for which VS Code makes all calls wait', async () => {
    const started = await servers.start('Tools');
    editor.session = () => new Promise(() => undefined);
    signIn.isRunning = true;
    const called = ask(started, { body: CALL });
    while (clock.sleeping === 0) await settle();
    await clock.advance(2_000);
    assert.match(
      (await called).body,
      /"message":"A sign-in to Acme was in progress\. Finish or cancel it, and then try again\."/,
    );
    const start = assert.rejects(servers.start('Tools'), { message: /^A sign-in to Acme was in progress/ });
    await clock.advance(2_000);
    await start;
    assert.deepEqual(upstream.received, []);
  });

  it('wait for a token that takes longer, if no sign-in is open', async () => {
    const started = await servers.start('Tools');
    editor.session = async () => {
      await clock.sleep(10_000);
      return session;
    };
    const called = ask(started, { body: CALL });
    while (clock.sleeping === 0) await settle();
    await clock.advance(10_000);
    assert.equal((await called).status, 200);
    assert.deepEqual(upstream.tokens, ['token of ada']);
  });

  describe('whose server says that the session lacks scopes', () => {
    const needs = (scope: string): void => {
      const header = `Bearer error="insufficient_scope", scope="${scope}"`;
      upstream.handler = (_request, response) => response.writeHead(403, { 'WWW-Authenticate': header }).end();
    };
    const NEEDS_WRITE =
      'The request to the MCP server Tools needs more permissions for your Acme account: write. Sign in to Acme again to grant them, and then try again.';
    beforeEach(() => {
      servers.dispose();
      create({ scopes: ['read'] });
      granted = { 'session of ada': ['read'] };
    });

    it('say which, and offer to sign in for those and their own, once', async () => {
      const started = await servers.start('Tools');
      for (const scope of ['read write', 'write', 'write']) {
        needs(scope);
        assert.ok((await ask(started, { body: CALL })).body.includes(NEEDS_WRITE));
      }
      // A server that varies its list shows no further message.
      needs('admin');
      assert.match((await ask(started, { body: CALL })).body, /account: admin\. /);
      const [message, ...others] = editor.messages;
      assert.deepEqual([message?.text, others, changes], [NEEDS_WRITE, [], 0]);
      assert.deepEqual(signIn.started, []);
      await editor.press('Sign In');
      assert.deepEqual(signIn.started, [{ accountId: 'ada', scopes: ['read', 'write'], services: [] }]);
    });

    it('ask for nothing if the session has them by the time that the button is pressed', async () => {
      needs('write');
      await ask(await servers.start('Tools'), { body: CALL });
      granted = { 'session of ada': ['read', 'write'] };
      await editor.press('Sign In');
      assert.deepEqual(signIn.started, []);
    });

    it('offer it again after somebody has widened the session, and after a start', async () => {
      needs('write');
      const started = await servers.start('Tools');
      await ask(started, { body: CALL });
      session = { ...sessionOf('ada', 'wider'), id: 'another session' };
      granted = { 'another session': ['read', 'write'] };
      assert.match((await ask(started, { body: CALL })).body, /refused access \(HTTP 403\)/);
      assert.equal(editor.messages.length, 1);
      needs('admin');
      await ask(started, { body: CALL });
      assert.equal(editor.messages.length, 2);
      await ask(await servers.start('Tools'), { body: CALL });
      assert.equal(editor.messages.length, 3);
    });

    it('take the session that has them, if the account has two', async () => {
      const wider = { ...sessionOf('ada', 'wider'), id: 'another session' };
      editor.session = (wanted) => Promise.resolve(wanted.includes('write') ? wider : session);
      needs('write');
      const started = await servers.start('Tools');
      await ask(started, { body: CALL });
      upstream.handler = (_request, response) => response.writeHead(202).end();
      await ask(started, { body: CALL });
      assert.deepEqual(upstream.tokens, ['token of ada', 'wider']);
      // That of another account is none.
      editor.session = (wanted) => Promise.resolve(wanted.includes('write') ? sessionOf('grace') : session);
      await ask(started, { body: CALL });
      assert.equal(upstream.tokens.at(-1), 'token of ada');
    });

    it('show only as many as a message has room for, and each of them whole and plain', async () => {
      const scopes = Array.from({ length: 20 }, (_, index) => `https://api.example/[scope](command:${index})`);
      needs(scopes.join(' '));
      const { body } = await ask(await servers.start('Tools'), { body: CALL });
      const text = editor.messages[0]?.text ?? '';
      assert.match(text, /account: https:\/\/api\.example\/\[scope\] \(command:0\), .*, …\. Sign in/);
      assert.doesNotMatch(text, /\]\(/);
      assert.ok(text.length < 500);
      assert.ok(body.includes('command:19'));
    });
  });

  it('offer a sign-in, once, if their server rejects the session, and mark nothing because of it', async () => {
    const started = await servers.start('Tools');
    upstream.handler = (_request, response) => response.writeHead(401).end();
    for (let calls = 0; calls < 3; calls++) {
      assert.match((await ask(started, { body: CALL })).body, /The MCP server Tools rejected your session/);
    }
    const [message, ...others] = editor.messages;
    assert.match(message?.text ?? '', /^The MCP server Tools rejected your session\. Sign in again\./);
    assert.deepEqual([message?.buttons, others], [['Sign In'], []]);
    const since = clock.now();
    await clock.advance(60_000);
    await editor.press('Sign In');
    assert.deepEqual(signIn.started, [{ accountId: 'ada', services: [], since }]);
    assert.equal((await ask(await servers.start('Tools'), { body: CALL })).status, 200);
  });

  it('tell again of a rejection if the next session is rejected, too', async () => {
    const started = await servers.start('Tools');
    upstream.handler = (_request, response) => response.writeHead(401).end();
    await ask(started, { body: CALL });
    session = { ...sessionOf('ada', 'new'), id: 'the next session' };
    await ask(started, { body: CALL });
    await ask(started, { body: CALL });
    assert.equal(editor.messages.length, 2);
  });

  it('have a rejected token refreshed, and go on with the next', async () => {
    const started = await servers.start('Tools');
    upstream.handler = ({ headers }, response) => {
      session = sessionOf('ada', 'the next token');
      response.writeHead(headers.authorization === 'Bearer the next token' ? 202 : 401).end();
    };
    assert.equal((await ask(started, { body: CALL })).status, 202);
    assert.deepEqual([replaced, editor.messages], [['token of ada'], []]);
  });

  it('have no token refreshed anymore if their server rejected a fresh one', async () => {
    const started = await servers.start('Tools');
    upstream.handler = (_request, response) => {
      session = sessionOf('ada', `token ${upstream.received.length}`);
      response.writeHead(401).end();
    };
    for (let calls = 0; calls < 3; calls++) await ask(started, { body: CALL });
    assert.deepEqual(replaced, ['token of ada']);
  });

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
    assert.deepEqual([editor.mcpServers, subscriptions], [undefined, 0]);
    await assert.rejects(ask(started, { body: CALL }), /ECONNREFUSED|ECONNRESET|hang up/);
  });

  it('don’t start anymore if the window closes while the person is asked', async () => {
    session = undefined;
    let answer: (session: vscode.AuthenticationSession) => void = () => undefined;
    editor.session = (_scopes, { createIfNone }) =>
      createIfNone !== undefined ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(session);
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
