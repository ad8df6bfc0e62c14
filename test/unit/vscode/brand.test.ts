import assert from 'node:assert/strict';
import { type Manifest, readBrand } from '../../../src/vscode/brand';

/** Guards that the category names the extension as VS Code shows it, whatever editor and language read the manifest. */
describe('the category of the commands', () => {
  const read = (category: Manifest['contributes']['commands'][number]['category']): string =>
    readBrand({
      publisher: 'acme',
      name: 'sign-in',
      displayName: 'Acme Sign-In',
      version: '1.0.0',
      contributes: {
        authentication: [{ id: 'acme' }],
        commands: [{ command: 'acme.signIn', ...(category !== undefined && { category }) }],
      },
    }).category;

  it('is that of the manifest', () => {
    assert.equal(read('Acme'), 'Acme');
  });

  it('is its translation, which VS Code puts beside the original', () => {
    assert.equal(read(JSON.parse('{ "value": "Акме", "original": "Acme" }') as { value: string }), 'Акме');
  });

  it('is the extension’s name if there’s none, or the editor leaves the placeholder of the translation', () => {
    assert.equal(read(undefined), 'Acme Sign-In');
    assert.equal(read('%category%'), 'Acme Sign-In');
  });
});
