import assert from 'node:assert/strict';
import { addressContainsSecret, containsSecret, errorCode, repeatsSecret } from '../../../src/oauth/secrecy';

/** Guards that texts from the service are passed on only if they repeat no secret. */
describe('an error code', () => {
  const SECRET = 'refresh-abc-mnopqrst';

  for (const code of [
    'invalid_grant',
    'device_code_already_used',
    'InvalidGrant',
    'invalidGrant',
    'INVALID_GRANT',
    'E-401',
    '1004',
    'oauth2_no',
  ]) {
    it(`is passed on: ${code}`, () => {
      assert.equal(errorCode(new Map([['error', code]]), [SECRET]), code);
    });
  }

  for (const [name, error] of Object.entries({
    'none at all': undefined,
    'an object': { code: 'x' },
    'a line break': 'a\nb',
    'a link': '[a](command:b)',
    'a long one': `${'e'.repeat(20)}_${'e'.repeat(20)}`,
    'an address': 'www.evil.example',
    'a sentence': 'Call-Microsoft-Support-right-now',
    'a sentence without spaces': 'CallMicrosoftSupportRightNow',
    'a telephone number': 'call-800-555-0199',
    'a secret': SECRET,
    'a piece of a secret': 'c-mnopqrst',
    'a secret within it': `bad_${SECRET}`,
    'a short secret': 'hunter2',
    'what looks like a token': 'q8Zr-Vb2_T0yKp4Lx9',
    'what looks like a hash': '0f1e2d3c4b5a69788796a5b4',
    'what looks like a UUID': '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
    'a lone separator': 'invalid_',
  })) {
    it(`isn't passed on: ${name}`, () => {
      assert.equal(errorCode(new Map([['error', error]]), [SECRET, 'hunter2']), undefined);
    });
  }
});

describe('a text from the service', () => {
  for (const [text, secret, contains, repeated] of [
    ['a long secret', 'a long secret', true, true],
    ['with a long secret in it', 'a long secret', true, true],
    ['a long s', 'a long secret', false, true],
    ['a long', 'a long secret', false, false],
    ['short', 'short', true, true],
    ['a short one', 'short', false, false],
    ['another', 'a long secret', false, false],
    ['anything', '', false, false],
  ] as const) {
    it(`${repeated ? 'repeats' : "doesn't repeat"} “${secret}”: ${text}`, () => {
      assert.deepEqual([containsSecret(text, secret), repeatsSecret(text, ['other', secret])], [contains, repeated]);
    });
  }

  it('contains a secret in an address, however much of it is encoded', () => {
    for (const address of ['https://a.example/?x=long%20s%C3%A9cret', 'https://a.example/%zz/%6cong%20s%c3%a9cret#']) {
      assert.ok(addressContainsSecret(address, 'long sécret'), address);
    }
    assert.ok(!addressContainsSecret('https://a.example/?x=short', 'short'), 'that is a coincidence');
  });
});
