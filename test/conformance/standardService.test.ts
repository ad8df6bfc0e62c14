import assert from 'node:assert/strict';
import { type Api, bearer, outcome, type Query, text } from './api';
import {
  approved,
  type Authentication,
  authorize,
  basic,
  CREDENTIALS,
  DEVICE_CODE_GRANT,
  poll,
  post,
  refresh,
  SCOPE,
  signIn,
  useStandardApi,
} from './standardRequests';

/** The operations, each with a valid form and the errors for wrong values of its parameters. */
const OPERATIONS: readonly {
  readonly name: string;
  readonly path: string;
  readonly form: (api: Api) => Promise<Query>;
  readonly wrongValues?: Query;
}[] = [
  {
    name: 'device authorization (RFC 8628, section 3.1)',
    path: '/device_authorization',
    form: () => Promise.resolve({}),
  },
  {
    name: 'poll (RFC 8628, section 3.4)',
    path: '/token',
    form: async (api) => ({ grant_type: DEVICE_CODE_GRANT, device_code: await approved(api) }),
    wrongValues: { grant_type: 'unsupported_grant_type', device_code: 'invalid_grant' },
  },
  {
    name: 'refresh (RFC 6749, section 6)',
    path: '/token',
    form: async (api) => ({
      grant_type: 'refresh_token',
      refresh_token: text(await signIn(api), 'refresh_token'),
    }),
    wrongValues: { grant_type: 'unsupported_grant_type', refresh_token: 'invalid_grant' },
  },
  {
    name: 'revocation (RFC 7009, section 2.1)',
    path: '/revoke',
    form: async (api) => ({ token: text(await signIn(api), 'refresh_token'), token_type_hint: 'refresh_token' }),
  },
];

/** Guards that the demo service follows the standards, and deviates from them only as told. */
describe('the operations of a standard service', () => {
  const { clientId, clientSecret } = CREDENTIALS;
  const api = useStandardApi(CREDENTIALS, true);
  const client = { client_id: clientId, client_secret: clientSecret };

  for (const { name, path, form, wrongValues = {} } of OPERATIONS) {
    describe(name, () => {
      for (const [how, by, expected] of [
        ['by HTTP Basic', basic(clientId, clientSecret), [200, undefined]],
        ['in its form', { form: client }, [200, undefined]],
        ['wrongly by HTTP Basic', basic(clientId, 'wrong'), [401, 'invalid_client']],
        ['by HTTP Basic without encoding', { headers: { authorization: `Basic ${raw()}` } }, [401, 'invalid_client']],
        ['by another scheme', { headers: bearer('x') }, [401, 'invalid_client']],
        ['with a wrong secret in its form', { form: { ...client, client_secret: 'x' } }, [400, 'invalid_client']],
        ['without its secret', { form: { client_id: clientId } }, [400, 'invalid_client']],
        ['not at all', { form: {} }, [400, 'invalid_request']],
        ['in both ways', { ...basic(clientId, clientSecret), form: client }, [400, 'invalid_request']],
      ] as [string, Authentication, [number, string | undefined]][]) {
        it(`returns ${expected[1] ?? 'a success'} to a client that authenticates ${how}`, async () => {
          const response = await post(api(), path, await form(api()), by);
          assert.deepEqual(outcome(response), expected);
          assert.equal(response.headers.get('www-authenticate'), expected[0] === 401 ? 'Basic' : null);
        });
      }

      it('reads parameters from its form only, each once', async () => {
        const all = { ...client, ...(await form(api())) };
        const missing = [400, 'invalid_request'];
        assert.deepEqual(outcome(await api().send(path, all)), missing);
        const repeated = new URLSearchParams([...Object.entries(all), ['client_id', clientId]]);
        assert.deepEqual(outcome(await api().send(path, {}, { body: repeated })), missing);
        const json = { body: JSON.stringify(all), headers: { 'content-type': 'application/json' } };
        assert.deepEqual(outcome(await api().send(path, {}, json)), missing);
        assert.deepEqual(outcome(await api().send(path, {}, { method: 'PUT' })), [405, 'method_not_allowed']);
      });

      for (const [parameter, error] of Object.entries(wrongValues)) {
        it(`requires a valid ${parameter}`, async () => {
          const valid = await form(api());
          const { [parameter]: removed, ...others } = valid;
          assert.ok(removed !== undefined);
          assert.deepEqual(outcome(await post(api(), path, others)), [400, 'invalid_request']);
          assert.deepEqual(outcome(await post(api(), path, { ...valid, [parameter]: 'x' })), [400, error]);
          // With a new device code, because the one before was polled.
          assert.equal((await post(api(), path, await form(api()))).status, 200);
        });
      }
    });
  }

  function raw(): string {
    return Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  }
});

describe('a standard service for clients without a secret', () => {
  const api = useStandardApi({ clientSecret: '' }, true);

  for (const { name, path, form } of OPERATIONS) {
    it(`${name}: needs only the client ID, and refuses a secret`, async () => {
      const { clientId } = api().service;
      const refused = await post(api(), path, await form(api()), basic(clientId, 'x'));
      assert.deepEqual(outcome(refused), [401, 'invalid_client']);
      assert.equal((await post(api(), path, await form(api()), { form: { client_id: clientId } })).status, 200);
    });
  }
});

describe('responses of a standard service', () => {
  const api = useStandardApi({ interval: 7, deviceCodeTtl: 86, accessTokenTtl: 1234 }, true);

  it('metadata (RFC 8414, section 2): the issuer, and endpoints that exist', async () => {
    const { body } = await api().send('/.well-known/oauth-authorization-server', {}, { method: 'GET' });
    const { baseUrl } = api().service;
    assert.equal(body['issuer'], baseUrl);
    for (const name of ['device_authorization', 'token', 'revocation', 'userinfo']) {
      const endpoint = text(body, `${name}_endpoint`);
      assert.ok(endpoint.startsWith(`${baseUrl}/`));
      assert.equal((await fetch(endpoint, { method: 'PATCH' })).status, 405);
    }
    assert.deepEqual(body['token_endpoint_auth_methods_supported'], ['client_secret_basic', 'client_secret_post']);
    assert.ok((body['scopes_supported'] as string[]).includes('offline_access'));
  });

  it('device authorization (RFC 8628, section 3.2): exactly these fields; the page has the code filled in', async () => {
    const { body } = await authorize(api());
    const { device_code, user_code, verification_uri_complete, ...others } = body;
    assert.ok(typeof device_code === 'string' && typeof user_code === 'string');
    assert.deepEqual(others, { verification_uri: api().service.verificationUrl, expires_in: 86, interval: 7 });
    assert.equal(verification_uri_complete, `${api().service.verificationUrl}?user_code=${user_code}`);
    assert.match(
      await (await fetch(text(body, 'verification_uri_complete'))).text(),
      new RegExp(`value="${user_code}"`),
    );
  });

  for (const [scope, fields, granted] of [
    [SCOPE, ['refresh_token', 'scope', 'id_token'], SCOPE],
    ['offline_access', ['refresh_token', 'scope'], 'offline_access'],
    ['anything', ['scope'], 'anything'],
    ['', [], undefined],
  ] as const) {
    it(`tokens (RFC 6749, section 5.1) for the scope "${scope}": ${fields.join(', ') || 'nothing more'}`, async () => {
      const body = await signIn(api(), scope === '' ? {} : { scope });
      const { access_token, token_type, expires_in, ...others } = body;
      assert.deepEqual([typeof access_token, token_type, expires_in], ['string', 'Bearer', 1234]);
      assert.deepEqual([Object.keys(others), others['scope']], [fields, granted]);
      if (others['refresh_token'] === undefined) return;
      const renewed = await refresh(api(), text(body, 'refresh_token'));
      assert.deepEqual([renewed.body['scope'], renewed.body['id_token']], [granted, undefined]);
    });
  }

  it('the ID token and the user info (OpenID Connect Core 2 and 5.3) identify the same user', async () => {
    const [first, other] = [await signIn(api()), await signIn(api(), { scope: 'openid' })];
    const claims = claimsIn(text(first, 'id_token'));
    const { baseUrl, clientId } = api().service;
    assert.deepEqual([claims['iss'], claims['aud'], claims['preferred_username']], [baseUrl, clientId, 'ada']);
    assert.ok(Number(claims['exp']) * 1000 > api().clock.now());
    for (const [tokens, name] of [[first, 'ada'], [other]] as const) {
      const { body } = await api().send(
        '/userinfo',
        {},
        { method: 'GET', headers: bearer(text(tokens, 'access_token')) },
      );
      assert.deepEqual([body['sub'], body['preferred_username']], [claims['sub'], name]);
    }
    const refused = await api().send('/userinfo', {}, { method: 'GET', headers: bearer('x') });
    assert.deepEqual(outcome(refused), [401, 'invalid_token']);
  });
});

describe('states of a standard service', () => {
  const api = useStandardApi();

  it('a poll that comes too soon gets slow_down, and makes the interval longer for good (RFC 8628, section 3.5)', async () => {
    const deviceCode = text((await authorize(api())).body, 'device_code');
    const polls: unknown[] = [];
    for (const pause of [0, 4, 10, 9, 15]) {
      await api().clock.advance(pause * 1000);
      polls.push((await poll(api(), deviceCode)).body['error']);
    }
    const pending = 'authorization_pending';
    assert.deepEqual(polls, [pending, 'slow_down', pending, 'slow_down', pending]);
  });

  it('ends with what the user decided, or with the lifetime of the code', async () => {
    const denied = await authorize(api());
    api().service.deny(text(denied.body, 'user_code'));
    assert.deepEqual(outcome(await poll(api(), text(denied.body, 'device_code'))), [400, 'access_denied']);
    const expired = await approved(api());
    await api().clock.advance(900_000);
    assert.deepEqual(outcome(await poll(api(), expired)), [400, 'expired_token']);
  });

  for (const [kind, field, refreshes] of [
    ['refresh', 'refresh_token', false],
    ['access', 'access_token', true],
  ] as const) {
    it(`a revoked ${kind} token is of no use, and is unknown the next time`, async () => {
      const tokens = await signIn(api());
      for (const token of [text(tokens, field), text(tokens, field), 'unknown']) {
        assert.deepEqual(outcome(await post(api(), '/revoke', { token })), [200, undefined]);
      }
      assert.equal((await api().whoami(text(tokens, 'access_token'))).status, 401);
      const refreshed = await refresh(api(), text(tokens, 'refresh_token'));
      assert.equal(refreshed.status === 200, refreshes);
      const [recorded] = api().service.record.of('revocation');
      assert.deepEqual(recorded?.token, { session: 1, generation: 1, state: 'current', before: 0 });
    });
  }
});

describe('deviations of a standard service', () => {
  const JSON_TYPE = 'application/json';
  for (const [deviations, status, type, field, interval] of [
    [[], 400, JSON_TYPE, 'verification_uri', undefined],
    [['status-200'], 200, JSON_TYPE, 'verification_uri', undefined],
    [['form'], 400, 'application/x-www-form-urlencoded', 'verification_uri', undefined],
    [['verification-url'], 400, JSON_TYPE, 'verification_url', undefined],
    [['slow-down-429'], 429, JSON_TYPE, 'verification_uri', undefined],
    [['slow-down-interval'], 400, JSON_TYPE, 'verification_uri', '10'],
  ] as const) {
    describe(`that has ${deviations[0] ?? 'none'}`, () => {
      const api = useStandardApi({ deviations });

      it('are in its responses', async () => {
        const send = async (path: string, form: Query): Promise<[Response, Map<string, string>]> => {
          const body = new URLSearchParams({ ...api().client, ...form });
          const response = await fetch(api().url(path), { method: 'POST', body });
          const text = await response.text();
          const entries = text.startsWith('{') ? (JSON.parse(text) as object) : new URLSearchParams(text);
          return [response, new Map(entries instanceof URLSearchParams ? entries : Object.entries(entries))];
        };
        const [, codes] = await send('/device_authorization', {});
        assert.equal(codes.get(field), api().service.verificationUrl);
        const form = { grant_type: DEVICE_CODE_GRANT, device_code: codes.get('device_code') ?? '' };
        await send('/token', form);
        const [slowed, error] = await send('/token', form);
        assert.deepEqual([slowed.status, slowed.headers.get('content-type')], [status, type]);
        assert.deepEqual([error.get('error'), error.get('interval')?.toString()], ['slow_down', interval]);
      });
    });
  }
});

describe('what a refresh does to earlier tokens of a standard service', () => {
  for (const [rotation, isNew, again, later, firstWorks, secondWorks] of [
    ['none', false, 200, 200, true, true],
    ['rotate', true, 400, 400, false, true],
    ['grace', true, 200, 400, true, true],
    ['reuse-detection', true, 400, 400, false, false],
  ] as const) {
    describe(`with the policy ${rotation}`, () => {
      const api = useStandardApi({ rotation });

      it(`the same refresh token gets ${again} when it's sent again, and ${later} a minute later`, async () => {
        const first = await signIn(api());
        const token = text(first, 'refresh_token');
        const second = await refresh(api(), token);
        assert.equal(second.body['refresh_token'] !== undefined, isNew);
        if (rotation === 'reuse-detection') assert.ok(await works(first), 'until the reuse');
        const third = await refresh(api(), token);
        assert.equal(third.status, again);
        assert.equal(await works(first), firstWorks);
        // A refresh within the grace period is one more successor, and none of them ends another.
        assert.equal(await works(second.body), secondWorks);
        await api().clock.advance(60_000);
        assert.equal((await refresh(api(), token)).status, later);
        if (isNew) {
          const successor = await refresh(api(), text(second.body, 'refresh_token'));
          assert.equal(successor.status, rotation === 'reuse-detection' ? 400 : 200);
        }
      });

      const works = async (tokens: Query | Record<string, unknown>): Promise<boolean> =>
        (await api().whoami(text(tokens, 'access_token'))).status === 200;
    });
  }
});

/** The claims of an ID token. */
function claimsIn(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}
