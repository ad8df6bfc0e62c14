import assert from 'node:assert/strict';
import { type Disposable, EventEmitter } from '../../../../src/event';
import type { Editor } from '../../../../src/vscode/editor/editor';
import { settle } from '../../../support/fakeClock';
import { Embedder } from '../../../support/loadLibrary';

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

/** VS Code's own git extension, which asks those who registered. */
class Git {
  readonly providers = new Set<unknown>();
  readonly #enablement = new EventEmitter<boolean>();
  readonly onDidChangeEnablement = this.#enablement.event;

  constructor(public enabled: boolean) {}

  /** The setting `git.enabled` changes. */
  enable(isEnabled: boolean): void {
    // VS Code keeps what's there once it was enabled.
    this.enabled ||= isEnabled;
    this.#enablement.fire(isEnabled);
  }

  getAPI(): object {
    if (!this.enabled) throw new Error('Git model not found');
    const registerCredentialsProvider = (provider: unknown): Disposable => {
      this.providers.add(provider);
      return { dispose: () => this.providers.delete(provider) };
    };
    return { registerCredentialsProvider };
  }
}

function editorWith(git: { activate(): Promise<unknown> } | undefined): { editor: Editor; embedder: Embedder } {
  const embedder = new Embedder();
  embedder.gitExtension = git;
  const names = { providerId: 'acme', command: () => undefined, contextKey: () => undefined };
  return { editor: new (embedder.loadEditor().VscodeEditor)(embedder.log, names), embedder };
}

/** Guards that VS Code's git asks as long as it's wanted, and that nothing depends on it. */
describe('VS Code’s own git', () => {
  it('asks once it’s activated, until it’s let go', async () => {
    const git = new Git(true);
    const { editor } = editorWith({ activate: () => Promise.resolve(git) });
    const registration = editor.registerGitCredentials(nothing);
    await settle();
    assert.deepEqual([...git.providers], [{ getCredentials: nothing }]);
    registration.dispose();
    assert.equal(git.providers.size, 0);
    git.enable(true);
    assert.equal(git.providers.size, 0);
  });

  it('asks once it’s enabled, and no more often if that changes again', async () => {
    const git = new Git(false);
    const { editor } = editorWith({ activate: () => Promise.resolve(git) });
    editor.registerGitCredentials(nothing);
    await settle();
    assert.equal(git.providers.size, 0);
    for (const isEnabled of [true, false, true]) {
      git.enable(isEnabled);
      assert.equal(git.providers.size, 1);
    }
  });

  it('never asks if it’s let go before', async () => {
    const git = new Git(true);
    const { editor } = editorWith({ activate: () => Promise.resolve(git) });
    editor.registerGitCredentials(nothing).dispose();
    await settle();
    assert.equal(git.providers.size, 0);
  });

  it('isn’t needed', async () => {
    const missing = editorWith(undefined);
    missing.editor.registerGitCredentials(nothing).dispose();
    await settle();
    assert.equal(missing.embedder.log.text(), '');
    const broken = editorWith({ activate: () => Promise.reject(new Error('broken')) });
    broken.editor.registerGitCredentials(nothing);
    await settle();
    assert.match(broken.embedder.log.text(), /Git can't be given credentials/);
  });
});

/** Guards that Show Status offers what VS Code has. */
describe('VS Code’s list of the extensions that may use an account', () => {
  it('is there if VS Code has its command, and opens for an account of our own provider', async () => {
    const { editor, embedder } = editorWith(undefined);
    assert.equal(await editor.canManageTrust(), false);
    embedder.ownCommands = ['_manageTrustedExtensionsForAccount'];
    assert.equal(await editor.canManageTrust(), true);
    await editor.manageTrust('Ada');
    const account = { providerId: 'acme', accountLabel: 'Ada' };
    assert.deepEqual(embedder.executed, [['_manageTrustedExtensionsForAccount', account]]);
  });
});
