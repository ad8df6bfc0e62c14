import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type * as vscode from 'vscode';
import type { List } from '../../../../src/vscode/editor/quickInput';
import { settle } from '../../../support/fakeClock';
import { Embedder } from '../../../support/loadLibrary';

describe('a list', () => {
  it('closes as if the person canceled if nobody waits for it anymore, even before it’s open', async () => {
    const embedder = new Embedder();
    const names = { providerId: 'acme', command: () => undefined, contextKey: () => undefined };
    const editor = new (embedder.loadEditor().VscodeEditor)(embedder.log, names);
    const list = { title: 'Sign in', placeholder: 'Select the account', choices: [{ label: 'Ada', value: 'ada' }] };
    const ended = new AbortController();
    const chosen = editor.choose(list, ended.signal);
    await settle();
    assert.equal(embedder.lists.size, 1);
    ended.abort();
    assert.deepEqual([await chosen, embedder.lists.size], [undefined, 0]);
    assert.deepEqual([await editor.choose(list, ended.signal), embedder.lists.size], [undefined, 0]);
  });

  /** What's active in a list after it's updated, if this line was before. */
  const activeAfterUpdate = async (
    before: List<string>['choices'],
    index: number,
    after: List<string>['choices'],
  ): Promise<readonly vscode.QuickPickItem[] | undefined> => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const embedder = new Embedder();
      const names = { providerId: 'acme', command: () => undefined, contextKey: () => undefined };
      const editor = new (embedder.loadEditor().VscodeEditor)(embedder.log, names);
      let choices = before;
      const ended = new AbortController();
      const chosen = editor.choose(() => Promise.resolve({ title: 'Status', placeholder: '', choices }), ended.signal);
      await settle();
      const [list] = embedder.lists;
      assert.ok(list?.items !== undefined);
      list.activeItems = list.items.slice(index, index + 1);
      choices = after;
      mock.timers.tick(1_000);
      await settle();
      const active = list.activeItems;
      ended.abort();
      await chosen;
      return active;
    } finally {
      mock.timers.reset();
    }
  };

  it('keeps the active line if it’s updated, and not a heading of the same name', async () => {
    const lines = (detail: string) => [{ heading: 'Acme' }, { label: 'Acme', detail, value: 'account' }];
    const active = await activeAfterUpdate(lines('1 minute ago'), 1, lines('2 minutes ago'));
    assert.deepEqual(
      active?.map((item) => item.detail),
      ['2 minutes ago'],
    );
  });

  it('keeps the active one of two lines with the same label if it’s updated, also if its description changes', async () => {
    const lines = (ada: string) => [
      { label: 'Ada', description: ada, value: 'ada' },
      { label: 'Sign In to Acme', description: 'acme.example/a', value: 'a' },
      { label: 'Sign In to Acme', description: 'acme.example/b', value: 'b' },
    ];
    for (const [index, description] of [
      [2, 'acme.example/b'],
      [1, 'acme.example/a'],
      [0, '2 minutes ago'],
    ] as const) {
      const active = await activeAfterUpdate(lines('1 minute ago'), index, lines('2 minutes ago'));
      assert.deepEqual(
        active?.map((item) => item.description),
        [description],
      );
    }
  });
});

describe('the window', () => {
  it('tells when the person comes to it, and not when they leave or are active again', () => {
    const embedder = new Embedder();
    const names = { providerId: 'acme', command: () => undefined, contextKey: () => undefined };
    const editor = new (embedder.loadEditor().VscodeEditor)(embedder.log, names);
    let times = 0;
    const subscription = editor.onDidFocus(() => (times += 1));
    const seen = [true, false, false, true, true].map((focused) => {
      for (const listener of embedder.listeners) listener({ focused });
      return times;
    });
    assert.deepEqual(seen, [0, 0, 0, 1, 1]);
    subscription.dispose();
    assert.equal(embedder.listeners.size, 0);
  });
});

describe('an address that’s opened in the browser', () => {
  const ADDRESS = 'https://acme.example:8443/activate?user_code=A%26B&next=%2Fa%25#top';
  const open = async (embedder: Embedder): Promise<readonly unknown[]> => {
    const names = { providerId: 'acme', command: () => undefined, contextKey: () => undefined };
    const editor = new (embedder.loadEditor().VscodeEditor)(embedder.log, names);
    assert.equal(await editor.openExternal(ADDRESS), true);
    return embedder.opened;
  };

  it('stays as it is in VS Code, which takes it as text', async () => {
    assert.deepEqual(await open(new Embedder()), [ADDRESS]);
  });

  it('stays as it is in Eclipse Theia, which takes its parts', async () => {
    const embedder = new Embedder();
    Object.assign(embedder.env, { getQueryParameter: () => undefined });
    const query = 'user_code=A%26B&next=%2Fa%25';
    assert.deepEqual(await open(embedder), [
      { scheme: 'https', authority: 'acme.example:8443', path: '/activate', query, fragment: 'top' },
    ]);
  });
});

/** Guards that every version of VS Code has a provider, and those that can hand it challenges. */
describe('the provider', () => {
  for (const [what, refusesChallenges, expected] of [
    ['says that it supports challenges', false, { supportsMultipleAccounts: true, supportsChallenges: true }],
    ['is registered without challenges if VS Code refuses them', true, { supportsMultipleAccounts: true }],
  ] as const) {
    it(what, () => {
      const embedder = new Embedder();
      embedder.refusesChallenges = refusesChallenges;
      const names = { providerId: 'acme', command: () => undefined, contextKey: () => undefined };
      const editor = new (embedder.loadEditor().VscodeEditor)(embedder.log, names);
      const provider: vscode.AuthenticationProvider = {
        onDidChangeSessions: () => ({ dispose: () => undefined }),
        getSessions: () => Promise.resolve([]),
        createSession: () => Promise.reject(new Error('nobody signs in')),
        removeSession: () => Promise.resolve(),
      };
      editor.registerProvider('Acme', provider);
      assert.deepEqual([...embedder.providers], [['acme', 'Acme']]);
      assert.deepEqual(embedder.providerOptions, [expected]);
    });
  }
});

describe('a toast', () => {
  it('goes when it’s over, even if that was before VS Code began to show it', async () => {
    const embedder = new Embedder();
    const names = { providerId: 'acme', command: () => undefined, contextKey: () => undefined };
    const editor = new (embedder.loadEditor().VscodeEditor)(embedder.log, names);
    const ended = new AbortController();
    editor.toast('Ada is signed in.', ended.signal);
    assert.deepEqual([...embedder.progresses], ['Ada is signed in.']);
    ended.abort();
    await settle();
    await settle();
    assert.deepEqual([...embedder.progresses], []);
  });
});
