import assert from 'node:assert/strict';
import { standardService } from '../../unit/oauth/standardHarness';

const TOKENS = { access_token: 'access-1', token_type: 'Bearer', refresh_token: 'refresh-1' };

/**
 * Guards that client IDs, secrets, and scopes with special characters mean the same to the service, and are safe in the
 * log.
 */
describe('a client whose ID and secret have special characters', () => {
  for (const [clientId, clientSecret] of [
    ['a:b', 'c:d'],
    ['ä %+&=?#/', '€\u00a0"\\\''],
    ['https://client.example/?a=b', '\u{1f600}*-._~'],
  ] as const) {
    it(`is ${clientId} for the service in both ways`, async () => {
      const { oauth, request, seen } = await standardService([{ json: TOKENS }]);
      for (const way of ['basic', 'post'] as const) {
        const authentication = { way, isSettled: true };
        await oauth.poll({ ...request, clientId, clientSecret, authentication }, 'device-1');
      }
      const [basic, post] = seen;
      const credentials = Buffer.from(basic?.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
      const decoded = credentials.split(':').map((part) => new URLSearchParams(`a=${part}`).get('a'));
      assert.deepEqual(decoded, [clientId, clientSecret]);
      const form = new URLSearchParams(post?.body);
      assert.deepEqual([form.get('client_id'), form.get('client_secret')], [clientId, clientSecret]);
    });
  }
});

describe('the scopes of a sign-in', () => {
  it('can’t begin a line of the log', async () => {
    const { log, oauth, request } = await standardService([{ json: { ...TOKENS, scope: 'read' } }]);
    const scopes = ['a\nAn entry', 'https://service.example/.default'];
    const result = await oauth.poll({ ...request, scopes }, 'device-1');
    assert.deepEqual(result.kind === 'tokens' && result.tokens.scopes, [...scopes, 'read']);
    assert.match(log.text(), /these scopes: a%0AAn%20entry https:\/\/service\.example\/\.default\./);
  });
});
