import assert from 'node:assert/strict';
import type { SessionInfo } from '../../../../src/sessions/sessions';
import type { SessionActionParts } from '../../../../src/vscode/accounts/sessionActionParts';
import { showStatus } from '../../../../src/vscode/accounts/showStatus';
import { moments } from '../../../../src/vscode/words/moments';
import { FakeClock } from '../../../support/fakeClock';
import { english } from '../english';
import { enter, FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';

const MINUTE = 60_000;

/** Show Status over these sessions, and what was done to them. */
function status(...sessions: readonly SessionInfo[]): {
  readonly editor: FakeEditor;
  readonly done: string[];
  readonly parts: SessionActionParts;
} {
  const editor = new FakeEditor();
  const done: string[] = [];
  const held = [...sessions];
  const act = (what: string): Promise<void> => {
    done.push(what);
    return Promise.resolve();
  };
  const parts: SessionActionParts = {
    editor,
    l10n: english,
    clock: new FakeClock(),
    sessions: {
      list: () => Promise.resolve(held),
      add: () => Promise.reject(new Error('nothing is to be added')),
      remove: (id) => act(`remove ${id}`),
      rename: (id, label) => act(`rename ${id} ${label}`),
      refreshNow: (id) => act(`refresh ${id}`),
    },
    signIn: ({ replaces }) => act(`sign in ${replaces ?? ''}`),
    runningSignIn: () => undefined,
    configure: () => act('configure'),
    showLog: () => void act('log'),
    inWords: () => 'It failed, in words.',
    language: 'en',
  };
  return { editor, done, parts };
}

function session(fields: Partial<SessionInfo> = {}): SessionInfo {
  const now = new FakeClock().now();
  return {
    ...sessionOf('Ada', 'one'),
    signedInAt: now - 180 * MINUTE,
    tokenFrom: now,
    tokenUntil: now + 42 * MINUTE,
    nextRefreshAt: now + 30 * MINUTE,
    ...fields,
  };
}

describe('Show Status', () => {
  it('shows all there is to know of the only account at once', async () => {
    const { editor, parts } = status(session());
    await showStatus(parts);
    const [list] = editor.lists;
    assert.equal(list?.title, 'Ada');
    assert.equal(list.placeholder, 'Signed in 3 hours ago; the next refresh is in 30 minutes.');
    const known = new Map(list.labels.map((label, index) => [label, list.descriptions[index]]));
    assert.match(known.get('Signed in') ?? '', /2029.*\(3 hours ago\)$/);
    assert.match(known.get('Token good until') ?? '', /\(in 42 minutes\)$/);
    assert.match(known.get('Next refresh') ?? '', /\(in 30 minutes\)$/);
    assert.match(known.get('Ends, if not refreshed') ?? '', /\(in 30 days\)$/);
    assert.equal(known.get('Last refresh'), 'none yet');
    assert.equal(known.get('Service'), 'https://service.example');
  });

  it('shows no icon and no link where the client ID or the address holds what makes one; copied is what is set', async () => {
    const service = {
      baseUrl: 'https://service.example/$(alert)/[x](command:x)',
      clientId: '$(alert) \u202e[x](command:x)',
    };
    const one = status(session({ service }));
    await showStatus(one.parts);
    const shown = new Map(
      one.editor.lists[0]?.labels.map((label, at) => [label, one.editor.lists[0]?.descriptions[at]]),
    );
    assert.equal(shown.get('Client ID'), '$ (alert) [x] (command:x)');
    const several = status(session({ service }), session({ id: 'two' }));
    await showStatus(several.parts);
    for (const text of [shown.get('Service'), several.editor.lists[0]?.descriptions[0]]) {
      assert.match(text ?? '', /^https:\/\/service\.example\//);
      assert.doesNotMatch(text ?? '', /\$\(|\]\(/);
    }
    one.editor.choices = ['Client ID'];
    await showStatus(one.parts);
    assert.deepEqual(one.editor.clipboard, [service.clientId]);
  });

  it('says in words when the last refresh failed, and how', async () => {
    const failed = session({ lastRefresh: { at: new FakeClock().now() - MINUTE, outcome: 'no answer' } });
    const one = status(failed);
    await showStatus(one.parts);
    assert.match(one.editor.lists[0]?.placeholder ?? '', /^The last refresh failed; the token is good until /);
    assert.ok(
      one.editor.lists[0]?.descriptions.some((text) => text?.endsWith('(1 minute ago): the service did not answer')),
    );
    const two = status(failed, sessionOf('Grace', 'two'));
    await showStatus(two.parts);
    assert.equal(two.editor.lists[0]?.icons[0], 'warning');
    assert.match(two.editor.lists[0].details[0] ?? '', /^The last refresh failed; the token is good until/);
  });

  for (const [choice, did] of [
    ['Refresh Now', 'refresh one'],
    ['Sign In Again', 'sign in one'],
    ['Sign Out', 'remove one'],
    ['Sign In to Another Account', 'sign in '],
    ['Configure Service', 'configure'],
    ['Show Log', 'log'],
  ] as const) {
    it(`does what is chosen: ${choice}`, async () => {
      const { editor, done, parts } = status(session());
      editor.choices = [choice];
      await showStatus(parts);
      assert.deepEqual(done, [did]);
    });
  }

  it('acts on the account that was chosen among several, and shows it again', async () => {
    const { editor, done, parts } = status(session(), sessionOf('Grace', 'two'));
    editor.choices = ['Grace', 'Rename'];
    editor.answers = [enter('Joan')];
    await showStatus(parts);
    assert.deepEqual(done, ['rename two Joan']);
    assert.deepEqual(
      editor.lists.map(({ title }) => title),
      ['Status', 'Grace', 'Grace'],
    );
    assert.equal(editor.questions[0]?.validate('ada'), 'Another account has this name.');
  });

  it('copies a fact, and tells a failed refresh', async () => {
    const copying = status(session());
    copying.editor.choices = ['Service'];
    await showStatus(copying.parts);
    assert.deepEqual(copying.editor.clipboard, ['https://service.example']);
    const failing = status(session());
    failing.editor.choices = ['Refresh Now'];
    const { sessions } = failing.parts;
    await showStatus({
      ...failing.parts,
      sessions: { ...sessions, refreshNow: () => Promise.reject(new Error('no answer')) },
    });
    assert.equal(failing.editor.last.text, 'It failed, in words.');
    assert.equal(failing.editor.progresses[0]?.open, false);
    await failing.editor.press('Show Log');
    assert.deepEqual(failing.done, ['log']);
  });

  it('leads to a sign-in that runs', async () => {
    const { editor, done, parts } = status();
    editor.choices = ['Show the Running Sign-In'];
    await showStatus({ ...parts, runningSignIn: () => () => Promise.resolve(void done.push('menu')) });
    assert.deepEqual(done, ['menu']);
  });
});

describe('moments', () => {
  for (const [away, text] of [
    [0, 'now'],
    [29_000, 'in 29 seconds'],
    [-85 * MINUTE, '1 hour ago'],
    [59 * MINUTE, 'in 59 minutes'],
    [30 * 24 * 60 * MINUTE, 'in 30 days'],
  ] as const) {
    it(`${away} ms away are told as ${text}`, () => {
      assert.equal(moments('en', 1e12).distance(1e12 + away), text);
    });
  }

  it('are told in the person’s language, and in the system’s where that has no such language', () => {
    assert.equal(moments('de', 0).distance(MINUTE), 'in 1 Minute');
    assert.doesNotThrow(() => moments('no such language', 0).date(0));
  });
});
