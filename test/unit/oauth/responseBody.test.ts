import assert from 'node:assert/strict';
import { InvalidResponseError, ServiceError } from '../../../src/oauth/errors';
import { answering, credentials, fails, TOKENS } from './harness';

const BOTH = '"access_token":"access-1","refresh_token":"refresh-1"';
const NO_ACCESS = { accessToken: undefined };

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

describe('a damaged token response', () => {
  const whole = JSON.stringify(TOKENS);

  for (const [what, body, salvaged] of [
    ['a byte that is not UTF-8 in another field', latin1(`{"name":"Jos\xe9",${BOTH}}`), {}],
    ['a bad byte before its last field', latin1(`{"name":"Jos\xe9",${BOTH},"expires_in":"60"}`), { expiresIn: 60 }],
    ['a page after the object', `${whole}<script>track()</script>`, {}],
    ['another object after the object', `${whole}{"refresh_token":"another"}`, {}],
    ['a line break within another field', `{"text":"a\nb",${BOTH}}`, {}],
    ['a bad escape within another field', `{"text":"\\x",${BOTH}}`, {}],
    ['a value that is not JSON', `{"expires_in":NaN,${BOTH}}`, {}],
    ['a comma at its end', `{${BOTH},}`, {}],
    ['a field that never ended', `{${BOTH},"scope":"a b`, {}],
    ['tokens within another field', `{"other":{"refresh_token":"x","list":[{"access_token":"y"}]},${BOTH}}}`, {}],
    ['escapes in a token', '{"refresh_token":"refresh\\u002d\\u0031","access_token":"access-1"}}', {}],
    ['a bad byte in the access token', latin1('{"access_token":"\xe9","refresh_token":"refresh-1"}'), NO_ACCESS],
  ] as const) {
    it(`keeps its tokens: with ${what}`, async () => {
      const { oauth, refresh, log } = answering(200, body);
      const kept = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresIn: undefined, ...salvaged };
      assert.deepEqual(await refresh(), kept);
      assert.deepEqual(await oauth.poll(credentials(), 'd'), { kind: 'tokens', tokens: kept });
      assert.match(log.text(), /refresh: the response is damaged; its tokens could be read/);
      assert.doesNotMatch(log.text(), /access-1|refresh-1/);
    });
  }

  for (const [what, body] of [
    ['a refresh token that never ended', '{"access_token":"access-1","refresh_token":"refr'],
    ['a refresh token whose field never ended', `{${BOTH}`],
    ['a bad byte in its refresh token', latin1('{"refresh_token":"\xe9"}')],
    ['its tokens within another field', `{"tokens":{${BOTH}}}}`],
    ['half of a surrogate pair in its refresh token', '{"access_token":"access-1","refresh_token":"\\ud800"}}'],
    ['an empty refresh token', '{"access_token":"access-1","refresh_token":""}}'],
    ['a page before the object', `<p>${whole}`],
    ['quotation marks that were not escaped', '{"name":"a"b"c","refresh_token":"refresh-1"}'],
    ['a list around it', `[${whole}`],
  ] as const) {
    it(`is refused: with ${what}`, async () => {
      await fails(answering(200, body).refresh(), new InvalidResponseError('refresh', 200, 'not JSON', undefined));
    });
  }

  it('is an error if its status is one, or another success', async () => {
    for (const status of [400, 500]) {
      await fails(answering(status, `${whole}!`).refresh(), new ServiceError('refresh', status, undefined));
    }
    await fails(answering(201, `${whole}!`).refresh(), new InvalidResponseError('refresh', 201, 'not JSON', undefined));
  });
});
