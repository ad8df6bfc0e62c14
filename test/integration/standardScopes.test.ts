import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { settingsFor } from '../../demo/configured';
import { until } from '../../scripts/host/until';
import { createService, type EmbeddedService } from '../../demo/service';
import { tellAsOneStory } from '../support/story';
import { signOut } from './signOut';

type Change = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/** What VS Code was given when the extension registered under the name of the service. */
let provider: vscode.AuthenticationProvider;

/** Sets these settings for the person; those that are `undefined` become what they were. */
async function configure(settings: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  }
}

/**
 * Takes the place of VS Code's consent, which can't be given in tests: the extension registers once more under its
 * service's name, and what it registers is called as VS Code calls it.
 */
async function takeProvider(settings: Readonly<Record<string, unknown>>): Promise<void> {
  const { authentication } = vscode;
  const { registerAuthenticationProvider: register } = authentication;
  const registered = new Promise<vscode.AuthenticationProvider>((resolve) => {
    authentication.registerAuthenticationProvider = (id, label, registering, options) => {
      resolve(registering);
      return register(id, label, registering, options);
    };
  });
  await configure(settings);
  provider = await registered;
  authentication.registerAuthenticationProvider = register;
}

const USER = 'grace';
const CLIENT_SECRET = 'a b+c/d=e%26&ü:"';

/**
 * Guards that VS Code finds sessions by their scopes, and tells other extensions of their changes. The client has a secret;
 * standardService.test.ts has one without.
 */
describe('a standard service whose client has a secret', () => {
  tellAsOneStory();
  const events: Change[] = [];
  let service: EmbeddedService;
  let session: vscode.AuthenticationSession;

  before('start the service, and configure it', async () => {
    service = await createService({ protocol: 'rfc8628', clientSecret: CLIENT_SECRET, interval: 1 });
    await takeProvider(settingsFor(service));
    await run('setClientSecret', CLIENT_SECRET);
    provider.onDidChangeSessions((event) => events.push(event));
  });
  after('stop the service, and forget it', async () => {
    await configure(Object.fromEntries(Object.keys(settingsFor(service)).map((name) => [name, undefined])));
    await service.close();
  });

  const run = (command: string, argument?: unknown): Thenable<unknown> =>
    vscode.commands.executeCommand(`deviceFlow.${command}`, argument);
  const accounts = async (): Promise<readonly string[]> =>
    (await vscode.authentication.getAccounts('device-flow')).map(({ label }) => label);
  const sessions = async (...scopes: string[]): Promise<readonly vscode.AuthenticationSession[]> =>
    await provider.getSessions(scopes, {});

  /** Signs in as a user who allows it at once. */
  async function signIn(scopes: string[], account?: vscode.AuthenticationSessionAccountInformation): Promise<void> {
    const created = provider.createSession(scopes, account === undefined ? {} : { account });
    const code = await until('a code', () => service.pending[0]);
    assert.equal(service.approve(code, USER), undefined);
    session = await created;
    assert.deepEqual(session.scopes, scopes, 'exactly those asked for');
  }

  /** The status with which the service responds to the token. */
  async function statusOf({ accessToken }: vscode.AuthenticationSession): Promise<number> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await fetch(`${service.baseUrl}/api/whoami`, { headers })).status;
  }

  it('gives a session for the scopes asked for, and names the account', async () => {
    assert.deepEqual(await sessions('read'), []);
    await signIn(['read']);
    assert.deepEqual([session.account.label, await accounts()], [USER, [USER]]);
    assert.equal(await statusOf(session), 200);
    assert.ok(events.some(({ added = [] }) => added.some(({ scopes }) => scopes.join() === 'read')));
    const tokenRequests = service.record.of('poll');
    assert.ok(tokenRequests.every(({ hasAuthorization }) => hasAuthorization));
    assert.equal(service.counts().earlyPolls, 0);
  });

  it('gives the session that is there to whoever asks for no further scopes', async () => {
    const asked = [['read'], [], ['profile', 'read'], ['write'], ['read', 'write']];
    const found = [];
    for (const scopes of asked) found.push((await sessions(...scopes)).map((one) => one.scopes));
    assert.deepEqual(found, [[['read']], [[]], [['profile', 'read']], [], []]);
  });

  it('rotates its refresh token', async () => {
    const before = session;
    assert.equal(await run('reportRejectedToken', before.accessToken), true);
    [session = before] = await sessions('read');
    assert.deepEqual([session.id, await statusOf(session), await statusOf(before)], [before.id, 200, 401]);
    const { refreshed, resentRefreshTokens } = service.counts();
    assert.deepEqual([refreshed, resentRefreshTokens], [1, 0]);
  });

  it('gets more scopes by another sign-in, of which everybody is told in one event', async () => {
    const { id } = session;
    events.length = 0;
    await signIn(['write'], session.account);
    assert.notEqual(session.id, id);
    assert.deepEqual(await accounts(), [USER]);
    const [one, ...others] = await sessions('read', 'write');
    assert.deepEqual([one?.accessToken, others], [session.accessToken, []]);
    const told = events.filter(({ added = [], removed = [] }) => added.length + removed.length > 0);
    assert.equal(told.length, 1);
    const [{ added = [], changed = [], removed = [] } = assert.fail()] = told;
    assert.deepEqual([changed, removed.map((one) => one.id)], [[], [id]]);
    const lists = added.map(({ scopes }) => scopes.join());
    assert.deepEqual(
      ['write', 'read,write'].filter((list) => !lists.includes(list)),
      [],
    );
  });

  it('has two sessions of one account if it refuses all of their scopes together', async () => {
    const { id, account } = session;
    service.faults.switchOn('device code', { kind: 'respond', status: 400, body: '{"error":"invalid_scope"}' });
    await signIn(['admin'], account);
    assert.notEqual(session.id, id);
    const found = [];
    for (const scopes of [['read'], ['admin'], ['admin', 'read']]) {
      found.push((await sessions(...scopes)).map((one) => one.id));
    }
    assert.deepEqual([found, await accounts()], [[[id], [session.id], []], [USER]]);
  });

  it('is told when the person signs out, for each session of the account', async () => {
    const { record } = service;
    await signOut();
    assert.deepEqual([await accounts(), await sessions()], [[], []]);
    await record.until(() => record.of('revocation').filter(({ result }) => result !== undefined).length === 2);
    for (const { result, token } of record.of('revocation')) {
      assert.deepEqual([result?.status, token?.state], [200, 'current']);
    }
    assert.equal(await statusOf(session), 401);
  });
});
