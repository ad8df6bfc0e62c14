import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  checkUsable,
  type Configuration,
  describeConfiguration,
  readConfiguration,
} from '../../../../src/vscode/settings/configuration';

const DEFAULT = { protocol: 'draft', baseUrl: 'https://default.example', clientId: 'the client' };
const GITLAB = {
  protocol: 'rfc8628',
  baseUrl: 'https://gitlab.example',
  clientId: 'tools',
  serviceName: 'GitLab',
  scopes: ['read_user'],
} as const;
const DRAFT = {
  protocol: 'draft',
  baseUrl: 'https://draft.example',
  clientId: 'tools',
  notify: { path: '/n' },
} as const;

/** Reads a list that begins with the default one. */
function read(...others: readonly unknown[]): Configuration {
  return readList([DEFAULT, ...others]);
}

function readList(list: unknown): Configuration {
  return readConfiguration(list, 'The Extension');
}

function names({ services }: Configuration): readonly string[] {
  return services.all.map(({ name }) => name);
}

/** What's wrong in the list: where, and what. */
function problemsOf({ problems }: Configuration): readonly (readonly unknown[])[] {
  return problems.map(({ field, index, problem }) => [index, field, problem.kind]);
}

/** Guards that each service of a list is read as a person means it, and that what's wrong with one harms no other. */
describe('the list of services', () => {
  it('has several, each with its own settings', () => {
    const configuration = read(GITLAB, DRAFT);
    assert.deepEqual(problemsOf(configuration), []);
    assert.deepEqual(names(configuration), ['default.example', 'GitLab', 'draft.example']);
    const [first, gitlab, draft] = configuration.services.all;
    assert.equal(configuration.services.default, first);
    const { baseUrl, clientId, protocol } = GITLAB;
    assert.deepEqual([gitlab?.id, gitlab?.scopes], [{ baseUrl, clientId, protocol }, GITLAB.scopes]);
    assert.deepEqual(draft?.id, { protocol: 'draft', baseUrl: DRAFT.baseUrl, clientId: DRAFT.clientId });
    assert.deepEqual([draft.notification?.path, first?.notification?.path], ['/n', '/device/notify']);
  });

  it('has the default one first, and none if that can’t be used: nobody means another one', () => {
    assert.equal(readList([GITLAB, DRAFT]).services.default?.name, 'GitLab');
    for (const wrong of [7, { ...DEFAULT, baseUrl: 'x' }, { ...DEFAULT, clientId: undefined }]) {
      const configuration = readList([wrong, GITLAB]);
      assert.deepEqual([configuration.services.default, names(configuration)], [undefined, ['GitLab']]);
      assert.throws(() => {
        checkUsable(configuration, undefined);
      }, /The setting services\[0\]/);
    }
  });

  it('has a default one with which something is wrong, which isn’t why another one is missing', () => {
    const configuration = readList([{ ...DEFAULT, verificationUrl: 'x' }]);
    assert.throws(() => {
      checkUsable(configuration, configuration.services.default);
    }, /The setting services\[0\]\.verificationUrl/);
    checkUsable(configuration, undefined);
  });

  it('changes what the provider is called as soon as there are several', () => {
    assert.equal(read().label, 'default.example');
    assert.equal(readList([GITLAB]).label, 'GitLab');
    assert.equal(read(GITLAB).label, 'The Extension');
    assert.equal(readList(undefined).label, 'The Extension');
  });

  for (const [what, element, ...expected] of [
    ['something else', 'https://gitlab.example', [undefined, 'not an object']],
    ['an empty object', {}, ['protocol', 'not a choice'], ['baseUrl', 'empty'], ['clientId', 'empty']],
    ['no client ID', { ...GITLAB, clientId: undefined }, ['clientId', 'empty']],
    [
      'the address of the default one',
      { ...GITLAB, baseUrl: 'https://Default.example:443/' },
      ['baseUrl', 'same service'],
    ],
    ['the address of an earlier one', { ...GITLAB, baseUrl: 'https://draft.example/' }, ['baseUrl', 'same service']],
  ] as const) {
    it(`leaves out an element with ${what}, and names it`, () => {
      const configuration = read(DRAFT, element, { ...GITLAB, baseUrl: 'https://last.example', serviceName: 'Last' });
      assert.deepEqual(names(configuration), ['default.example', 'draft.example', 'Last']);
      assert.deepEqual(
        problemsOf(configuration),
        expected.map(([field, problem]) => [2, field, problem]),
      );
      const [problem] = configuration.problems;
      assert.ok(problem && describeConfiguration(configuration).includes(problem.message));
      assert.match(problem.message, /^The setting services\[2\]/);
    });
  }

  for (const [field, value, problem] of [
    ['verificationUrl', 'x', 'not an address'],
    ['scopes', 'a b', 'not scopes'],
    ['endpoints', '/t', 'not an object of fields'],
  ] as const) {
    it(`keeps the accounts of an element whose ${field} can't be used, but nobody can sign in to it`, () => {
      const configuration = read({ ...GITLAB, [field]: value });
      const [first, gitlab] = configuration.services.all;
      assert.deepEqual(problemsOf(configuration), [[1, field, problem]]);
      assert.throws(
        () => {
          checkUsable(configuration, gitlab);
        },
        { place: `services[1].${field}` },
      );
      checkUsable(configuration, first);
    });
  }

  for (const [what, fields, field, problem] of [
    ['a name that can’t be shown', { serviceName: '$(key)' }, 'serviceName', 'forbidden characters'],
    ['a field that nobody knows', { client_id: 'x' }, 'client_id', 'unknown field'],
    ['a client secret', { clientSecret: 'a secret' }, 'clientSecret', 'secret in settings'],
  ] as const) {
    it(`uses an element in spite of ${what}, and names it`, () => {
      const configuration = read({ ...GITLAB, ...fields });
      assert.equal(configuration.services.all.length, 2);
      assert.deepEqual(problemsOf(configuration), [[1, field, problem]]);
      checkUsable(configuration, configuration.services.all[1]);
      assert.doesNotMatch(describeConfiguration(configuration) + JSON.stringify(configuration.services), /a secret/);
    });
  }

  it('is named if it’s none', () => {
    for (const odd of [{}, 'https://gitlab.example', 7, true]) {
      const configuration = readList(odd);
      assert.deepEqual([names(configuration), problemsOf(configuration)], [[], [[undefined, undefined, 'not a list']]]);
      assert.match(configuration.problems[0]?.message ?? '', /^The setting services can't be used/);
    }
    assert.deepEqual(problemsOf(readList(null)), []);
  });

  it('may be long', () => {
    const many = Array.from({ length: 50 }, (_, n) => ({ ...GITLAB, baseUrl: `https://gitlab${n}.example` }));
    const { services } = read(...many);
    assert.equal(services.all.length, 51);
    assert.equal(services.at('https://gitlab49.example')?.id.baseUrl, 'https://gitlab49.example');
  });

  it('never has two services with one address, whatever is in it, and never throws', () => {
    const host = fc.constantFrom('a', 'B', 'b', 'c');
    const element = fc.oneof(
      fc.anything(),
      fc.record({
        protocol: fc.constantFrom('draft', 'rfc8628', 'x'),
        baseUrl: host.map((one) => `https://${one}.example/`),
        clientId: fc.string(),
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.array(element)), (list) => {
        const { services } = readList(Array.isArray(list) ? [DEFAULT, ...(list as unknown[])] : list);
        const addresses = services.all.map(({ id }) => id.baseUrl);
        assert.equal(new Set(addresses).size, addresses.length);
        assert.equal(services.default?.id.baseUrl, Array.isArray(list) ? DEFAULT.baseUrl : undefined);
        for (const one of services.all) {
          assert.deepEqual([services.of(one.id), services.at(one.id.baseUrl)], [one, one]);
        }
      }),
    );
  });
});

describe('which of several services somebody means', () => {
  const { services } = read(GITLAB, DRAFT);
  const [first, gitlab] = services.all;

  it('is the default one if they name none', () => {
    assert.equal(services.meant([]), first);
    assert.equal(readList(undefined).services.meant([]), undefined);
  });

  it('is the one whose address they name, in any form', () => {
    for (const address of [GITLAB.baseUrl, `${GITLAB.baseUrl}/`, 'https://GitLab.example:443']) {
      assert.deepEqual([services.at(address), services.meant([address])], [gitlab, gitlab], address);
    }
  });

  it('is none if the one that they name isn’t configured, or they name different ones', () => {
    assert.equal(services.at('https://other.example'), undefined);
    assert.equal(services.meant([GITLAB.baseUrl, DRAFT.baseUrl]), undefined);
  });

  it('doesn’t depend on who the client is, except for a session', () => {
    assert.equal(services.of({ ...GITLAB, clientId: 'another' }), undefined);
    assert.equal(services.of({ ...GITLAB, protocol: 'rfc8628' }), gitlab);
  });
});
