import assert from 'node:assert/strict';
import { MetadataError, ServiceError } from '../../../../src/oauth/errors';
import { describeFailure } from '../../../../src/vscode/failures/describeFailure';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { answering, credentials, failure } from '../../oauth/harness';
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
  [503, { error: 'temporarily_unavailable' }, { 'Retry-After': ' 61 ' }, 'in 2 minutes'],
  [503, 'busy', { Date: DATE, 'Retry-After': 'Wed, 25 Nov 2026 10:00:01 GMT' }, 'in 1 second'],
  [429, '', { 'Retry-After': '86400' }, 'in 5 minutes'],
  [504, '<html>', { 'Retry-After': '45' }, 'in 45 seconds', 'had an internal error (HTTP 504)'],
  [503, '', { 'Retry-After': 'soon' }, undefined],
  [500, '', {}, undefined],
  [404, '<html>', { 'Retry-After': '120' }, undefined],
];

/**
 * Guards that people read when a service that's busy, or doesn't work right now, wants to be asked for a code again, and decide
 * themselves when they ask.
 */
describe('a service that can’t give a code right now', () => {
  for (const [status, body, headers, told, problem = 'was busy'] of RESPONSES) {
    const response = `HTTP ${status}, ${JSON.stringify(body)}, ${JSON.stringify(headers)}`;
    it(`says ${told ?? 'no time'}: ${response}`, async () => {
      const { oauth } = answering(status, body, headers);
      const error = await failure(oauth.requestDeviceAuthorization(credentials()));
      const { offers, text } = describeFailure(DEPENDENCIES, error, { service: 'My Service', baseUrl: undefined });
      if (told === undefined) {
        assert.doesNotMatch(text, /again in \d/);
      } else {
        assert.equal(text, `My Service ${problem}. Try again ${told}.`);
        assert.deepEqual(offers, ['tryAgain', 'troubleshoot']);
      }
    });
  }

  it('says it of the metadata, too', async () => {
    const { oauth } = answering(503, '', { 'Retry-After': '240' });
    const service = { baseUrl: 'https://service.example', clientId: 'editor', protocol: 'rfc8628' } as const;
    const error: unknown = await oauth.discover(service, {}).catch((error: unknown) => error);
    assert.ok(!(error instanceof MetadataError));
    const { text } = describeFailure(DEPENDENCIES, error, { service: 'My Service', baseUrl: service.baseUrl });
    assert.equal(text, 'My Service was busy. Try again in 4 minutes.');
  });

  it('isn’t asked again by itself, but at once by a person', async () => {
    const told = /was busy\. Try again in 2 minutes\.$/;
    const response = new ServiceError('device authorization', 429, undefined, { retryAfter: 90 });
    const b = await failed({ codes: [{ response }, { response }, { response: deviceCode() }] }, told);
    await b.editor.press('Try Again');
    assert.equal(b.client.codeRequests.length, 2);
    assert.match(b.editor.last.text, told);
    await b.clock.advance(150_000);
    assert.equal(b.client.codeRequests.length, 2, 'nobody asked for another');
    await b.editor.press('Try Again');
    assert.match(b.editor.last.text, /^Your code is/);
  });
});
