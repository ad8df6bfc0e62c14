import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createService, type EmbeddedService, type ServiceOptions } from '../../demo/service';
import { FakeClock } from '../support/fakeClock';

type Query = Readonly<Record<string, string>>;

/** A response. Some of its fields aren't text, but those that are sent again are. */
interface ApiResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
}

/** Credentials that a client which encodes too little gets wrong. */
const CREDENTIALS = { clientId: 'an id & more', clientSecret: 'a b+c/d=e%26&ü:"' };
const DAY = 24 * 60 * 60 * 1000;

/** Guards that the demo service, with which everything else is tested, is as strict as the specification. */
describe('the demo service', () => {
  let clock: FakeClock;
  let service: EmbeddedService;
  const start = async (options: ServiceOptions = {}): Promise<void> => {
    clock = new FakeClock();
    service = await createService({ clock, ...CREDENTIALS, ...options });
  };
  afterEach(() => service.close());

  const send = async (path: string, query: Query, init: RequestInit = {}): Promise<ApiResponse> => {
    const address = `${service.baseUrl}${path}?${new URLSearchParams(query).toString()}`;
    const response = await fetch(address, { method: 'POST', ...init });
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    return { status: response.status, body: (await response.json()) as Query };
  };
  const client = (): Query => ({ client_id: service.clientId, client_secret: service.clientSecret });
  const requestCode = (): Promise<ApiResponse> => send('/oauth2/device', { grant_type: 'device_code', ...client() });
  const poll = (code = ''): Promise<ApiResponse> =>
    send('/oauth2/device', { grant_type: 'device_token', ...client(), code });
  const refresh = (refresh_token = ''): Promise<ApiResponse> =>
    send('/oauth2/token', { grant_type: 'refresh_token', ...client(), refresh_token });
  const whoami = (token = ''): Promise<ApiResponse> =>
    send('/api/whoami', {}, { method: 'GET', headers: { authorization: `Bearer ${token}` } });
  const outcome = ({ status, body }: ApiResponse): string => `${status} ${body['error'] ?? 'ok'}`;
  const approvedCode = async (): Promise<string> => {
    const { body } = await requestCode();
    assert.equal(service.approve(body['user_code'] ?? '', 'ada'), undefined);
    return body['code'] ?? '';
  };
  const signIn = async (): Promise<Query> => (await poll(await approvedCode())).body;

  it('leads from the code to tokens, whose responses have the fields of the specification and no others', async () => {
    await start({ interval: 7, deviceCodeTtl: 8600, accessTokenTtl: 1234 });
    const { body: code } = await requestCode();
    assert.deepEqual(Object.keys(code), ['code', 'user_code', 'verification_uri', 'expires_in', 'interval']);
    assert.deepEqual([code['expires_in'], code['interval']], [8600, 7]);
    assert.deepEqual((await poll(code['code'])).body, { error: 'authorization_pending' });
    service.approve(code['user_code'] ?? '', 'ada');
    const { body: tokens } = await poll(code['code']);
    const { body: refreshed } = await refresh(tokens['refresh_token']);
    const fields = ['access_token', 'token_type', 'expires_in', 'refresh_token'];
    assert.deepEqual([Object.keys(tokens), Object.keys(refreshed)], [[...fields, 'scope'], fields]);
    assert.deepEqual([tokens['scope'], tokens['token_type'], tokens['expires_in']], [null, 'bearer', 1234]);
    const { id, ...owner } = (await whoami(refreshed['access_token'])).body;
    assert.deepEqual([typeof id, owner], ['string', { name: 'ada', session: 1, generation: 2 }]);
  });

  it('requires each parameter once, in the query string, and right: what it rejects changes nothing', async () => {
    await start();
    const valid: readonly (readonly [path: string, query: Query])[] = [
      ['/oauth2/device', { grant_type: 'device_code' }],
      ['/oauth2/device', { grant_type: 'device_token', code: await approvedCode() }],
      ['/oauth2/token', { grant_type: 'refresh_token', refresh_token: (await signIn())['refresh_token'] ?? '' }],
    ];
    const errorOfWrong: Query = {
      grant_type: 'unsupported_grant_type',
      client_id: 'invalid_client',
      client_secret: 'invalid_client',
      code: 'invalid_grant',
      refresh_token: 'invalid_grant',
    };
    for (const [path, own] of valid) {
      const query = { ...own, ...client() };
      for (const [name, value] of Object.entries(query)) {
        const others = Object.fromEntries(Object.entries(query).filter(([other]) => other !== name));
        const twice = `${path}?${new URLSearchParams(query).toString()}&${new URLSearchParams({ [name]: value }).toString()}`;
        const tries = [
          await send(path, others),
          await send(path, { ...query, [name]: '' }),
          await send(path, others, { body: new URLSearchParams({ [name]: value }) }),
          await send(path, { ...query, [name]: 'wrong' }),
        ];
        const missing = '400 invalid_request';
        assert.deepEqual(tries.map(outcome), [missing, missing, missing, `400 ${errorOfWrong[name] ?? ''}`], name);
        assert.equal((await fetch(service.baseUrl + twice, { method: 'POST' })).status, 400);
      }
      assert.equal(outcome(await send(path, query, { method: 'GET' })), '405 method_not_allowed');
      assert.equal(outcome(await send(path, query)), '200 ok');
    }
  });

  it('gives one token pair for a code, before it expires, and counts polls that come too soon', async () => {
    await start({ interval: 5, deviceCodeTtl: 600 });
    const [used, late, denied] = [await approvedCode(), await approvedCode(), (await requestCode()).body];
    service.deny(denied['user_code'] ?? '');
    const outcomes = [await poll(used), await poll(used), await poll('unknown'), await poll(denied['code'])];
    assert.deepEqual(outcomes.map(outcome), ['200 ok', '400 invalid_grant', '400 invalid_grant', '400 access_denied']);
    assert.equal(service.counts().earlyPolls, 1);
    await clock.advance(600_000);
    assert.equal(outcome(await poll(late)), '400 expired_token');
    await clock.advance(2 * DAY);
    await requestCode();
    assert.equal(outcome(await poll(late)), '400 invalid_grant');
  });

  it('demands PKCE for the code and for each poll if a standard one is started so, and lists it', async () => {
    await start({ protocol: 'rfc8628', requirePkce: true });
    const post = async (path: string, fields: Query): Promise<ApiResponse> =>
      await send(path, {}, { body: new URLSearchParams({ ...client(), ...fields }) });
    const { body: metadata } = await send('/.well-known/oauth-authorization-server', {}, { method: 'GET' });
    assert.deepEqual(metadata['code_challenge_methods_supported'], ['S256']);
    const verifier = 'a verifier that nobody else has, long enough';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    for (const fields of [
      {},
      { code_challenge: challenge },
      { code_challenge: verifier, code_challenge_method: 'plain' },
    ]) {
      assert.equal(outcome(await post('/device_authorization', fields)), '400 invalid_request');
    }
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const { body: code } = await post('/device_authorization', pkce);
    service.approve(code['user_code'] ?? '', 'ada');
    const grant = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: code['device_code'] ?? '',
    };
    for (const fields of [{}, { code_verifier: challenge }]) {
      assert.equal(outcome(await post('/token', { ...grant, ...fields })), '400 invalid_grant');
      await clock.advance(5_000);
    }
    assert.equal(outcome(await post('/token', { ...grant, code_verifier: verifier })), '200 ok');
  });

  it('lets nobody but its own page decide about a code, and shows no markup of others', async () => {
    await start({ clientName: '<b>Editor</b>' });
    const page = async (path: string, form?: Query): Promise<string> => {
      const init = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
      const response = await fetch(service.verificationUrl + path, init);
      assert.match(
        response.headers.get('content-security-policy') ?? '',
        /^default-src 'none'.*frame-ancestors 'none'/,
      );
      const html = await response.text();
      assert.doesNotMatch(html, /<script|<b>/);
      return html;
    };
    const { body } = await requestCode();
    const user_code = body['user_code'] ?? '';
    await page(`?user_code=${encodeURIComponent('"><script>')}`);
    const html = await page('', { user_code: user_code.toLowerCase().replace('-', ' ') });
    assert.match(html, /&lt;b&gt;Editor/);
    const [, form_token = ''] = /name="form_token" value="([^"]*)"/.exec(html) ?? [];
    const decide = (token: string): Promise<string> =>
      page('-decision', { user_code, form_token: token, account: 'ada', decision: 'allow' });
    assert.match(await decide('made up'), /nothing has changed/);
    assert.equal(service.stateOf(user_code), 'pending');
    assert.match(await decide(form_token), /can now sign in as ada/);
    assert.equal(outcome(await poll(body['code'])), '200 ok');
    assert.match(await page('', { user_code }), /already been used/);
  });
});
