import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../host/until';
import { Peer } from '../peer/peer';
import { confirmOnPage } from '../peer/person';
import { tellAsOneStory } from '../support/story';
import { signOut } from './signOut';

/** Guards that the sessions of a certified provider live and end as they should inside VS Code. */
describe('a standard service in a real extension host', () => {
  tellAsOneStory();
  let peer: Peer;

  before('start the peer, and configure it', async () => {
    peer = await Peer.start();
    const settings = vscode.workspace.getConfiguration('deviceFlow');
    const services = [{ protocol: 'rfc8628', baseUrl: peer.issuer, clientId: 'public' }];
    await settings.update('services', services, vscode.ConfigurationTarget.Global);
  });
  after('stop the peer', () => peer.stop());

  const accounts = async (): Promise<readonly string[]> =>
    (await vscode.authentication.getAccounts('device-flow')).map(({ label }) => label);
  const run = (command: string, argument?: unknown): Thenable<unknown> =>
    vscode.commands.executeCommand(`deviceFlow.${command}`, argument);

  async function signIn(): Promise<void> {
    const before = peer.of('device code').length;
    const signedIn = run('signIn');
    const { fields } = await until('a code', () => peer.of('device code')[before]);
    await confirmOnPage(String(fields['verification_uri_complete']));
    await signedIn;
  }

  /** Reports the newest access token as rejected; resolves with whether there is another now. */
  const renew = (): Thenable<unknown> => run('reportRejectedToken', peer.lastToken('access_token'));

  it('is signed in to by its metadata alone, and names the account', async () => {
    await signIn();
    assert.deepEqual(await accounts(), ['Ada Example']);
    assert.equal(peer.of('user info').at(-1)?.status, 200);
    assert.equal(peer.of('device code')[0]?.form['scope'], 'openid profile offline_access');
    assert.equal(peer.earlyPolls, 0);
  });

  it('renews its tokens, the refresh token too', async () => {
    const before = peer.lastToken('refresh_token');
    assert.equal(await renew(), true);
    assert.deepEqual(
      peer.of('refresh').map(({ form }) => form['refresh_token']),
      [before],
    );
    assert.notEqual(peer.lastToken('refresh_token'), before);
    assert.equal(await peer.userOf(peer.lastToken('access_token')), 'Ada');
  });

  it('gets its tokens back when the person signs out', async () => {
    await signOut();
    assert.deepEqual(await accounts(), []);
    const revoked = await until('the revocation', () => peer.of('revocation')[0]);
    assert.deepEqual([revoked.form['token'], revoked.status], [peer.lastToken('refresh_token'), 200]);
    assert.equal(await peer.userOf(peer.lastToken('access_token')), undefined);
  });

  it('ends the session if somebody else used its refresh token', async () => {
    await signIn();
    const [client_id, refresh_token] = ['public', peer.lastToken('refresh_token')];
    const body = new URLSearchParams({ client_id, refresh_token, grant_type: 'refresh_token' });
    const own = peer.lastToken('access_token');
    assert.equal((await fetch(`${peer.issuer}/token`, { method: 'POST', body })).status, 200);
    assert.equal(await run('reportRejectedToken', own), false);
    assert.equal(peer.of('refresh').at(-1)?.fields['error'], 'invalid_grant');
    assert.deepEqual(await accounts(), []);
    assert.equal(await peer.userOf(peer.lastToken('access_token')), undefined, 'nor can they use what they got');
  });
});
