import assert from 'node:assert/strict';
import type { AuthorizationRequest, OAuthClient } from '../../../src/oauth/types';
import { InvalidResponseError, ServiceError } from '../../../src/oauth/errors';
import { client, failure, fails } from './harness';
import { serve, type Scripted } from './servers';
import { idToken, settled, standardService, type StandardService } from './standardHarness';

const AUTHORIZATION = {
  device_code: 'device-1',
  user_code: 'ABCD-1234',
  verification_uri: 'https://service.example/activate',
};
const TOKENS = { access_token: 'access-1', token_type: 'Bearer', expires_in: 3600, refresh_token: 'refresh-1' };
const BASIC = `Basic ${Buffer.from('the+client:not+a+real+secret').toString('base64')}`;
const IN_FORM = '&client_id=the%20client&client_secret=not%20a%20real%20secret';
const FORM = 'application/x-www-form-urlencoded';

const LARGE_PAGE = '<html>'.padEnd(1024 * 1024 + 1);

/** What a device authorization may ask for. Parameters that it has anyway are left out. */
const ASKED = {
  scopes: ['openid', 'offline_access'],
  parameters: { audience: 'the API', client_id: 'another', scope: 'another' },
};

/** Polls a service that responds so. */
async function polled(
  response: Scripted,
  change: Partial<AuthorizationRequest> = {},
): Promise<ReturnType<OAuthClient['poll']>> {
  const { oauth, request } = await standardService([response]);
  return await oauth.poll({ ...request, ...change }, 'device-1');
}

/** The tokens that a poll with this response brings. */
async function tokensOf(response: Scripted, change: Partial<AuthorizationRequest> = {}) {
  const result = await polled(response, change);
  assert.ok(result.kind === 'tokens');
  return result.tokens;
}

/** Guards what the standard's client sends, and how it reads what differs between services. */
describe('what the standard client sends', () => {
  for (const [what, send, json, path, sent] of [
    [
      'a device authorization request (RFC 8628, section 3.1)',
      ({ oauth, request }) => oauth.requestDeviceAuthorization({ ...request, ...ASKED }),
      AUTHORIZATION,
      '/device',
      'scope=openid%20offline_access&audience=the%20API',
    ],
    [
      'a poll (RFC 8628, section 3.4)',
      ({ oauth, request }) => oauth.poll(request, 'device-1'),
      TOKENS,
      '/token',
      'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=device-1',
    ],
    [
      'a refresh (RFC 6749, section 6)',
      ({ oauth, request }) => oauth.refresh(request, 'refresh-0'),
      TOKENS,
      '/token',
      'grant_type=refresh_token&refresh_token=refresh-0',
    ],
    [
      'a revocation of the refresh token (RFC 7009, section 2.1)',
      ({ oauth, request }) => oauth.revoke(request, { accessToken: 'access-1', refreshToken: 'refresh-1' }),
      {},
      '/revoke',
      'token=refresh-1&token_type_hint=refresh_token',
    ],
    [
      'a revocation of the access token if there is no other',
      ({ oauth, request }) => oauth.revoke(request, { accessToken: 'access-1', refreshToken: undefined }),
      {},
      '/revoke',
      'token=access-1&token_type_hint=access_token',
    ],
  ] as [string, (service: StandardService) => Promise<unknown>, unknown, string, string][]) {
    for (const [how, change, authorization, credentials] of [
      ['by Basic', {}, BASIC, ''],
      ['by its form', { authentication: settled('post') }, undefined, IN_FORM],
      ['as a client without a secret', { clientSecret: '' }, undefined, '&client_id=the%20client'],
    ] as [string, Partial<AuthorizationRequest>, string | undefined, string][]) {
      it(`is ${what}, ${how}`, async () => {
        const service = await standardService([{ json }]);
        await send({ ...service, request: { ...service.request, ...change } });
        const [seen, ...others] = service.seen;
        assert.ok(seen !== undefined && others.length === 0);
        assert.deepEqual([seen.method, seen.path, seen.query], ['POST', path, []]);
        assert.equal(seen.body, sent + credentials);
        const { accept, authorization: header, 'content-type': type } = seen.headers;
        assert.deepEqual([header, accept, type], [authorization, 'application/json', FORM]);
      });
    }
  }

  it("is no revocation if the service can't", async () => {
    const { oauth, request, seen } = await standardService([{}]);
    const { revocation, ...endpoints } = request.endpoints ?? assert.fail();
    assert.ok(revocation !== undefined);
    await oauth.revoke({ ...request, endpoints }, { accessToken: 'a', refreshToken: 'r' });
    assert.deepEqual(seen, []);
  });

  it('follows no redirect', async () => {
    const { oauth, request, seen } = await standardService([{ status: 307, headers: { Location: '/elsewhere' } }]);
    await fails(oauth.refresh(request, 'refresh-0'), new InvalidResponseError('refresh', 307, 'redirect'));
    assert.equal(seen.length, 1);
  });
});

const PENDING = { status: 400, json: { error: 'authorization_pending' } };
const IN_WORDS = { status: 401, json: { message: 'Bad credentials' } };

describe('the authentication of a client', () => {
  const REFUSED = { status: 401, json: { error: 'invalid_client' } };
  const GITHUB = { status: 200, json: { error: 'incorrect_client_credentials' } };
  const INVALID = { status: 400, json: { error: 'invalid_request', error_description: 'audience is unknown' } };
  const error_description = 'Could not determine client ID from request.';
  const GOOGLE = { status: 400, json: { error: 'invalid_request', error_description } };

  const AUTHENTIK = { status: 400 };

  for (const [what, refusal] of [
    ['invalid_client', REFUSED],
    ['a code of GitHub', GITHUB],
    ['invalid_request', INVALID],
    ['Google’s words', GOOGLE],
    ['nothing', AUTHENTIK],
    ['a message', { status: 401, json: { message: 'Bad credentials' } }],
    ['a page', { status: 401, text: '<html>' }],
    ['a list', { status: 400, text: '[{"loc":["body","client_id"]}]' }],
  ] as const) {
    it(`is tried in the other way once if a request for a code is refused with ${what}, and kept`, async () => {
      const { oauth, request, seen } = await standardService([refusal, { json: AUTHORIZATION }]);
      const { accepted } = await oauth.requestDeviceAuthorization(request);
      assert.equal(accepted?.authentication?.way, 'post');
      const sent = seen.map(({ headers }) => headers.authorization);
      assert.deepEqual(sent, [BASIC, undefined]);
    });
  }

  for (const refusal of [
    { status: 503 },
    { status: 400, json: { error: 'temporarily_unavailable' } },
    { status: 404 },
    { status: 403, json: { error: 'x' } },
  ]) {
    it(`isn’t tried in the other way after ${JSON.stringify(refusal)}`, async () => {
      const { oauth, request, seen } = await standardService([refusal]);
      await failure(oauth.requestDeviceAuthorization(request));
      assert.equal(seen.length, 1);
    });
  }

  it('is tried in the other way by a poll even if a code was given: many services check the client only there', async () => {
    const { oauth, request, seen } = await standardService([{ json: AUTHORIZATION }, REFUSED, { json: TOKENS }]);
    const { accepted } = await oauth.requestDeviceAuthorization(request);
    const { kind } = await oauth.poll({ ...request, ...accepted }, 'device-1');
    assert.deepEqual([kind, seen.length], ['tokens', 3]);
  });

  for (const [preferred, other, refusal, atTokenEndpoint] of [
    ['basic', 'post', INVALID, REFUSED],
    ['basic', 'post', AUTHENTIK, IN_WORDS],
    ['basic', 'post', REFUSED, IN_WORDS],
    ['post', 'basic', REFUSED, REFUSED],
  ] as const) {
    it(`is ${preferred} at the token endpoint if it's ${other} only where codes are given: ${JSON.stringify([refusal, atTokenEndpoint])}`, async () => {
      const service = await standardService([
        refusal,
        { json: AUTHORIZATION },
        atTokenEndpoint,
        PENDING,
        { json: TOKENS },
      ]);
      const { oauth, seen } = service;
      const endpoints = { ...(service.request.endpoints ?? assert.fail()), authentication: preferred };
      const { accepted } = await oauth.requestDeviceAuthorization({ ...service.request, endpoints });
      const polled = { ...service.request, endpoints, ...accepted };
      assert.deepEqual(await oauth.poll(polled, 'device-1'), {
        kind: 'pending',
        authentication: settled(preferred),
        retryAfter: undefined,
      });
      const result = await oauth.poll({ ...polled, authentication: settled(preferred) }, 'device-1');
      assert.ok(result.kind === 'tokens');
      assert.equal(result.tokens.endpoints?.authentication, preferred);
      const ways = seen.map(({ headers }) => (headers.authorization === undefined ? 'post' : 'basic'));
      assert.deepEqual(ways, [preferred, other, other, preferred, preferred]);
    });
  }

  it('is the one that a code was given to if the service takes it with the poll, too', async () => {
    const { oauth, request, seen } = await standardService([INVALID, { json: AUTHORIZATION }, { json: TOKENS }]);
    const { accepted } = await oauth.requestDeviceAuthorization(request);
    const result = await oauth.poll({ ...request, ...accepted }, 'device-1');
    assert.ok(result.kind === 'tokens');
    assert.deepEqual([result.tokens.endpoints?.authentication, seen.length], ['post', 3]);
  });

  it('isn’t known to work only because a service that may not have looked at it wants fewer polls', async () => {
    const { oauth, request } = await standardService([{ status: 429, json: { error: 'slow_down' } }]);
    const result = await oauth.poll(request, 'device-1');
    assert.ok(result.kind === 'pending' && result.slowDown !== undefined && result.authentication === undefined);
  });

  for (const [what, second] of [
    ['wants fewer polls', { status: 400, json: { error: 'slow_down' } }],
    ['wants fewer polls, with 429', { status: 429, json: { error: 'slow_down', interval: 12 } }],
    ['is busy', { status: 503 }],
    ['answers with a page', { status: 429, text: '<html>' }],
    ['answers with a page and 200', { text: '<html>' }],
  ] as const) {
    it(`is the other one if the first was refused and the second time, the service ${what}`, async () => {
      const { oauth, request } = await standardService([REFUSED, second]);
      const result = await oauth.poll(request, 'device-1');
      assert.ok(result.kind !== 'tokens');
      assert.deepEqual(result.authentication, settled('post'));
    });

    it(`isn’t known if no way was refused and the service ${what}`, async () => {
      const { oauth, request } = await standardService([second]);
      const result = await oauth.poll(request, 'device-1');
      assert.ok(result.kind !== 'tokens' && result.authentication === undefined);
    });
  }

  it('isn’t tried again if it’s refused in both ways', async () => {
    const { oauth, request, seen } = await standardService([REFUSED]);
    await fails(oauth.poll(request, 'd'), new ServiceError('poll', 401, 'invalid_client'));
    assert.equal(seen.length, 2);
  });

  for (const [what, first, second, status, code] of [
    ['the request, if only the other way is refused', INVALID, REFUSED, 400, 'invalid_request'],
    ['the client, if the request didn’t say who it is', GOOGLE, REFUSED, 401, 'invalid_client'],
    ['nothing, if only the other way is refused', AUTHENTIK, REFUSED, 400, undefined],
    ['what is wrong if the other way works', REFUSED, INVALID, 400, 'invalid_request'],
  ] as const) {
    it(`doesn't hide what the service refuses: ${what}`, async () => {
      const { oauth, request } = await standardService([first, second]);
      const body = code === undefined ? 'empty' : 'object';
      const expected = new ServiceError('device authorization', status, code, { body });
      await fails(oauth.requestDeviceAuthorization(request), expected);
    });
  }

  for (const refusal of [REFUSED, IN_WORDS]) {
    it(`never changes in a refresh: ${JSON.stringify(refusal)}`, async () => {
      const { oauth, request, seen } = await standardService([refusal]);
      await failure(oauth.refresh(request, 'refresh-0'));
      assert.equal(seen.length, 1);
    });
  }
});

describe('the other way of authentication, if a poll is refused with 401', () => {
  const DESCRIBED = { error_description: 'Full authentication is required to access this resource' };
  const REFUSALS = [
    { status: 401, json: { error: 'unauthorized', ...DESCRIBED } },
    { status: 401, json: { timestamp: '2026-11-25', status: 401, error: 'Unauthorized', path: '/oauth/token' } },
    { status: 401, json: { error: 'The client could not be authenticated.' } },
    IN_WORDS,
    { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="oauth2/client"' } },
    { status: 401, json: { error: 'invalid_client_credentials' } },
    { status: 401, json: { error: 'Bad-Credentials' } },
    { status: 401, json: { error: 'authentication_failed' } },
  ] as const;

  const sentBy = ({ seen }: StandardService): readonly boolean[] =>
    seen.map(({ headers }) => headers.authorization !== undefined);

  for (const refusal of REFUSALS) {
    it(`is tried once, and kept if it works: ${JSON.stringify(refusal)}`, async () => {
      const service = await standardService([refusal, PENDING]);
      const { oauth, request } = service;
      assert.deepEqual(await oauth.poll(request, 'device-1'), {
        kind: 'pending',
        authentication: settled('post'),
        retryAfter: undefined,
      });
      assert.deepEqual(sentBy(service), [true, false]);
      const withTokens = await standardService([refusal, { json: TOKENS }]);
      const result = await withTokens.oauth.poll(withTokens.request, 'device-1');
      assert.ok(result.kind === 'tokens');
      assert.equal(result.tokens.endpoints?.authentication, 'post');
    });
  }

  for (const second of [
    IN_WORDS,
    { status: 401, json: { error: 'invalid_client' } },
    { status: 503, headers: { 'Retry-After': '7' } },
    { status: 401, text: '<html>' },
    { text: '<html>Sign in to the network</html>' },
  ] as const) {
    it(`isn’t kept, and nothing is decided, if ${JSON.stringify(second)} follows`, async () => {
      const { oauth, request } = await standardService([IN_WORDS, second]);
      const result = await oauth.poll(request, 'device-1');
      assert.ok(result.kind === 'no answer' && result.authentication === undefined);
      assert.match(result.error.endpointAddress ?? '', /\/token$/);
    });
  }

  it('isn’t kept if the service wants fewer polls, because it may not have looked at the client', async () => {
    const { oauth, request } = await standardService([IN_WORDS, { status: 400, json: { error: 'slow_down' } }]);
    const result = await oauth.poll(request, 'device-1');
    assert.ok(result.kind === 'pending' && result.slowDown !== undefined && result.authentication === undefined);
  });

  it('may be the one with which the service says what became of the code', async () => {
    const { oauth, request } = await standardService([IN_WORDS, { status: 400, json: { error: 'access_denied' } }]);
    await fails(oauth.poll(request, 'device-1'), new ServiceError('poll', 400, 'access_denied'));
  });

  for (const [what, response, change] of [
    ['after the page of a gateway', { status: 401, text: '<html>' }],
    ['after the text of a gateway', { status: 401, text: 'Unauthorized' }],
    [
      'after the page of a server that asks for a password',
      { status: 401, text: '<html>', headers: { 'WWW-Authenticate': 'Basic' } },
    ],
    ['after words with 400', { status: 400, json: { message: 'Bad credentials' } }],
    ['after words with 403', { status: 403, json: { error: 'Forbidden' } }],
    ['after words of a busy service', { status: 503, json: { message: 'Bad credentials' } }],
    ['after a code that’s about something else', { status: 401, json: { error: 'access_denied' } }],
    ['if one way is known to work', IN_WORDS, { authentication: settled('basic') }],
    ['if there’s no secret', IN_WORDS, { clientSecret: '' }],
  ] as readonly (readonly [string, Scripted, Partial<AuthorizationRequest>?])[]) {
    it(`isn’t tried ${what}`, async () => {
      const { oauth, request, seen } = await standardService([response]);
      await oauth.poll({ ...request, ...change }, 'device-1').catch(() => undefined);
      assert.equal(seen.length, 1);
    });
  }
});

describe('scopes that the service refuses', () => {
  const INVALID_SCOPE = { status: 400, json: { error: 'invalid_scope' } };

  for (const [scopes, fewerScopes, sent] of [
    [['openid', 'offline_access'], [[]], ['openid offline_access', null]],
    [['a', 'openid'], [['a']], ['a openid', 'a']],
    [
      ['a', 'openid', 'old'],
      [['a', 'openid'], ['a']],
      ['a openid old', 'a openid', 'a'],
    ],
    [
      ['openid', 'old'],
      [['openid'], []],
      ['openid old', 'openid', null],
    ],
  ] as const) {
    it(`are left out: ${scopes.join(' ')}, ${JSON.stringify(fewerScopes)}`, async () => {
      const refusals = sent.slice(1).map(() => INVALID_SCOPE);
      const { oauth, request, seen } = await standardService([...refusals, { json: AUTHORIZATION }]);
      const { accepted } = await oauth.requestDeviceAuthorization({ ...request, scopes, fewerScopes });
      assert.deepEqual(
        seen.map(({ body }) => new URLSearchParams(body).get('scope')),
        sent,
      );
      assert.deepEqual(accepted?.scopes, fewerScopes.at(-1));
    });
  }

  for (const fewerScopes of [undefined, [], [['a']]]) {
    it(`aren’t requested again: [a,b], ${JSON.stringify(fewerScopes)}`, async () => {
      const { oauth, request, seen } = await standardService([INVALID_SCOPE]);
      const asked = { ...request, scopes: ['a', 'b'], ...(fewerScopes && { fewerScopes }) };
      const expected = new ServiceError('device authorization', 400, 'invalid_scope');
      await fails(oauth.requestDeviceAuthorization(asked), expected);
      assert.equal(seen.length, 1 + (fewerScopes?.length ?? 0));
    });
  }
});

describe('a device authorization of the standard', () => {
  async function authorized(fields: object) {
    const { oauth, request } = await standardService([{ json: { ...AUTHORIZATION, ...fields } }]);
    return await oauth.requestDeviceAuthorization(request);
  }

  it('has the interval and the lifetime of the standard if they are left out', async () => {
    const { deviceCode, expiresIn, interval, verificationUriComplete } = await authorized({});
    assert.deepEqual([deviceCode, expiresIn, interval, verificationUriComplete], ['device-1', 900, 5, undefined]);
  });

  for (const [interval, expires_in, expected] of [
    [5000, 900, 5],
    [5000, undefined, 5],
    ['10000', '600', 5],
    [600, 600, 5],
    [599, 600, 599],
    [30, 1800, 30],
    [5000, 900_000, 5],
    ['1000', '1800000', 5],
    [999, 900_000, 999],
  ] as const) {
    it(`has the interval ${expected} s if it says ${interval}, and ${String(expires_in)} of its lifetime`, async () => {
      assert.equal((await authorized({ interval, expires_in })).interval, expected);
    });
  }

  it('may have its page under the name that Google has for it', async () => {
    const verification_url = 'https://www.google.example/device';
    const { verificationUri } = await authorized({ verification_uri: undefined, verification_url });
    assert.equal(verificationUri, verification_url);
  });

  for (const [complete, isUsed] of [
    ['https://service.example/activate?user_code=ABCD-1234', true],
    ['https://other.example/activate?user_code=ABCD-1234', false],
  ] as const) {
    it(`${isUsed ? 'has' : "doesn't have"} ${complete} as the page with the code`, async () => {
      const { verificationUriComplete } = await authorized({ verification_uri_complete: complete });
      assert.equal(verificationUriComplete, isUsed ? complete : undefined);
    });
  }

  it('is refused by an error with HTTP 200', async () => {
    const { oauth, request } = await standardService([{ json: { error: 'invalid_scope' } }]);
    const expected = new ServiceError('device authorization', 200, 'invalid_scope');
    await fails(oauth.requestDeviceAuthorization(request), expected);
  });
});

/** Guards that people read of the address that was requested. */
describe('an error of a sign-in', () => {
  for (const [what, send] of [
    ['a device authorization', ({ oauth }, request) => oauth.requestDeviceAuthorization(request)],
    ['a poll', ({ oauth }, request) => oauth.poll(request, 'device-1')],
  ] as [string, (service: StandardService, request: AuthorizationRequest) => Promise<unknown>][]) {
    for (const [path, isNamed] of [
      ['/api/v3/login', false],
      ['/login', true],
      ['/api/v3-login', true],
    ] as const) {
      it(`${isNamed ? 'names' : "doesn't name"} the endpoint of ${what} at ${path}, below /api/v3`, async () => {
        const service = await standardService([{ status: 404, json: { error: 'refused' } }]);
        const { baseUrl, request } = service;
        const address = baseUrl + path;
        const endpoints = {
          ...(request.endpoints ?? assert.fail()),
          deviceAuthorization: `${address}?a=b`,
          token: address,
        };
        const error = await failure(send(service, { ...request, baseUrl: `${baseUrl}/api/v3`, endpoints }));
        assert.equal(error.endpointAddress, isNamed ? address : undefined);
      });
    }
  }

  it('names the endpoint that nothing responds at', async () => {
    const { oauth, request } = await standardService([]);
    const elsewhere = await serve(() => undefined);
    await elsewhere.close();
    const deviceAuthorization = `${elsewhere.baseUrl}/device`;
    const endpoints = { ...(request.endpoints ?? assert.fail()), deviceAuthorization };
    const error = await failure(oauth.requestDeviceAuthorization({ ...request, endpoints }));
    assert.deepEqual([error.endpointAddress, error.name], [deviceAuthorization, 'NetworkError']);
  });
});

describe('a poll of the standard', () => {
  for (const status of [200, 400, 403, 428]) {
    it(`is pending with HTTP ${status}`, async () => {
      assert.equal((await polled({ status, json: { error: 'authorization_pending' } })).kind, 'pending');
    });
  }

  for (const [response, interval] of [
    [{ status: 400, json: { error: 'slow_down' } }, undefined],
    [{ json: { error: 'slow_down', interval: 12 } }, 12],
    [{ status: 429, json: { error: 'slow_down', interval: '12' } }, 12],
    [{ text: 'error=slow_down&interval=12' }, 12],
  ] as const) {
    it(`is told to slow down: ${JSON.stringify(response)}`, async () => {
      const result = await polled(response);
      assert.ok(result.kind === 'pending');
      assert.deepEqual(result.slowDown, { interval });
    });
  }

  for (const [what, response, retryAfter] of [
    ['an empty 500', { status: 500 }],
    ['a page with 503', { status: 503, text: '<html>', headers: { 'Retry-After': '7' } }, 7],
    ['429 in JSON', { status: 429, text: '{}', headers: { 'Retry-After': ' 120 ' } }, 120],
    ['a code with 429', { status: 429, json: { error: 'rate_limit_exceeded' } }],
    ['a code with 500', { status: 500, json: { error: 'server_error' } }],
    ['a code with 503, whatever it is', { status: 503, json: { error: 'invalid_grant' } }],
    ['pending with 500', { status: 500, json: { error: 'authorization_pending' } }],
    ['a busy code with 400', { status: 400, json: { error: 'temporarily_unavailable' } }],
    ['a busy code with 200', { json: { error: 'server_error' } }],
    ['a large page with 502', { status: 502, text: LARGE_PAGE }],
    ['a page with 200', { text: '<html>Sign in to the network</html>' }],
    ['a page with 404', { status: 404, text: '<html>' }],
    ['a text with 403', { status: 403, text: 'Forbidden' }],
    ['nothing with 400', { status: 400 }],
    ['nothing with 204', { status: 204 }],
    ['JSON in other words', { status: 401, json: { message: 'Unauthorized' } }],
    ['a framework’s name of the status', { status: 404, json: { status: 404, error: 'Not Found', path: '/token' } }],
    ['a framework’s name of the status in one word', { status: 403, json: { error: 'Forbidden' } }],
    ['the name of the status as a code with 400', { status: 400, json: { error: 'bad_request' } }],
    ['the name of the status as a code with 401', { status: 401, json: { error: 'unauthorized' } }],
    ['the name of the status in capitals', { status: 403, json: { error: 'FORBIDDEN' } }],
    ['the name of the status with an underscore', { status: 404, json: { error: 'not_found' } }],
    ['the name of the status with a hyphen', { status: 408, json: { error: 'Request-Timeout' } }],
    ['an object with 200', { json: { status: 'ok' } }],
    ['a list with 200', { text: '[]' }],
    ['a redirect', { status: 302, headers: { Location: 'https://portal.example/' } }],
    [
      'a request for later by a date',
      {
        status: 503,
        headers: { Date: 'Wed, 25 Nov 2026 10:00:00 GMT', 'Retry-After': 'Wed, 25 Nov 2026 10:01:30 GMT' },
      },
      90,
    ],
    ['a request for later that’s over', { status: 503, headers: { 'Retry-After': 'Wed, 25 Nov 2015 10:01:30 GMT' } }],
    ['a request for later that can’t be read', { status: 503, headers: { 'Retry-After': 'soon' } }],
  ] as readonly (readonly [string, Scripted, number?])[]) {
    it(`gets no answer, and goes on, with ${what}`, async () => {
      const result = await polled(response);
      assert.ok(result.kind === 'no answer');
      assert.match(result.error.endpointAddress ?? '', /\/token$/);
      const wanted = result.error instanceof ServiceError ? result.error.retryAfter : undefined;
      assert.equal(wanted, retryAfter);
    });
  }

  it('keeps what the service says of the next poll while it’s pending', async () => {
    const headers = { 'Retry-After': '30' };
    const result = await polled({ status: 400, json: { error: 'authorization_pending' }, headers });
    assert.ok(result.kind === 'pending');
    assert.equal(result.retryAfter, 30);
  });

  for (const [status, code, expected] of [
    [400, 'access_denied', 'access_denied'],
    [400, 'authorization_declined', 'authorization_declined'],
    [400, 'bad_verification_code', 'invalid_grant'],
    [400, 'unauthorized', 'unauthorized'],
    [401, 'forbidden', 'forbidden'],
    [404, 'not_found_here', 'not_found_here'],
    [499, 'undefined', 'undefined'],
    [403, 'not_entitled', 'not_entitled'],
    [200, 'expired_token', 'expired_token'],
  ] as const) {
    it(`ends with HTTP ${status} ${code}`, async () => {
      await fails(polled({ status, json: { error: code } }), new ServiceError('poll', status, expected));
    });
  }

  it('reads tokens in a form', async () => {
    const text = 'access_token=access-1&scope=repo%2Cgist&token_type=bearer';
    const { accessToken, expiresIn, refreshToken, scopes } = await tokensOf({ text });
    assert.deepEqual([accessToken, refreshToken, scopes], ['access-1', undefined, ['repo', 'gist']]);
    assert.equal(expiresIn, Number.POSITIVE_INFINITY);
  });

  for (const [fields, expiresIn, defect] of [
    [{}, 3600],
    [{ expires_in: '60' }, 60],
    [{ expires_in: undefined }, Number.POSITIVE_INFINITY],
    [{ expires_in: null }, Number.POSITIVE_INFINITY],
    [{ expires_in: 0 }, undefined, 'expires_in'],
    [{ expires_in: 'soon' }, undefined, 'expires_in'],
    [{ expires_in: 0, refresh_token: undefined }, Number.POSITIVE_INFINITY, 'expires_in'],
  ] as const) {
    it(`has a token for ${expiresIn} s with ${JSON.stringify(fields)}`, async () => {
      const { log, oauth, request } = await standardService([{ json: { ...TOKENS, ...fields } }]);
      const result = await oauth.poll(request, 'device-1');
      assert.ok(result.kind === 'tokens');
      assert.equal(result.tokens.expiresIn, expiresIn);
      assert.equal(/no usable (.*)/.exec(log.text())?.[1], defect);
    });
  }

  const NOW = Date.parse('2026-11-21T12:00:00Z') / 1000;
  const DATE = new Date(NOW * 1000).toUTCString();

  for (const [what, claims, headers, expiresIn] of [
    ['by the service’s clock', { exp: NOW + 300 }, { Date: DATE }, 300],
    ['since its issue, if that’s shorter', { exp: NOW + 300, iat: NOW + 200 }, { Date: DATE }, 100],
    ['by the service’s clock, if its issue is in the past', { exp: NOW + 300, iat: NOW - 3_600 }, { Date: DATE }, 300],
    ['since its issue, if a gateway’s clock is ahead', { exp: NOW - 60, iat: NOW - 360 }, { Date: DATE }, 300],
    ['by the service’s clock, if it was issued too late', { exp: NOW + 60, iat: NOW + 90 }, { Date: DATE }, 60],
    ['since its issue, without another clock', { exp: NOW + 300, iat: NOW - 100 }, { Date: '' }, 400],
    ['whose dates are text', { exp: String(NOW + 60) }, { Date: DATE }, 60],
    ['whose dates have fractions', { exp: NOW + 90.5 }, { Date: DATE }, 90.5],
    ['that expires at once', { exp: NOW + 0.1 }, { Date: DATE }, 1],
    ['that doesn’t say it', { iat: NOW }, { Date: DATE }, Number.POSITIVE_INFINITY],
    ['that can’t be measured', { exp: NOW + 300 }, { Date: '' }, undefined],
    ['that expired before it came', { exp: NOW - 1 }, { Date: DATE }, undefined],
    ['that expired before its issue', { exp: NOW - 1, iat: NOW }, { Date: DATE }, undefined],
    ['whose date can’t be read', { exp: 'never' }, { Date: DATE }, Number.POSITIVE_INFINITY],
  ] as const) {
    it(`has a token for ${expiresIn} s if the response doesn’t say it, but the token does, ${what}`, async () => {
      const json = { ...TOKENS, access_token: idToken(claims), expires_in: undefined };
      assert.equal((await tokensOf({ json, headers })).expiresIn, expiresIn);
      const { oauth, request } = await standardService([{ json, headers }]);
      assert.equal((await oauth.refresh(request, 'refresh-0')).expiresIn, expiresIn);
      const draft = await client().oauth.refresh({ ...request, protocol: 'draft' }, 'refresh-0');
      assert.equal(draft.expiresIn, Number.isFinite(expiresIn) ? expiresIn : undefined, 'in the other dialect');
    });
  }

  it('has a token for as long as the response says, whatever the token does', async () => {
    const access_token = idToken({ exp: NOW + 300 });
    const headers = { Date: DATE };
    assert.equal((await tokensOf({ json: { ...TOKENS, access_token }, headers })).expiresIn, 3600);
    assert.equal((await tokensOf({ json: { ...TOKENS, access_token, expires_in: 0 }, headers })).expiresIn, undefined);
    const unusable = { ...TOKENS, access_token, expires_in: 0, refresh_token: undefined };
    assert.equal((await tokensOf({ json: unusable, headers })).expiresIn, 300, 'nothing could replace it');
  });

  it('finds no fault in what the standard lets services leave out', async () => {
    assert.equal((await tokensOf({ json: { access_token: 'a', token_type: 'BEARER' } })).accessToken, 'a');
  });

  for (const name of ['refresh_expires_in', 'refresh_token_expires_in']) {
    it(`reads ${name}, where 0 means none`, async () => {
      assert.equal((await tokensOf({ json: { ...TOKENS, [name]: 1800 } })).refreshExpiresIn, 1800);
      assert.equal((await tokensOf({ json: { ...TOKENS, [name]: 0 } })).refreshExpiresIn, undefined);
    });
  }

  it("doesn't use a token of another type", async () => {
    const request = polled({ json: { access_token: 'a', token_type: 'mac' } });
    await fails(request, new InvalidResponseError('poll', 200, 'token type', { field: 'mac' }));
    for (const token_type of [7, {}, '', 'mac [Sign in](command:x)', 'a'.repeat(17), 'access-1']) {
      const unnamed = polled({ json: { access_token: 'a', token_type } });
      await fails(unnamed, new InvalidResponseError('poll', 200, 'bad field', { field: 'token_type' }));
    }
  });

  for (const [fields, revoked] of [
    [{ refresh_token: undefined }, 'access-1'],
    [{}, 'refresh-1'],
  ] as const) {
    it(`revokes tokens that can't be used because their type is another one: the ${revoked.replace('-1', ' token')}`, async () => {
      const { oauth, request, seen } = await standardService([
        { json: { ...TOKENS, token_type: 'mac', ...fields } },
        { json: {} },
      ]);
      await assert.rejects(oauth.poll(request, 'device code'), InvalidResponseError);
      const [, revocation] = seen;
      assert.equal(revocation?.path, '/revoke');
      assert.equal(new URLSearchParams(revocation.body).get('token'), revoked);
    });
  }

  it('fails with the reason why a token can’t be used, even if the revocation fails', async () => {
    const { oauth, request } = await standardService([
      { json: { access_token: 'a', token_type: 'mac' } },
      { status: 503 },
    ]);
    await fails(
      oauth.poll(request, 'device code'),
      new InvalidResponseError('poll', 200, 'token type', { field: 'mac' }),
    );
  });

  for (const [scope, granted] of [
    [undefined, ['a', 'b']],
    ['', ['a', 'b']],
    ['b a', ['a', 'b']],
    ['b c', ['a', 'b', 'c']],
    ['b,c', ['a', 'b', 'c']],
  ] as const) {
    it(`grants ${granted.join(' ')} if a and b are asked for and the response lists ${String(scope)}`, async () => {
      assert.deepEqual((await tokensOf({ json: { ...TOKENS, scope } }, { scopes: ['a', 'b'] })).scopes, granted);
    });
  }
});

describe('the resource of a sign-in', () => {
  it('is sent with each request for tokens, and stored with them', async () => {
    const resource = 'https://a.example/b c?x=1';
    const { oauth, request, seen } = await standardService([
      { json: AUTHORIZATION },
      { json: TOKENS },
      { json: TOKENS },
    ]);
    const endpoints = { ...(request.endpoints ?? assert.fail()), resource };
    const named = { ...request, endpoints, parameters: { resource } };
    await oauth.requestDeviceAuthorization(named);
    const polled = await oauth.poll(named, 'device-1');
    assert.ok(polled.kind === 'tokens' && polled.tokens.endpoints !== undefined);
    await oauth.refresh({ ...request, endpoints: polled.tokens.endpoints }, 'refresh-1');
    assert.deepEqual(
      seen.map(({ body }) => new URLSearchParams(body).get('resource')),
      Array(3).fill(resource),
    );
  });
});

describe('a refresh of the standard', () => {
  async function refreshed(...script: Scripted[]) {
    const { oauth, request } = await standardService(script);
    return await oauth.refresh(request, 'refresh-0');
  }

  it('keeps a refresh token that comes with an access token of another type', async () => {
    const { accessToken, refreshToken } = await refreshed({ json: { ...TOKENS, token_type: 'mac' } });
    assert.deepEqual([accessToken, refreshToken], [undefined, 'refresh-1']);
  });

  for (const [requested, sent] of [
    [[], undefined],
    [['a'], 'a'],
    [['openid', 'offline_access', 'api://1234/.default'], 'openid offline_access api://1234/.default'],
    [['https://graph.example/User.Read', 'b'], 'https://graph.example/User.Read b'],
    [['a:b', 'c+d'], 'a:b c+d'],
  ] as const) {
    it(`requests what the sign-in requested: ${requested.join(' ')}`, async () => {
      const { oauth, request, seen } = await standardService([{ json: { ...TOKENS, scope: 'b' } }]);
      const tokens = await oauth.refresh(request, 'refresh-0', requested);
      assert.equal(new URLSearchParams(seen[0]?.body).get('scope') ?? undefined, sent);
      assert.deepEqual([tokens.listedScopes, tokens.requestedScopes], [['b'], undefined]);
    });
  }

  for (const [status, more] of [
    [400, {}],
    [401, {}],
    [403, { error_description: 'The scope is not allowed in a refresh.' }],
    [400, { error_codes: [70011] }],
    [200, {}],
  ] as const) {
    it(`requests nothing more, from then on, if the service refuses the scopes with HTTP ${status} ${JSON.stringify(more)}`, async () => {
      const { oauth, request, seen } = await standardService([
        { status, json: { error: 'invalid_scope', ...more } },
        { json: TOKENS },
      ]);
      const { refreshToken, requestedScopes } = await oauth.refresh(request, 'refresh-0', ['a', 'b']);
      assert.deepEqual([refreshToken, requestedScopes], ['refresh-1', []]);
      assert.deepEqual(
        seen.map(({ body }) => new URLSearchParams(body).get('scope')),
        ['a b', null],
      );
    });
  }

  for (const [what, refusal] of [
    ['invalid_request', { json: { error: 'invalid_request', error_description: 'scope parameter not supported' } }],
    ['invalid_parameter', { json: { error: 'invalid_parameter' } }],
    ['access_denied', { json: { error: 'access_denied' } }],
    ['invalid_target', { json: { error: 'invalid_target' } }],
    ['the name of the status', { json: { error: 'Bad Request' } }],
    ['a sentence', { json: { error: 'scope is not allowed here' } }],
    ['other words', { json: { message: 'property scope should not exist' } }],
    ['nothing', {}],
  ] as const) {
    it(`is sent once more without scopes, and so from then on, after a 400 that may be about them: ${what}`, async () => {
      const { oauth, request, seen } = await standardService([{ status: 400, ...refusal }, { json: TOKENS }]);
      const { refreshToken, requestedScopes } = await oauth.refresh(request, 'refresh-0', ['a', 'b']);
      assert.deepEqual([refreshToken, requestedScopes], ['refresh-1', []]);
      assert.deepEqual(
        seen.map(({ body }) => new URLSearchParams(body).get('scope')),
        ['a b', null],
      );
    });
  }

  /** What a service with a resource gets of both, one request after the other, and what's remembered. */
  async function refreshedWithResource(scopes: readonly string[], ...refusals: readonly Scripted[]) {
    const { oauth, request, seen } = await standardService([...refusals, { json: TOKENS }]);
    const endpoints = { ...(request.endpoints ?? assert.fail('no endpoints')), resource: 'https://api.example' };
    const tokens = await oauth.refresh({ ...request, endpoints }, 'refresh-0', scopes);
    const sent = seen.map(({ body }) => new URLSearchParams(body));
    return {
      sent: sent.map((form) => [form.get('scope'), form.get('resource')]),
      remembered: [tokens.requestedScopes, tokens.endpoints],
      others: { ...endpoints, resource: undefined },
    };
  }
  const RESOURCE = 'https://api.example';

  for (const refusal of [
    { status: 400, json: { error: 'invalid_target' } },
    { status: 403, json: { error: 'invalid_target' } },
    { status: 400, json: { error: 'invalid_request' } },
    { status: 400, json: { message: 'resource is not allowed' } },
    { status: 400 },
  ]) {
    it(`is sent once more without the resource, and so from then on, after ${JSON.stringify(refusal)}`, async () => {
      const { sent, remembered, others } = await refreshedWithResource([], refusal);
      assert.deepEqual(sent, [
        [null, RESOURCE],
        [null, null],
      ]);
      assert.deepEqual(remembered, [undefined, others]);
    });
  }

  it('keeps its scopes if just the resource is refused, and the resource if just the scopes are', async () => {
    const one = await refreshedWithResource(['a'], { status: 400, json: { error: 'invalid_target' } });
    assert.deepEqual(one.sent, [
      ['a', RESOURCE],
      ['a', null],
    ]);
    assert.deepEqual(one.remembered, [undefined, one.others]);
    const other = await refreshedWithResource(['a'], { status: 400, json: { error: 'invalid_scope' } });
    assert.deepEqual(other.sent, [
      ['a', RESOURCE],
      [null, RESOURCE],
    ]);
    assert.deepEqual(other.remembered, [[], undefined]);
  });

  it('gives up scopes first, and then the resource, if the service doesn’t say what it refuses', async () => {
    for (const [first, second] of [
      ['invalid_request', 'invalid_request'],
      ['invalid_scope', 'invalid_target'],
    ]) {
      const refusals = [first, second].map((error) => ({ status: 400, json: { error } }));
      const { sent, remembered, others } = await refreshedWithResource(['a'], ...refusals);
      assert.deepEqual(sent, [
        ['a', RESOURCE],
        [null, RESOURCE],
        [null, null],
      ]);
      assert.deepEqual(remembered, [[], others]);
    }
  });

  it('fails as the last request does, and isn’t sent more than twice', async () => {
    for (const [first, second] of [
      ['invalid_scope', 'invalid_scope'],
      ['invalid_request', 'invalid_request'],
      ['invalid_request', 'invalid_grant'],
    ] as const) {
      const { oauth, request, seen } = await standardService([
        { status: 400, json: { error: first } },
        { status: 400, json: { error: second } },
      ]);
      await fails(oauth.refresh(request, 'refresh-0', ['a']), new ServiceError('refresh', 400, second));
      assert.equal(seen.length, 2);
    }
  });

  it('isn’t known to be refused if the response to the second request is lost', async () => {
    const { oauth, request } = await standardService([
      { status: 400, json: { error: 'invalid_request' } },
      { text: '{"access_', headers: { 'Content-Length': '200' } },
    ]);
    await assert.rejects(oauth.refresh(request, 'refresh-0', ['a']), { name: 'NetworkError', maybeSent: true });
  });

  for (const [status, what, response] of [
    [400, 'invalid_grant', { json: { error: 'invalid_grant' } }],
    [400, 'invalid_client', { json: { error: 'invalid_client' } }],
    [400, 'unauthorized_client', { json: { error: 'unauthorized_client' } }],
    [400, 'invalid_refresh_token', { json: { error: 'invalid_refresh_token' } }],
    [400, 'interaction_required', { json: { error: 'interaction_required' } }],
    [400, 'temporarily_unavailable', { json: { error: 'temporarily_unavailable' } }],
    [400, 'a page', { text: '<html>' }],
    [401, 'invalid_request', { json: { error: 'invalid_request' } }],
    [403, 'nothing', {}],
    [500, 'invalid_request', { json: { error: 'invalid_request' } }],
  ] as const) {
    it(`isn’t sent again without scopes after a refusal of another kind: HTTP ${status} ${what}`, async () => {
      const { oauth, request, seen } = await standardService([{ status, ...response }]);
      await assert.rejects(oauth.refresh(request, 'refresh-0', ['a']), ServiceError);
      assert.equal(seen.length, 1);
    });
  }

  it('isn’t sent again if it requests no scopes anyway', async () => {
    const { oauth, request, seen } = await standardService([{ status: 400, json: { error: 'invalid_request' } }]);
    await assert.rejects(oauth.refresh(request, 'refresh-0'), ServiceError);
    assert.equal(seen.length, 1);
  });

  it('needs no refresh token in the response', async () => {
    const { expiresIn, refreshToken } = await refreshed({ json: { access_token: 'a', expires_in: 0 } });
    assert.deepEqual([expiresIn, refreshToken], [0, undefined]);
  });

  for (const [expires_in, expiresIn] of [
    [0, 0],
    [-1, 0],
    ['0', 0],
    ['-30', 0],
    [0.5, 1],
    ['soon', undefined],
    [undefined, Number.POSITIVE_INFINITY],
  ] as const) {
    it(`has a token for ${expiresIn} s with expires_in ${JSON.stringify(expires_in)}`, async () => {
      const { log, oauth, request } = await standardService([{ json: { ...TOKENS, expires_in } }]);
      assert.equal((await oauth.refresh(request, 'refresh-0')).expiresIn, expiresIn);
      assert.equal(log.text().includes('no usable expires_in'), expiresIn === 0 || expiresIn === undefined);
    });
  }

  for (const [scope, listed] of [
    ['a b', ['a', 'b']],
    ['', []],
    [' ', []],
    [undefined, undefined],
    [null, undefined],
    [['a'], ['a']],
    [
      ['a', 'b c', 'd'],
      ['a', 'b', 'c', 'd'],
    ],
    [[], []],
    [['a', 17, null], ['a']],
    ['a\nb\tc', ['a', 'b', 'c']],
    [{ a: true }, undefined],
    [[{ name: 'a' }], undefined],
    [17, undefined],
  ] as const) {
    it(`lists ${JSON.stringify(listed)} with the scope ${JSON.stringify(scope)}`, async () => {
      const { listedScopes } = await refreshed({ json: { ...TOKENS, scope } });
      assert.deepEqual(listedScopes, listed);
    });
  }

  it('tells whom an ID token for this client names, whoever that is', async () => {
    const { oauth, request } = await standardService((_, iss) => ({
      json: { ...TOKENS, id_token: idToken({ iss, aud: 'the client', sub: 's' }) },
    }));
    const { user } = await oauth.refresh(request, 'refresh-0');
    assert.equal(user?.id, JSON.stringify([request.baseUrl, 's']));
  });

  for (const [response, code, body] of [
    [{ status: 400, json: { error: 'invalid_grant' } }, 'invalid_grant'],
    [{ json: { error: 'bad_refresh_token' } }, 'invalid_grant'],
    [{ status: 400 }, undefined, 'empty'],
    [{ status: 400, json: { message: 'Refresh token is invalid' } }, undefined, 'object'],
    [{ status: 401, json: { error: 'Refresh token is invalid or expired' } }, undefined, 'object'],
    [{ status: 403, json: { status: 403, error: 'Forbidden' } }, undefined, 'object'],
    [{ status: 400, text: '<html>' }, undefined],
  ] as const) {
    it(`fails with ${JSON.stringify(response)}`, async () => {
      const status = 'status' in response ? response.status : 200;
      await fails(refreshed(response), new ServiceError('refresh', status, code, body && { body }));
    });
  }

  it("doesn't take a page of more than 1 MiB for an empty response", async () => {
    await fails(refreshed({ status: 400, text: LARGE_PAGE }), new ServiceError('refresh', 400, undefined));
  });

  it("doesn't read a form that was cut off, because half of a token looks like a whole one", async () => {
    const headers = { 'Content-Length': '200' };
    const cutOff = refreshed({ text: 'access_token=access-1&refresh_token=refr', headers });
    await assert.rejects(cutOff, { name: 'NetworkError', reason: 'connection lost', maybeSent: true });
    const { refreshToken } = await refreshed({ json: TOKENS, headers });
    assert.equal(refreshToken, 'refresh-1', 'JSON shows that it is whole');
  });
});
