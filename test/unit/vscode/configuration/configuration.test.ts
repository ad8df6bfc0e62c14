import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readConfiguration, serviceLabel, type SettingName } from '../../../../src/vscode/configuration/configuration';
import { settings, type SettingValues } from '../settings';

const complete: SettingValues = { baseUrl: 'https://service.example', clientId: 'the client' };

function baseUrlOf(text: string): string | undefined {
  const result = readConfiguration(settings({ ...complete, baseUrl: text }));
  return result.kind === 'ready' ? result.configuration.service.baseUrl : undefined;
}

describe('the settings', () => {
  it('are ready with a base URL and a client ID; the rest has defaults', () => {
    assert.deepEqual(readConfiguration(settings(complete)), {
      kind: 'ready',
      configuration: {
        service: complete,
        serviceName: 'service.example',
        verificationOrigin: undefined,
        account: undefined,
        notification: {
          shape: {
            path: '/device/notify',
            method: 'POST',
            parameters: {},
            parametersIn: 'query',
            accessTokenIn: 'header',
          },
          on: 'signIn',
        },
      },
    });
  });

  it('are missing without a base URL or without a client ID', () => {
    assert.deepEqual(readConfiguration(settings({ baseUrl: 'https://service.example' })), { kind: 'missing' });
    assert.deepEqual(readConfiguration(settings({ ...complete, baseUrl: ' ' })), { kind: 'missing' });
  });

  it('are never those of a workspace or a folder', () => {
    const hostile: SettingValues = { baseUrl: 'https://evil.example', clientId: 'evil', serviceName: 'Evil' };
    assert.deepEqual(readConfiguration(settings({}, hostile)), { kind: 'missing' });
    const result = readConfiguration(settings(complete, hostile));
    assert.ok(result.kind === 'ready' && result.configuration.service.baseUrl === 'https://service.example');
    assert.equal(serviceLabel(settings({}, hostile), 'fallback'), 'fallback');
  });

  const sameAddress: readonly [string, string][] = [
    ['https://service.example/', 'https://service.example'],
    [' HTTPS://Service.Example:443// ', 'https://service.example'],
    ['https://service.example/api/v1/', 'https://service.example/api/v1'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
  ];
  for (const [entered, normal] of sameAddress) {
    it(`take ${entered.trim()} as base URL, in its normal form`, () => {
      assert.equal(baseUrlOf(entered), normal);
    });
  }

  it('have a base URL whose normal form is a fixed point', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['https'] }), (url) => {
        const normal = baseUrlOf(url);
        assert.ok(normal !== undefined && !normal.endsWith('/'));
        assert.equal(baseUrlOf(normal), normal);
      }),
    );
  });

  const wrong: readonly [SettingName, unknown, string][] = [
    ['baseUrl', 5, 'not a text'],
    ['baseUrl', 'service.example', 'not an address'],
    ['baseUrl', 'ftp://service.example', 'not an address'],
    ['baseUrl', 'https:service.example', 'not an address'],
    ['baseUrl', 'https://', 'not an address'],
    ['baseUrl', 'https://serv\nice.example', 'forbidden characters'],
    ['baseUrl', 'https://serv\u202eice.example', 'not an address'],
    ['baseUrl', 'https://service.example\\@evil.example', 'not an address'],
    ['baseUrl', 'http://service.example', 'not secure'],
    ['baseUrl', 'http://localhost.evil.example', 'not secure'],
    ['baseUrl', 'http://127.0.0.1.evil.example', 'not secure'],
    ['baseUrl', 'http://127.0.0.2', 'not secure'],
    ['baseUrl', 'http://service.localhost', 'not secure'],
    ['baseUrl', 'http://localhost.', 'not secure'],
    ['baseUrl', 'http://[::ffff:127.0.0.1]', 'not secure'],
    ['baseUrl', 'http://0.0.0.0', 'not secure'],
    ['baseUrl', 'https://person@service.example', 'has credentials'],
    ['baseUrl', 'https://:word@service.example', 'has credentials'],
    ['baseUrl', 'https://service.example?a=b', 'has a query or fragment'],
    ['baseUrl', 'https://service.example/#a', 'has a query or fragment'],
    ['baseUrl', `https://service.example/${'x'.repeat(3000)}`, 'too long'],
    ['clientId', 'the\nclient', 'forbidden characters'],
    ['clientId', ['the client'], 'not a text'],
    ['serviceName', 'x'.repeat(65), 'too long'],
    ['serviceName', '[Service](command:x)', 'forbidden characters'],
    ['serviceName', 5, 'not a text'],
    ['verificationUrl', 'http://service.example', 'not secure'],
    ['verificationUrl', 'device', 'not an address'],
    ['account.path', 'user', 'not a path'],
    ['account.field', 'user..name', 'not a field'],
    ['account.field', 'na me', 'not a field'],
    ['notify.path', 'device/notify', 'not a path'],
    ['notify.path', '//evil.example/', 'not a path'],
    ['notify.path', '/a/../b', 'not a path'],
    ['notify.path', '/a/%2E%2e/b', 'not a path'],
    ['notify.path', '/a?b=c', 'not a path'],
    ['notify.path', 5, 'not a text'],
    ['notify.method', 'DELETE', 'not one of its values'],
    ['notify.parametersIn', 'cookie', 'not one of its values'],
    ['notify.on', true, 'not one of its values'],
    ['accessTokenIn', 'body', 'not one of its values'],
    ['notify.parameters', 'title=x', 'not names and texts'],
    ['notify.parameters', ['x'], 'not names and texts'],
    ['notify.parameters', { title: 5 }, 'not names and texts'],
    ['notify.parameters', { access_token: 'x' }, 'reserved name'],
  ];
  for (const [setting, value, problem] of wrong) {
    it(`are refused with the name of the setting: ${setting}: ${problem}: ${JSON.stringify(value).slice(0, 50)}`, () => {
      assert.deepEqual(readConfiguration(settings({ ...complete, [setting]: value })), {
        kind: 'wrong',
        problem: { setting, problem },
      });
    });
  }

  it('turn the device notification off with an empty path', () => {
    const result = readConfiguration(settings({ ...complete, 'notify.path': '' }));
    assert.ok(result.kind === 'ready' && result.configuration.notification === undefined);
  });

  it('give the origin of the verification URL as the guard', () => {
    const result = readConfiguration(settings({ ...complete, verificationUrl: 'https://Service.example:443/device' }));
    assert.ok(result.kind === 'ready' && result.configuration.verificationOrigin === 'https://service.example');
  });

  it('name the service as it is set, else by its host, else by the fallback', () => {
    assert.equal(serviceLabel(settings({ ...complete, serviceName: ' My Service ' }), 'fallback'), 'My Service');
    assert.equal(serviceLabel(settings(complete), 'fallback'), 'service.example');
    assert.equal(serviceLabel(settings({ baseUrl: 'http://service.example' }), 'fallback'), 'fallback');
  });
});
