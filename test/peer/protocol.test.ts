import assert from 'node:assert/strict';
import type { AuthorizationRequest, TokenResponse } from '../../src/oauth/types';
import { ServiceError } from '../../src/oauth/errors';
import { SCOPES, usePeer } from './signIn';

/** Guards that the standard client gets along with a provider that somebody else wrote, and that is certified. */
describe('the standard client, with a certified provider', () => {
  const used = usePeer();

  /** Signs in, and resolves with how to refresh. */
  async function signIn(clientId = 'public', scopes = SCOPES): Promise<[AuthorizationRequest, TokenResponse]> {
    const request = await used().request(clientId, scopes);
    const tokens = await used().signIn(request);
    return [{ ...request, ...(tokens.endpoints && { endpoints: tokens.endpoints }) }, tokens];
  }
  const refresh = (request: AuthorizationRequest, token = ''): Promise<TokenResponse> =>
    used().client.refresh(request, token);
  const userOf = ({ accessToken = '' }: TokenResponse): Promise<unknown> => used().peer.userOf(accessToken);
  const invalidGrant = (error: unknown): boolean => error instanceof ServiceError && error.code === 'invalid_grant';

  it('finds its endpoints, and the scopes that it supports', async () => {
    const { issuer } = used().peer;
    const service = { baseUrl: issuer, clientId: 'public', protocol: 'rfc8628' } as const;
    const { endpoints, scopesSupported } = (await used().client.discover(service, {})) ?? assert.fail();
    assert.deepEqual(endpoints, {
      issuer,
      deviceAuthorization: `${issuer}/device/auth`,
      token: `${issuer}/token`,
      revocation: `${issuer}/token/revocation`,
      userInfo: `${issuer}/me`,
      authentication: 'basic',
    });
    assert.deepEqual(
      SCOPES.filter((scope) => !scopesSupported.includes(scope)),
      [],
    );
  });

  it('signs in, and learns who it is: by the ID token, and the name from user info', async () => {
    const [request, tokens] = await signIn();
    const { expiresIn, refreshToken, scopes, user = assert.fail() } = tokens;
    assert.deepEqual([expiresIn, scopes], [3600, SCOPES]);
    assert.notEqual(refreshToken ?? '', '');
    assert.deepEqual(user, { id: JSON.stringify([used().peer.issuer, 'Ada']), name: undefined });
    assert.equal(await used().client.fetchUserName(request, user, tokens.accessToken ?? ''), 'Ada Example');
    assert.equal(await userOf(tokens), 'Ada');
  });

  it('authenticates in the same way in all requests, if it has a secret', async () => {
    const { peer } = used();
    const before = peer.requests.length;
    const [request, tokens] = await signIn('confidential');
    await used().client.revoke(request, await refresh(request, tokens.refreshToken));
    const requests = peer.requests.slice(before).filter(({ kind }) => kind !== 'metadata');
    assert.deepEqual(
      requests.map(({ kind, status, authorization = '' }) => `${kind} ${status} ${authorization.slice(0, 5)}`),
      ['device code 200 Basic', 'poll 200 Basic', 'refresh 200 Basic', 'revocation 200 Basic'],
    );
  });

  it('tries a wrong secret in both ways, and ends', async () => {
    const { peer } = used();
    const before = peer.requests.length;
    const request = await used().request('confidential');
    await assert.rejects(used().signIn({ ...request, clientSecret: 'wrong' }), { code: 'invalid_client' });
    const tries = peer.requests.slice(before).filter(({ kind }) => kind === 'device code');
    assert.deepEqual(
      tries.map(({ status, form }) => [status, form['client_secret']]),
      [
        [401, undefined],
        [401, 'wrong'],
      ],
    );
  });

  for (const clientId of ['public', 'confidential']) {
    it(`signs in with PKCE, which it lists, although it drops the challenge: ${clientId}`, async () => {
      const { peer } = used();
      const [codes, polls] = [peer.of('device code').length, peer.of('poll').length];
      await signIn(clientId);
      const withPkce = [...peer.of('device code').slice(codes), ...peer.of('poll').slice(polls)].map(
        ({ form }) => 'code_challenge' in form || 'code_verifier' in form,
      );
      assert.deepEqual(withPkce, [true, true]);
      assert.equal(peer.earlyPolls, 0);
    });
  }

  it('ends if the person refuses', async () => {
    await assert.rejects(used().signIn(await used().request('public'), { denies: true }), { code: 'access_denied' });
  });

  it('gets no refresh token without offline_access, and no user without openid', async () => {
    const [, { refreshToken, scopes, user }] = await signIn('public', ['sample']);
    assert.deepEqual([refreshToken, scopes, user], [undefined, ['sample'], undefined]);
  });

  it('counts a scope as granted that the provider doesn’t know, and says so in the log', async () => {
    const [, { scopes }] = await signIn('public', ['openid', 'unheard-of']);
    assert.deepEqual(scopes, ['openid', 'unheard-of']);
    assert.match(used().log.text(), /didn't confirm these scopes: unheard-of\./);
  });

  it('refreshes with a new token each time, for the same user', async () => {
    const [request, first] = await signIn();
    const second = await refresh(request, first.refreshToken);
    const third = await refresh(request, second.refreshToken);
    assert.equal(new Set([first, second, third].map(({ refreshToken }) => refreshToken)).size, 3);
    assert.deepEqual([third.user, third.listedScopes, third.expiresIn], [first.user, SCOPES, 3600]);
    assert.equal(await userOf(third), 'Ada');
  });

  it('loses all tokens of a grant if an old one is used again', async () => {
    const [request, first] = await signIn();
    const second = await refresh(request, first.refreshToken);
    await assert.rejects(refresh(request, first.refreshToken), invalidGrant);
    assert.equal(await userOf(second), undefined);
    await assert.rejects(refresh(request, second.refreshToken), invalidGrant);
  });

  it('revokes a grant by its refresh token', async () => {
    const [request, tokens] = await signIn();
    await used().client.revoke(request, tokens);
    assert.equal(await userOf(tokens), undefined);
    await assert.rejects(refresh(request, tokens.refreshToken), invalidGrant);
  });

  it('revokes an access token if there is no other', async () => {
    const [request, { accessToken }] = await signIn('public', ['openid']);
    await used().client.revoke(request, { accessToken, refreshToken: undefined });
    assert.equal(await used().peer.userOf(accessToken ?? ''), undefined);
  });
});
