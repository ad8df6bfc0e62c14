import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/oauth/errors';
import { classifySignInError } from '../../../src/signin/classifySignInError';

/** Guards what each error of the service means for a sign-in. */
describe('an error of the service during a sign-in', () => {
  for (const [status, code, kind] of [
    [400, 'expired_token', 'expired'],
    [400, 'code_expired', 'expired'],
    [410, 'authorization_expired', 'expired'],
    [403, 'authorization_declined', 'denied'],
    [400, 'invalid_client', 'wrong credentials'],
    [401, 'invalid_client', 'wrong credentials'],
    [401, 'unauthorized_client', 'wrong credentials'],
    [400, 'unauthorized_client', 'grant not allowed'],
    [403, 'unauthorized_client', 'grant not allowed'],
    [400, 'invalid_grant', 'unknown code'],
    [400, 'slow_down', 'too many requests'],
    [429, undefined, 'too many requests'],
    [429, 'wait_a_bit', 'too many requests'],
    [401, undefined, 'unauthorized'],
    [401, 'unauthorized', 'unauthorized'],
    [401, 'api_key_missing', 'unauthorized'],
    [500, undefined, 'internal error'],
    [503, 'server_error', 'internal error'],
    [404, 'not_found', 'not understood'],
    [405, undefined, 'not understood'],
    [400, undefined, 'not understood'],
    [415, undefined, 'not understood'],
    [400, 'invalid_scope', 'scopes refused'],
    [400, 'invalid_request', 'other'],
    [403, 'constructor', 'other'],
  ] as const) {
    it(`with HTTP ${status} and ${code ?? 'no code'} means: ${kind}`, () => {
      assert.equal(classifySignInError(new ServiceError('device authorization', status, code)), kind);
      // There was a code, so the base URL is right.
      const whilePolling = kind === 'not understood' ? 'unexpected response' : kind;
      assert.equal(classifySignInError(new ServiceError('poll', status, code)), whilePolling);
    });
  }

  for (const [code, number, kind] of [
    ['invalid_grant', 'AADSTS53003', 'numbered'],
    ['access_denied', 'AADSTS530035', 'numbered'],
    ['invalid_request', 'AADSTS900144', 'numbered'],
    ['unauthorized_client', 'AADSTS700016', 'numbered'],
    ['invalid_client', 'AADSTS7000218', 'grant not allowed'],
    ['invalid_client', 'AADSTS7000215', 'wrong credentials'],
    ['expired_token', 'AADSTS70020', 'expired'],
    ['device_flow_disabled', undefined, 'grant not allowed'],
    ['unsupported_grant_type', undefined, 'grant not allowed'],
    ['incorrect_device_code', undefined, 'unknown code'],
  ] as const) {
    it(`with ${code} and ${number ?? 'no number'} means: ${kind}`, () => {
      assert.equal(classifySignInError(new ServiceError('poll', 400, code, { number })), kind);
    });
  }

  for (const [status, code, kind] of [
    [429, undefined, 'busy'],
    [500, undefined, 'not working'],
    [502, 'server_error', 'not working'],
    [504, 'bad_gateway', 'not working'],
    [400, 'server_error', 'not working'],
    [503, undefined, 'busy'],
    [503, 'server_error', 'busy'],
    [400, 'temporarily_unavailable', 'busy'],
    [401, 'unauthorized_client', 'wrong credentials'],
    [400, 'slow_down', 'too many requests'],
    [404, undefined, 'not understood'],
  ] as const) {
    it(`with HTTP ${status}, ${code ?? 'no code'}, and a time to ask for a code again means: ${kind}`, () => {
      const kindOf = (operation: 'device authorization' | 'metadata' | 'poll'): string =>
        classifySignInError(new ServiceError(operation, status, code, { retryAfter: 60 }));
      assert.deepEqual([kindOf('device authorization'), kindOf('metadata')], [kind, kind]);
      assert.ok(!['busy', 'not working'].includes(kindOf('poll')), 'a poll that ended the sign-in says that');
    });
  }

  it('with access_denied means that the person denied it, or that the client may not have a code at all', () => {
    const kindIn = (operation: 'device authorization' | 'poll'): string =>
      classifySignInError(new ServiceError(operation, 400, 'access_denied'));
    assert.deepEqual([kindIn('poll'), kindIn('device authorization')], ['denied', 'grant not allowed']);
  });
});
