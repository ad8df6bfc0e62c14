import assert from 'node:assert/strict';
import { MetadataError } from '../../../src/oauth/errors';
import { confirmed, refusal, silence } from '../signin/scriptedClient';
import { type FakeEditor } from '../vscode/fakeEditor';
import { SERVICE, sessionOf } from '../vscode/fakeSessions';
import { bench, type Bench, type BenchOptions } from '../vscode/signin/signInBench';
import { isWhole, pseudo } from './pseudo';

/** What is not a text of ours: the code, addresses, names, IDs, and links. */
const VALUES =
  /^(?:\$\([\w~-]+\) )?(?:ABCD-1234(?: · [\d:]+)?|https:\/\/\S+|service\.example|My Service|Ada|the client|Some Brand)$|^$/;

function assertAllWhole(editor: FakeEditor): void {
  const texts = editor.shown();
  assert.ok(texts.length > 0, 'nothing was shown');
  const others = texts.filter((text) => !isWhole(text) && !VALUES.test(text));
  assert.deepEqual(others, []);
}

function inPseudo(options: BenchOptions = {}): Bench {
  return bench({ ...options, l10n: pseudo });
}

/** Guards that every text can be translated, and is whole in any language. */
describe('every text in a language that nobody speaks', () => {
  it('is whole from the sign-in to its end', async () => {
    for (const responses of [[confirmed], [silence(), confirmed], [refusal('access_denied')], [refusal('slow_down')]]) {
      const b = await inPseudo({ responses }).begin();
      await b.run('copyUserCode');
      await b.editor.press(undefined);
      await b.clock.advance(60_000);
      assertAllWhole(b.editor);
    }
  });

  it('is whole for a standard service: its hosts, what its metadata lacks, and who gets further scopes', async () => {
    const baseUrl = 'https://service.example';
    const standard = { baseUrl, clientId: 'the client', protocol: 'rfc8628', serviceName: 'My Service', scopes: [] };
    const endpoints = { issuer: baseUrl, deviceAuthorization: baseUrl, token: baseUrl, authentication: 'basic' };
    const elsewhere = { ...endpoints, token: 'https://other.example' };
    for (const discover of [
      () => Promise.resolve({ endpoints: elsewhere, scopesSupported: [] }),
      () => Promise.resolve({ endpoints, scopesSupported: [] }),
      () => Promise.reject(new MetadataError('missing endpoint', true, { endpoint: 'token' })),
    ]) {
      const b = inPseudo({ services: [standard], withSecret: false });
      Object.assign(b.client, { discover });
      b.sessions.held.push(
        sessionOf('Ada', 'old', { scopes: ['a'], service: { ...SERVICE, protocol: 'rfc8628' } }),
        sessionOf('My Service', 'other', { scopes: ['a'], service: { ...SERVICE, protocol: 'rfc8628' } }),
      );
      b.editor.choices = ['Ada'];
      await b.begin({ scopes: ['b'] });
      assert.equal(b.editor.lists.length, 1);
      assert.ok(b.editor.messages.length > 0);
      assertAllWhole(b.editor);
    }
  });
});
