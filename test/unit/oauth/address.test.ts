import assert from 'node:assert/strict';
import { parseAddress } from '../../../src/oauth/address';
import { NetworkError } from '../../../src/oauth/errors';
import { client, credentials, fails } from './harness';

/** Guards that internationalized addresses work for as long as a window is open. */
describe('an address with other letters than those of ASCII', () => {
  it('is read however often', () => {
    for (let time = 0; time < 20_000; time++) {
      assert.equal(parseAddress('https://bücher.example/ä')?.href, 'https://xn--bcher-kva.example/%C3%A4');
    }
    assert.equal(parseAddress('bücher.example'), undefined);
  });
});

/** Guards that no secret travels without TLS, except to this machine. */
describe('an address that no secret may travel to', () => {
  for (const [name, given] of [
    ['a base URL that is none', credentials('service.example')],
    ['credentials in the base URL', credentials('https://user:password@service.example')],
    ['a user name in the base URL', credentials('https://user@service.example')],
    ['http to another machine', credentials('http://service.example')],
    ['another scheme', credentials('ftp://localhost')],
  ] as const) {
    it(`gets no request: ${name}`, async () => {
      const { oauth } = client(() => assert.fail('a request was sent'));
      const options = { path: '/user', field: 'name', idField: undefined, accessTokenIn: 'query' } as const;
      await fails(
        oauth.refresh(given, 'r'),
        new NetworkError('refresh', 'unknown', false, { systemCode: 'ERR_INVALID_URL' }),
      );
      const account = oauth.fetchAccount(given.baseUrl, options, 'a');
      await fails(account, new NetworkError('account', 'unknown', false, { systemCode: 'ERR_INVALID_URL' }));
    });
  }
});
