import assert from 'node:assert/strict';
import { InvalidResponseError, NetworkError, ServiceError } from '../../../src/oauth/errors';
import { answering, credentials, DEVICE_CODE, fails, TOKENS } from './harness';

const LIMIT = 64 * 1024;

describe('an error response', () => {
  for (const [name, body] of Object.entries({
    'no body': '',
    'a page': '<!doctype html><title>502</title>',
    'an array': '["invalid_grant"]',
    'no error field': '{"message":"no"}',
    'an error that is an object': '{"error":{"code":"x"}}',
    'an error with a link': '{"error":"[a](command:b)"}',
    'invalid UTF-8': Buffer.from('7b226572726f72223a22ff227d', 'hex'),
  })) {
    it(`has no code: ${name}`, async () => {
      await fails(answering(400, body).refresh(), new ServiceError('refresh', 400, undefined));
    });
  }

  it("doesn't pass on what was sent", async () => {
    for (const error of ['hunter2', 'not a real secret']) {
      const request = answering(400, { error }).oauth.refresh(credentials(), 'hunter2');
      await fails(request, new ServiceError('refresh', 400, undefined));
    }
  });

  it("isn't what a proxy says", async () => {
    for (const body of ['<html>Who are you?</html>', { error: 'invalid_grant' }]) {
      const request = answering(407, body).oauth.poll(credentials(), 'd');
      await fails(request, new NetworkError('poll', 'proxy', false, undefined));
    }
  });

  for (const status of [201, 202, 203, 206, 226]) {
    it(`is every other success than 200, whatever it brings: HTTP ${status}`, async () => {
      const { oauth, refresh } = answering(status, { ...DEVICE_CODE, ...TOKENS, error: 'invalid_grant' });
      const expected = new ServiceError('device authorization', status, undefined);
      await fails(oauth.requestDeviceAuthorization(credentials()), expected);
      await fails(oauth.poll(credentials(), 'd'), new ServiceError('poll', status, undefined));
      const { refreshToken } = await refresh();
      assert.equal(refreshToken, TOKENS.refresh_token, 'a refresh may have brought the only token that still works');
    });
  }
});

describe('an invalid response', () => {
  for (const status of [300, 301, 302, 303, 304, 307, 308, 399]) {
    it(`is a redirect, HTTP ${status}, and isn't followed`, async () => {
      const { refresh } = answering(status, TOKENS, { Location: 'https://other.example/' });
      await fails(refresh(), new InvalidResponseError('refresh', status, 'redirect', undefined));
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
      const { refresh } = answering(200, body, { 'Content-Type': 'application/json' });
      await fails(refresh(), new InvalidResponseError('refresh', 200, problem, undefined));
    });
  }

  it('is one that is too large, even with an error status', async () => {
    const { refresh } = answering(500, ' '.repeat(LIMIT + 1));
    await fails(refresh(), new InvalidResponseError('refresh', 500, 'too large', undefined));
  });
});
