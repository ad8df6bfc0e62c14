import assert from 'node:assert/strict';
import type { DeviceAuthorization, TokenResponse } from '../../../src/oauth/types';
import { InvalidResponseError, ServiceError } from '../../../src/oauth/errors';
import { answering, credentials, DEVICE_CODE, fails, TOKENS } from './harness';
import { endpointsAt } from './standardHarness';

function named(value: unknown): string {
  return value === undefined ? 'that is absent' : JSON.stringify(value).slice(0, 60);
}

/** Guards that odd fields in a response cost no tokens, and that codes that can't be shown safely are refused. */
describe('a device authorization response', () => {
  const WHOLE: DeviceAuthorization = {
    deviceCode: 'device-1',
    userCode: 'ABCD-1234',
    verificationUri: 'https://service.example/activate',
    expiresIn: 600,
    interval: 7,
  };

  async function accepts(change: object, expected: Partial<DeviceAuthorization>, defects = ''): Promise<void> {
    const { oauth, log } = answering(200, { ...DEVICE_CODE, ...change });
    assert.deepEqual(await oauth.requestDeviceAuthorization(credentials()), { ...WHOLE, ...expected });
    assert.equal(/no usable (.*)/.exec(log.text())?.[1] ?? '', defects);
  }

  async function refuses(
    body: object | string,
    field: string,
    problem: 'missing field' | 'bad field' | 'page not secure' = 'bad field',
  ): Promise<void> {
    const request = answering(200, body).oauth.requestDeviceAuthorization(credentials());
    await fails(request, new InvalidResponseError('device authorization', 200, problem, { field }));
  }

  it('is read with all its fields', async () => {
    await accepts({}, {});
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
      'https:service.example',
      ' https://service.example/',
      'javascript:alert(1)',
      'https:///service.example@other.example/',
      'https:////service.example/',
      'https://?@other.example/',
      'https://service.example:@other.example/',
      `https://${'a.'.repeat(125)}example/`,
      'https://user@service.example/',
      'https://@service.example/',
      'https://service.example\\@other.example/',
      'https://service.example%E3%80%82evil.example/activate',
      'https://service.example%2eevil.example/activate',
      'https://service.example,evil.example/activate',
      'https://service.example/a b',
      'https://service.example/\u202e',
      'https://service.example/\n',
      `https://service.example/${'a'.repeat(2048)}`,
    ],
  })) {
    for (const value of values) {
      const isText = typeof value === 'string' && value !== '';
      it(`is invalid for ${field} ${named(value)}${isText ? '' : ', as if it was missing'}`, async () => {
        await refuses({ ...DEVICE_CODE, [field]: value }, field, isText ? 'bad field' : 'missing field');
      });
    }
  }

  for (const uri of ['http://service.example/activate', 'HTTP://service.example/']) {
    it(`is invalid for the page ${uri}, which isn’t secure`, async () => {
      await refuses({ ...DEVICE_CODE, verification_uri: uri }, 'verification_uri', 'page not secure');
    });
  }

  it('is invalid for a user code that is the device code', async () => {
    await refuses({ ...DEVICE_CODE, code: 'ABCD', user_code: 'ABCD' }, 'user_code');
  });

  it('may have a device code that begins with the user code', async () => {
    await accepts({ code: 'ABCD-1234-and-more' }, { deviceCode: 'ABCD-1234-and-more' });
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
      await accepts({ verification_uri: uri }, { verificationUri: uri });
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
      await accepts({ expires_in: value, interval: value }, { expiresIn: seconds, interval: seconds });
    });
  }

  for (const value of [undefined, null, 0, -1, '0', '-5', '', 'soon', '0x10', '1e3', true, [5], {}]) {
    it(`takes the default for ${named(value)}, and the log says so`, async () => {
      await accepts({ expires_in: value, interval: value }, { expiresIn: 900, interval: 5 }, 'expires_in, interval');
    });
  }

  it('takes the default for an infinite number', async () => {
    const { oauth } = answering(200, JSON.stringify(DEVICE_CODE).replace(':600', ':1e999'));
    assert.equal((await oauth.requestDeviceAuthorization(credentials())).expiresIn, 900);
  });

  it("isn't read from names that lead to a prototype", async () => {
    await refuses(`{"__proto__":${JSON.stringify(DEVICE_CODE)},"constructor":{}}`, 'code', 'missing field');
  });
});

describe('a token response', () => {
  const whole: TokenResponse = { accessToken: 'access-1', refreshToken: 'refresh-1', requestedAt: 0, expiresIn: 3600 };
  const absent = { accessToken: undefined };

  for (const [name, change, expected, defect = ''] of [
    ['all its fields', {}, {}],
    ['no scope', { scope: undefined }, {}],
    ['no token type', { token_type: undefined }, {}],
    ['Bearer with a capital letter', { token_type: 'Bearer' }, {}],
    ['another token type', { token_type: 'mac' }, {}, 'token_type'],
    ['a token type that is none', { token_type: 1 }, {}, 'token_type'],
    ['a lifetime as a string', { expires_in: '60' }, { expiresIn: 60 }],
    ['a lifetime for ever', { expires_in: 1e18 }, { expiresIn: 315_360_000 }],
    ['no lifetime', { expires_in: undefined }, { expiresIn: undefined }, 'expires_in'],
    ['a negative lifetime', { expires_in: -1 }, { expiresIn: undefined }, 'expires_in'],
    ['a lifetime of zero', { expires_in: 0 }, { expiresIn: undefined }, 'expires_in'],
    ['no refresh token', { refresh_token: undefined }, { refreshToken: undefined }, 'refresh_token'],
    ['an empty refresh token', { refresh_token: '' }, { refreshToken: undefined }, 'refresh_token'],
    ['a broken refresh token', { refresh_token: 'a\r\nb' }, { refreshToken: undefined }, 'refresh_token'],
    ['a refresh token with signs', { refresh_token: 'a b&ü😀' }, { refreshToken: 'a b&ü😀' }],
    ['no access token', { access_token: undefined }, absent, 'access_token'],
    ['an empty access token', { access_token: '' }, absent, 'access_token'],
    ['null for an access token', { access_token: null }, absent, 'access_token'],
    ['a number for an access token', { access_token: 7 }, absent, 'access_token'],
    ['line breaks in the access token', { access_token: 'a\r\nX: y' }, absent, 'access_token'],
    ['a space in the access token', { access_token: 'a b' }, absent, 'access_token'],
    ['an error beside tokens', { error: 'late' }, {}],
  ] as [string, object, Partial<TokenResponse>, string?][]) {
    it(`with ${name} keeps the rest, after a poll and after a refresh, and the log says so`, async () => {
      const { oauth, refresh, log } = answering(200, { ...TOKENS, ...change });
      const tokens: TokenResponse = { ...whole, ...expected };
      assert.deepEqual(await oauth.poll(credentials(), 'd'), { kind: 'tokens', tokens });
      assert.deepEqual(await refresh(), tokens);
      assert.equal(/refresh: .* no usable (.*)/.exec(log.text())?.[1] ?? '', defect);
    });
  }

  for (const value of [
    null,
    '',
    ' ',
    '\u00a0\u2003',
    '\ufeff',
    '\t',
    '\n',
    'a\0b',
    '\ud800',
    'a\ufffd',
    0,
    42,
    true,
    false,
    {},
    [],
    ['refresh-2'],
    { value: 'refresh-2' },
  ]) {
    it(`with the refresh token ${JSON.stringify(value)} brings its access token and no refresh token, in both dialects`, async () => {
      const standard = { protocol: 'rfc8628', endpoints: endpointsAt('https://s.example') } as const;
      for (const service of [credentials(), { ...credentials(), ...standard }]) {
        const { oauth, log } = answering(200, { ...TOKENS, refresh_token: value });
        const refreshed = await oauth.refresh(service, 'refresh-1');
        const polled = await oauth.poll(service, 'd');
        assert.ok(polled.kind === 'tokens');
        for (const { accessToken, refreshToken } of [refreshed, polled.tokens]) {
          assert.deepEqual([accessToken, refreshToken], ['access-1', undefined]);
        }
        const isLeftOut = value === null && service.protocol === 'rfc8628';
        assert.equal(/refresh: .* no usable (.*)/.exec(log.text())?.[1], isLeftOut ? undefined : 'refresh_token');
      }
    });
  }

  for (const token of [' a', 'a ', '\u00a0-', '0', '\u200b', ' \u00e9 ']) {
    it(`keeps the refresh token ${JSON.stringify(token)} as it came`, async () => {
      const { refresh } = answering(200, { ...TOKENS, refresh_token: token });
      assert.equal((await refresh()).refreshToken, token);
    });
  }

  it('without a usable token is invalid', async () => {
    const { oauth, refresh } = answering(200, { ...TOKENS, access_token: '', refresh_token: null });
    await fails(
      oauth.poll(credentials(), 'd'),
      new InvalidResponseError('poll', 200, 'bad field', { field: 'access_token' }),
    );
    await fails(refresh(), new InvalidResponseError('refresh', 200, 'bad field', { field: 'access_token' }));
  });

  it('without tokens and with an error is that error, whatever its status says', async () => {
    const { refresh } = answering(200, { error: 'invalid_grant' });
    await fails(refresh(), new ServiceError('refresh', 200, 'invalid_grant'));
  });
});
