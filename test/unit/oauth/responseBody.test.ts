import assert from 'node:assert/strict';
import { InvalidResponseError, NetworkError, ServiceError } from '../../../src/oauth/errors';
import { answering, client, credentials, DEVICE_CODE, failure, fails, TOKENS } from './harness';
import { endpointsAt } from './standardHarness';

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
      const tokens = {
        accessToken: 'access-1',
        refreshToken: 'refresh-1',
        requestedAt: 0,
        expiresIn: undefined,
        ...expected,
      };
      assert.deepEqual(await refresh(), tokens);
      assert.deepEqual(await oauth.poll(credentials(), 'd'), { kind: 'tokens', tokens });
    });
  }
});

/** Tokens of people in many groups, and of services that put whole documents in them. */
const large = (kilobytes: number): string => 'aB3_'.repeat(kilobytes * 256);

describe('a token response that’s large', () => {
  for (const [what, fields] of [
    ['an access token of 20 kB', { access_token: large(20) }],
    ['an access token of 90 kB', { access_token: large(90) }],
    ['both tokens of 200 kB', { access_token: large(200), refresh_token: large(200) }],
    ['a refresh token of 500 kB', { refresh_token: large(500) }],
    ['groups of 900 kB beside the tokens', { groups: Array.from({ length: 900 }, () => large(1)) }],
    ['an ID token of 300 kB', { id_token: `${large(100)}.${large(100)}.${large(100)}` }],
  ] as const) {
    it(`is read with ${what}, after a poll and after a refresh, in both dialects`, async () => {
      const body = { ...TOKENS, ...fields };
      const { oauth } = answering(200, body);
      const standard = { ...credentials(), protocol: 'rfc8628', endpoints: endpointsAt('https://s.example') } as const;
      for (const service of [credentials(), standard]) {
        const polled = await oauth.poll(service, 'd');
        for (const tokens of [polled.kind === 'tokens' && polled.tokens, await oauth.refresh(service, 'r')]) {
          assert.ok(tokens !== false && tokens.accessToken === body.access_token, 'the access token');
          assert.ok(tokens.refreshToken === body.refresh_token, 'the refresh token');
        }
      }
    });
  }

  for (const [what, body] of [
    ['of more than 1 MiB', JSON.stringify({ ...TOKENS, access_token: large(1100) })],
    ['of more than 1 MiB in a form', `access_token=${large(1100)}&refresh_token=r`],
    ['of more than 1 MiB after spaces', JSON.stringify(TOKENS).padStart(1100 * 1024)],
    ['that ends early', JSON.stringify(TOKENS).slice(0, -1)],
    ['with a line break within a string', `{"text":"a\nb",${JSON.stringify(TOKENS).slice(1)}`],
    ['as the argument of a function', `callback(${JSON.stringify(TOKENS)})`],
    ['as the argument of a function, in a line of its own', `/**/callback(\n  ${JSON.stringify(TOKENS)});`],
    ['after the request', `Got {"refresh_token":"old"}\n${JSON.stringify(TOKENS)}`],
    ['after a text, twice', `Warning: twice\n${JSON.stringify(TOKENS)}${JSON.stringify(TOKENS)}`],
    ['after a text, and ends early', `Warning: broken\n${JSON.stringify(TOKENS).slice(0, -1)}`],
    ['after a line break of PHP, and ends early', `<br />\n${JSON.stringify(TOKENS).slice(0, -1)}`],
  ] as const) {
    it(`is one whose tokens are lost, and is told as that: ${what}`, async () => {
      const { oauth, refresh } = answering(200, body);
      await fails(refresh(), new InvalidResponseError('refresh', 200, 'tokens lost'));
      await fails(oauth.poll(credentials(), 'd'), new InvalidResponseError('poll', 200, 'tokens lost'));
    });
  }

  for (const [body, problem] of [
    ['<html>'.padEnd(1100 * 1024), 'too large'],
    [`\n<!doctype html><p>${JSON.stringify(TOKENS)}`, 'not JSON'],
    ['OK', 'not JSON'],
    ['', 'not JSON'],
    ['[1]', 'not an object'],
    ['null', 'not an object'],
  ] as const) {
    it(`isn’t a page or a word: ${body.slice(0, 20)}`, async () => {
      await fails(answering(200, body).refresh(), new InvalidResponseError('refresh', 200, problem));
    });
  }

  it('is too large if it’s no response with tokens', async () => {
    const { oauth } = answering(200, { ...DEVICE_CODE, more: large(64) });
    const expected = new InvalidResponseError('device authorization', 200, 'too large');
    await fails(oauth.requestDeviceAuthorization(credentials()), expected);
  });
});

describe('text after the JSON object', () => {
  for (const behind of [
    '\n',
    '0',
    '}',
    '{"refresh_token":"another"}',
    '<!-- 12 ms -->',
    '<script>var a = "}";</script>',
    '\u0000\u0000',
    'Notice: Undefined index: scope in token.php on line 3',
  ]) {
    it(`doesn’t cost the tokens: ${JSON.stringify(behind)}`, async () => {
      const { oauth, refresh } = answering(200, `${JSON.stringify({ note: 'a \\" } {', ...TOKENS })}${behind}`);
      assert.equal((await refresh()).refreshToken, 'refresh-1');
      const polled = await oauth.poll(credentials(), 'd');
      assert.equal(polled.kind === 'tokens' && polled.tokens.refreshToken, 'refresh-1');
    });

    it(`doesn’t hide an error code: ${JSON.stringify(behind)}`, async () => {
      const { refresh } = answering(400, `{"error":"invalid_grant","error_description":"{\\"}"}${behind}`);
      await fails(refresh(), new ServiceError('refresh', 400, 'invalid_grant'));
    });
  }
});

const PHP_WARNING =
  '<br />\n<b>Warning</b>:  Undefined array key "refresh_token" in <b>/srv/token.php</b> on line <b>3</b><br />\n';

describe('text before the JSON object', () => {
  for (const before of [
    ")]}',\n",
    ")]}'",
    'while(1);',
    'for (;;) {}\n',
    '\ufeff\ufeff',
    '\ufeff \ufeff\n',
    '\nWarning: Undefined index: scope in /srv/token.php on line 3\n',
    'PHP Notice:  Undefined property: stdClass::${scope} in 5" disk\n',
    PHP_WARNING,
    `<BR>${PHP_WARNING}`,
    'Deprecated: {braces} and { more\n\n',
  ]) {
    it(`doesn’t cost the tokens: ${JSON.stringify(before)}`, async () => {
      for (const behind of ['', '\n<!-- 12 ms -->', '}']) {
        const body = `${before}${JSON.stringify({ note: 'a \\" } {', ...TOKENS }, undefined, 2)}${behind}`;
        const { oauth, refresh } = answering(200, body);
        const standard = {
          ...credentials(),
          protocol: 'rfc8628',
          endpoints: endpointsAt('https://s.example'),
        } as const;
        assert.equal((await refresh()).refreshToken, 'refresh-1');
        assert.equal((await oauth.refresh(standard, 'r')).refreshToken, 'refresh-1');
        for (const service of [credentials(), standard]) {
          const polled = await oauth.poll(service, 'd');
          assert.equal(polled.kind === 'tokens' && polled.tokens.accessToken, 'access-1');
        }
      }
    });
  }

  for (const before of ['Blocked by policy: ', 'Upstream said\n', PHP_WARNING]) {
    it(`leaves open whose error code follows: ${JSON.stringify(before)}`, async () => {
      const body = `${before}{"error":"invalid_grant"}`;
      await fails(answering(400, body).refresh(), new ServiceError('refresh', 400, undefined));
      const success = await failure(answering(200, body).refresh());
      assert.equal(success.name, 'InvalidResponseError', 'it is no verdict');
    });
  }
});

describe('a response that never ends an object', () => {
  for (const [what, body] of [
    ['escaped quotes', `{"${'\\"'.repeat(500_000)}`],
    ['escaped quotes behind a string', `{"a":"b","${'\\"'.repeat(500_000)}`],
    ['backslashes', `{"${'\\'.repeat(1_000_000)}`],
    ['quotes', `{${'"'.repeat(1_000_001)}`],
    ['braces', '{'.repeat(1_000_000)],
    ['one string', `{"a":"${'x'.repeat(1_000_000)}`],
    ['one string after a text', `access_token {"a":"${'x'.repeat(1_000_000)}`],
    ['quotes and braces after a text', `access_token ${'{"'.repeat(500_000)}`],
    ['braces and spaces after a text', `access_token ${'{ '.repeat(500_000)}`],
    ['spaces after a text', `access_token (${' '.repeat(1_000_000)}{"`],
    ['functions after a text', `access_token ${'( {"'.repeat(250_000)}`],
  ] as const) {
    it(`is read in a time that grows no faster than its length: 1 MB of ${what}`, async () => {
      const started = performance.now();
      const { refresh } = answering(200, body);
      await fails(refresh(), new InvalidResponseError('refresh', 200, 'tokens lost'));
      const took = performance.now() - started;
      assert.ok(took < 5_000, `took ${took} ms`);
    });
  }
});

describe('a response that is broken', () => {
  it('is no response if its connection was lost', async () => {
    const body = (async function* () {
      yield await Promise.resolve(JSON.stringify(TOKENS).slice(0, -1));
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    })();
    const { refresh } = client(() => Promise.resolve({ status: 200, headers: { get: () => null }, body }));
    await fails(refresh(), new NetworkError('refresh', 'connection lost', true, { systemCode: 'ECONNRESET' }));
  });
});
