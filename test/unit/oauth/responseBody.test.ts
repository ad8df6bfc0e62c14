import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { Response } from 'node-fetch';
import { InvalidResponseError, ServiceError } from '../../../src/oauth/errors';
import { answering, client, credentials, DEVICE_CODE, fails, TOKENS } from './harness';

const LIMIT = 64 * 1024;
const BODY = JSON.stringify(DEVICE_CODE);

describe('a usable response', () => {
  for (const [name, body, headers] of [
    ['no Content-Type', BODY, {}],
    ['the wrong Content-Type', BODY, { 'Content-Type': 'text/html; charset=latin1' }],
    ['a byte order mark', `\ufeff${BODY}`, {}],
    ['just as many bytes as allowed', BODY.padEnd(LIMIT), {}],
    ['gzip', gzipSync(BODY), { 'Content-Encoding': 'gzip' }],
    ['gzip, spelled otherwise', gzipSync(BODY), { 'Content-Encoding': ' X-GZip' }],
    ['gzip, just up to the limit', gzipSync(BODY.padEnd(LIMIT)), { 'Content-Encoding': 'gzip' }],
    ['deflate', deflateSync(BODY), { 'Content-Encoding': 'deflate' }],
    ['brotli', brotliCompressSync(BODY), { 'Content-Encoding': 'br' }],
    ['identity', BODY, { 'Content-Encoding': 'identity' }],
  ] as const) {
    it(`has ${name}`, async () => {
      const { oauth } = answering(200, body, headers);
      assert.equal((await oauth.requestDeviceAuthorization(credentials())).deviceCode, 'device-1');
    });
  }
});

describe('a compressed response', () => {
  const bomb = Buffer.alloc(32 * 1024 * 1024, ' ');
  for (const [name, body, encoding, problem] of [
    ['a gzip bomb', gzipSync(bomb), 'gzip', 'too large'],
    ['a deflate bomb', deflateSync(bomb.subarray(0, 8 * 1024 * 1024)), 'deflate', 'too large'],
    ['a brotli bomb', brotliCompressSync(bomb), 'br', 'too large'],
    ['one byte too many', gzipSync(JSON.stringify(TOKENS).padEnd(LIMIT + 1)), 'gzip', 'too large'],
    ['a broken stream', gzipSync(JSON.stringify(TOKENS)).subarray(0, 40), 'gzip', 'not JSON'],
    ['a wrong label', JSON.stringify(TOKENS), 'gzip', 'not JSON'],
    ['an unknown encoding', gzipSync(JSON.stringify(TOKENS)), 'zstd-of-tomorrow', 'not JSON'],
    ['two encodings', gzipSync(gzipSync(JSON.stringify(TOKENS))), 'gzip, gzip', 'not JSON'],
  ] as const) {
    it(`is refused: ${name}`, async () => {
      const { refresh } = answering(200, body, { 'Content-Encoding': encoding });
      await fails(refresh(), new InvalidResponseError('refresh', 200, problem, undefined));
    });
  }
});

describe('a response that is too large when decompressed', () => {
  it('is reported as that even if its end never comes', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(gzipSync(Buffer.alloc(1024 * 1024, ' ')));
      throw Object.assign(new Error('a reset'), { code: 'ECONNRESET' });
    }
    const response = new Response(Readable.from(broken()), { headers: { 'Content-Encoding': 'gzip' } });
    const { refresh } = client(() => Promise.resolve(response));
    await fails(refresh(), new InvalidResponseError('refresh', 200, 'too large', undefined));
  });
});

describe('a damaged token response', () => {
  const whole = JSON.stringify(TOKENS);
  const latin1 = Buffer.from('{"name":"Jos\xe9","access_token":"access-1","refresh_token":"refresh-1"}', 'latin1');

  for (const [what, body, salvaged] of [
    ['a byte that is not UTF-8 in another field', latin1, {}],
    [
      'a bad byte before its last field',
      Buffer.concat([latin1.subarray(0, -1), Buffer.from(',"expires_in":"60"}')]),
      { expiresIn: 60 },
    ],
    ['a page after the object', `${whole}<script>track()</script>`, {}],
    ['another object after the object', `${whole}{"refresh_token":"another"}`, {}],
    ['a line break within another field', '{"text":"a\nb","access_token":"access-1","refresh_token":"refresh-1"}', {}],
    ['a bad escape within another field', '{"text":"\\x","access_token":"access-1","refresh_token":"refresh-1"}', {}],
    ['a value that is not JSON', '{"expires_in":NaN,"access_token":"access-1","refresh_token":"refresh-1"}', {}],
    ['a comma at its end', '{"access_token":"access-1","refresh_token":"refresh-1",}', {}],
    ['a field that never ended', '{"access_token":"access-1","refresh_token":"refresh-1","scope":"a b', {}],
    [
      'tokens of its own in another field',
      '{"other":{"refresh_token":"x","list":[{"access_token":"y"}]},"access_token":"access-1","refresh_token":"refresh-1"}}',
      {},
    ],
    ['escapes in a token', '{"refresh_token":"refresh\\u002d\\u0031","access_token":"access-1"}}', {}],
    [
      'a bad byte in the access token',
      Buffer.from('{"access_token":"\xe9","refresh_token":"refresh-1"}', 'latin1'),
      { accessToken: undefined },
    ],
  ] as const) {
    it(`keeps its tokens: with ${what}`, async () => {
      const expected = { accessToken: 'access-1', refreshToken: 'refresh-1', ...salvaged };
      const { oauth, log } = answering(200, body);
      const { accessToken, refreshToken, expiresIn } = await oauth.refresh(credentials(), 'r');
      assert.deepEqual({ accessToken, refreshToken, ...(expiresIn === undefined ? {} : { expiresIn }) }, expected);
      const poll = await oauth.poll(credentials(), 'd');
      assert.ok(poll.kind === 'tokens' && poll.tokens.refreshToken === 'refresh-1');
      assert.match(log.text(), /refresh: the response is damaged; its tokens could be read/);
      assert.doesNotMatch(log.text(), /access-1|refresh-1/);
    });
  }

  for (const [what, body, problem] of [
    ['a refresh token that never ended', '{"access_token":"access-1","refresh_token":"refr', 'not JSON'],
    ['a refresh token whose field never ended', '{"access_token":"access-1","refresh_token":"refresh-1"', 'not JSON'],
    ['a bad byte in its refresh token', Buffer.from('{"refresh_token":"\xe9"}', 'latin1'), 'not JSON'],
    ['its tokens within another field', '{"tokens":{"refresh_token":"refresh-1"}}}', 'not JSON'],
    [
      'half of a surrogate pair in its refresh token',
      '{"access_token":"access-1","refresh_token":"\\ud800"}}',
      'not JSON',
    ],
    ['an empty refresh token', '{"access_token":"access-1","refresh_token":""}}', 'not JSON'],
    ['a page before the object', `<p>${whole}`, 'not JSON'],
    ['quotation marks that were not escaped', '{"name":"a"b"c","refresh_token":"refresh-1"}', 'not JSON'],
    ['a list around it', `[${whole}`, 'not JSON'],
    ['a list around it that is whole', `[${whole}]`, 'not an object'],
  ] as const) {
    it(`is refused: with ${what}`, async () => {
      await fails(answering(200, body).refresh(), new InvalidResponseError('refresh', 200, problem, undefined));
    });
  }

  it('is an error if its status is one, or another success', async () => {
    for (const status of [400, 500]) {
      await fails(answering(status, `${whole}!`).refresh(), new ServiceError('refresh', status, undefined));
    }
    await fails(answering(201, `${whole}!`).refresh(), new InvalidResponseError('refresh', 201, 'not JSON', undefined));
  });

  it('keeps its tokens although the connection was lost after them', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('{"access_token":"access-1","refresh_token":"refresh-1","expires'));
      throw Object.assign(new Error('a reset'), { code: 'ECONNRESET' });
    }
    const { oauth } = client(() => Promise.resolve(new Response(Readable.from(broken()))));
    assert.equal((await oauth.refresh(credentials(), 'r')).refreshToken, 'refresh-1');
  });
});
