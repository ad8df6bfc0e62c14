import assert from 'node:assert/strict';
import { Embedder } from '../../../support/loadLibrary';

const IN_BROWSER = { uiKind: 2 };
const THEIA = { getQueryParameter: () => undefined };

/**
 * Guards that a restart which lost the key is taken for what it is: only where secrets are in a browser, a window may wait for
 * them without a word.
 */
describe('whether secrets are kept in the person’s browser', () => {
  for (const [editor, env, inBrowser] of [
    ['VS Code in a browser', IN_BROWSER, true],
    ['VS Code on the desktop', {}, false],
    ['Eclipse Theia in a browser', { ...IN_BROWSER, ...THEIA }, false],
    ['Eclipse Theia on the desktop', THEIA, false],
  ] as const) {
    it(`is ${inBrowser} in ${editor}`, () => {
      const embedder = new Embedder();
      Object.assign(embedder.env, env);
      assert.equal(embedder.loadHost().areSecretsInBrowser(), inBrowser);
    });
  }
});
