import assert from 'node:assert/strict';
import { MetadataError, ServiceError } from '../../../../src/oauth/errors';
import { describeFailure } from '../../../../src/vscode/failures/describeFailure';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { answering, credentials } from '../../oauth/harness';
import { endpointsAt } from '../../oauth/standardHarness';
import { deviceCode } from '../../signin/scriptedClient';
import { english } from '../english';
import { failed } from './signInBench';

const DATE = 'Wed, 25 Nov 2026 10:00:00 GMT';
const DEPENDENCIES = {
  brand: { prefix: 'deviceFlow', configuredBy: 'person' as const },
  texts: createTexts(english, 'en'),
};

/** What the service's response to a request for a code says of when to ask again, and what people read. */
const RESPONSES: readonly (readonly [
  status: number,
  body: unknown,
  headers: Record<string, string>,
  told: string | undefined,
  problem?: string,
])[] = [
  [429, '', { 'Retry-After': '120' }, 'in 2 minutes'],
  [503, '<html>', { 'Retry-After': '30' }, 'in 30 seconds'],
  [503, { error: 'temporarily_unavailable' }, { 'Retry-After': ' 61 ' }, 'in 2 minutes'],
  [429, { error: 'rate_limit_exceeded' }, { 'Retry-After': '1' }, 'in 1 second'],
  [503, 'busy', { Date: DATE, 'Retry-After': 'Wed, 25 Nov 2026 10:01:00 GMT' }, 'in 1 minute'],
  [429, '{}', { Date: DATE, 'Retry-After': 'Wed, 25 Nov 2026 10:02:01 GMT' }, 'in 3 minutes'],
  [503, '', { 'Retry-After': '86400' }, 'in 5 minutes'],
  [429, '', { Date: DATE, 'Retry-After': 'Wed, 25 Nov 2099 10:00:00 GMT' }, 'in 5 minutes'],
  [400, { error: 'temporarily_unavailable' }, { 'Retry-After': '30' }, 'in 30 seconds'],
  [500, '', { 'Retry-After': '120' }, 'in 2 minutes', 'had an internal error (HTTP 500)'],
  [500, { error: 'server_error' }, { 'Retry-After': '45' }, 'in 45 seconds', 'had an internal error (HTTP 500)'],
  [502, '<html>', { 'Retry-After': '61' }, 'in 2 minutes', 'had an internal error (HTTP 502)'],
  [
    504,
    '',
    { Date: DATE, 'Retry-After': 'Wed, 25 Nov 2026 10:01:00 GMT' },
    'in 1 minute',
    'had an internal error (HTTP 504)',
  ],
  [400, { error: 'server_error' }, { 'Retry-After': '86400' }, 'in 5 minutes', 'had an internal error (HTTP 400)'],
  [500, { error: 'too_many_devices' }, { 'Retry-After': '5' }, 'in 5 seconds'],
  [500, '', {}, undefined],
  [503, '', { 'Retry-After': '0' }, undefined],
  [503, '', { 'Retry-After': 'soon' }, undefined],
  [429, '', { Date: DATE, 'Retry-After': 'Wed, 25 Nov 2015 10:00:00 GMT' }, undefined],
  [429, '', {}, undefined],
  [400, { error: 'invalid_client' }, { 'Retry-After': '120' }, undefined],
  [404, '<html>', { 'Retry-After': '120' }, undefined],
];

/**
 * Guards that people read when a service that's busy, or doesn't work right now, wants to be asked for a code again, and decide
 * themselves when they ask.
 */
describe('a service that can’t give a code right now', () => {
  for (const dialect of ['draft', 'rfc8628'] as const) {
    for (const [status, body, headers, told, problem = 'is busy'] of RESPONSES) {
      const response = `HTTP ${status}, ${JSON.stringify(body)}, ${JSON.stringify(headers)}`;
      it(`says ${told ?? 'no time'} in the dialect ${dialect}: ${response}`, async () => {
        const { oauth } = answering(status, body, headers);
        const standard = { protocol: 'rfc8628', endpoints: endpointsAt(credentials().baseUrl) } as const;
        const request = { ...credentials(), ...(dialect === 'rfc8628' && standard) };
        const error: unknown = await oauth.requestDeviceAuthorization(request).catch((error: unknown) => error);
        assert.ok(error instanceof ServiceError);
        const { offers, text } = describeFailure(DEPENDENCIES, error, { service: 'My Service', baseUrl: undefined });
        if (told === undefined) {
          assert.doesNotMatch(text, /again in \d/);
        } else {
          assert.equal(text, `My Service ${problem}. Try again ${told}.`);
          assert.deepEqual(offers, ['tryAgain', 'troubleshoot']);
        }
      });
    }
  }

  it('says it of the metadata, too', async () => {
    const { oauth } = answering(503, '', { 'Retry-After': '240' });
    const service = { baseUrl: 'https://service.example', clientId: 'editor', protocol: 'rfc8628' } as const;
    const error: unknown = await oauth.discover(service, {}).catch((error: unknown) => error);
    assert.ok(!(error instanceof MetadataError));
    const { text } = describeFailure(DEPENDENCIES, error, { service: 'My Service', baseUrl: service.baseUrl });
    assert.equal(text, 'My Service is busy. Try again in 4 minutes.');
  });

  for (const [status, retryAfter, told] of [
    [429, 90, /is busy\. Try again in 2 minutes\.$/],
    [503, 45, /is busy\. Try again in 45 seconds\.$/],
  ] as const) {
    it(`isn’t asked again by itself, but at once by a person: HTTP ${status}, ${retryAfter} s`, async () => {
      const response = new ServiceError('device authorization', status, undefined, { retryAfter });
      const b = await failed({ codes: [{ response }, { response: deviceCode() }] }, told);
      assert.match(b.editor.last.text, told);
      assert.deepEqual(b.editor.last.buttons, ['Try Again']);
      await b.clock.advance(retryAfter * 1000 + 60_000);
      assert.equal(b.client.codeRequests.length, 1, 'nobody asked for another');
      await b.editor.press('Try Again');
      assert.equal(b.client.codeRequests.length, 2);
      assert.match(b.editor.last.text, /^Your code is/);
    });

    it(`doesn’t make a person wait who tries again before: HTTP ${status}, ${retryAfter} s`, async () => {
      const response = new ServiceError('device authorization', status, undefined, { retryAfter });
      const b = await failed({ codes: [{ response }, { response: deviceCode() }] }, told);
      await b.editor.press('Try Again');
      assert.equal(b.client.codeRequests.length, 2);
    });
  }
});
