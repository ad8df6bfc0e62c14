import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { AuthorizationRequest } from '../../../src/oauth/types';
import { ServiceError } from '../../../src/oauth/errors';
import { failure } from './harness';
import type { Scripted, SeenRequest } from './servers';
import { settled, standardService, type StandardService } from './standardHarness';

const CODE = {
  json: { device_code: 'device-1', user_code: 'ABCD-1234', verification_uri: 'https://service.example/activate' },
};
const TOKENS = { json: { access_token: 'access-1', token_type: 'Bearer', refresh_token: 'refresh-1' } };

const refusal = (error: string, status = 400, error_description?: string): Scripted => ({
  status,
  json: { error, error_description },
});

function fieldsOf({ body }: SeenRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(body));
}

/** What differs between requests for a code: how the client authenticates, for which scopes, and whether with PKCE. */
function ways({ seen }: StandardService): readonly string[] {
  return seen.map((request) => {
    const { code_challenge: challenge, client_secret: secret, scope = 'none' } = fieldsOf(request);
    const authentication =
      request.headers.authorization === undefined ? (secret === undefined ? 'public' : 'post') : 'basic';
    return `${authentication}, ${scope}, ${challenge === undefined ? 'no PKCE' : 'PKCE'}`;
  });
}

/** Guards that clients that must use PKCE can, and that services that don't know it are none the wiser. */
describe('a sign-in with PKCE', () => {
  const PUBLIC = { clientSecret: '' };

  it('binds each code to a secret of its own, which polls for it show', async () => {
    const { oauth, request, seen } = await standardService([CODE, CODE, TOKENS, TOKENS]);
    const asked = { ...request, pkce: true };
    const codes = [await oauth.requestDeviceAuthorization(asked), await oauth.requestDeviceAuthorization(asked)];
    for (const { accepted } of codes) {
      await oauth.poll({ ...asked, ...accepted }, 'device-1');
    }
    const [first, second, firstPoll, secondPoll] = seen.map(fieldsOf);
    assert.deepEqual([first?.['code_challenge_method'], second?.['code_challenge_method']], ['S256', 'S256']);
    assert.notEqual(first?.['code_challenge'], second?.['code_challenge']);
    for (const [code, poll] of [
      [first, firstPoll],
      [second, secondPoll],
    ] as const) {
      const verifier = poll?.['code_verifier'] ?? '';
      assert.match(verifier, /^[\w-]{43}$/);
      assert.equal(createHash('sha256').update(verifier).digest('base64url'), code?.['code_challenge']);
    }
  });

  it('sends nothing of it if nobody knows it, and none in a refresh', async () => {
    const { oauth, request, seen } = await standardService([CODE, TOKENS, TOKENS]);
    const { accepted } = await oauth.requestDeviceAuthorization(request);
    await oauth.poll({ ...request, ...accepted }, 'device-1');
    await oauth.refresh({ ...request, ...accepted }, 'refresh-1');
    assert.ok(seen.every(({ body }) => !/code_(?:challenge|verifier)/.test(body)));
  });

  it('replaces parameters of that name that are set', async () => {
    const { oauth, request, seen } = await standardService([CODE]);
    const parameters = { code_challenge: 'mine', code_challenge_method: 'plain' };
    await oauth.requestDeviceAuthorization({ ...request, parameters });
    assert.ok(!(seen[0]?.body ?? 'code_challenge').includes('code_challenge'));
  });

  for (const [what, response] of [
    ['an unknown parameter', refusal('invalid_request', 400, 'code_challenge is unknown')],
    ['an unknown parameter, with 401', refusal('invalid_request', 401)],
    ['an error with 200', refusal('invalid_request', 200)],
    ['a code of its own', refusal('unsupported_parameter')],
    ['words', { status: 400, json: { message: 'property code_challenge should not exist' } }],
    ['nothing', { status: 400 }],
  ] as const) {
    it(`asks once more without, after ${what}, and polls without`, async () => {
      const service = await standardService([response, CODE, TOKENS]);
      const asked = { ...service.request, ...PUBLIC, pkce: true };
      const { accepted } = await service.oauth.requestDeviceAuthorization(asked);
      assert.deepEqual(ways(service), ['public, none, PKCE', 'public, none, no PKCE']);
      assert.equal((await service.oauth.poll({ ...asked, ...accepted }, 'device-1')).kind, 'tokens');
      assert.ok(!('code_verifier' in fieldsOf(service.seen[2] ?? assert.fail())));
    });
  }

  for (const [what, response] of [
    ['a page', { status: 400, text: '<html>' }],
    ['a wrong client', refusal('invalid_client')],
    ['a busy service', refusal('temporarily_unavailable')],
    ['429', refusal('invalid_request', 429)],
    ['500', refusal('server_error', 500)],
    ['404', refusal('invalid_request', 404)],
    ['a client that may not do this', refusal('unauthorized_client')],
    ['refused scopes', refusal('invalid_scope')],
    ['too many requests', refusal('slow_down')],
  ] as const) {
    it(`doesn’t ask again after ${what}`, async () => {
      const { oauth, request, seen } = await standardService([response]);
      await failure(oauth.requestDeviceAuthorization({ ...request, ...PUBLIC, pkce: true }));
      assert.equal(seen.length, 1);
    });
  }

  const scopes = { scopes: ['a', 'openid'], fewerScopes: [['a']] };
  const INVALID = refusal('invalid_request');
  const SCOPE = refusal('invalid_scope');
  for (const [what, change, script, expected] of [
    [
      'the client authentication, then PKCE',
      {},
      [INVALID, INVALID, CODE],
      ['basic, a openid, PKCE', 'post, a openid, PKCE', 'basic, a openid, no PKCE'],
    ],
    [
      'all three, in their order',
      {},
      [INVALID, SCOPE, INVALID, CODE],
      ['basic, a openid, PKCE', 'post, a openid, PKCE', 'post, a, PKCE', 'post, a, no PKCE'],
    ],
    [
      'the client authentication that’s left, then PKCE',
      {},
      [refusal('invalid_client', 401), INVALID, CODE],
      ['basic, a openid, PKCE', 'post, a openid, PKCE', 'post, a openid, no PKCE'],
    ],
    [
      'scopes, then PKCE',
      PUBLIC,
      [SCOPE, INVALID, CODE],
      ['public, a openid, PKCE', 'public, a, PKCE', 'public, a, no PKCE'],
    ],
    [
      'scopes, then the client authentication, then PKCE',
      {},
      [SCOPE, INVALID, INVALID, CODE],
      ['basic, a openid, PKCE', 'basic, a, PKCE', 'post, a, PKCE', 'basic, a, no PKCE'],
    ],
  ] as readonly (readonly [string, Partial<AuthorizationRequest>, readonly Scripted[], readonly string[]])[]) {
    it(`tries ${what}`, async () => {
      const service = await standardService(script);
      const asked = { ...service.request, ...scopes, pkce: true, ...change };
      await service.oauth.requestDeviceAuthorization(asked);
      assert.deepEqual(ways(service), expected);
    });
  }

  for (const script of [
    [INVALID],
    [SCOPE],
    [INVALID, SCOPE],
    [SCOPE, SCOPE, INVALID],
    [SCOPE, INVALID, SCOPE, INVALID],
    [INVALID, INVALID, SCOPE, SCOPE],
    [refusal('invalid_client', 401)],
  ]) {
    it(`never sends more than four requests: ${script.map(({ json }) => JSON.stringify(json)).join(' ')}`, async () => {
      const service = await standardService([...script, ...script, ...script]);
      const fewerScopes = [['a', 'openid'], ['a']];
      const asked = { ...service.request, scopes: ['a', 'openid', 'old'], fewerScopes, pkce: true };
      await failure(service.oauth.requestDeviceAuthorization(asked));
      assert.ok(service.seen.length <= 4, ways(service).join('; '));
      assert.equal(new Set(ways(service)).size, service.seen.length, 'each in another way');
    });
  }

  it('fails with the error of the request that had it, if the service demands it', async () => {
    const { oauth, request } = await standardService([
      refusal('invalid_parameter'),
      refusal('invalid_request', 400, 'Missing parameter: code_challenge_method'),
    ]);
    const error = await failure(oauth.requestDeviceAuthorization({ ...request, ...PUBLIC, pkce: true }));
    assert.ok(error instanceof ServiceError && error.code === 'invalid_parameter');
  });

  for (const description of [
    'PKCE code challenge is required',
    'Missing parameter: code_challenge',
    'code challenge must be sent',
    'This client must use pkce.',
    'Missing code-verifier',
  ]) {
    it(`fails in a way that names it, if it’s missing: ${description}`, async () => {
      const { oauth, request } = await standardService([refusal('invalid_request', 400, description)]);
      const error = await failure(oauth.requestDeviceAuthorization({ ...request, ...PUBLIC }));
      assert.ok(error instanceof ServiceError && error.isAboutPkce);
      const ofPoll = await failure(oauth.poll({ ...request, ...PUBLIC }, 'device-1'));
      assert.ok(ofPoll instanceof ServiceError && ofPoll.isAboutPkce);
    });
  }
});

describe('a poll with PKCE', () => {
  const VERIFIER = { codeVerifier: 'not a real verifier' };

  for (const [what, response] of [
    ['invalid_grant', refusal('invalid_grant')],
    ['invalid_request', refusal('invalid_request', 400, 'code_verifier is unknown')],
    ['invalid_request, with 401', refusal('invalid_request', 401)],
    ['invalid_grant, with 200', refusal('invalid_grant', 200)],
    ['a code of its own', refusal('unsupported_parameter')],
  ] as const) {
    it(`is followed by one without, after ${what}`, async () => {
      const { oauth, request } = await standardService([response]);
      const asked = { ...request, authentication: settled('basic'), ...VERIFIER };
      const result = await oauth.poll(asked, 'device-1');
      assert.deepEqual(result, { kind: 'pending', authentication: settled('basic'), refusesVerifier: true });
      await failure(oauth.poll({ ...asked, codeVerifier: undefined }, 'device-1'));
    });
  }

  for (const code of [
    'access_denied',
    'authorization_declined',
    'expired_token',
    'unauthorized_client',
    'invalid_scope',
    'unsupported_grant_type',
  ]) {
    it(`ends with ${code}`, async () => {
      const { oauth, request } = await standardService([refusal(code)]);
      const error = await failure(oauth.poll({ ...request, ...VERIFIER }, 'device-1'));
      assert.ok(error instanceof ServiceError && error.code === code);
    });
  }

  it('is pending as any other one', async () => {
    const { oauth, request } = await standardService([refusal('authorization_pending')]);
    const result = await oauth.poll({ ...request, ...VERIFIER }, 'device-1');
    assert.deepEqual(result, { kind: 'pending', authentication: settled('basic'), retryAfter: undefined });
  });
});
