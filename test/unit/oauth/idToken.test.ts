import assert from 'node:assert/strict';
import { namesSameUser } from '../../../src/oauth/idToken';
import { idToken, standardService } from './standardHarness';

const TOKENS = { access_token: 'access-1', token_type: 'Bearer', expires_in: 3600, refresh_token: 'refresh-1' };

/** Guards that an ID token tells the right user, or nobody, and never ends a sign-in. */
describe('the ID token of a sign-in', () => {
  const scopes = ['openid'];
  const NOW = Date.parse('2026-11-21T12:00:00Z') / 1000;
  const CLAIMS = { sub: 'user-1', aud: 'the client', exp: NOW + 60, email: 'ada@example.com' };

  /** Who signs in with these claims. */
  async function signedIn(claims: object, asked: readonly string[] = scopes) {
    const service = await standardService((_, iss) => ({
      json: { ...TOKENS, id_token: idToken({ iss, ...CLAIMS, ...claims }) },
      headers: { Date: new Date(NOW * 1000).toUTCString() },
    }));
    const result = await service.oauth.poll({ ...service.request, scopes: asked }, 'device-1');
    assert.ok(result.kind === 'tokens');
    return { ...result.tokens, ...service };
  }

  it('tells who it is, by the issuer and the subject together', async () => {
    const { baseUrl, user } = await signedIn({});
    assert.deepEqual(user, { id: JSON.stringify([baseUrl, 'user-1']), name: 'ada@example.com' });
  });

  for (const spell of [
    (issuer: string) => `${issuer}/`,
    (issuer: string) => issuer.toUpperCase(),
    (issuer: string) => `${issuer.toUpperCase()}/`,
  ]) {
    it(`tells the same user however the issuer is spelled, also in a refresh: ${spell('http://[host]')}`, async () => {
      const service = await standardService((_, issuer) => ({
        json: { ...TOKENS, id_token: idToken({ ...CLAIMS, iss: spell(issuer) }) },
        headers: { Date: new Date(NOW * 1000).toUTCString() },
      }));
      const polled = await service.oauth.poll({ ...service.request, scopes }, 'device-1');
      assert.ok(polled.kind === 'tokens');
      assert.equal(polled.tokens.user?.id, JSON.stringify([service.baseUrl, 'user-1']));
      const { user } = await service.oauth.refresh(service.request, 'refresh-1');
      assert.deepEqual(user, polled.tokens.user);
      const known = { id: JSON.stringify([service.baseUrl, 'user-1']), name: undefined };
      assert.equal(namesSameUser(user, known), true);
      const other = { id: JSON.stringify([`${service.baseUrl}/tenant`, 'user-1']), name: undefined };
      assert.equal(namesSameUser(user, other), false);
    });
  }

  for (const [claims, name] of [
    [{ preferred_username: 'ada', name: 'Ada L.' }, 'ada'],
    [{ preferred_username: ' ' }, 'ada@example.com'],
    [{ email: undefined, name: 'Ada L.' }, 'Ada L.'],
    [{ email: undefined }, undefined],
    [{ aud: ['other', 'the client'], azp: 'the client', exp: NOW - 290 }, 'ada@example.com'],
    [{ aud: 'The Client', azp: 'THE CLIENT' }, 'ada@example.com'],
    [{ aud: ['other', 17, 'THE CLIENT'] }, 'ada@example.com'],
    [{ azp: null, exp: null }, 'ada@example.com'],
    [{ exp: undefined }, 'ada@example.com'],
    [{ exp: String(NOW + 60) }, 'ada@example.com'],
    [{ exp: ` ${NOW - 290}.5 ` }, 'ada@example.com'],
  ] as const) {
    it(`names ${String(name)} with ${JSON.stringify(claims)}`, async () => {
      assert.equal((await signedIn(claims)).user?.name, name);
    });
  }

  for (const [sub, subject] of [
    [17, '17'],
    [0, '0'],
    [-5, '-5'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['00017', '00017'],
  ] as const) {
    it(`tells a user whose subject is ${JSON.stringify(sub)}, in the ID token and in user info`, async () => {
      const { baseUrl, oauth, request, user = assert.fail() } = await signedIn({ sub });
      assert.equal(user.id, JSON.stringify([baseUrl, subject]));
      const info = await standardService([{ json: { sub, name: 'Ada L.' } }]);
      const { endpoints = assert.fail() } = request;
      const service = { ...request, endpoints: { ...endpoints, userInfo: `${info.baseUrl}/me` } };
      assert.equal(await oauth.fetchUserName(service, user, 'access-1'), 'Ada L.');
    });
  }

  for (const spelled of [
    (host: string) => host,
    (host: string) => `${host}/`,
    (host: string) => host.replace('localhost', 'LOCALHOST'),
  ]) {
    it(`tells a user whose issuer is spelled without its scheme: ${spelled('localhost')}`, async () => {
      const service = await standardService([]);
      const tokens = { ...TOKENS, id_token: idToken({ ...CLAIMS, iss: spelled(new URL(service.baseUrl).host) }) };
      const script = [{ json: tokens, headers: { Date: new Date(NOW * 1000).toUTCString() } }];
      const { oauth, request } = await standardService(script);
      const endpoints = { ...(request.endpoints ?? assert.fail()), issuer: service.baseUrl };
      const result = await oauth.poll({ ...request, endpoints, scopes }, 'device-1');
      assert.ok(result.kind === 'tokens');
      assert.equal(result.tokens.user?.id, JSON.stringify([service.baseUrl, 'user-1']));
    });
  }

  for (const [claims, fault] of [
    [{ iss: 'https://other.example' }, 'iss'],
    [{ iss: 'other.example' }, 'iss'],
    [{ iss: ['https://service.example'] }, 'iss'],
    [{ iss: undefined }, 'iss'],
    [{ iss: '' }, 'iss'],
    [{ aud: 'another client' }, 'aud'],
    [{ aud: undefined }, 'aud'],
    [{ aud: { 'the client': 'the client' } }, 'aud'],
    [{ aud: [['the client']] }, 'aud'],
    [{ aud: 'the client,another client' }, 'aud'],
    [{ azp: 'another client' }, 'azp'],
    [{ azp: ['the client'] }, 'azp'],
    [{ exp: NOW - 301 }, 'exp'],
    [{ exp: String(NOW - 301) }, 'exp'],
    [{ exp: 'tomorrow' }, 'exp'],
    [{ exp: [NOW + 60] }, 'exp'],
    [{ sub: undefined }, 'sub'],
    [{ sub: 2 ** 53 }, 'sub'],
    [{ sub: 1.5 }, 'sub'],
    [{ sub: ['user-1'] }, 'sub'],
    [{ sub: 'user-1\n' }, 'sub'],
    [{ sub: '' }, 'sub'],
    [{ sub: 'x'.repeat(256) }, 'sub'],
  ] as const) {
    it(`tells nobody, costs no tokens, and says which claim it is, with ${JSON.stringify(claims).slice(0, 50)}`, async () => {
      const { idToken: kept, log, oauth, refreshToken, request, seen, user } = await signedIn(claims);
      assert.deepEqual([refreshToken, user, kept], ['refresh-1', undefined, undefined]);
      assert.match(log.text(), new RegExp(`The ID token doesn't say who signed in: ${fault} `));
      assert.equal(seen.length, 1, 'nothing is revoked');
      assert.equal((await oauth.refresh(request, 'refresh-1')).user, undefined);
    });
  }

  for (const unreadable of [
    'eyJhbGciOiJSU0EtT0FFUCJ9.a2V5.aXY.Y2lwaGVydGV4dA.dGFn',
    'an-opaque-token',
    'a.!.c',
    'a.bnVsbA.c',
    `a.${Buffer.from('[1]').toString('base64url')}.c`,
    '',
    17,
    { iss: 'https://service.example' },
  ]) {
    it(`costs no tokens if it can’t be read, and is no identity: ${JSON.stringify(unreadable).slice(0, 40)}`, async () => {
      const { log, oauth, request, seen } = await standardService([{ json: { ...TOKENS, id_token: unreadable } }]);
      const result = await oauth.poll({ ...request, scopes }, 'device-1');
      assert.ok(result.kind === 'tokens');
      const { idToken: kept, refreshToken, user } = result.tokens;
      assert.deepEqual([refreshToken, user, kept], ['refresh-1', undefined, undefined]);
      assert.match(log.text(), /The ID token can't be read/);
      assert.equal(seen.length, 1, 'nothing is revoked');
    });
  }

  it("isn't read if nobody asked for it", async () => {
    assert.equal((await signedIn({ aud: 'another client' }, [])).user, undefined);
  });
});

describe('the name of a user', () => {
  const user = { id: '["https://service.example","user-1"]', name: undefined };

  for (const [json, name] of [
    [{ sub: 'user-1', preferred_username: 'ada' }, 'ada'],
    [{ sub: 'user-2', preferred_username: 'eve' }, undefined],
    [{ preferred_username: 'eve' }, undefined],
  ] as const) {
    it(`is ${String(name)} by ${JSON.stringify(json)}`, async () => {
      const { oauth, request, seen } = await standardService([{ json }]);
      assert.equal(await oauth.fetchUserName(request, user, 'access-1'), name);
      assert.deepEqual([seen[0]?.method, seen[0]?.headers.authorization], ['GET', 'Bearer access-1']);
    });
  }
});
