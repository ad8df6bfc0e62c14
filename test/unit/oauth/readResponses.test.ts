import assert from 'node:assert/strict';
import type { AccountInfo, AccountOptions, TokenResponse } from '../../../src/oauth/client';
import { InvalidResponseError, ServiceError } from '../../../src/oauth/errors';
import {
  readAccount,
  readDeviceAuthorization,
  readTokens,
  type ReadDeviceAuthorization,
} from '../../../src/oauth/readResponses';
import { answering, credentials, DEVICE_CODE, fails, TOKENS } from './harness';

function named(value: unknown): string {
  return value === undefined ? 'that is absent' : JSON.stringify(value).slice(0, 60);
}

function fieldsOf(response: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(JSON.parse(JSON.stringify(response)) as object));
}

describe('a device authorization response', () => {
  function read(change: object): ReadDeviceAuthorization | string {
    return readDeviceAuthorization(fieldsOf({ ...DEVICE_CODE, ...change }), 'not a real secret');
  }

  function accepted(change: object): ReadDeviceAuthorization {
    const result = read(change);
    assert.ok(typeof result !== 'string');
    return result;
  }

  it('is read with all its fields', async () => {
    assert.deepEqual(await answering(200, DEVICE_CODE).oauth.requestDeviceAuthorization(credentials()), {
      deviceCode: 'device-1',
      userCode: 'ABCD-1234',
      verificationUri: 'https://service.example/activate',
      expiresIn: 600,
      interval: 7,
    });
  });

  it('is invalid if a field of it is', async () => {
    const request = answering(200, { ...DEVICE_CODE, code: '' }).oauth.requestDeviceAuthorization(credentials());
    await fails(request, new InvalidResponseError('device authorization', 200, 'bad field', 'code'));
  });

  for (const [field, values] of Object.entries({
    code: [undefined, null, '', 5, {}, ['x'], 'a\nb', 'a\0', '\ud800', 'x'.repeat(4097)],
    user_code: [
      ...[undefined, null, '', 1234, '   ', '--', 'A'.repeat(65), 'AB\n12', '[a](b)', '$(bug)', 'A\u202eB', 'Ä1'],
      'A\u200bB',
      // The client secret, or a telling piece of it.
      ...['not a real secret', 'real sec', 'NOT not a real secret'],
    ],
    verification_uri: [
      ...[undefined, null, '', 42, 'https:service.example', 'https://', 'https://[::1/', ' https://service.example/'],
      'service.example/activate',
      'ftp://service.example/',
      'command:workbench.action.quit',
      'javascript:alert(1)',
      'http://service.example/activate',
      'http://127.0.0.1.example/activate',
      'http://127.0.0.2/activate',
      'http://x.localhost/activate',
      'https:///service.example@other.example/',
      'https:////service.example/',
      'https://?@other.example/',
      'https://service.example:@other.example/',
      `https://${'a.'.repeat(125)}example/`,
      'https://user:password@service.example/',
      'https://user@service.example/',
      'https://@service.example/',
      'https://service.example\\@other.example/',
      'https://service.example/a b',
      'https://service.example/\u202e',
      'https://service.example/\n',
      `https://service.example/${'a'.repeat(2048)}`,
      // The client secret, encoded.
      'https://service.example/?s=not%20a%20real%20secret',
      'https://service.example/%zz/n%6ft%20%61%20real%20secret#',
    ],
  })) {
    for (const value of values) {
      it(`is invalid for ${field} ${named(value)}`, () => {
        assert.equal(read({ [field]: value }), field);
      });
    }
  }

  for (const [field, value] of [
    ['user_code', 'DEVICE-CODE-1'],
    ['user_code', 'It is DEVICE-CODE-1 here'],
    ['verification_uri', 'https://service.example/?code=DEVICE-CODE-1'],
    ['verification_uri', 'https://service.example/#%44EVICE%2dCODE-1'],
  ] as const) {
    it(`is invalid for a ${field} that repeats the device code: ${value}`, () => {
      assert.equal(read({ code: 'DEVICE-CODE-1', [field]: value }), field);
    });
  }

  it('is invalid for a user code that is the device code, however short; the device code may begin with it', () => {
    assert.equal(read({ code: 'ABCD', user_code: 'ABCD' }), 'user_code');
    const { authorization } = accepted({ code: `${DEVICE_CODE.user_code}-and-more` });
    assert.equal(authorization.userCode, DEVICE_CODE.user_code);
  });

  for (const uri of [
    'https://service.example',
    'HTTPS://Service.Example/Activate?x=[1]&y=(2)#%41',
    'https://service.example/@me',
    'https://service.example//login',
    'http://localhost:8080/activate',
    'http://127.0.0.1:1/',
    'http://[::1]:1/',
  ]) {
    it(`keeps the verification URI ${uri} as it came`, () => {
      assert.equal(accepted({ verification_uri: uri }).authorization.verificationUri, uri);
    });
  }

  for (const [value, seconds] of [
    [1, 1],
    ['1', 1],
    [' 12 ', 12],
    ['2.5', 2.5],
    [0.5, 1],
    ['0.001', 1],
    [Number.MIN_VALUE, 1],
    [1e300, 2_592_000],
    ['9'.repeat(30), 2_592_000],
  ] as const) {
    it(`takes ${JSON.stringify(value)} for ${seconds} s`, () => {
      const { authorization, defects } = accepted({ expires_in: value, interval: value });
      assert.deepEqual([authorization.expiresIn, authorization.interval, defects], [seconds, seconds, []]);
    });
  }

  for (const value of [undefined, null, 0, -1, '0', '-5', '', 'soon', '0x10', '1e3', true, [5], {}]) {
    it(`takes the default for ${named(value)}`, () => {
      const { authorization, defects } = accepted({ expires_in: value, interval: value });
      assert.deepEqual([authorization.expiresIn, authorization.interval], [900, 5]);
      assert.deepEqual(defects, ['expires_in', 'interval']);
    });
  }

  it('takes the default for an infinite number, and the log says so', async () => {
    const { oauth, log } = answering(200, JSON.stringify(DEVICE_CODE).replace(':600', ':1e999'));
    assert.equal((await oauth.requestDeviceAuthorization(credentials())).expiresIn, 900);
    assert.match(log.text(), /device authorization: the response has no usable expires_in/);
  });

  it("isn't read from names that lead to a prototype", async () => {
    const { oauth } = answering(200, `{"__proto__":${JSON.stringify(DEVICE_CODE)},"constructor":{}}`);
    const expected = new InvalidResponseError('device authorization', 200, 'bad field', 'code');
    await fails(oauth.requestDeviceAuthorization(credentials()), expected);
  });
});

describe('a token response', () => {
  const whole = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresIn: 3600, defects: [] };
  const absent = { accessToken: undefined, defects: ['access_token'] };

  it('is read with all its fields, after a poll and after a refresh', async () => {
    const { oauth, refresh, log } = answering(200, TOKENS);
    assert.deepEqual(await oauth.poll(credentials(), 'd'), { kind: 'tokens', tokens: whole });
    assert.deepEqual(await refresh(), whole);
    assert.doesNotMatch(log.text(), /no usable/);
  });

  for (const [name, change, expected] of [
    ['no scope', { scope: undefined }, {}],
    ['no token type', { token_type: undefined }, {}],
    ['Bearer with a capital letter', { token_type: 'Bearer' }, {}],
    ['another token type', { token_type: 'mac' }, { defects: ['token_type'] }],
    ['a token type that is none', { token_type: 1 }, { defects: ['token_type'] }],
    ['a lifetime as a string', { expires_in: '60' }, { expiresIn: 60 }],
    ['a lifetime for ever', { expires_in: 1e18 }, { expiresIn: 315_360_000 }],
    ['no lifetime', { expires_in: undefined }, { expiresIn: undefined, defects: ['expires_in'] }],
    ['a negative lifetime', { expires_in: -1 }, { expiresIn: undefined, defects: ['expires_in'] }],
    ['a lifetime of zero', { expires_in: 0 }, { expiresIn: undefined, defects: ['expires_in'] }],
    ['no refresh token', { refresh_token: undefined }, { refreshToken: undefined, defects: ['refresh_token'] }],
    ['an empty refresh token', { refresh_token: '' }, { refreshToken: undefined, defects: ['refresh_token'] }],
    ['a broken refresh token', { refresh_token: 'a\r\nb' }, { refreshToken: undefined, defects: ['refresh_token'] }],
    ['a refresh token with signs', { refresh_token: 'a b&ü😀' }, { refreshToken: 'a b&ü😀' }],
    ['no access token', { access_token: undefined }, absent],
    ['an empty access token', { access_token: '' }, absent],
    ['null for an access token', { access_token: null }, absent],
    ['a number for an access token', { access_token: 7 }, absent],
    ['line breaks in the access token', { access_token: 'a\r\nX: y' }, absent],
    ['a space in the access token', { access_token: 'a b' }, absent],
    ['a huge access token', { access_token: 'a'.repeat(16_385) }, absent],
    ['a large access token', { access_token: 'a'.repeat(16_384) }, { accessToken: 'a'.repeat(16_384) }],
    ['an error beside tokens', { error: 'late' }, {}],
  ] as const) {
    it(`with ${name} keeps the rest`, () => {
      const tokens: TokenResponse | undefined = readTokens(fieldsOf({ ...TOKENS, ...change }));
      assert.deepEqual(tokens, { ...whole, ...expected });
    });
  }

  it('with a defect says so in the log', async () => {
    const { refresh, log } = answering(200, { ...TOKENS, access_token: '', expires_in: -1 });
    await refresh();
    assert.match(log.text(), /refresh: the response has no usable access_token, expires_in/);
  });

  it('without a usable token is invalid', async () => {
    const { oauth, refresh } = answering(200, { ...TOKENS, access_token: '', refresh_token: null });
    await fails(oauth.poll(credentials(), 'd'), new InvalidResponseError('poll', 200, 'bad field', 'access_token'));
    await fails(refresh(), new InvalidResponseError('refresh', 200, 'bad field', 'access_token'));
  });

  it('without tokens and with an error is that error, whatever its status says', async () => {
    const { refresh } = answering(200, { error: 'invalid_grant' });
    await fails(refresh(), new ServiceError('refresh', 200, 'invalid_grant'));
  });
});

describe('an account response', () => {
  const TOKEN = 'not-a-real-access-token';
  const options: AccountOptions = { path: '/user', field: 'name', idField: 'id', accessTokenIn: 'header' };

  function read(body: object, changed: Partial<AccountOptions> = {}): AccountInfo | undefined {
    return readAccount(fieldsOf(body), { ...options, ...changed }, TOKEN);
  }

  for (const [what, body, changed, expected] of [
    ['a name and an ID', { name: 'Ada', id: 'user-1' }, {}, { name: 'Ada', id: 'user-1' }],
    ['a name only', { name: 'Ada' }, {}, { name: 'Ada', id: undefined }],
    ['an ID only', { name: ' ', id: 'user-1' }, {}, { name: undefined, id: 'user-1' }],
    ['an ID that nobody asks for', { name: 'Ada', id: '1' }, { idField: undefined }, { name: 'Ada', id: undefined }],
    [
      'fields within others, and a number',
      { user: { profile: { name: 'Ada' }, id: 42 } },
      { field: 'user.profile.name', idField: 'user.id' },
      { name: 'Ada', id: '42' },
    ],
    ['an ID that is within the token', { id: TOKEN.slice(3, 15) }, {}, { name: undefined, id: TOKEN.slice(3, 15) }],
    ['a number that JSON rounds', { name: 'Ada', id: 2 ** 53 }, {}, { name: 'Ada', id: undefined }],
    ['an endless ID', { name: 'Ada', id: 'x'.repeat(256) }, {}, { name: 'Ada', id: undefined }],
    ['the token as an ID', { name: 'Ada', id: `user ${TOKEN}` }, {}, { name: 'Ada', id: undefined }],
  ] as const) {
    it(`is read with ${what}`, () => {
      assert.deepEqual(read(body, changed), expected);
    });
  }

  for (const [what, body, field] of [
    ['is missing', {}, 'name'],
    ['is empty', { name: ' ' }, 'name'],
    ['is not text', { name: ['Ada'] }, 'name'],
    ['is inherited', { user: {} }, 'user.constructor.name'],
    ['is within text', { user: 'Ada' }, 'user.name.length'],
    ['repeats the token', { name: `Ada ${TOKEN}` }, 'name'],
    ['repeats a piece of the token', { name: TOKEN.slice(3, 15) }, 'name'],
  ] as const) {
    it(`is invalid if its field ${what}`, async () => {
      assert.equal(read(body, { field }), undefined);
      const request = answering(200, body).oauth.fetchAccount('https://service.example', { ...options, field }, TOKEN);
      await fails(request, new InvalidResponseError('account', 200, 'bad field', field));
    });
  }
});
