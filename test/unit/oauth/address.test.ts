import assert from 'node:assert/strict';
import { NetworkError } from '../../../src/oauth/errors';
import { client, credentials, fails } from './harness';

describe('a request that can’t be sent', () => {
  for (const [name, given] of [
    ['half of a surrogate pair in the secret', { ...credentials(), clientSecret: 'a\ud800b' }],
    ['a base URL that is none', credentials('service.example')],
    ['credentials in the base URL', credentials('https://user:password@service.example')],
    ['a user name in the base URL', credentials('https://user@service.example')],
    ['http to another machine', credentials('http://service.example')],
    ['another scheme', credentials('ftp://localhost')],
  ] as const) {
    it(`is never sent with ${name}`, async () => {
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
