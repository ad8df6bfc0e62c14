import assert from 'node:assert/strict';
import type { EndpointSettings, Metadata } from '../../../src/oauth/types';
import { InvalidResponseError, MetadataError, type OAuthError, ServiceError } from '../../../src/oauth/errors';
import { endpointHosts } from '../../../src/oauth/metadata';
import { failure, fails } from './harness';
import type { Scripted } from './servers';
import { standardService } from './standardHarness';

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

const LARGE_PAGE = '<html>'.padEnd(64 * 1024 + 1);

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

/** Guards where the endpoints of a standard service are looked for, and which are refused. */
describe('the metadata of a standard service', () => {
  it('is read between the host and the path of the issuer (RFC 8414, section 3.1)', async () => {
    const path = `${OAUTH}/realms/a`;
    const found = await discovered((issuer) => ({ [path]: { json: metadata(issuer) } }), {}, '/realms/a');
    const { endpoints, issuer, paths, scopesSupported } = found;
    assert.deepEqual([paths, scopesSupported], [[path], []]);
    const needed = { deviceAuthorization: `${issuer}/device`, token: `${issuer}/token` };
    assert.deepEqual(endpoints, { issuer, ...needed, authentication: 'basic' });
  });

  for (const [why, first] of [
    ['there is none', () => ({ status: 404 })],
    ['there is only a page of more than 64 KiB', () => ({ status: 404, text: LARGE_PAGE })],
    ["it isn't allowed", () => ({ status: 405 })],
    ['a proxy in front of the service refuses it', () => ({ status: 403 })],
    ['a proxy in front of the service wants a sign-in', () => ({ status: 302, headers: { Location: '/login' } })],
    ["it isn't JSON", () => ({ text: '<html>' })],
    ['it has no device authorization endpoint', (issuer) => ({ json: { issuer, token_endpoint: 'x' } })],
    ["it isn't metadata", () => ({ json: { error: 'not found' } })],
  ] as [string, (issuer: string) => Scripted][]) {
    it(`is read after the path of the issuer if ${why}`, async () => {
      const [wanted, other] = [`${OAUTH}/a`, `/a${OPENID}`];
      const documents = (issuer: string) => ({ [wanted]: first(issuer), [other]: { json: metadata(issuer) } });
      assert.deepEqual((await discovered(documents, {}, '/a')).paths, [wanted, other]);
    });
  }

  const other = metadata('https://other.example');
  const [deviceAuthorization, token] = ['https://other.example/device', 'https://other.example/token'];
  const named = { issuer: 'https://other.example', deviceAuthorization: undefined, token };
  const otherIssuer = new MetadataError('other issuer', true, { named });
  const noIssuer = new MetadataError('other issuer', true, {
    named: { issuer: undefined, deviceAuthorization, token },
  });
  const redirected = new InvalidResponseError('metadata', 302, 'redirect');
  const page = new InvalidResponseError('metadata', 200, 'not JSON');
  const tooLarge = new InvalidResponseError('metadata', 200, 'too large');
  for (const [what, first, expected] of [
    ['an internal error', { status: 503 }, new ServiceError('metadata', 503, undefined)],
    ['too many requests', { status: 429 }, new ServiceError('metadata', 429, undefined)],
    ['a document of more than 64 KiB', { text: `{"a":"${'a'.repeat(64 * 1024)}"}` }, tooLarge],
    ['another issuer', { json: { ...other, device_authorization_endpoint: undefined } }, otherIssuer],
    ['no issuer', { json: { ...other, issuer: undefined } }, noIssuer],
    ['a templated issuer', { json: { ...other, issuer: 'https://other.example/{tenant}' } }, noIssuer],
    ['an issuer that nobody may enter', { json: { ...other, issuer: 'http://other.example' } }, noIssuer],
  ] as [string, Scripted, OAuthError][]) {
    it(`isn't looked for elsewhere after ${what}`, async () => {
      const found = discovered((issuer) => ({ [OAUTH]: first, [OPENID]: { json: metadata(issuer) } }));
      await fails(found, expected);
    });
  }

  for (const [what, second, expected] of [
    ['a refusal', { status: 403 }, new ServiceError('metadata', 403, undefined)],
    ['a redirect', { status: 302, headers: { Location: '/login' } }, redirected],
    ['a page', { text: '<html>' }, page],
    ['a page of more than 64 KiB', { text: LARGE_PAGE }, page],
    ['a text', { text: 'Welcome to our Wi-Fi' }, page],
    ['a page with 511', { status: 511, text: '<html>' }, new ServiceError('metadata', 511, undefined)],
  ] as [string, Scripted, OAuthError][]) {
    it(`isn't missing, but can't be read, if both addresses respond with ${what}`, async () => {
      await fails(
        discovered(() => ({ [OAUTH]: second, [OPENID]: second })),
        expected,
      );
    });
  }

  it('lacks an endpoint, whatever the other address responds with, if only that is missing', async () => {
    const first = (issuer: string) => ({ json: { issuer, token_endpoint: `${issuer}/token` } });
    for (const second of [{ text: '<html>' }, { status: 302 }, { status: 403 }, { status: 404 }]) {
      const found = discovered((issuer) => ({ [OAUTH]: first(issuer), [OPENID]: second }));
      await fails(found, new MetadataError('missing endpoint', true, { endpoint: 'deviceAuthorization' }));
    }
  });

  for (const [path, entered] of [
    [OPENID, ''],
    [OAUTH, ''],
    [`${OAUTH}/realms/a`, '/realms/a'],
    [`/realms/a${OPENID}`, '/realms/a'],
    ['/.well-known/oauth-protected-resource/mcp', '/mcp'],
  ] as const) {
    it(`isn’t looked for below the address of a document, which says what to enter: ${path}`, async () => {
      const expected = (issuer: string): MetadataError =>
        new MetadataError('document address', true, { named: { issuer } });
      const missing = await failure(discovered(() => ({}), {}, path));
      assert.ok(missing instanceof MetadataError);
      const issuer = missing.named.issuer ?? assert.fail();
      assert.deepEqual([missing, new URL(issuer).pathname], [expected(issuer), entered === '' ? '/' : entered]);
      const found = discovered(() => ({ [path]: { json: { issuer: 'https://id.example/a' } } }), {}, path);
      await fails(found, expected('https://id.example/a'));
      const ofResource = { authorization_servers: ['https://id.example/b', 'https://id.example/c'] };
      await fails(
        discovered(() => ({ [path]: { json: ofResource } }), {}, path),
        expected('https://id.example/b'),
      );
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
    const further = { userinfo_endpoint: 'http://other.example/me', scopes_supported: ['openid', 17, 'email'] };
    const { endpoints, issuer, scopesSupported } = await discovered((url) => ({
      [OAUTH]: { json: { ...metadata(url), revocation_endpoint: `${url}/revoke`, ...further } },
    }));
    // An endpoint that nobody needs is left out if it isn't safe.
    assert.deepEqual([endpoints.revocation, endpoints.userInfo], [`${issuer}/revoke`, undefined]);
    assert.deepEqual(scopesSupported, ['openid', 'email']);
  });

  for (const [methods, isListed] of [
    [['plain', 'S256'], true],
    [['S256'], true],
    [['plain'], false],
    [[], false],
    ['S256', false],
    [undefined, false],
  ] as const) {
    it(`${isListed ? 'lists' : "doesn't list"} PKCE with ${JSON.stringify(methods)}`, async () => {
      const { supportsPkce } = await discovered((issuer) => ({
        [OAUTH]: { json: { ...metadata(issuer), code_challenge_methods_supported: methods } },
      }));
      assert.equal(supportsPkce, isListed);
    });
  }
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
    assert.deepEqual(endpointHosts({ protocol: 'rfc8628', baseUrl: issuer, clientId: 'c', endpoints }), [
      new URL(issuer).host,
      'api.example',
    ]);
  });

  it('are those that are set even if the metadata has others', async () => {
    const { endpoints, issuer, paths } = await discovered(
      (url) => ({ [OAUTH]: { json: { issuer: url, token_endpoint: `${url}/token` } } }),
      { deviceAuthorization: '/device' },
    );
    assert.deepEqual(paths, [OAUTH]);
    assert.deepEqual([endpoints.deviceAuthorization, endpoints.token], [`${issuer}/device`, `${issuer}/token`]);
  });

  const unsafe = { deviceAuthorization: '/device', token: '/token', revocation: 'http://other.example/' };
  for (const [what, has, settings, ...expected] of [
    ['nothing is known', undefined, {}, 'missing endpoint', false, { endpoint: 'deviceAuthorization' }],
    [
      'only one is set',
      undefined,
      { deviceAuthorization: '/device' },
      'missing endpoint',
      false,
      { endpoint: 'token' },
    ],
    ['the metadata lacks one', 'token_endpoint', {}, 'missing endpoint', true, { endpoint: 'deviceAuthorization' }],
    ['one that is set is not safe', undefined, unsafe, 'unsafe endpoint', false, { endpoint: 'revocation' }],
  ] as [string, string | undefined, EndpointSettings, ...ConstructorParameters<typeof MetadataError>][]) {
    it(`are refused if ${what}`, async () => {
      const found = discovered(
        (issuer) => (has === undefined ? {} : { [OPENID]: { json: { issuer, [has]: `${issuer}/token` } } }),
        settings,
      );
      await fails(found, new MetadataError(...expected));
    });
  }
});
