import assert from 'node:assert/strict';
import { InvalidResponseError, NetworkError, ServiceError } from '../../../src/oauth/errors';
import { answering, client, credentials, fails, TOKENS } from './harness';

/** Guards that tokens aren't lost because of a field beside them, and that nothing is guessed from a broken response. */
describe('a token response in another encoding', () => {
  const BOTH = '"access_token":"access-1","refresh_token":"refresh-1"';

  for (const [what, body, expected] of [
    ['before the tokens', `{"name":"Jos\xe9",${BOTH}}`, {}],
    ['after the tokens', `{${BOTH},"expires_in":60,"name":"Jos\xe9"}`, { expiresIn: 60 }],
    ['in the access token', '{"access_token":"\xe9","refresh_token":"refresh-1"}', { accessToken: undefined }],
    ['in the refresh token', '{"access_token":"access-1","refresh_token":"\xe9"}', { refreshToken: undefined }],
  ] as const) {
    it(`keeps what can be used, with a byte that isn't UTF-8 ${what}`, async () => {
      const { oauth, refresh } = answering(200, Buffer.from(body, 'latin1'));
      const tokens = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresIn: undefined, ...expected };
      assert.deepEqual(await refresh(), tokens);
      assert.deepEqual(await oauth.poll(credentials(), 'd'), { kind: 'tokens', tokens });
    });
  }
});

describe('a response that is broken', () => {
  const whole = JSON.stringify(TOKENS);

  for (const [what, body] of [
    ['it is cut off', whole.slice(0, -1)],
    ['something follows it', `${whole}{"refresh_token":"another"}`],
    ['a page precedes it', `<p>${whole}`],
    ['a line break is within a string', `{"text":"a\nb",${whole.slice(1)}`],
  ] as const) {
    it(`is refused because ${what}`, async () => {
      await fails(answering(200, body).refresh(), new InvalidResponseError('refresh', 200, 'not JSON', undefined));
    });
  }

  it('is no response if its connection was lost', async () => {
    const body = (async function* () {
      yield await Promise.resolve(whole.slice(0, -1));
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    })();
    const { refresh } = client(() => Promise.resolve({ status: 200, headers: { get: () => null }, body }));
    await fails(refresh(), new NetworkError('refresh', 'connection lost', true, 'ECONNRESET'));
  });

  it('is an error without a code if its status is one', async () => {
    await fails(answering(400, `${whole}!`).refresh(), new ServiceError('refresh', 400, undefined));
  });
});
