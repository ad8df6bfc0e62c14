import assert from 'node:assert/strict';
import { Embedder } from '../../../support/loadLibrary';

const BRAND = { prefix: 'acme', providerId: 'acme' };

const noFile = (): Promise<string> => Promise.reject(new Error('It’s on another machine.'));

/** Guards that the list of the application isn't replaced by one of a profile or a policy. */
describe('the services that apply', () => {
  const OWN = [{ baseUrl: 'https://own.example', scopes: ['a "b"'], notify: { path: '/n' } }];

  /** Whether they're elsewhere, by what VS Code says of the setting, and by the file of the application's settings. */
  const areElsewhere = (inspected: object, file: string | undefined): Promise<boolean> => {
    const embedder = new Embedder();
    embedder.inspected = inspected;
    const read = file === undefined ? noFile : () => Promise.resolve(file);
    return new (embedder.loadSettingsEditor().VscodeSettingsEditor)(embedder.log, BRAND, read).servicesAreElsewhere();
  };

  it('are those of the application if they’re in its file, or there are none', async () => {
    const file = `// What I use\n{ "acme.services": [${JSON.stringify(OWN[0])},], }`;
    assert.equal(await areElsewhere({ globalValue: OWN, defaultValue: [] }, file), false);
    assert.equal(await areElsewhere({ defaultValue: [] }, '{}'), false);
  });

  it('are a profile’s if they aren’t there, and a policy’s if they’re the default', async () => {
    const other = '{ "acme.services": [{ "baseUrl": "https://other.example" }] }';
    assert.equal(await areElsewhere({ globalValue: OWN, defaultValue: [] }, other), true);
    assert.equal(await areElsewhere({ defaultValue: OWN }, '{}'), true);
  });

  it('are a profile’s if they’re only some of the application’s, or the same in another order', async () => {
    const [one, two] = [{ baseUrl: 'https://one.example' }, { baseUrl: 'https://two.example' }];
    const file = JSON.stringify({ 'acme.services': [one, two] });
    assert.equal(await areElsewhere({ globalValue: [one], defaultValue: [] }, file), true);
    assert.equal(await areElsewhere({ globalValue: [two, one], defaultValue: [] }, file), true);
    assert.equal(await areElsewhere({ globalValue: [one, two], defaultValue: [] }, file), false);
    assert.equal(await areElsewhere({ globalValue: [], defaultValue: [] }, file), true);
  });

  it('are looked for in the file as VS Code reads it', async () => {
    const own = JSON.stringify(OWN);
    for (const [file, elsewhere] of [
      [`\uFEFF{ "acme.services": ${own} }`, false],
      [`{ "acme.services": [], "acme.services": ${own} }`, false],
      [`{ "acme.services": ${own}, "acme.services": [] }`, true],
      [`{ "[json]": { "acme.services": ${own} } }`, true],
      [`{ "acme": { "services": ${own} } }`, false],
      [`{ "other": , "acme.services": ${own}`, false],
      [`{ /* "acme.services": ${own} */ }`, true],
      [`{ "acme.services": ${own.replace('/n', '\\u002fn')} }`, false],
      ['', true],
      ['null', true],
    ] as const) {
      assert.equal(await areElsewhere({ globalValue: OWN, defaultValue: [] }, file), elsewhere, file);
    }
  });

  it('are taken for the application’s if nobody can tell', async () => {
    assert.equal(await areElsewhere({ globalValue: OWN, defaultValue: [] }, undefined), false);
  });
});

/** Guards that nobody loses a comment who isn't asked. */
describe('comments in the list of services', () => {
  for (const [file, areThere] of [
    ['{ /* a */ "acme.services": [{}], // b\n "other": [ /* c */ ] }', false],
    ['{ "acme.services": [{ "baseUrl": "https://a.example//b" },], }', false],
    ['{ "acme.services": [\n// parked: {}\n{}] }', true],
    ['\uFEFF{ "acme.services": [{ /* a */ },], }', true],
    ['', false],
    [undefined, false],
  ] as const) {
    it(`are ${areThere ? '' : 'not '}in ${JSON.stringify(file)}`, async () => {
      const embedder = new Embedder();
      const read = file === undefined ? noFile : () => Promise.resolve(file);
      const editor = new (embedder.loadSettingsEditor().VscodeSettingsEditor)(embedder.log, BRAND, read);
      assert.equal(await editor.servicesHaveComments(), areThere);
    });
  }
});
