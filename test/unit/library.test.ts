import assert from 'node:assert/strict';
import extension from '../../package.json';
import type { DeviceFlow, DeviceFlowOptions, ServiceOptions } from '../../src/library';
import { readServiceOptions, readServicesOptions } from '../../src/vscode/library/options';
import { type Configuration, readConfiguration } from '../../src/vscode/settings/configuration';
import type { ConfiguredService } from '../../src/vscode/settings/service';
import { CODE_ACTIONS } from '../../src/vscode/signin/signInView';
import { Embedder } from '../support/loadLibrary';
import { RecordingLog } from '../support/recordingLog';

const SERVICE: ServiceOptions = { baseUrl: 'https://login.acme.example', clientId: 'tools', protocol: 'rfc8628' };
const ACME: DeviceFlowOptions = { id: 'acme', label: 'Acme', service: SERVICE };
/** The commands of our own extension, and one of the embedder's own. */
const NAMES = [
  ...extension.contributes.commands.map(({ command }) => command.replace('deviceFlow.', '')),
  'reportRejectedToken',
  'doSomething',
];
const COMMANDS = NAMES.map((name) => ({ command: `acme.${name}` }));
const AUTHENTICATION = [{ id: 'acme', label: 'Acme' }];

/** What's registered as any extension can: its options may come from a file, and may be anything. */
function register(embedder: Embedder, options: object = {}): DeviceFlow {
  return embedder.load().registerDeviceFlow(embedder.context, { ...ACME, ...options });
}

/** The service that's configured, which nothing is wrong with. */
function configured({ problems, services }: Configuration): ConfiguredService {
  assert.deepEqual(problems, []);
  return services.default ?? assert.fail();
}

/** Guards what the library promises to an extension that embeds it, whatever options that hands over. */
describe('the library, when an extension registers a service', () => {
  let embedder: Embedder;
  beforeEach(() => {
    embedder = new Embedder();
  });
  afterEach(() => {
    embedder.close();
  });

  it('has registered everything when it returns', () => {
    register(embedder);
    assert.deepEqual([...embedder.providers], [['acme', 'Acme']]);
    assert.deepEqual([...embedder.channels], ['Acme']);
  });

  it('registers only those of its commands that the manifest contributes, and nothing of configuring', () => {
    const registered = (contributed: typeof COMMANDS): readonly string[] => {
      embedder.close();
      embedder = new Embedder({ authentication: AUTHENTICATION, commands: contributed });
      register(embedder, { commandPrefix: 'acme' });
      return [...embedder.commands.keys()].filter((id) => !id.startsWith('_')).sort();
    };
    const own = NAMES.filter((name) => !['configure', 'doSomething'].includes(name));
    assert.deepEqual(registered(COMMANDS), own.map((name) => `acme.${name}`).sort());
    assert.deepEqual(registered([{ command: 'acme.signIn' }]), ['acme.signIn']);
  });

  it('has nothing to do with a command of the extension that’s called as one of ours', async () => {
    embedder = new Embedder({ authentication: AUTHENTICATION, commands: COMMANDS });
    register(embedder, { commandPrefix: 'acme', service: undefined });
    await embedder.run('acme.setClientSecret');
    assert.deepEqual(embedder.messages, [['Acme isn’t set up yet. Check the extension’s settings.']]);
  });

  it('registers no command without a prefix, but those behind its own links', () => {
    embedder = new Embedder({ authentication: AUTHENTICATION, commands: COMMANDS });
    register(embedder);
    const links = [...CODE_ACTIONS, 'showScopes'];
    assert.deepEqual([...embedder.commands.keys()].sort(), links.map((name) => `_acme.tools.acme.${name}`).sort());
  });

  it('writes into the log that it’s given', () => {
    const log = new RecordingLog();
    register(embedder, { log }).setService(undefined);
    assert.deepEqual([...embedder.channels], []);
    assert.match(log.text(), /The configuration changed/);
  });

  it('says which lines to add if the manifest doesn’t contribute the ID', () => {
    embedder = new Embedder({});
    assert.throws(() => register(embedder), {
      message: /package\.json:\n"contributes": \{ "authentication": \[\{"id":"acme","label":"Acme"\}\] \}$/,
    });
    assert.deepEqual([...embedder.providers], []);
  });

  it('offers MCP servers until it’s disposed of, if the manifest contributes them, and names every field that’s wrong', () => {
    const mcpServers = [{ label: 'Tools', url: 'https://tools.acme.example/mcp' }];
    assert.throws(() => register(embedder, { mcpServers }), {
      message:
        /package\.json:\n"contributes": \{ "mcpServerDefinitionProviders": \[\{"id":"acme","label":"Acme"\}\] \}$/,
    });
    assert.throws(() => register(embedder, { mcpServers: [{ label: 'Tools', url: 'http://acme.example' }] }), {
      message: /^mcpServers\[0\]\.url is wrong\./,
    });
    assert.deepEqual([embedder.providers.size, embedder.mcpServers.size], [0, 0]);
    embedder = new Embedder({ authentication: AUTHENTICATION, mcpServerDefinitionProviders: AUTHENTICATION });
    const flow = register(embedder, { mcpServers });
    const token = { isCancellationRequested: false, onCancellationRequested: () => flow };
    const listed = embedder.mcpServers.get('acme')?.provideMcpServerDefinitions(token) as { label: string }[];
    assert.deepEqual(
      listed.map(({ label }) => label),
      ['Tools'],
    );
    flow.dispose();
    assert.equal(embedder.mcpServers.size, 0);
  });

  it('refuses the same ID twice, in any case of letters, and accepts another one', () => {
    embedder = new Embedder({ authentication: [...AUTHENTICATION, { id: 'ACME' }, { id: 'globex' }] });
    const { registerDeviceFlow } = embedder.load();
    registerDeviceFlow(embedder.context, ACME);
    for (const id of ['acme', 'ACME']) {
      assert.throws(() => registerDeviceFlow(embedder.context, { ...ACME, id }), /registered already/);
    }
    registerDeviceFlow(embedder.context, { ...ACME, id: 'globex', label: 'Globex' });
    assert.deepEqual([...embedder.providers.keys()], ['acme', 'globex']);
  });

  it('refuses two services with the same commands, and accepts the prefix again after the first one was disposed of', () => {
    embedder = new Embedder({ authentication: [...AUTHENTICATION, { id: 'globex' }], commands: COMMANDS });
    const { registerDeviceFlow } = embedder.load();
    const first = registerDeviceFlow(embedder.context, { ...ACME, commandPrefix: 'acme' });
    const second = { ...ACME, id: 'globex', commandPrefix: 'acme' };
    assert.throws(() => registerDeviceFlow(embedder.context, second), {
      message: /^The commands "acme\.\*" are registered already\. Give each service a commandPrefix of its own\.$/,
    });
    assert.deepEqual([...embedder.providers.keys()], ['acme']);
    first.dispose();
    registerDeviceFlow(embedder.context, second);
    assert.deepEqual([...embedder.providers.keys()], ['globex']);
  });

  it('accepts the ID again after the first one was disposed of, which takes everything with it', () => {
    embedder = new Embedder({ authentication: AUTHENTICATION, commands: COMMANDS });
    const { registerDeviceFlow } = embedder.load();
    const first = registerDeviceFlow(embedder.context, { ...ACME, commandPrefix: 'acme' });
    first.dispose();
    first.dispose();
    assert.deepEqual([embedder.providers.size, embedder.commands.size], [0, 0]);
    registerDeviceFlow(embedder.context, { ...ACME, commandPrefix: 'acme' });
    assert.equal(embedder.providers.size, 1);
  });

  for (const [what, registered, id] of [
    ['an authentication provider', (editor: Embedder): Map<string, unknown> => editor.providers, 'acme'],
    ['a command', (editor: Embedder): Map<string, unknown> => editor.commands, 'acme.signOut'],
  ] as const) {
    it(`leaves nothing behind if another extension has ${what} with the same ID`, () => {
      embedder = new Embedder({ authentication: AUTHENTICATION, commands: COMMANDS });
      const everything = () =>
        [embedder.providers, embedder.commands, embedder.listeners, embedder.channels].map(({ size }) => size);
      registered(embedder).set(id, 'of another extension');
      const before = everything();
      assert.throws(() => register(embedder, { commandPrefix: 'acme' }), /acme.* is registered already/);
      assert.deepEqual(everything(), before);
      registered(embedder).delete(id);
      register(embedder, { commandPrefix: 'acme' });
      assert.deepEqual([...embedder.providers.keys()], ['acme']);
    });
  }

  it('can be closed before and after it’s disposed of', async () => {
    const flow = register(embedder);
    await flow.close();
    flow.dispose();
    await flow.close();
    flow.setService(undefined);
  });
});

describe('the library, when an extension registers several services', () => {
  const OTHER: ServiceOptions = { ...SERVICE, baseUrl: 'https://gitlab.acme.example', serviceName: 'GitLab' };
  let embedder: Embedder;
  beforeEach(() => {
    embedder = new Embedder();
  });
  afterEach(() => {
    embedder.close();
  });

  const registerServices = (services: unknown, options: object = {}): DeviceFlow =>
    register(embedder, { service: undefined, services, ...options });

  it('calls the provider by the only service, and otherwise by its label', () => {
    const labels = [[OTHER], [OTHER, SERVICE], [], [SERVICE]].map((services) => {
      const flow = registerServices(services);
      const label = embedder.providers.get('acme');
      flow.dispose();
      return label;
    });
    assert.deepEqual(labels, ['GitLab', 'Acme', 'Acme', 'login.acme.example']);
  });

  it('takes either one or several', () => {
    assert.throws(() => register(embedder, { services: [OTHER] }), {
      message: 'service and services exclude each other. Leave out one of them.',
    });
    assert.deepEqual([...embedder.providers], []);
  });

  it('sends nothing if a request doesn’t say whose token it carries', async () => {
    const flow = registerServices([SERVICE, OTHER]);
    await assert.rejects(
      flow.fetch('https://api.acme.example'),
      /^DeviceFlowUsageError: .* Acme has several services\. Name one/,
    );
  });

  for (const [what, services, message] of [
    ['something other than a list', { 0: SERVICE }, /^services must be a list\.$/],
    [
      'something that’s no service',
      [SERVICE, 'https://acme.example'],
      /^services\[1\] is wrong\. Enter an object with/,
    ],
    [
      'a field that’s missing, and a wrong one',
      [SERVICE, { ...OTHER, protocol: undefined }, { ...OTHER, clientId: 1, scope: 'a' }],
      /^services\[1\]\.protocol is missing\. .* services\[2\]\.clientId is wrong\. .* services\[2\]\.scope isn't a known field\./,
    ],
  ] as const) {
    it(`names the index and the field of ${what}`, () => {
      assert.throws(() => registerServices(services), { name: 'Error', message });
      assert.deepEqual([...embedder.providers], []);
    });
  }

  it('leaves out those of a person’s setting that can’t be used, says which, and uses the others', () => {
    const flow = registerServices([]);
    const services = [
      'https://acme.example',
      { ...SERVICE, baseUrl: 'http://acme.example', clientId: ' ' },
      SERVICE,
      { ...SERVICE, baseUrl: 'https://LOGIN.acme.example/' },
      OTHER,
    ];
    const wrong = flow.setServices(services as readonly ServiceOptions[]);
    assert.deepEqual(
      wrong.map(({ index }) => index),
      [0, 1, 3],
    );
    const [noObject, insecure, twice] = wrong.map(({ message }) => message);
    assert.match(noObject ?? '', /^The service is wrong\. Enter an object/);
    assert.match(
      insecure ?? '',
      /^baseUrl is wrong\. Enter a web address that begins with https:.* clientId is wrong\. Enter a value\.$/,
    );
    assert.match(twice ?? '', /^baseUrl is wrong\. Another service has the same base URL\./);
    assert.match(embedder.log.text(), /changed\. Base URL https:\/\/login\.acme\.example, .* https:\/\/gitlab\.acme/);
    assert.deepEqual(flow.setServices([SERVICE]), []);
  });

  it('takes what VS Code’s getConfiguration().get() returns, as it is', () => {
    const flow = registerServices([]);
    const asSetting = <T extends object>(value: T): T => {
      const get = (target: T, name: string | symbol): unknown => {
        const inner: unknown = Reflect.get(target, name);
        return typeof inner === 'object' && inner !== null ? asSetting(inner) : inner;
      };
      return new Proxy(value, { get });
    };
    const odd = { ...OTHER, baseUrl: 'https://odd.example', notes: () => undefined };
    const given = asSetting([{ ...SERVICE, scopes: ['a'] }, odd, OTHER]) as readonly ServiceOptions[];
    assert.throws(() => structuredClone(given));
    assert.deepEqual(
      flow.setServices(given).map(({ index, message }) => [index, message]),
      [[1, "notes isn't a known field."]],
    );
    assert.match(embedder.log.text(), /changed\. Base URL https:\/\/login\.acme\.example, .* https:\/\/gitlab\.acme/);
  });

  it('has no default if the first one can’t be used: nobody means the next one', () => {
    const { services } = readServicesOptions([{ ...SERVICE, clientId: ' ' }, OTHER], 'Acme').configuration;
    assert.deepEqual([services.default, services.all.length], [undefined, 1]);
  });

  it('uses a service whose address only a wrong one has, too', () => {
    const flow = registerServices([]);
    const wrong = flow.setServices([{ ...SERVICE, clientId: '' }, SERVICE]);
    assert.deepEqual(
      wrong.map(({ index }) => index),
      [0],
    );
  });

  it('keeps its services if there’s no list at all', () => {
    const flow = registerServices([SERVICE]);
    const noList = SERVICE as unknown as readonly ServiceOptions[];
    assert.throws(() => flow.setServices(noList), { message: 'services must be a list.' });
    assert.doesNotMatch(embedder.log.text(), /The configuration changed/);
  });

  it('asks nobody for a session if there’s no service', async () => {
    const flow = registerServices([]);
    const called = flow.fetch('https://api.acme.example', { interactive: true });
    await assert.rejects(called, {
      name: 'DeviceFlowError',
      code: 'noService',
      isKnown: false,
      message: 'Acme isn’t set up yet. Check the extension’s settings.',
    });
  });

  it('refuses an MCP server that doesn’t say which of them it’s for', () => {
    embedder = new Embedder({ authentication: AUTHENTICATION, mcpServerDefinitionProviders: AUTHENTICATION });
    const server = { label: 'Tools', url: 'https://tools.acme.example/mcp' };
    const mcpServers = [
      { ...server, service: SERVICE.baseUrl },
      { ...server, label: 'More' },
    ];
    const message = 'mcpServers[1].service is missing: name one by its base URL.';
    assert.throws(() => registerServices([SERVICE, OTHER], { mcpServers }), { message });
    const flow = registerServices([OTHER], { mcpServers });
    assert.throws(
      () => {
        flow.setServices([SERVICE, OTHER]);
      },
      { message },
    );
  });

  it('reads them as the list in the settings, each with its own secret', () => {
    const secret = { ...OTHER, clientSecret: ' not a real secret ' };
    const { services } = readServicesOptions([SERVICE, secret], 'Acme').configuration;
    const listed = readConfiguration([SERVICE, OTHER], 'Acme').services;
    assert.deepEqual(services.all, [listed.all[0], { ...listed.all[1], clientSecret: 'not a real secret' }]);
    assert.deepEqual(services.default, listed.default);
  });

  it('takes as many as there are', () => {
    const many = Array.from({ length: 50 }, (_, index) => ({ ...SERVICE, baseUrl: `https://acme.example/${index}` }));
    assert.equal(readServicesOptions(many, 'Acme').configuration.services.all.length, 50);
  });
});

describe('the options of the library, which may come from a file', () => {
  let embedder: Embedder;
  let registerDeviceFlow: ReturnType<Embedder['load']>['registerDeviceFlow'];
  // Loaded once: nothing is registered if the options are wrong.
  before(() => {
    embedder = new Embedder();
    ({ registerDeviceFlow } = embedder.load());
  });

  const registerWith = (options: object): DeviceFlow => registerDeviceFlow(embedder.context, { ...ACME, ...options });

  for (const [what, options, message] of [
    ['an ID that isn’t a name', { id: '../other' }, /^id is wrong/],
    ['an empty label', { label: ' ' }, /^label is wrong/],
    ['a prefix that isn’t a name', { commandPrefix: 'a b' }, /^commandPrefix is wrong/],
    [
      'no service at all',
      { service: 'https://acme.example' },
      /^service is wrong\. Enter an object with the fields of a service/,
    ],
    [
      'a misspelled field',
      { service: { ...SERVICE, client_id: 'c' } },
      /service\.client_id isn't a known field\. Did you mean clientId\?/,
    ],
    [
      'an address without TLS, and a client that isn’t text',
      { service: { ...SERVICE, baseUrl: 'http://acme.example', clientId: 1 } },
      /^service\.baseUrl is wrong\. Enter a web address that begins with https.* service\.clientId is wrong\. Enter text\.$/,
    ],
    ['a secret that isn’t text', { service: { ...SERVICE, clientSecret: 5 } }, /service\.clientSecret is wrong/],
  ] as const) {
    it(`can’t have ${what}, which is said by its name`, () => {
      assert.throws(() => registerWith(options), { name: 'Error', message });
      assert.deepEqual([...embedder.providers], []);
    });
  }

  it('may leave out a field by giving it no value', () => {
    const service = { ...SERVICE, account: undefined, clientSecret: undefined, notify: undefined, scopes: undefined };
    assert.deepEqual(configured(readServiceOptions(service as object as ServiceOptions, 'Acme')).id, SERVICE);
  });

  it('can’t inherit a service from their prototype', () => {
    const service = JSON.parse('{"__proto__": {"baseUrl": "https://stranger.example"}, "clientId": "c"}') as object;
    assert.throws(() => registerWith({ service }), /baseUrl is missing/);
  });

  it('name no secret when they’re wrong', () => {
    const service = { ...SERVICE, clientSecret: 'not a real secret\n', baseUrl: 'x' };
    assert.throws(
      () => registerWith({ service }),
      ({ message }: Error) => !message.includes('not a real'),
    );
  });

  it('leave the service as it was if the next one is wrong', () => {
    const flow = registerWith({});
    const changes = (): number => embedder.log.text().match(/The configuration changed/g)?.length ?? 0;
    assert.throws(() => {
      flow.setService({ ...SERVICE, baseUrl: 'acme.example' });
    }, /service\.baseUrl/);
    assert.equal(changes(), 0);
    flow.setService({ ...SERVICE, clientId: 'other' });
    assert.equal(changes(), 1);
    flow.dispose();
  });

  it('can change after the call without an effect', () => {
    const service = { ...SERVICE, scopes: ['read'], parameters: { audience: 'acme' } };
    const configuration = readServiceOptions(service, 'Acme');
    service.baseUrl = 'https://stranger.example';
    service.scopes.push('write');
    service.parameters.audience = 'stranger';
    const { id, parameters, scopes } = configured(configuration);
    assert.deepEqual([id.baseUrl, parameters, scopes], [SERVICE.baseUrl, { audience: 'acme' }, ['read']]);
  });

  it('have the defaults of the settings', () => {
    for (const protocol of ['draft', 'rfc8628'] as const) {
      const service = { ...SERVICE, protocol };
      const embedded = configured(readServiceOptions(service, 'Acme'));
      assert.deepEqual(embedded, {
        ...configured(readConfiguration([service], 'fallback')),
        name: 'Acme',
      });
    }
  });
});
