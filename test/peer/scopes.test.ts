import assert from 'node:assert/strict';
import type { AuthenticationSession } from 'vscode';
import { ExtensionInMemory } from '../support/extensionInMemory';
import { usePeer } from './signIn';

type Account = AuthenticationSession['account'];

/** Guards that scopes, accounts, and the end of a session are what a certified provider says. */
describe('scopes and accounts, with a certified provider', () => {
  const used = usePeer();
  let window: ExtensionInMemory;

  beforeEach(() => {
    const { clock, fetch, peer } = used();
    const service = { baseUrl: peer.issuer, clientId: 'public', protocol: 'rfc8628' };
    window = new ExtensionInMemory(fetch, { clock, fields: { ...service, account: {}, notify: undefined } });
  });
  afterEach(() => used().finish(window.close()));

  /** Another extension asks for a new session, and somebody signs in on the page. */
  async function signIn(scopes: string[], account?: Account, user = 'Ada'): Promise<AuthenticationSession> {
    const options = account === undefined ? {} : { account };
    const session = Promise.resolve(window.provider.createSession(scopes, options));
    await used().confirmNext({ user });
    return await used().finish(session);
  }
  const served = async (...scopes: string[]): Promise<readonly AuthenticationSession[]> =>
    await used().finish(Promise.resolve(window.provider.getSessions(scopes, {})));
  const requested = (): unknown => used().peer.of('device code').at(-1)?.form['scope'];

  it('are those that were asked for, and the usual ones', async () => {
    const session = await signIn(['sample']);
    assert.equal(requested(), 'sample openid profile offline_access');
    assert.deepEqual([session.scopes, session.account.label], [['sample'], 'Ada Example']);
    assert.equal((await served('sample', 'openid'))[0]?.accessToken, session.accessToken);
    assert.deepEqual(await served('integration'), []);
  });

  it('become more by another sign-in for all of them, whose session takes the place of the earlier one', async () => {
    const first = await signIn(['sample']);
    const second = await signIn(['integration'], first.account);
    assert.equal(requested(), 'integration openid profile offline_access sample');
    assert.notEqual(second.id, first.id);
    assert.deepEqual(second.account, first.account);
    const [both, ...others] = await served('sample', 'integration');
    assert.deepEqual([both?.id, both?.accessToken, others], [second.id, second.accessToken, []]);
    assert.deepEqual(used().peer.of('revocation'), []);
    for (const { accessToken } of [first, second]) assert.equal(await used().peer.userOf(accessToken), 'Ada');
  });

  it('go to another account if somebody else signs in on the page', async () => {
    const ada = await signIn(['sample']);
    const grace = await signIn(['integration'], ada.account, 'Grace');
    assert.notEqual(grace.id, ada.id);
    assert.equal(grace.account.label, 'Grace Example');
    assert.deepEqual(
      (await served('sample')).map(({ account }) => account.label),
      ['Ada Example', 'Grace Example'],
    );
  });

  it('stay the same through a refresh', async () => {
    const { accessToken } = await signIn(['sample']);
    assert.equal(await used().finish(window.command('reportRejectedToken', accessToken)), true);
    const [session] = await served('sample', 'profile');
    assert.notEqual(session?.accessToken ?? accessToken, accessToken);
    assert.equal(await used().peer.userOf(session?.accessToken ?? ''), 'Ada');
  });

  it('end if a response is lost, because the provider takes the repetition for a theft, and the person learns that', async () => {
    const { accessToken } = await signIn(['sample']);
    used().peer.lostRefreshes = 1;
    assert.equal(await used().finish(window.command('reportRejectedToken', accessToken)), false);
    const isTold = (): boolean => window.editor.messages.some(({ text }) => text.includes('the connection was lost'));
    while (!isTold()) await used().finish(used().clock.sleep(1_000));
    assert.deepEqual(await served('sample'), []);
    const statuses = used()
      .peer.of('refresh')
      .map(({ status }) => status);
    assert.deepEqual(statuses.slice(-2), [200, 400]);
  });
});
