import assert from 'node:assert/strict';
import { warnings } from '../../scripts/package/warnings';
import type { ServiceFile } from '../../scripts/package/serviceFile';

const ACME: ServiceFile = {
  publisher: 'acme',
  name: 'acme-sign-in',
  displayName: 'Acme Sign-In',
  version: '1.0.0',
  license: 'LICENSE',
  providerId: 'acme',
  prefix: 'acme',
  service: { protocol: 'rfc8628', baseUrl: 'https://api.acme.example', clientId: 'vscode' },
};

/** Guards that publishers know what everybody can read in their package, and which store refuses it. */
describe('warnings about a package', () => {
  it('aren’t given without a reason', () => {
    const mcpServers = [{ label: 'Acme', url: 'https://api.acme.example/mcp', headers: { 'X-Team': 'a' } }];
    assert.deepEqual(warnings({ ...ACME, mcpServers }), []);
  });

  it('say that everyone can read the client secret, and headers that may be secret, without their values', () => {
    const headers = { 'X-Api-Key': '123-not-shown', 'X-Team': 'a' };
    const found = warnings({
      ...ACME,
      service: { ...ACME.service, clientSecret: '123-not-shown' },
      mcpServers: [{ label: 'Acme', url: 'https://api.acme.example/mcp', headers }],
    });
    assert.match(
      found[0] ?? '',
      /^The package contains the client secret, and everyone who has the package can read it\./,
    );
    assert.match(found[1] ?? '', /^The package contains the headers of MCP servers \(X-Api-Key\), and everyone/);
    assert.equal(found.length, 2);
    assert.doesNotMatch(found.join(), /not-shown/);
  });

  it('say that Open VSX refuses a package without a license', () => {
    const { license, ...without } = ACME;
    assert.ok(license);
    assert.deepEqual(warnings(without), ['The package has no license, and Open VSX refuses it without one.']);
  });
});
