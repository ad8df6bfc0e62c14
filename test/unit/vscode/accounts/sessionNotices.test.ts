import assert from 'node:assert/strict';
import { hiddenNotice } from '../../../../src/sessions/notices';
import { showNotice } from '../../../../src/vscode/accounts/sessionNotices';
import { settle } from '../../../support/fakeClock';
import { english } from '../english';
import { FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';

type Parts = Parameters<typeof showNotice>[0];

/** What messages work with, and what was set off. */
function parts(): Parts & { readonly editor: FakeEditor; readonly done: string[] } {
  const done: string[] = [];
  const act = (what: string) => (): Promise<void> => Promise.resolve(void done.push(what));
  return {
    editor: new FakeEditor(),
    done,
    l10n: english,
    signIn: act('sign in'),
    setClientSecret: act('set client secret'),
    configure: act('configure'),
    tryAgain: act('try again'),
    showLog: () => void done.push('log'),
  };
}

describe('what is told where another service is configured', () => {
  it('is that the account is kept, what brings it back, and where that is done', async () => {
    const { editor, done, ...rest } = parts();
    const notice = hiddenNotice([sessionOf('Ada')]);
    assert.ok(notice !== undefined);
    void showNotice({ ...rest, editor }, notice);
    await settle();
    assert.equal(editor.last.kind, 'information');
    assert.equal(
      editor.last.text,
      'The account Ada is kept, but hidden. It shows again when the base URL is https://service.example and the client ID is the client.',
    );
    await editor.press('Configure Service');
    assert.deepEqual(done, ['configure']);
  });

  it('counts several accounts, and can’t be made to hold a link', async () => {
    const { editor, ...rest } = parts();
    const service = { baseUrl: 'https://service.example/[a](b)', clientId: '[Click](command:x)' };
    const notice = hiddenNotice([sessionOf('Ada'), sessionOf('Grace')].map((one) => ({ ...one, service })));
    assert.ok(notice !== undefined);
    void showNotice({ ...rest, editor }, notice);
    await settle();
    assert.match(editor.last.text, /^2 accounts are kept, but hidden\. They show again when /);
    assert.ok(!editor.last.text.includes(']('), editor.last.text);
  });

  it('is nothing where no account was hidden', () => {
    assert.equal(hiddenNotice([]), undefined);
  });
});

describe('what is told where the client’s credentials are refused', () => {
  it('leads to the secret and to all that is configured', async () => {
    for (const [button, did] of [
      ['Set Client Secret', 'set client secret'],
      ['Configure Service', 'configure'],
    ] as const) {
      const { editor, done, ...rest } = parts();
      const { account, service } = sessionOf('Ada');
      void showNotice({ ...rest, editor }, { kind: 'credentials refused', service, account });
      await settle();
      await editor.press(button);
      assert.deepEqual(done, [did]);
    }
  });
});
