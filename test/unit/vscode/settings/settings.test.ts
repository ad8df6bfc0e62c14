import assert from 'node:assert/strict';
import fc from 'fast-check';
import { settingsOf, type SettingsSource } from '../../../../src/vscode/editor/settingsSource';
import {
  checkUsable,
  type Configuration,
  describeConfiguration,
  readConfiguration,
} from '../../../../src/vscode/settings/configuration';
import type { ConfiguredService } from '../../../../src/vscode/settings/service';
import { Settings } from '../../../../src/vscode/settings/settings';
import manifest from '../../../../package.json';
import type { SettingName } from '../../../../src/vscode/settings/validate';
import { RecordingLog } from '../../../support/recordingLog';
import { settings, type SettingValues } from '../fakeSettings';

const complete: SettingValues = { baseUrl: 'https://service.example', clientId: 'the client' };

function read(source: SettingsSource): Configuration {
  return readConfiguration(source, 'fallback');
}

function serviceOf(source: SettingsSource): ConfiguredService | undefined {
  return read(source).services.default;
}

function baseUrlOf(text: string): string | undefined {
  return serviceOf(settings({ ...complete, baseUrl: text }))?.id.baseUrl;
}

/** The settings that can't be used, and why. */
function problems(found: Configuration['wrong']): readonly (readonly string[])[] {
  return found.map(({ problem, setting }) => [setting, problem]);
}

/** Guards that settings are read as people mean them, refused by name, and never taken from a workspace. */
describe('the settings', () => {
  it('name the service with a base URL and a client ID; the rest has defaults', () => {
    const { problems: found, services } = read(settings(complete));
    assert.deepEqual(found, []);
    assert.equal(services.all.length, 1);
    assert.deepEqual(services.default, {
      id: complete,
      name: 'service.example',
      accessTokenIn: 'header',
      account: undefined,
      clientSecret: undefined,
      identifiesUsers: false,
      isListed: false,
      notification: {
        path: '/device/notify',
        method: 'POST',
        parameters: {},
        parametersIn: 'query',
        accessTokenIn: 'header',
        on: 'signIn',
      },
      verificationOrigin: undefined,
      endpoints: {},
      scopes: undefined,
      parameters: {},
      wrong: [],
    });
  });

  it('name no service without a base URL or without a client ID', () => {
    assert.equal(serviceOf(settings({ baseUrl: 'https://service.example' })), undefined);
    assert.equal(serviceOf(settings({ ...complete, baseUrl: ' ' })), undefined);
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

  it('are said to be invalid by the Settings editor, too, if an address is none or isn’t safe, and only then', () => {
    const { 'deviceFlow.baseUrl': baseUrl, 'deviceFlow.verificationUrl': page } =
      manifest.contributes.configuration.properties;
    const pattern = new RegExp(baseUrl.pattern, 'u');
    assert.deepEqual([page.pattern, page.patternErrorMessage], [baseUrl.pattern, baseUrl.patternErrorMessage]);
    for (const valid of ['', ...sameAddress.map(([entered]) => entered)]) assert.match(valid, pattern);
    for (const invalid of [
      'nonsense',
      'http://example.com',
      'service.example',
      'https://',
      'http://localhost.evil.example',
    ])
      assert.doesNotMatch(invalid, pattern);
  });

  const wrong: readonly [SettingName, unknown, string][] = [
    ['baseUrl', 5, 'not a string'],
    ['baseUrl', '127.0.0.1:8080', 'not an address'],
    ['baseUrl', 'localhost', 'not an address'],
    ['baseUrl', 'service.example', 'not an address'],
    ['baseUrl', 'ftp://service.example', 'not an address'],
    ['baseUrl', 'https:service.example', 'not an address'],
    ['baseUrl', 'https://', 'not an address'],
    ['baseUrl', 'https://serv\nice.example', 'control characters'],
    ['baseUrl', 'https://serv\u202eice.example', 'not an address'],
    ['baseUrl', 'https://service.example\\@evil.example', 'not an address'],
    ['baseUrl', 'http://service.example', 'not secure'],
    ['baseUrl', 'https://my_service.example', 'unusual host'],
    ['baseUrl', 'https://_auth.example/v1', 'unusual host'],
    ['baseUrl', 'https://a,b.example', 'unusual host'],
    ['baseUrl', 'https://a_.b_.example:8443', 'unusual host'],
    ['baseUrl', "https://it's.example", 'unusual host'],
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
    ['clientId', 'the\nclient', 'control characters'],
    ['clientId', ['the client'], 'not a string'],
    ['serviceName', 'x'.repeat(65), 'too long'],
    ['serviceName', '[Service](command:x)', 'forbidden characters'],
    ['serviceName', 5, 'not a string'],
    ['verificationUrl', 'http://service.example', 'not secure'],
    ['verificationUrl', 'device', 'not an address'],
    ['account.path', 'user', 'not a path'],
    ['account.field', 'user..name', 'not a field'],
    ['account.field', 'na me', 'not a field'],
    ['account.idField', 'user.', 'not a field'],
    ['notify.path', 'device/notify', 'not a path'],
    ['notify.path', '//evil.example/', 'not a path'],
    ['notify.path', '/a/../b', 'not a path'],
    ['notify.path', '/a/%2E%2e/b', 'not a path'],
    ['notify.path', '/a?b=c', 'not a path'],
    ['notify.path', 5, 'not a string'],
    ['notify.method', 'DELETE', 'not a method'],
    ['notify.parametersIn', 'cookie', 'not a place for parameters'],
    ['notify.on', true, 'not an occasion'],
    ['accessTokenIn', 'body', 'not a place for the token'],
    ['notify.parameters', 'title=x', 'not an object of strings'],
    ['notify.parameters', ['x'], 'not an object of strings'],
    ['notify.parameters', { title: 5 }, 'not an object of strings'],
    ['notify.parameters', { access_token: 'x' }, 'reserved name'],
  ];
  for (const [setting, value, problem] of wrong) {
    it(`are refused with the name of the setting: ${setting}: ${problem}: ${JSON.stringify(value).slice(0, 50)}`, () => {
      const account = setting.startsWith('account.') ? { 'account.path': '/user', 'account.field': 'name' } : {};
      const source = settings({ ...complete, ...account, [setting]: value });
      const configuration = read(source);
      const isName = setting === 'baseUrl' || setting === 'clientId';
      assert.deepEqual(
        configuration.services.default?.id,
        isName ? undefined : complete,
        'only these two name the service',
      );
      const check = () => {
        checkUsable(configuration, configuration.services.default);
      };
      const isNeeded = isName || setting === 'verificationUrl';
      assert.deepEqual(problems(configuration.wrong), isNeeded ? [[setting, problem]] : []);
      assert.deepEqual(problems(configuration.problems), [[setting, problem]]);
      if (isNeeded) {
        assert.throws(check, { setting, problem });
      } else {
        check();
      }
      assert.ok(describeConfiguration(configuration).includes(`The setting ${setting} can't be used: ${problem}.`));
    });
  }

  it('that are wrong don’t affect each other', () => {
    const source = settings({ ...complete, 'notify.path': 'x', verificationUrl: 'x', 'account.path': '/user' });
    const { problems: found, services } = read(source);
    const service = services.default;
    assert.deepEqual(problems(found), [
      ['verificationUrl', 'not an address'],
      ['notify.path', 'not a path'],
    ]);
    assert.deepEqual([service?.account, service?.notification], [undefined, undefined]);
  });

  it('turn the device notification off with an empty path', () => {
    const { problems: found, services } = read(settings({ ...complete, 'notify.path': '' }));
    assert.deepEqual([services.default?.notification, found], [undefined, []]);
  });

  it('give the origin of the verification URL as the guard', () => {
    const source = settings({ ...complete, verificationUrl: 'https://Service.example:443/device' });
    assert.equal(serviceOf(source)?.verificationOrigin, 'https://service.example');
  });

  it('say how to ask who is signed in if the path and the field are set', () => {
    const account = { 'account.path': '/user', 'account.idField': 'user.id' };
    const accountOf = (values: SettingValues) => serviceOf(settings({ ...complete, ...values }))?.account;
    assert.equal(accountOf(account), undefined);
    assert.deepEqual(accountOf({ ...account, 'account.field': 'user.name' }), {
      path: '/user',
      field: 'user.name',
      idField: 'user.id',
      accessTokenIn: 'header',
    });
  });

  it('are described for the log without what may be secret', () => {
    assert.equal(
      describeConfiguration(read(settings({ ...complete, 'notify.parameters': { key: 'a secret' } }))),
      'Base URL https://service.example, client ID the client.',
    );
    assert.equal(describeConfiguration(read(settings({}))), "The base URL or the client ID isn't set.");
    const secret = describeConfiguration(read(settings({ ...complete, baseUrl: 'https://a:secret@service.example' })));
    assert.doesNotMatch(secret, /secret/);
  });

  it('name the service as it is set, else by its host, else by the fallback', () => {
    assert.equal(read(settings({ ...complete, serviceName: ' My Service ' })).label, 'My Service');
    assert.equal(read(settings(complete)).label, 'service.example');
    assert.equal(read(settings({ baseUrl: 'http://service.example' })).label, 'fallback');
  });
});

const DEFAULTS = { baseUrl: '', clientId: '', notify: { path: '/device/notify', parameters: {} } };

/** VS Code's settings, which are a tree by the parts of their names. */
function configured(globalValue: unknown, fixed?: Record<string, unknown>, others: object = {}): SettingsSource {
  return settingsOf({ defaultValue: DEFAULTS, globalValue, ...others }, fixed);
}

describe('the settings, read all at once', () => {
  it('are what the person set, and else what the manifest says', () => {
    const parameters = { 'a.b': 'c', title: 'An editor' };
    const source = configured({ ...complete, notify: { parameters } });
    const service = serviceOf(source);
    assert.deepEqual(service?.id, complete);
    const options = service.notification;
    assert.deepEqual([options?.path, options?.parameters], ['/device/notify', parameters]);
  });

  it('are never what a workspace or folder set', () => {
    const strangers = { baseUrl: 'https://stranger.example', clientId: 'stranger' };
    const others = { workspaceValue: strangers, workspaceFolderValue: strangers, value: strangers };
    const source = configured(undefined, undefined, others);
    assert.equal(source('baseUrl'), '');
    assert.equal(serviceOf(source), undefined);
  });

  it('are those of the build if it has some, whatever the person set', () => {
    const fixed = { baseUrl: 'https://fixed.example', clientId: 'fixed', 'notify.path': '' };
    const source = configured({ ...complete, serviceName: 'Mine', notify: { path: '/n' } }, fixed);
    const service = serviceOf(source);
    assert.deepEqual(service?.id, { baseUrl: 'https://fixed.example', clientId: 'fixed' });
    assert.deepEqual([service.name, service.notification], ['fixed.example', undefined]);
  });

  it('are nothing if something else is in their place', () => {
    for (const odd of [null, 'text', 7, [], { notify: 'text' }, { notify: null }]) {
      const source = configured(odd);
      assert.equal(source('notify.path'), '/device/notify');
      assert.equal(source('toString'), undefined);
    }
    assert.equal(settingsOf(undefined, undefined)('baseUrl'), undefined);
  });
});

describe('the settings of a standard service', () => {
  const standard: SettingValues = { ...complete, protocol: 'rfc8628' };

  it('name it, without a notification, and nothing else has to be set', () => {
    const service = serviceOf(settings(standard));
    assert.deepEqual(service?.id, standard);
    assert.equal(service.notification, undefined);
    const account = { 'account.path': '/me', 'account.field': 'name', accessTokenIn: 'query' };
    const places = [standard, complete].map((values) => {
      const one = serviceOf(settings({ ...values, ...account }));
      return [one?.accessTokenIn, one?.account?.accessTokenIn];
    });
    assert.deepEqual(places, [
      ['header', 'header'],
      ['query', 'query'],
    ]);
  });

  it('are read as they are set', () => {
    const set = { endpoints: { token: '/t' }, parameters: { audience: 'a b' }, scopes: [] } as const;
    const { endpoints, parameters, scopes } = serviceOf(settings({ ...standard, ...set })) ?? {};
    assert.deepEqual({ endpoints, parameters, scopes }, set);
  });

  for (const [name, value, problem] of [
    ['protocol', 'oauth', 'not a protocol'],
    ['endpoints', { tokens: '/t' }, 'not endpoints'],
    ['endpoints', { token: 'https://a b' }, 'not endpoints'],
    ['endpoints', { token: ' ' }, 'not endpoints'],
    ['endpoints', ['/t'], 'not an object of strings'],
    ['scopes', 'openid', 'not scopes'],
    ['scopes', ['a b'], 'not scopes'],
    ['scopes', [''], 'not scopes'],
    ['scopes', ['a"'], 'not scopes'],
    ['parameters', { client_id: 'x' }, 'reserved parameter'],
    ['parameters', { scope: 'x' }, 'reserved parameter'],
    ['parameters', { a: 1 }, 'not an object of strings'],
  ] as const) {
    it(`refuse ${JSON.stringify(value)} for ${name}`, () => {
      const { wrong } = read(settings({ ...standard, [name]: value }));
      assert.deepEqual(problems(wrong), [[name, problem]]);
    });
  }

  it('concern no other service', () => {
    const { services, wrong } = read(settings({ ...complete, endpoints: { tokens: '/t' }, scopes: 'openid' }));
    const service = services.default;
    assert.deepEqual(wrong, []);
    assert.deepEqual([service?.endpoints, service?.scopes], [{}, undefined]);
  });
});

describe('the settings of a window', () => {
  it('are told and logged when they change, and keep what they were', () => {
    const log = new RecordingLog();
    const before = read(settings(complete));
    const window = new Settings(before, log);
    const told: unknown[] = [];
    window.onDidChange((change) => told.push(change));
    const after = read(settings({ ...complete, serviceName: 'My Service' }));
    window.replace(after);
    assert.equal(window.current, after);
    assert.deepEqual(told, [{ before, after }]);
    assert.match(log.text(), /The configuration changed\. Base URL https:\/\/service\.example, client ID the client\./);
  });
});
