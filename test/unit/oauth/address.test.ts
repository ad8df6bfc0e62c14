import assert from 'node:assert/strict';
import { isReadableHost, isSameIssuer, parseAddress, safeUrl } from '../../../src/oauth/address';
import { NetworkError } from '../../../src/oauth/errors';
import { endpointInMetadata } from '../../../src/oauth/metadata';
import { client, credentials, fails } from './harness';

/** Guards that internationalized addresses work for as long as a window is open. */
describe('an address with other letters than those of ASCII', () => {
  it('is read however often', () => {
    for (let time = 0; time < 20_000; time++) {
      assert.equal(parseAddress('https://bücher.example/ä')?.href, 'https://xn--bcher-kva.example/%C3%A4');
    }
    assert.equal(parseAddress('bücher.example'), undefined);
  });
});

/** Guards that no secret travels without TLS, except to this machine. */
describe('an address that no secret may travel to', () => {
  for (const [name, given] of [
    ['a base URL that is none', credentials('service.example')],
    ['a user name in the base URL', credentials('https://user@service.example')],
    ['http to another machine', credentials('http://service.example')],
  ] as const) {
    it(`gets no request: ${name}`, async () => {
      const { oauth } = client(() => assert.fail('a request was sent'));
      const options = { path: '/user', field: 'name', idField: undefined, accessTokenIn: 'query' } as const;
      await fails(
        oauth.refresh(given, 'r'),
        new NetworkError('refresh', 'unknown', false, { systemCode: 'ERR_INVALID_URL' }),
      );
      const account = oauth.fetchAccount(given.baseUrl, options, 'a');
      await fails(account, new NetworkError('account', 'unknown', false, { systemCode: 'ERR_INVALID_URL' }));
    });
  }
});

const ISSUER = 'https://service.example/tenant';

/** Guards that no service can have its secrets sent, or people led, to a place that's unsafe or looks like another. */
describe('an address that a service names', () => {
  for (const address of [
    'service.example/token',
    '//evil.example/token',
    '/token',
    'https://',
    'https://[::1/',
    'http://service.example/token',
    'http://127.0.0.1.example/token',
    'http://127.0.0.2/token',
    'http://x.localhost/token',
    'ftp://service.example/token',
    'command:workbench.action.quit',
    'javascript:alert(1)',
    'https://service.example@evil.example/token',
    'https://:secret@service.example/token',
    'https:///service.example@other.example/',
  ]) {
    it(`isn’t safe: ${address}`, () => {
      assert.equal(safeUrl(address), undefined);
    });
  }

  for (const address of [
    'http://localhost:8080/activate',
    'http://127.0.0.1:1/',
    'http://[::1]:1/',
    'https://127.1/token',
    'https://0x7f.1/token',
    'https://017700000001/token',
    'https://2130706433/token',
    'https://127.0.0.1./token',
    'https://0/token',
    'https://[::]/token',
    'https://[::127.0.0.1]/token',
    'https://[::ffff:127.0.0.1]/token',
    'https://[::ffff:0.0.0.0]/token',
    'https://LOCALHOST/token',
    'https://localhost./token',
    'https://a.localhost/token',
    'https://\uff4cocalhost/token',
    'https://%6cocalhost/token',
  ]) {
    it(`is on this machine only if its service is: ${address}`, () => {
      assert.notEqual(safeUrl(address, 'http://localhost:1'), undefined);
      assert.equal(safeUrl(address, ISSUER), undefined);
    });
  }

  for (const host of ['service.example,evil.example', 'service_example.evil', "service.example'.evil.example"]) {
    it(`can’t have a host that reads like several, or like another: ${host}`, () => {
      assert.equal(isReadableHost(new URL(`https://${host}`)), false);
      assert.equal(endpointInMetadata(`https://${host}/token`, ISSUER), undefined);
    });
  }

  it('may have other letters, a port, or an IP address', () => {
    for (const host of ['b\u00fccher.example', 'service.example:8443', '10.0.0.1', '[2001:db8::1]']) {
      assert.equal(isReadableHost(new URL(`https://${host}`)), true);
    }
  });

  for (const address of [
    'https://service.example/token#/',
    `https://${'a.'.repeat(150)}evil.example/token`,
    `https://evil.example/token?${'a'.repeat(2048)}`,
    '/token',
    ['https://evil.example/token'],
    { href: 'https://evil.example/token' },
    17,
  ]) {
    it(`is no endpoint: ${JSON.stringify(address).slice(0, 60)}`, () => {
      assert.equal(endpointInMetadata(address, ISSUER), undefined);
    });
  }
});

/** Guards that an issuer is recognized in any spelling, and no other one is taken for it. */
describe('two issuers', () => {
  const issuer = 'https://id.example/tenant';

  for (const other of [
    'https://id.example/tenant/',
    'https://id.example:443/tenant',
    'HTTPS://ID.Example/tenant',
    'https://id.example:443/tenant/',
  ]) {
    it(`are at the same place: ${other}`, () => {
      assert.ok(isSameIssuer(other, issuer) && isSameIssuer(issuer, other));
    });
  }

  it('are at the same place if one is in punycode, or on another machine’s default port', () => {
    assert.ok(isSameIssuer('https://b\u00fccher.example', 'https://xn--bcher-kva.example/'));
    assert.ok(isSameIssuer('http://localhost:80/a', 'http://localhost/a'));
  });

  for (const other of [
    'https://id.example/Tenant',
    'https://id.example:8443/tenant',
    'http://id.example/tenant',
    'https://id.example/tenant//',
    'https://id.example./tenant',
    'https://ada@id.example/tenant',
    'https://id.example/tenant?a',
    'https://id.example/%74enant',
    'id.example/tenant',
    undefined,
    [issuer],
  ]) {
    it(`aren’t: ${String(other)}`, () => {
      assert.ok(!isSameIssuer(other, issuer));
    });
  }
});
