import assert from 'node:assert/strict';
import type { AccountInfo, AccountOptions } from '../../../src/oauth/types';
import { InvalidResponseError } from '../../../src/oauth/errors';
import { answering, credentials, fails, sent } from './harness';

const TOKEN = 'not-a-real-access-token';
const OPTIONS: AccountOptions = { path: '/user', field: 'name', idField: 'id', accessTokenIn: 'header' };
const NESTED = { user: { profile: { name: 'Ada' }, id: 42 } };

function ask(status: number, body: unknown, changed: Partial<AccountOptions> = {}): Promise<AccountInfo> {
  return answering(status, body).oauth.fetchAccount(credentials().baseUrl, { ...OPTIONS, ...changed }, TOKEN);
}

/** Guards how a service is asked who is signed in, and what's taken from its response. */
describe('asking who is signed in', () => {
  it('sends one GET with the token in the header, or in the query if it belongs there', async () => {
    const { headers, ...rest } = await sent((oauth, url) => oauth.fetchAccount(`${url}/v1`, OPTIONS, 'access+1'));
    assert.deepEqual(rest, { method: 'GET', path: '/v1/user', query: [], body: '' });
    assert.equal(headers.authorization, 'Bearer access+1');
    const options = { ...OPTIONS, accessTokenIn: 'query' } as const;
    const other = await sent((oauth, url) => oauth.fetchAccount(url, options, 'access+1'));
    assert.deepEqual([other.query, other.headers.authorization], [[['access_token', 'access+1']], undefined]);
  });

  for (const [what, body, changed, name, id] of [
    ['a name and an ID', { name: 'Ada', id: 'user-1' }, {}, 'Ada', 'user-1'],
    ['a name only', { name: 'Ada' }, {}, 'Ada', undefined],
    ['an ID only', { name: ' ', id: 'user-1' }, {}, undefined, 'user-1'],
    ['an ID that nobody asks for', { name: 'Ada', id: '1' }, { idField: undefined }, 'Ada', undefined],
    ['fields within others, and a number', NESTED, { field: 'user.profile.name', idField: 'user.id' }, 'Ada', '42'],
    ['a number that JSON rounds', { name: 'Ada', id: 2 ** 53 }, {}, 'Ada', undefined],
    ['an ID that lost a character', { name: 'Ada', id: 'Jos\ufffd' }, {}, 'Ada', undefined],
    ['an endless ID', { name: 'Ada', id: 'x'.repeat(256) }, {}, 'Ada', undefined],
  ] as const) {
    it(`reads ${what}`, async () => {
      assert.deepEqual(await ask(200, body, changed), { name, id });
    });
  }

  for (const [what, body, field] of [
    ['is missing', {}, 'name'],
    ['is empty', { name: ' ' }, 'name'],
    ['is not text', { name: ['Ada'] }, 'name'],
    ['is inherited', { user: {} }, 'user.constructor.name'],
    ['is within text', { user: 'Ada' }, 'user.name.length'],
    ['is a property of text', { user: 'Ada' }, 'user.length'],
  ] as const) {
    it(`fails if its field ${what}`, async () => {
      await fails(ask(200, body, { field }), new InvalidResponseError('account', 200, 'bad field', { field }));
    });
  }
});
