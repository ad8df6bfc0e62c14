import assert from 'node:assert/strict';
import { isMeantService, parseRequestedScopes } from '../../../../src/vscode/requests/serviceScope';

/** Guards that a caller gets sessions of the service that its scopes name, and of no other. */
describe('Scopes that name a service', () => {
  it('may name the service that a caller means, in any notation of its base URL', () => {
    const requested = ['read', 'DEVICE_FLOW_SERVICE:https://Service.example/v1/ write', ''];
    const parsed = parseRequestedScopes(requested);
    assert.deepEqual(parsed, { scopes: ['read', 'write'], services: ['https://service.example/v1'] });
    assert.ok(isMeantService(parsed.services, 'https://service.example/v1'));
    for (const baseUrl of ['https://service.example', 'https://other.example/v1', 'http://service.example/v1']) {
      assert.ok(!isMeantService(parsed.services, baseUrl), baseUrl);
    }
    assert.ok(isMeantService(parseRequestedScopes(['read']).services, 'https://service.example'));
  });

  const service = 'https://service.example';
  for (const scope of [
    `device_flow_service:${service}`,
    `\tDEVICE_FLOW_SERVICE:${service}\n`,
    `\u00a0Device_Flow_Service:${service}`,
  ]) {
    it(`name a service in any case, with white space around it: ${JSON.stringify(scope)}`, () => {
      assert.deepEqual(parseRequestedScopes(['read', scope]), { scopes: ['read'], services: [service] });
    });
  }

  for (const scope of [
    `DEVICE_FLOW_SERVICE=${service}`,
    `DEVICE_FLOW_SERVICE :${service}`,
    `DEVICE_FLOW_SERVICE: ${service}`,
    `\u200bDEVICE_FLOW_SERVICE:${service}`,
    `read\nDEVICE_FLOW_SERVICE:${service}`,
    'device_flow_service',
  ]) {
    it(`name a service that isn't there if they're misspelled: ${JSON.stringify(scope)}`, () => {
      const { services } = parseRequestedScopes([scope]);
      assert.equal(services.length, 1);
      assert.ok(!isMeantService(services, service));
    });
  }

  it('name no service if they only have its name in them', () => {
    const scopes = ['https://api.example/device_flow_service', 'x_DEVICE_FLOW_SERVICE:read'];
    assert.deepEqual(parseRequestedScopes(scopes), { scopes, services: [] });
  });
});
