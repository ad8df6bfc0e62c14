import assert from 'node:assert/strict';
import { encodeRequest } from '../../../src/oauth/address';
import { NetworkError } from '../../../src/oauth/errors';
import { client, credentials, fails } from './harness';

describe('the address of an operation', () => {
  for (const [baseUrl, path, expected] of [
    ['https://service.example', '/oauth2/token', 'https://service.example/oauth2/token?a=b'],
    ['https://service.example/v1', '/oauth2/token', 'https://service.example/v1/oauth2/token?a=b'],
    ['https://service.example/v1/', 'oauth2/token', 'https://service.example/v1/oauth2/token?a=b'],
    ['https://service.example/a/b', '//x', 'https://service.example/a/b/x?a=b'],
    ['https://service.example/v1?x=1#y', '/x/../z', 'https://service.example/v1/z?a=b'],
    ['http://localhost:8080', '?c=d#e', 'http://localhost:8080/%3Fc=d%23e?a=b'],
    ['http://[::1]', '@other.example/', 'http://[::1]/@other.example/?a=b'],
    ['http://127.0.0.1', '\\\\other.example', 'http://127.0.0.1///other.example?a=b'],
  ] as const) {
    it(`is ${expected} for ${baseUrl} and ${path}`, () => {
      assert.equal(
        encodeRequest({ operation: 'poll', address: baseUrl, path, parameters: { a: 'b' } }).url.href,
        expected,
      );
    });
  }

  it('encodes a space so that every decoder reads it as one', () => {
    const parameters = { 'a b': 'c+d&%' };
    const request = { operation: 'poll', address: 'https://service.example', parameters } as const;
    assert.equal(encodeRequest({ ...request, parametersIn: 'form' }).body, 'a%20b=c%2Bd%26%25');
  });

  for (const [name, given] of [
    ['half of a surrogate pair in the secret', { ...credentials(), clientSecret: 'a\ud800b' }],
    ['a base URL that is none', credentials('service.example')],
    ['credentials in the base URL', credentials('https://user:password@service.example')],
    ['a user name in the base URL', credentials('https://user@service.example')],
    ['http to another machine', credentials('http://service.example')],
    ['another scheme', credentials('ftp://localhost')],
  ] as const) {
    it(`is none for ${name}, and nothing at all is sent`, async () => {
      const { oauth } = client(() => assert.fail('a request was sent'));
      const options = { path: '/user', field: 'name', idField: undefined, accessTokenIn: 'query' } as const;
      await fails(oauth.refresh(given, 'r'), new NetworkError('refresh', 'unknown', false, 'ERR_INVALID_URL'));
      if (given.clientSecret === credentials().clientSecret) {
        const account = oauth.fetchAccount(given.baseUrl, options, 'a');
        await fails(account, new NetworkError('account', 'unknown', false, 'ERR_INVALID_URL'));
      }
    });
  }
});
