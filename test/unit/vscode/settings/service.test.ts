import assert from 'node:assert/strict';
import fc from 'fast-check';
import manifest from '../../../../package.json';
import {
  checkUsable,
  type Configuration,
  describeConfiguration,
  readConfiguration,
} from '../../../../src/vscode/settings/configuration';
import type { ConfiguredService } from '../../../../src/vscode/settings/service';
import { ALL_FIELDS, type Described } from '../../../../src/vscode/settings/serviceFields';
import { Settings } from '../../../../src/vscode/settings/settings';
import { RecordingLog } from '../../../support/recordingLog';
import type { Element } from '../fakeEditor';

const ID = { protocol: 'draft', baseUrl: 'https://service.example', clientId: 'the client' };

function read(fields: Element = {}): Configuration {
  return readConfiguration([{ ...ID, ...fields }], 'fallback');
}

function serviceOf(fields: Element = {}): ConfiguredService | undefined {
  return read(fields).services.default;
}

function baseUrlOf(baseUrl: string): string | undefined {
  return serviceOf({ baseUrl })?.id.baseUrl;
}

/** The fields that can't be used, and why. */
function problems(found: Configuration['blocking']): readonly (readonly [string | undefined, string])[] {
  return found.map(({ field, problem }) => [field, problem.kind]);
}

/** Guards that a service is read as people mean it, and what's wrong is refused by name. */
describe('a service in the settings', () => {
  it('needs a protocol, a base URL and a client ID; the rest has defaults', () => {
    const { problems: found, services } = read();
    assert.deepEqual(found, []);
    assert.equal(services.all.length, 1);
    assert.deepEqual(services.default, {
      id: ID,
      name: 'service.example',
      accessTokenIn: 'header',
      account: undefined,
      clientSecret: undefined,
      isAskedForUser: false,
      notification: {
        path: '/device/notify',
        method: 'POST',
        parameters: {},
        parametersIn: 'query',
        accessTokenIn: 'header',
        on: 'signIn',
      },
      git: undefined,
      verificationOrigin: undefined,
      endpoints: {},
      scopes: undefined,
      parameters: {},
      pkce: false,
      blocking: [],
    });
  });

  it('isn’t there without one of them', () => {
    for (const name of ['protocol', 'baseUrl', 'clientId'] as const) {
      for (const nothing of [undefined, null, '']) {
        const { blocking, services } = read({ [name]: nothing });
        assert.equal(services.default, undefined);
        assert.deepEqual([blocking[0]?.field, blocking[0]?.isMissing, blocking.length], [name, true, 1]);
      }
    }
    assert.deepEqual(problems(read({ clientId: ' ' }).blocking), [['clientId', 'empty']]);
  });

  it('has a field that’s misspelled, which isn’t missing', () => {
    for (const name of ['clientID', 'client_id', 'deviceFlow.clientId']) {
      const { blocking, problems: found } = read({ clientId: undefined, [name]: 'the client' });
      assert.deepEqual(problems(found), [['clientId', 'misspelled']]);
      assert.deepEqual([blocking, found[0]?.problem.name, found[0]?.isMissing], [found, name, false]);
    }
    assert.deepEqual(problems(read({ clientID: 'another' } as Element).problems), [['clientID', 'unknown field']]);
  });

  it('lets nobody sign in while the name of a guard is misspelled', () => {
    const { blocking, services } = read({ verificationURL: 'https://service.example' } as Element);
    assert.deepEqual(problems(blocking), [['verificationUrl', 'misspelled']]);
    assert.equal(services.default?.blocking.length, 1);
  });

  it('shows no link, whatever a field is called', () => {
    assert.deepEqual(problems(read({ '[a](command:b)': 1 } as Element).problems), [
      ['[a] (command:b)', 'unknown field'],
    ]);
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
    it(`takes ${entered.trim()} as base URL, in its normal form`, () => {
      assert.equal(baseUrlOf(entered), normal);
    });
  }

  it('has a base URL whose normal form is a fixed point', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['https'] }), (url) => {
        const normal = baseUrlOf(url);
        assert.ok(normal !== undefined && !normal.endsWith('/'));
        assert.equal(baseUrlOf(normal), normal);
      }),
    );
  });

  it('is underlined in settings.json, too, if an address is none or isn’t safe, and only then', () => {
    const { baseUrl, verificationUrl } =
      manifest.contributes.configuration.properties['deviceFlow.services'].items.properties;
    const pattern = new RegExp(baseUrl.pattern, 'u');
    assert.deepEqual(
      [verificationUrl.pattern, verificationUrl.patternErrorMessage],
      [baseUrl.pattern, baseUrl.patternErrorMessage],
    );
    for (const valid of sameAddress.map(([entered]) => entered)) assert.match(valid, pattern);
    for (const invalid of [
      '',
      'nonsense',
      'http://example.com',
      'service.example',
      'https://',
      'http://localhost.evil.example',
    ])
      assert.doesNotMatch(invalid, pattern);
  });

  const wrong: readonly [field: string, value: unknown, problem: string][] = [
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
    ['baseUrl', 'https://service.example/.well-known/openid-configuration', 'metadata address'],
    ['clientId', 'the\nclient', 'control characters'],
    ['clientId', ['the client'], 'not a string'],
    ['clientId', '${env:CLIENT_ID}', 'variable'],
    ['baseUrl', 'https://${config:host}/', 'variable'],
    ['serviceName', '${config:name}', 'variable'],
    ['notify.parameters', { title: '${workspaceFolderBasename}' }, 'variable'],
    ['protocol', 'oauth', 'not a choice'],
    ['serviceName', 'x'.repeat(65), 'too long'],
    ['serviceName', '[Service](command:x)', 'forbidden characters'],
    ['serviceName', 5, 'not a string'],
    ['serviceName', '  ', 'empty'],
    ['verificationUrl', 'http://service.example', 'not secure'],
    ['verificationUrl', 'device', 'not an address'],
    ['account', 'user', 'not an object of fields'],
    ['account.path', 'user', 'not a path'],
    ['account.field', 'user..name', 'not a field'],
    ['account.field', 'na me', 'not a field'],
    ['account.idField', 'user.', 'not a field'],
    ['account.id', 'user', 'unknown field'],
    ['notify.path', 'device/notify', 'not a path'],
    ['notify.path', '//evil.example/', 'not a path'],
    ['notify.path', '/a/../b', 'not a path'],
    ['notify.path', '/a/%2E%2e/b', 'not a path'],
    ['notify.path', '/a?b=c', 'not a path'],
    ['notify.path', 5, 'not a string'],
    ['notify.method', 'DELETE', 'not a choice'],
    ['notify.parametersIn', 'cookie', 'not a choice'],
    ['notify.on', true, 'not a choice'],
    ['accessTokenIn', 'body', 'not a choice'],
    ['notify.parameters', 'title=x', 'not an object of strings'],
    ['notify.parameters', ['x'], 'not an object of strings'],
    ['notify.parameters', { title: 5 }, 'not an object of strings'],
    ['notify.parameters', { access_token: 'x' }, 'reserved parameter'],
    ['scopes', ['a'], 'other protocol'],
  ];
  for (const [field, value, problem] of wrong) {
    it(`is refused by the name of the field: ${field}: ${problem}: ${JSON.stringify(value).slice(0, 50)}`, () => {
      const [name = '', part] = field.split('.');
      const account = name === 'account' ? { path: '/user', field: 'name' } : {};
      const configuration = read({ [name]: part === undefined ? value : { ...account, [part]: value } });
      const isName = ['baseUrl', 'clientId', 'protocol'].includes(name);
      assert.deepEqual(configuration.services.default?.id, isName ? undefined : ID, 'only these name the service');
      const check = () => {
        checkUsable(configuration, configuration.services.default);
      };
      const isNeeded = isName || field === 'verificationUrl';
      assert.deepEqual(problems(configuration.blocking), isNeeded ? [[field, problem]] : []);
      assert.deepEqual(problems(configuration.problems), [[field, problem]]);
      if (isNeeded) {
        assert.throws(check, { field, place: `services[0].${field}` });
      } else {
        check();
      }
      assert.ok(
        describeConfiguration(configuration).includes(`The setting services[0].${field} can't be used: ${problem}.`),
      );
    });
  }

  it('has fields that don’t affect each other if they’re wrong', () => {
    const { problems: found, services } = read({
      notify: { path: 'x' },
      verificationUrl: 'x',
      account: { path: '/user' },
    });
    const service = services.default;
    assert.deepEqual(problems(found), [
      ['verificationUrl', 'not an address'],
      ['notify.path', 'not a path'],
    ]);
    assert.deepEqual([service?.account, service?.notification], [undefined, undefined]);
  });

  it('gets no device notification with an empty path', () => {
    const { problems: found, services } = read({ notify: { path: '' } });
    assert.deepEqual([services.default?.notification, found], [undefined, []]);
  });

  it('has the origin of the verification URL as the guard', () => {
    const { verificationOrigin } = serviceOf({ verificationUrl: 'https://Service.example:443/device' }) ?? {};
    assert.equal(verificationOrigin, 'https://service.example');
  });

  it('is asked who is signed in if the path and the field are set', () => {
    const account = { path: '/user', idField: 'user.id' };
    assert.equal(serviceOf({ account })?.account, undefined);
    assert.deepEqual(serviceOf({ account: { ...account, field: 'user.name' } })?.account, {
      path: '/user',
      field: 'user.name',
      idField: 'user.id',
      accessTokenIn: 'header',
    });
  });

  it('is described for the log without what may be secret', () => {
    assert.equal(
      describeConfiguration(read({ notify: { parameters: { key: 'a secret' } } })),
      'Base URL https://service.example, client ID the client.',
    );
    assert.equal(describeConfiguration(readConfiguration(undefined, 'x')), 'No service is configured.');
    assert.doesNotMatch(describeConfiguration(read({ baseUrl: 'https://a:secret@service.example' })), /secret/);
  });

  it('is called as it is set, else by its host, else by the fallback', () => {
    assert.equal(read({ serviceName: ' My Service ' }).label, 'My Service');
    assert.equal(read().label, 'service.example');
    assert.equal(read({ baseUrl: 'http://service.example' }).label, 'fallback');
  });

  it('stays as it was read if what was given changes, or can only be read like a setting of VS Code', () => {
    const scopes = ['a'];
    const given = { ...ID, protocol: 'rfc8628', scopes, parameters: { audience: 'b' } };
    const asSetting: unknown = new Proxy(given, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'object' && value !== null ? new Proxy(value, {}) : value;
      },
    });
    const service = readConfiguration([asSetting], 'x').services.default;
    scopes.push('b');
    assert.deepEqual([service?.scopes, service?.parameters], [['a'], { audience: 'b' }]);
  });

  it('is asked once for each field, because the next answer may be another one', () => {
    const asked: string[] = [];
    const given = new Proxy(
      { ...ID, protocol: 'rfc8628', notify: { path: '/n' } },
      {
        get: (target, name) => {
          asked.push(String(name));
          return Reflect.get(target, name) as unknown;
        },
      },
    );
    assert.deepEqual(problems(readConfiguration([given], 'x').problems), [['notify', 'other protocol']]);
    assert.deepEqual(asked.toSorted(), Object.keys(ALL_FIELDS).toSorted());
  });

  it('has the fields of its protocol wherever the description lists the protocol', () => {
    const fields = ALL_FIELDS as Record<string, Described>;
    const listed = Object.entries(fields);
    const list = (entries: typeof listed): void => {
      for (const [name] of listed) Reflect.deleteProperty(fields, name);
      Object.assign(fields, Object.fromEntries(entries));
    };
    list(listed.toReversed());
    try {
      assert.deepEqual(problems(read({ pkce: true, notify: { path: '/n' } }).problems), [['pkce', 'other protocol']]);
    } finally {
      list(listed);
    }
  });
});

describe('a standard service in the settings', () => {
  const standard = { protocol: 'rfc8628' };

  it('gets no notification, and the token in the header', () => {
    const service = serviceOf(standard);
    assert.deepEqual(service?.id, { ...ID, ...standard });
    assert.equal(service.notification, undefined);
    const account = { path: '/me', field: 'name' };
    const draft = serviceOf({ account, accessTokenIn: 'query' });
    assert.deepEqual([draft?.accessTokenIn, draft?.account?.accessTokenIn], ['query', 'query']);
    const { problems: found, services } = read({
      ...standard,
      account,
      accessTokenIn: 'query',
      notify: { path: '/n' },
    });
    assert.deepEqual([services.default?.accessTokenIn, services.default?.account?.accessTokenIn], ['header', 'header']);
    assert.deepEqual(problems(found), [
      ['accessTokenIn', 'other protocol'],
      ['notify', 'other protocol'],
    ]);
  });

  it('is read as it is set', () => {
    const set = { endpoints: { token: '/t' }, parameters: { audience: 'a b' }, scopes: [], pkce: true } as const;
    const { endpoints, parameters, pkce, scopes } = serviceOf({ ...standard, ...set }) ?? {};
    assert.deepEqual({ endpoints, parameters, scopes, pkce }, set);
  });

  for (const [name, value, problem, field] of [
    ['endpoints', { tokens: '/t' }, 'unknown field', 'endpoints.tokens'],
    ['endpoints', { token: 'https://a b' }, 'not an endpoint', 'endpoints.token'],
    ['endpoints', { token: ' ' }, 'empty', 'endpoints.token'],
    ['endpoints', { token: 'http://service.example/token' }, 'not an endpoint', 'endpoints.token'],
    ['endpoints', { token: 'https://user@service.example/token' }, 'not an endpoint', 'endpoints.token'],
    ['endpoints', { revocation: '/revoke#now' }, 'not an endpoint', 'endpoints.revocation'],
    ['endpoints', { userInfo: 'http://127.0.0.1/me' }, 'not an endpoint', 'endpoints.userInfo'],
    ['endpoints', ['/t'], 'not an object of fields', 'endpoints'],
    ['scopes', 'openid', 'not scopes'],
    ['scopes', ['a b'], 'not scopes'],
    ['scopes', ['openid', '${env:SCOPE}'], 'variable'],
    ['scopes', [''], 'not scopes'],
    ['scopes', ['a"'], 'not scopes'],
    ['parameters', { client_id: 'x' }, 'reserved parameter'],
    ['parameters', { scope: 'x' }, 'reserved parameter'],
    ['parameters', { a: 1 }, 'not an object of strings'],
    ['pkce', 'yes', 'not a choice'],
  ] as const) {
    it(`isn’t signed in to with ${JSON.stringify(value)} for ${name}`, () => {
      const { blocking } = read({ ...standard, [name]: value });
      assert.deepEqual(problems(blocking), [[field ?? name, problem]]);
    });
  }

  it('has what another one hasn’t, which is named there and stops nothing', () => {
    const { problems: found, services, blocking } = read({ endpoints: { tokens: '/t' }, scopes: 'openid', pkce: true });
    const service = services.default;
    assert.deepEqual(blocking, []);
    assert.deepEqual(
      found.map(({ field, problem }) => [field, problem]),
      ['scopes', 'endpoints', 'pkce'].map((field) => [field, { kind: 'other protocol', protocol: 'rfc8628' }]),
    );
    assert.deepEqual([service?.endpoints, service?.scopes, service?.pkce], [{}, undefined, false]);
  });
});

describe('the settings of a window', () => {
  it('are told and logged when they change, and keep what they were', () => {
    const log = new RecordingLog();
    const before = read();
    const window = new Settings(before, log);
    const told: unknown[] = [];
    window.onDidChange((change) => told.push(change));
    const after = read({ serviceName: 'My Service' });
    window.replace(after);
    assert.equal(window.current, after);
    assert.deepEqual(told, [{ before, after }]);
    assert.match(log.text(), /The configuration changed\. Base URL https:\/\/service\.example, client ID the client\./);
  });
});
