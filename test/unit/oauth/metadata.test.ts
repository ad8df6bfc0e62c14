import assert from 'node:assert/strict';
import type { EndpointSettings, Metadata } from '../../../src/oauth/client';
import { InvalidResponseError, MetadataError, type OAuthError, ServiceError } from '../../../src/oauth/errors';
import { foreignHosts } from '../../../src/oauth/metadata';
import { fails } from './harness';
import type { Scripted } from './servers';
import { standardService } from './standardHarness';

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/** What a service on this machine says about itself. */
function metadata(issuer: string): Readonly<Record<string, unknown>> {
  return { issuer, device_authorization_endpoint: `${issuer}/device`, token_endpoint: `${issuer}/token` };
}

/** Looks for a service whose documents are these, by their paths. */
async function discovered(
  documents: (issuer: string) => Readonly<Record<string, Scripted>>,
  settings: EndpointSettings = {},
  path = '',
): Promise<Metadata & { readonly issuer: string; readonly paths: readonly string[] }> {
  const { baseUrl, oauth, seen } = await standardService((asked, url) => documents(url + path)[asked]);
  const issuer = baseUrl + path;
  const found = await oauth.discover({ baseUrl: issuer, clientId: 'c', protocol: 'rfc8628' }, settings);
  return { ...(found ?? assert.fail()), issuer, paths: seen.map((request) => request.path) };
}

describe('the metadata of a standard service', () => {
  it('is read between the host and the path of the issuer (RFC 8414, section 3.1)', async () => {
    const found = await discovered(
      (issuer) => ({ [`${OAUTH}/realms/a`]: { json: metadata(issuer) } }),
      {},
      '/realms/a',
    );
    const { endpoints, issuer, paths, scopesSupported } = found;
    assert.deepEqual([paths, scopesSupported], [[`${OAUTH}/realms/a`], []]);
    assert.deepEqual(endpoints, {
      issuer,
      deviceAuthorization: `${issuer}/device`,
      token: `${issuer}/token`,
      authentication: 'basic',
    });
  });

  for (const [why, first] of [
    ['there is none', undefined],
    ["it isn't allowed", { status: 405 }],
    ["it isn't JSON", { text: '<html>' }],
    ['it has no device authorization endpoint', { json: { issuer: 'ISSUER', token_endpoint: 'x' } }],
    ["it isn't metadata", { json: { error: 'not found' } }],
  ] as [string, Scripted | undefined][]) {
    it(`is read after the path of the issuer if ${why}`, async () => {
      const { paths } = await discovered(
        (issuer) => ({
          ...(first === undefined
            ? {}
            : { [`${OAUTH}/a`]: JSON.parse(JSON.stringify(first).replace('ISSUER', issuer)) as Scripted }),
          [`/a${OPENID}`]: { json: metadata(issuer) },
        }),
        {},
        '/a',
      );
      assert.deepEqual(paths, [`${OAUTH}/a`, `/a${OPENID}`]);
    });
  }

  for (const [what, first, expected] of [
    ['an internal error', { status: 503 }, new ServiceError('metadata', 503, undefined)],
    ['a refusal', { status: 403 }, new ServiceError('metadata', 403, undefined)],
    [
      'a redirect',
      { status: 302, headers: { Location: OPENID } },
      new InvalidResponseError('metadata', 302, 'redirect', undefined),
    ],
    [
      'a document of more than 64 KiB',
      { text: `{"a":"${'a'.repeat(64 * 1024)}"}` },
      new InvalidResponseError('metadata', 200, 'too large', undefined),
    ],
    [
      'another issuer',
      { json: { ...metadata('https://other.example'), device_authorization_endpoint: undefined } },
      new MetadataError('other issuer', undefined, true),
    ],
    [
      'no issuer',
      { json: { ...metadata('https://other.example'), issuer: undefined } },
      new MetadataError('other issuer', undefined, true),
    ],
  ] as [string, Scripted, OAuthError][]) {
    it(`isn't looked for elsewhere after ${what}`, async () => {
      const found = discovered((issuer) => ({ [OAUTH]: first, [OPENID]: { json: metadata(issuer) } }));
      await fails(found, expected);
    });
  }

  it('has its own issuer, with or without a slash at the end', async () => {
    const found = await discovered((issuer) => ({ [OAUTH]: { json: { ...metadata(issuer), issuer: `${issuer}/` } } }));
    assert.equal(found.endpoints.issuer, `${found.issuer}/`);
  });

  for (const [methods, authentication] of [
    [undefined, 'basic'],
    [['client_secret_post'], 'post'],
    [['client_secret_post', 'client_secret_basic'], 'basic'],
    [['private_key_jwt'], 'basic'],
    ['client_secret_post', 'basic'],
  ] as const) {
    it(`makes clients authenticate by ${authentication} if it lists ${JSON.stringify(methods)}`, async () => {
      const { endpoints } = await discovered((issuer) => ({
        [OAUTH]: { json: { ...metadata(issuer), token_endpoint_auth_methods_supported: methods } },
      }));
      assert.equal(endpoints.authentication, authentication);
    });
  }

  it('has further endpoints and scopes', async () => {
    const { endpoints, issuer, scopesSupported } = await discovered((url) => ({
      [OAUTH]: {
        json: {
          ...metadata(url),
          ...{ revocation_endpoint: `${url}/revoke`, userinfo_endpoint: 'http://other.example/me' },
          scopes_supported: ['openid', 17, 'email'],
        },
      },
    }));
    // An endpoint that nobody needs is left out if it isn't safe.
    assert.deepEqual([endpoints.revocation, endpoints.userInfo], [`${issuer}/revoke`, undefined]);
    assert.deepEqual(scopesSupported, ['openid', 'email']);
  });
});

describe('the endpoints of a standard service', () => {
  it('are those that are set, without any request, absolute or relative to the base URL', async () => {
    const settings = { deviceAuthorization: 'device/code', token: '/token', userInfo: 'https://api.example/user' };
    const { endpoints, issuer, paths } = await discovered(() => ({}), settings, '/login');
    assert.deepEqual(paths, []);
    assert.deepEqual(endpoints, {
      issuer,
      deviceAuthorization: `${issuer}/device/code`,
      token: `${new URL(issuer).origin}/token`,
      userInfo: 'https://api.example/user',
      authentication: 'basic',
    });
    assert.deepEqual(foreignHosts({ baseUrl: issuer, clientId: 'c', endpoints }), ['api.example']);
  });

  it('are those that are set even if the metadata has others', async () => {
    const { endpoints, issuer, paths } = await discovered(
      (url) => ({ [OAUTH]: { json: { issuer: url, token_endpoint: `${url}/token` } } }),
      { deviceAuthorization: '/device' },
    );
    assert.deepEqual(paths, [OAUTH]);
    assert.deepEqual([endpoints.deviceAuthorization, endpoints.token], [`${issuer}/device`, `${issuer}/token`]);
  });

  for (const [what, documents, settings, expected] of [
    ['nothing is known', () => ({}), {}, ['missing endpoint', 'deviceAuthorization', false]],
    ['only one is set', () => ({}), { deviceAuthorization: '/device' }, ['missing endpoint', 'token', false]],
    [
      'the metadata lacks one',
      (issuer) => ({ [OPENID]: { json: { issuer, token_endpoint: `${issuer}/token` } } }),
      {},
      ['missing endpoint', 'deviceAuthorization', true],
    ],
    [
      'one that is set is not safe',
      () => ({}),
      { deviceAuthorization: '/device', token: '/token', revocation: 'http://other.example/' },
      ['unsafe endpoint', 'revocation', false],
    ],
  ] as [
    string,
    (issuer: string) => Readonly<Record<string, Scripted>>,
    EndpointSettings,
    ConstructorParameters<typeof MetadataError>,
  ][]) {
    it(`are refused if ${what}`, async () => {
      await fails(discovered(documents, settings), new MetadataError(...expected));
    });
  }

  for (const address of ['https://127.0.0.1/token', 'http://localhost/token']) {
    it(`aren't at ${address} if the issuer is elsewhere`, async () => {
      const { oauth } = await standardService([]);
      const found = oauth.discover(
        { baseUrl: 'https://service.example', clientId: 'c', protocol: 'rfc8628' },
        { deviceAuthorization: '/device', token: address },
      );
      await fails(found, new MetadataError('unsafe endpoint', 'token', false));
    });
  }
});
