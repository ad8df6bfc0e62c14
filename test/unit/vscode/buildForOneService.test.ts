import assert from 'node:assert/strict';
import manifestTexts from '../../../package.nls.json';
import { InvalidResponseError, ServiceError } from '../../../src/oauth/errors';
import { StoreUnavailableError } from '../../../src/storage/storeUnavailable';
import { readBrand } from '../../../src/vscode/brand';
import { describeFailure } from '../../../src/vscode/failures/describeFailure';
import { isMessage, type Messages } from '../../../src/vscode/texts/l10n';
import { createTexts, MESSAGES } from '../../../src/vscode/texts/texts';
import { deviceCode } from '../signin/scriptedClient';
import { accountsBench } from './accounts/accountsBench';
import { enter } from './fakeEditor';
import { english } from './english';
import { bench, begun, failed } from './signin/signInBench';

const texts = createTexts(english, 'en');

/** Guards that a build for one service asks for nothing and offers nothing that it doesn't have. */
describe('a build for one service', () => {
  it('has the commands and the settings of its manifest', () => {
    const brand = readBrand({
      displayName: 'Acme',
      version: '1.0.0',
      publisher: 'acme',
      name: 'acme-sign-in',
      service: { baseUrl: 'https://acme.example' },
      contributes: { authentication: [{ id: 'acme' }], commands: [{ command: 'acme.signIn' }] },
    });
    assert.deepEqual([brand.prefix, brand.commands], ['acme', ['signIn']]);
    assert.deepEqual(brand.fixed, { baseUrl: 'https://acme.example' });
  });

  it('has no page that explains messages, which the extension itself has if its repository is known', () => {
    const manifest = {
      displayName: 'Acme',
      version: '1.0.0',
      publisher: 'acme',
      name: 'acme-sign-in',
      contributes: { authentication: [{ id: 'acme' }], commands: [{ command: 'acme.signIn' }] },
    };
    const homepage = 'https://github.example/acme#readme';
    assert.equal(readBrand(manifest).troubleshooting, undefined);
    assert.equal(readBrand({ ...manifest, homepage, service: {} }).troubleshooting, undefined);
    const page = 'https://github.example/acme/blob/HEAD/docs/troubleshooting.md';
    assert.equal(readBrand({ ...manifest, homepage }).troubleshooting, page);
  });

  it('asks for nothing but the client secret, if that’s needed', async () => {
    const b = bench({
      codes: [{ response: deviceCode() }],
      withSecret: false,
      brand: { commands: ['setClientSecret'] },
    });
    b.editor.answers = [enter('the secret')];
    await b.begin();
    const asked = b.editor.questions.map(({ title }) => title);
    assert.deepEqual(asked, ['Set Client Secret']);
    assert.match(b.editor.last.text, /^Your code is /);
  });

  it('says why the client secret couldn’t be stored during a sign-in', async () => {
    const b = bench({ withSecret: false, brand: { commands: ['setClientSecret'] } });
    b.secrets.set = () => Promise.reject(new StoreUnavailableError('folder'));
    b.editor.answers = [enter('the secret')];
    await b.signIn.start();
    assert.equal(
      b.editor.last.text,
      texts.sessions.failure(new StoreUnavailableError('folder'), 'My Service', 'signIn'),
    );
    assert.deepEqual(b.editor.last.buttons, ['Try Again']);
  });

  it('offers nothing that it lacks when a sign-in fails', async () => {
    const error = new ServiceError('device authorization', 400, 'invalid_client');
    for (const [commands, buttons] of [
      [['setClientSecret'], ['Set Client Secret']],
      [[], []],
    ] as const) {
      const b = await begun({ codes: [{ response: error }], brand: { commands } });
      assert.deepEqual(b.editor.last.buttons, buttons);
      assert.equal('configure' in b.commands, false);
    }
  });

  it('doesn’t offer to configure the service among the accounts', async () => {
    const b = accountsBench();
    Object.assign(b.brand, { commands: [] });
    await b.run('showStatus');
    assert.deepEqual(b.editor.lists[0]?.labels, ['Sign In', 'Show Log']);
  });
});

/** What people read, by the names of the messages; placeholders stay as they are. */
function spelledOut(messages: Messages, texts: Readonly<Record<string, unknown>>, where = ''): [string, string][] {
  return Object.entries(messages).flatMap(([name, one]) => {
    const text = texts[name];
    if (!isMessage(one)) return spelledOut(one, text as Readonly<Record<string, unknown>>, `${where}${name}.`);
    return [[where + name, typeof text === 'function' ? (text as (args: object) => string)({}) : String(text)]];
  });
}

/** Guards that nobody is sent to a command or a setting that the extension they have lacks. */
describe('the texts of all builds', () => {
  const commands = Object.entries(manifestTexts).flatMap(([key, text]) => (key.startsWith('command.') ? [text] : []));
  const named = new RegExp([...commands, 'base URL', '[Ss]ettings?\\b'].join('|'));
  /**
   * These aren't shown in all builds: no service is hidden, no client secret asked for without Set Client Secret, and settings
   * are checked before. The setting for proxies is VS Code's. Authors of extensions name services by their base URLs.
   */
  const notInAll = /^(?:settings\.|sessions\.toShow\.|signIn\.(?:enter[A-Z]\w+|noBaseUrlMeant|turnOn)$)|\.proxy$/;

  it('name no command and no setting, because there may be none', () => {
    const sentences = spelledOut(MESSAGES, createTexts(english, 'en')).filter(([, text]) => text.includes('.'));
    const found = sentences.filter(([name, text]) => named.test(text) && !notInAll.test(name));
    assert.deepEqual(found, []);
  });

  for (const [error, said] of [
    [
      new InvalidResponseError('device authorization', 200, 'too large'),
      /the address https:\/\/login\.example\/device\.$/,
    ],
    [new ServiceError('device authorization', 404, undefined), /^Acme didn’t accept the request \(HTTP 404\)\./],
  ] as const) {
    it(`name no setting for an endpoint that isn’t below the base URL: ${error.message}`, () => {
      const dependencies = { brand: { prefix: 'acme', configuredBy: 'build' as const }, texts };
      error.endpointAddress = 'https://login.example/device';
      const { text } = describeFailure(dependencies, error, { service: 'Acme', baseUrl: undefined });
      assert.match(text, said);
      assert.doesNotMatch(text, /acme\./);
    });
  }

  it('say who can turn on what only the publisher sets', () => {
    const dependencies = { brand: { prefix: 'acme', configuredBy: 'build' as const }, texts };
    const error = new ServiceError('device authorization', 400, 'invalid_request', { isAboutPkce: true });
    const { text } = describeFailure(dependencies, error, { service: 'Acme', baseUrl: undefined });
    assert.match(text, /doesn’t say so\. Contact the publisher of the extension\.$/);
  });

  it('say of a service that isn’t known yet what to check', async () => {
    const b = await failed({ services: [], withSecret: false, brand: { commands: [], configuredBy: 'build' } });
    assert.match(b.editor.last.text, /isn’t set up yet\. Check the extension’s settings\./);
  });
});
