import assert from 'node:assert/strict';
import type { AccountInfo, AccountOptions } from '../../../src/oauth/client';
import { answering, credentials, DEVICE_CODE, facts, failure, TOKENS } from './harness';

function named(value: unknown): string {
  return value === undefined ? 'that is absent' : JSON.stringify(value).slice(0, 60);
}

const BAD_FIELD = {
  operation: 'device authorization',
  status: 200,
  problem: 'bad field',
  name: 'InvalidResponseError',
};

describe('a device code', () => {
  it('is read with all its fields', async () => {
    const { oauth } = answering(200, DEVICE_CODE);
    assert.deepEqual(await oauth.requestDeviceAuthorization(credentials()), {
      deviceCode: 'device-1',
      userCode: 'ABCD-1234',
      verificationUri: 'https://service.example/activate',
      expiresIn: 600,
      interval: 7,
    });
  });

  for (const [field, values] of Object.entries({
    code: [undefined, null, '', 5, {}, ['x'], 'a\nb', 'a\0', '\ud800', 'x'.repeat(4097)],
    user_code: [
      undefined,
      null,
      '',
      1234,
      '   ',
      '--',
      'A'.repeat(65),
      'AB\n12',
      '[a](b)',
      '$(bug)',
      'A\u202eB',
      'Ä1',
      'A\u200bB',
    ],
    verification_uri: [
      undefined,
      null,
      '',
      42,
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
      'https:service.example',
      'https://',
      'https://[::1/',
      ' https://service.example/',
      'https://service.example/a b',
      'https://service.example/\u202e',
      'https://service.example/\n',
      `https://service.example/${'a'.repeat(2048)}`,
    ],
  })) {
    for (const value of values) {
      it(`is refused for ${field} ${named(value)}`, async () => {
        const { oauth } = answering(200, { ...DEVICE_CODE, [field]: value });
        assert.deepEqual(facts(await failure(oauth.requestDeviceAuthorization(credentials()))), {
          ...BAD_FIELD,
          field,
        });
      });
    }
  }

  for (const [field, value] of [
    ['user_code', 'not a real secret'],
    ['user_code', 'real sec'],
    ['user_code', 'NOT not a real secret'],
    ['verification_uri', 'https://service.example/?s=not%20a%20real%20secret'],
    ['verification_uri', 'https://service.example/%zz/n%6ft%20%61%20real%20secret#'],
  ] as const) {
    it(`is refused for a ${field} that repeats the client secret: ${value}`, async () => {
      const { oauth } = answering(200, { ...DEVICE_CODE, [field]: value });
      assert.deepEqual(facts(await failure(oauth.requestDeviceAuthorization(credentials()))), {
        ...BAD_FIELD,
        field,
      });
    });
  }

  for (const [field, value] of [
    ['user_code', 'DEVICE-CODE-1'],
    ['user_code', 'It is DEVICE-CODE-1 here'],
    ['verification_uri', 'https://service.example/?code=DEVICE-CODE-1'],
    ['verification_uri', 'https://service.example/#%44EVICE%2dCODE-1'],
  ] as const) {
    it(`is refused for a ${field} that repeats the device code: ${value}`, async () => {
      const { oauth } = answering(200, { ...DEVICE_CODE, code: 'DEVICE-CODE-1', [field]: value });
      assert.deepEqual(facts(await failure(oauth.requestDeviceAuthorization(credentials()))), {
        ...BAD_FIELD,
        field,
      });
    });
  }

  it('is refused for a user code that is the device code, however short', async () => {
    const { oauth } = answering(200, { ...DEVICE_CODE, code: 'ABCD', user_code: 'ABCD' });
    const error = facts(await failure(oauth.requestDeviceAuthorization(credentials())));
    assert.deepEqual(error, { ...BAD_FIELD, field: 'user_code' });
  });

  it('may begin with the user code', async () => {
    const { oauth } = answering(200, { ...DEVICE_CODE, code: `${DEVICE_CODE.user_code}-and-more` });
    assert.equal((await oauth.requestDeviceAuthorization(credentials())).userCode, DEVICE_CODE.user_code);
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
    it(`keeps the verification URI ${uri} as it came`, async () => {
      const { oauth } = answering(200, { ...DEVICE_CODE, verification_uri: uri });
      assert.equal((await oauth.requestDeviceAuthorization(credentials())).verificationUri, uri);
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
    it(`takes ${JSON.stringify(value)} for ${seconds} s`, async () => {
      const { oauth, log } = answering(200, { ...DEVICE_CODE, expires_in: value, interval: value });
      const { expiresIn, interval } = await oauth.requestDeviceAuthorization(credentials());
      assert.deepEqual({ expiresIn, interval }, { expiresIn: seconds, interval: seconds });
      assert.doesNotMatch(log.text(), /no usable/);
    });
  }

  for (const value of [undefined, null, 0, -1, '0', '-5', '', 'soon', '0x10', '1e3', true, [5], {}]) {
    it(`takes the default for ${named(value)} and says so in the log`, async () => {
      const { oauth, log } = answering(200, { ...DEVICE_CODE, expires_in: value, interval: value });
      const { expiresIn, interval } = await oauth.requestDeviceAuthorization(credentials());
      assert.deepEqual({ expiresIn, interval }, { expiresIn: 900, interval: 5 });
      assert.match(log.text(), /device authorization: the response has no usable expires_in, interval/);
    });
  }

  it('takes the default for an infinite number', async () => {
    const { oauth } = answering(200, JSON.stringify(DEVICE_CODE).replace(':600', ':1e999'));
    assert.equal((await oauth.requestDeviceAuthorization(credentials())).expiresIn, 900);
  });

  it('is not read from names that lead to a prototype', async () => {
    const { oauth } = answering(200, `{"__proto__":${JSON.stringify(DEVICE_CODE)},"constructor":{}}`);
    assert.deepEqual(facts(await failure(oauth.requestDeviceAuthorization(credentials()))), {
      ...BAD_FIELD,
      field: 'code',
    });
  });
});

/** What is read of an access token that is there and can never be sent. */
const UNUSABLE = { accessToken: undefined, unusableAccessToken: true, defects: ['access_token'] };

describe('a token response', () => {
  const whole = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresIn: 3600, defects: [] };

  it('is read with all its fields, after a poll and after a refresh', async () => {
    const { oauth } = answering(200, TOKENS);
    assert.deepEqual(await oauth.poll(credentials(), 'd'), { kind: 'tokens', tokens: whole });
    assert.deepEqual(await oauth.refresh(credentials(), 'r'), whole);
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
    ['no access token', { access_token: undefined }, { accessToken: undefined, defects: ['access_token'] }],
    ['an empty access token', { access_token: '' }, { accessToken: undefined, defects: ['access_token'] }],
    ['null for an access token', { access_token: null }, { accessToken: undefined, defects: ['access_token'] }],
    ['a number for an access token', { access_token: 7 }, UNUSABLE],
    ['line breaks in the access token', { access_token: 'a\r\nX: y' }, UNUSABLE],
    ['a space in the access token', { access_token: 'a b' }, UNUSABLE],
    ['a huge access token', { access_token: 'a'.repeat(16_385) }, UNUSABLE],
    ['a large access token', { access_token: 'a'.repeat(16_384) }, { accessToken: 'a'.repeat(16_384) }],
    ['an error beside tokens', { error: 'late' }, {}],
  ] as const) {
    it(`with ${name} keeps the rest`, async () => {
      const { oauth, log } = answering(200, { ...TOKENS, ...change });
      const expectedTokens = { ...whole, ...expected };
      assert.deepEqual(await oauth.refresh(credentials(), 'r'), expectedTokens);
      assert.equal(log.text().includes('no usable'), expectedTokens.defects.length > 0);
    });
  }

  it('without a usable token is refused', async () => {
    const { oauth } = answering(200, { ...TOKENS, access_token: '', refresh_token: null });
    for (const [operation, request] of [
      ['poll', oauth.poll(credentials(), 'd')],
      ['refresh', oauth.refresh(credentials(), 'r')],
    ] as const) {
      assert.deepEqual(facts(await failure(request)), { ...BAD_FIELD, operation, field: 'access_token' });
    }
  });

  it('without tokens and with an error is that error, whatever its status says', async () => {
    const { oauth } = answering(200, { error: 'invalid_grant' });
    const expected = { operation: 'refresh', status: 200, code: 'invalid_grant', name: 'ServiceError' };
    assert.deepEqual(facts(await failure(oauth.refresh(credentials(), 'r'))), expected);
  });
});

describe('an account response', () => {
  const TOKEN = 'not-a-real-access-token';
  const options: AccountOptions = { path: '/user', field: 'name', idField: 'id', accessTokenIn: 'header' };

  function read(body: unknown, changed: Partial<AccountOptions> = {}): Promise<AccountInfo> {
    return answering(200, body).oauth.fetchAccount('https://service.example', { ...options, ...changed }, TOKEN);
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
    ['a number that JSON rounds', '{"name":"Ada","id":9007199254740993}', {}, { name: 'Ada', id: undefined }],
    ['an endless ID', { name: 'Ada', id: 'x'.repeat(256) }, {}, { name: 'Ada', id: undefined }],
    ['the token as an ID', { name: 'Ada', id: `user ${TOKEN}` }, {}, { name: 'Ada', id: undefined }],
  ] as const) {
    it(`is read with ${what}`, async () => {
      assert.deepEqual(await read(body, changed), expected);
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
    it(`is refused if its field ${what}`, async () => {
      const error = await failure(read(body, { field }));
      assert.deepEqual(facts(error), { ...BAD_FIELD, operation: 'account', field });
      assert.ok(!error.message.includes(TOKEN));
    });
  }
});
