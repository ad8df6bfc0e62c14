import assert from 'node:assert/strict';
import { answering, credentials, DEVICE_CODE, facts, failure, TOKENS } from './harness';

const LIMIT = 64 * 1024;

describe('an error of the service', () => {
  for (const status of [400, 401, 403, 418, 428, 499]) {
    it(`is none where a poll gets authorization_pending with HTTP ${status}`, async () => {
      const { oauth } = answering(status, { error: 'authorization_pending', status });
      assert.deepEqual(await oauth.poll(credentials(), 'd'), { kind: 'pending' });
    });
  }

  for (const [status, code] of [
    [400, 'invalid_client'],
    [400, 'slow_down'],
    [401, 'unauthorized'],
    [429, 'rate_limit-1'],
    [500, 'authorization_pending'],
    [503, 'server_error'],
    [200, 'authorization_pending'],
  ] as const) {
    it(`stops a poll: HTTP ${status} ${code}`, async () => {
      const { oauth } = answering(status, { error: code, error_description: 'Some text.' });
      const error = await failure(oauth.poll(credentials(), 'd'));
      assert.deepEqual(facts(error), { operation: 'poll', status, code, name: 'ServiceError' });
      assert.equal(error.message, `poll: the service returned ${code} (HTTP ${status})`);
    });
  }

  it('is not "pending" for the other operations', async () => {
    const { oauth } = answering(400, { error: 'authorization_pending' });
    assert.equal((await failure(oauth.refresh(credentials(), 'r'))).name, 'ServiceError');
    assert.equal((await failure(oauth.requestDeviceAuthorization(credentials()))).name, 'ServiceError');
  });

  for (const [name, body] of Object.entries({
    'no body': '',
    'a page': '<!doctype html><title>502</title>',
    'an array': '["invalid_grant"]',
    'no error field': '{"message":"no"}',
    'an error that is an object': '{"error":{"code":"x"}}',
    'an error with a line break': '{"error":"a\\nb"}',
    'an error with a link': '{"error":"[a](command:b)"}',
    'a long error': JSON.stringify({ error: `${'e'.repeat(20)}_${'e'.repeat(20)}` }),
    'an error that is an address': '{"error":"www.evil.example"}',
    'an error that is a sentence': '{"error":"Call-Microsoft-Support-right-now"}',
    'an error that is a sentence without spaces': '{"error":"CallMicrosoftSupportRightNow"}',
    'an error that is a telephone number': '{"error":"call-800-555-0199"}',
    'the secret as an error': JSON.stringify({ error: 'refresh-abc-mnopqrst' }),
    'a piece of the secret as an error': JSON.stringify({ error: 'c-mnopqrst' }),
    'the secret within an error': JSON.stringify({ error: 'bad_refresh-abc-mnopqrst' }),
    'what looks like a token': JSON.stringify({ error: 'q8Zr-Vb2_T0yKp4Lx9' }),
    'what looks like a hash': JSON.stringify({ error: '0f1e2d3c4b5a69788796a5b4' }),
    'what looks like a UUID': JSON.stringify({ error: '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0' }),
    'a lone separator': JSON.stringify({ error: 'invalid_' }),
    'invalid UTF-8': Buffer.from('7b226572726f72223a22ff227d', 'hex'),
  })) {
    it(`has no code for ${name}`, async () => {
      const { oauth } = answering(400, body);
      const error = await failure(oauth.refresh(credentials(), 'refresh-abc-mnopqrst'));
      assert.deepEqual(facts(error), { operation: 'refresh', status: 400, name: 'ServiceError' });
      assert.equal(error.message, 'refresh: the service returned no error code (HTTP 400)');
    });
  }

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
    it(`has the code ${code}`, async () => {
      const { oauth } = answering(400, { error: code });
      assert.equal(facts(await failure(oauth.refresh(credentials(), 'r')))['code'], code);
    });
  }

  it('has no code that is a short secret', async () => {
    const { oauth } = answering(400, { error: 'hunter2' });
    const error = await failure(oauth.refresh(credentials(), 'hunter2'));
    assert.deepEqual(facts(error), { operation: 'refresh', status: 400, name: 'ServiceError' });
  });

  it('is told from the word of a proxy', async () => {
    const proxy = answering(407, '<html>Who are you?</html>');
    const expected = { operation: 'poll', reason: 'proxy', maybeSent: false, name: 'NetworkError' };
    assert.deepEqual(facts(await failure(proxy.oauth.poll(credentials(), 'd'))), expected);
    const pretending = answering(407, { error: 'invalid_grant' });
    assert.deepEqual(facts(await failure(pretending.oauth.poll(credentials(), 'd'))), expected);
  });

  for (const status of [201, 202, 203, 206, 226]) {
    it(`is every other success than 200, whatever it brings: HTTP ${status}`, async () => {
      const { oauth } = answering(status, { ...DEVICE_CODE, ...TOKENS, error: 'invalid_grant' });
      const expected = { status, name: 'ServiceError' };
      const requests = {
        'device authorization': () => oauth.requestDeviceAuthorization(credentials()),
        poll: () => oauth.poll(credentials(), 'd'),
      };
      for (const [operation, request] of Object.entries(requests)) {
        assert.deepEqual(facts(await failure(request())), { ...expected, operation });
      }
      const { refreshToken } = await oauth.refresh(credentials(), 'r');
      assert.equal(refreshToken, TOKENS.refresh_token, 'a refresh may have brought the only token that still works');
    });
  }
});

describe('an answer that cannot be used', () => {
  for (const status of [300, 301, 302, 303, 304, 307, 308, 399]) {
    it(`is a redirect, HTTP ${status}, and is not followed`, async () => {
      const { oauth } = answering(status, TOKENS, { Location: 'https://other.example/' });
      const expected = { operation: 'refresh', status, problem: 'redirect', name: 'InvalidResponseError' };
      assert.deepEqual(facts(await failure(oauth.refresh(credentials(), 'r'))), expected);
    });
  }

  for (const [name, body, problem] of [
    ['nothing', '', 'not JSON'],
    ['a login page', '<html><body>Welcome to the hotel</body></html>', 'not JSON'],
    ['half of an object', '{"access_token":"a","refresh_tok', 'not JSON'],
    ['two objects', '{}{}', 'not JSON'],
    ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), 'not JSON'],
    ['UTF-16', Buffer.from('\ufeff{"access_token":"a"}', 'utf16le'), 'not JSON'],
    ['deep nesting', '['.repeat(LIMIT), 'not JSON'],
    ['a string', '"a"', 'not an object'],
    ['null', 'null', 'not an object'],
    ['an array', '[{"access_token":"a"}]', 'not an object'],
    ['a deep array', '['.repeat(LIMIT / 2) + ']'.repeat(LIMIT / 2), 'not an object'],
    ['too many bytes', JSON.stringify(TOKENS).padEnd(LIMIT + 1), 'too large'],
  ] as const) {
    it(`holds ${name}`, async () => {
      const { oauth } = answering(200, body, { 'Content-Type': 'application/json' });
      const expected = { operation: 'refresh', status: 200, problem, name: 'InvalidResponseError' };
      assert.deepEqual(facts(await failure(oauth.refresh(credentials(), 'r'))), expected);
    });
  }

  it('is one that is too large, also with an error status', async () => {
    const { oauth } = answering(500, ' '.repeat(LIMIT + 1));
    const expected = { operation: 'refresh', status: 500, problem: 'too large', name: 'InvalidResponseError' };
    assert.deepEqual(facts(await failure(oauth.refresh(credentials(), 'r'))), expected);
  });
});
