import assert from 'node:assert/strict';
import { Embedder } from '../../../support/loadLibrary';

/** Guards that editors which lack something of VS Code don't fill the log with warnings. */
describe('a step of the walkthrough', () => {
  const BRAND = { extensionId: 'acme.tools', prefix: 'acme', providerId: 'acme', fixed: undefined };

  it('that can’t be checked off is no warning, because other editors have no walkthroughs', async () => {
    const embedder = new Embedder();
    embedder.lacks.push('welcome.markStepComplete');
    const editor = new (embedder.loadSettingsEditor().SettingsEditor)(embedder.log, BRAND);
    await editor.checkOff('signIn');
    assert.deepEqual(embedder.log.levels(), ['debug']);
    await editor.run('welcome.markStepComplete');
    assert.deepEqual(embedder.log.levels(), ['debug', 'warn']);
  });
});
