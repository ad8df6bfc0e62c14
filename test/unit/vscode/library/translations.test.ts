import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { packagedTranslations, translationsL10n } from '../../../../src/vscode/library/translations';
import { createTexts } from '../../../../src/vscode/texts/texts';

/** Guards that the library speaks the words that its extension gives it. */
describe('the messages of the library', () => {
  it('are those that the extension passes, with their values; the others stay English', () => {
    const { buttons, signIn, sessions } = createTexts(
      translationsL10n({
        'Sign In': 'Anmelden',
        'Signed in to {service}.': 'Bei {service} angemeldet.',
        'None yet/Beside “Last refresh”': 'Noch keine',
      }),
      'de',
    );
    assert.equal(buttons.signIn, 'Anmelden');
    assert.equal(signIn.signedInTo({ service: 'Acme' }), 'Bei Acme angemeldet.');
    assert.equal(sessions.noRefresh, 'Noch keine');
    assert.equal(buttons.configure, 'Configure Service');
  });

  it('aren’t taken from a prototype, nor are they anything but text', () => {
    const odd = { 'Sign In': 7 } as unknown as Record<string, string>;
    assert.equal(createTexts(translationsL10n(odd), 'en').buttons.signIn, 'Sign In');
    assert.equal(translationsL10n({}).t({ message: 'toString', args: {}, comment: [] }), 'toString');
  });

  it('are those beside the code if the extension passes none, and if they’re there and whole', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'device-flow-l10n-'));
    try {
      await mkdir(path.join(folder, 'l10n'));
      await writeFile(path.join(folder, 'l10n', 'bundle.l10n.de.json'), '{"Sign In": "Anmelden"}');
      await writeFile(path.join(folder, 'l10n', 'bundle.l10n.fr.json'), '{"Sign In":');
      assert.deepEqual(packagedTranslations(folder, 'de'), { 'Sign In': 'Anmelden' });
      for (const language of ['fr', 'it', 'en', '../../secrets']) {
        assert.deepEqual(packagedTranslations(folder, language), {});
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
