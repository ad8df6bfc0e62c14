import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/oauth/errors';
import { StoreUnavailableError } from '../../../src/storage/platform';
import { readBrand } from '../../../src/vscode/brand';
import { createTexts } from '../../../src/vscode/texts/texts';
import { deviceCode } from '../signin/scriptedClient';
import { accountsBench } from './accounts/accountsBench';
import { enter } from './fakeEditor';
import { english } from './english';
import { bench, begun } from './signin/signInBench';

const texts = createTexts(english, 'en');

/** Guards that a build for one service asks for nothing and offers nothing that it doesn't have. */
describe('a build for one service', () => {
  it('has the commands and the settings of its manifest', () => {
    const brand = readBrand({
      ...{ displayName: 'Acme', version: '1.0.0', publisher: 'acme', name: 'acme-sign-in' },
      service: { baseUrl: 'https://acme.example' },
      contributes: { authentication: [{ id: 'acme' }], commands: [{ command: 'acme.signIn' }] },
    });
    assert.deepEqual([brand.prefix, brand.commands], ['acme', ['signIn']]);
    assert.deepEqual(brand.fixed, { baseUrl: 'https://acme.example' });
  });

  it('asks for nothing but the client secret, if that’s needed', async () => {
    const b = bench({ codes: [{ answer: deviceCode() }], withSecret: false, brand: { commands: ['setClientSecret'] } });
    b.editor.answers = [enter('the secret')];
    await b.begin();
    const asked = b.editor.questions.map(({ title }) => title);
    assert.deepEqual(asked, ['Set Client Secret']);
    assert.match(b.editor.last.text, /^Enter the code /);
  });

  it('says why the client secret couldn’t be stored during a sign-in', async () => {
    const b = bench({ withSecret: false, brand: { commands: ['setClientSecret'] } });
    b.secrets.set = () => Promise.reject(new StoreUnavailableError('folder'));
    b.editor.answers = [enter('the secret')];
    await b.signIn.start();
    assert.equal(b.editor.last.text, texts.sessions.failure(new StoreUnavailableError('folder')));
    assert.deepEqual(b.editor.last.buttons, ['Try Again']);
  });

  it('offers nothing that it lacks when a sign-in fails', async () => {
    const error = new ServiceError('device authorization', 400, 'invalid_client');
    for (const [commands, buttons] of [
      [['setClientSecret'], ['Set Client Secret']],
      [[], []],
    ] as const) {
      const b = await begun({ codes: [{ answer: error }], brand: { commands } });
      assert.deepEqual(b.editor.last.buttons, buttons);
      assert.equal('configure' in b.signIn.commands(), false);
    }
  });

  it('doesn’t offer to configure the service among the accounts', async () => {
    const b = accountsBench();
    Object.assign(b.deps.brand, { commands: [] });
    await b.run('showStatus');
    assert.deepEqual(b.editor.lists[0]?.labels, ['Sign In', 'Show Log']);
  });
});
