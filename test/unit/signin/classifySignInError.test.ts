import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/oauth/errors';
import { classifySignInError } from '../../../src/signin/classifySignInError';

/** Guards what each error of the service means for a sign-in. */
describe('an error of the service during a sign-in', () => {
  for (const [status, code, kind] of [
    [400, 'expired_token', 'expired'],
    [400, 'invalid_client', 'wrong credentials'],
    [401, 'unauthorized_client', 'wrong credentials'],
    [400, 'unauthorized_client', 'grant not allowed'],
    [403, 'unauthorized_client', 'grant not allowed'],
    [400, 'invalid_grant', 'unknown code'],
    [400, 'slow_down', 'busy'],
    [429, undefined, 'busy'],
    [401, undefined, 'not accepted'],
    [401, 'unauthorized', 'not accepted'],
    [500, undefined, 'not working'],
    [504, 'bad_gateway', 'not working'],
    [400, 'server_error', 'not working'],
    [503, undefined, 'busy'],
    [503, 'server_error', 'busy'],
    [400, 'temporarily_unavailable', 'busy'],
    [404, 'not_found', 'not accepted'],
    [400, undefined, 'not accepted'],
    [400, 'invalid_request', 'other'],
    [403, 'constructor', 'other'],
  ] as const) {
    it(`with HTTP ${status} and ${code ?? 'no code'} means: ${kind}`, () => {
      const body = 'object';
      assert.equal(classifySignInError(new ServiceError('device authorization', status, code, { body })), kind);
      // There was a code, so the base URL is right.
      const isBlamedOnAddress = kind === 'not accepted' && status !== 401;
      const whilePolling = isBlamedOnAddress ? (code === undefined ? 'unexplained' : 'other') : kind;
      assert.equal(classifySignInError(new ServiceError('poll', status, code)), whilePolling);
    });
  }

  it('in a 403 with words of its own blames no client ID, for a code or a poll, wherever the endpoint is', () => {
    for (const operation of ['device authorization', 'poll'] as const) {
      const error = new ServiceError(operation, 403, undefined, { body: 'object' });
      error.endpointAddress = 'https://elsewhere.example/token';
      assert.equal(classifySignInError(error), 'in own words');
    }
  });

  for (const [code, number, kind] of [
    ['invalid_grant', 'AADSTS53003', 'numbered'],
    ['access_denied', 'AADSTS530035', 'numbered'],
    ['invalid_request', 'AADSTS900144', 'numbered'],
    ['unauthorized_client', 'AADSTS700016', 'numbered'],
    ['invalid_client', 'AADSTS7000218', 'grant not allowed'],
    ['invalid_client', 'AADSTS7000215', 'wrong credentials'],
    ['expired_token', 'AADSTS70020', 'expired'],
  ] as const) {
    it(`with ${code} and ${number} means: ${kind}`, () => {
      assert.equal(classifySignInError(new ServiceError('poll', 400, code, { number })), kind);
    });
  }

  it('about PKCE means that, whatever its code is', () => {
    for (const code of ['invalid_request', 'invalid_grant', 'invalid_client', undefined]) {
      const error = new ServiceError('device authorization', 400, code, { body: 'object', isAboutPkce: true });
      assert.equal(classifySignInError(error), 'PKCE required');
    }
  });

  it('with access_denied means that the person denied it, or that the client may not have a code at all', () => {
    const kindIn = (operation: 'device authorization' | 'poll'): string =>
      classifySignInError(new ServiceError(operation, 400, 'access_denied'));
    assert.deepEqual([kindIn('poll'), kindIn('device authorization')], ['denied', 'grant not allowed']);
  });
});
