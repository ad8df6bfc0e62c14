import assert from 'node:assert/strict';
import { extensionFeatures } from '../../../src/vscode/extensionFeatures';
import { RecordingLog } from '../../support/recordingLog';
import { english } from './english';
import { FakeEditor } from './fakeEditor';

const SERVICE = { baseUrl: 'https://service.example', clientId: 'client' };

/** Guards that the walkthrough says what's true if several things happen at once. */
describe('the steps of the walkthrough', () => {
  it('are checked off by the latest look, even if an earlier one takes longer', async () => {
    const editor = new FakeEditor();
    const { checkOffSteps } = extensionFeatures(['configure'], editor, english);
    let answerFirst = (): void => undefined;
    const first = new Promise<undefined>((resolve) => {
      answerFirst = () => {
        resolve(undefined);
      };
    });
    const answers = [first, Promise.resolve('not a real secret')];
    const deps = {
      configuredService: () => SERVICE,
      log: new RecordingLog(),
      clientSecrets: { get: async () => await answers.shift() },
      sessions: { list: () => Promise.resolve([]) },
    };
    // The settings changed, and then the secret was stored.
    const looks = [checkOffSteps(deps), checkOffSteps(deps)];
    setImmediate(answerFirst);
    await Promise.all(looks);
    assert.deepEqual(Object.fromEntries(editor.steps), { configure: true, signIn: false });
  });
});
