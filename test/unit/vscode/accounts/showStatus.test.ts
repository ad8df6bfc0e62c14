import assert from 'node:assert/strict';
import { SessionError } from '../../../../src/sessions/sessionError';
import type { RefreshOutcome } from '../../../../src/storage/record';
import { readConfiguration } from '../../../../src/vscode/settings/configuration';
import { FakeClock, settle } from '../../../support/fakeClock';
import { enter, type ShownList } from '../fakeEditor';
import { SERVICE, sessionOf } from '../fakeSessions';
import { accountsBench, adasSession, configurationOf, MINUTE } from './accountsBench';

/** What is beside each label of a list. */
function described(list: ShownList | undefined): ReadonlyMap<string, string | undefined> {
  assert.ok(list !== undefined, 'no list was shown');
  return new Map(list.labels.map((label, index) => [label, list.descriptions[index]]));
}

/** Guards that Show Status tells the truth, and does what it offers. */
describe('Show Status', () => {
  it('shows everything about the only account at once', async () => {
    const { run, editor } = accountsBench(adasSession());
    await run('showStatus');
    const [list] = editor.lists;
    assert.equal(list?.title, 'Ada (My Service)', 'as the Accounts menu calls it');
    assert.equal(list.placeholder, 'Signed in 3 hours ago, next refresh in 30 minutes');
    const known = described(list);
    assert.match(known.get('Signed in') ?? '', /^3 hours ago \(.*20(29|30).*\)$/);
    assert.match(known.get('Access expires') ?? '', /^in 42 minutes \(/);
    assert.match(known.get('Next refresh') ?? '', /^in 30 minutes \(/);
    assert.match(known.get('Ends unless refreshed') ?? '', /^in 30 days \(/);
    assert.equal(known.get('Last refresh'), 'None yet');
    assert.equal(known.get('Service'), 'https://service.example');
    assert.ok(!known.has('User'), 'nothing is claimed that the service didn’t say');
  });

  it('copies a time without how far away it was', async () => {
    const at = new FakeClock().now() - MINUTE;
    for (const [name, copied] of [
      ['Access expires', /^\w+ \d+, 20(29|30), [\d:]+\s[AP]M$/],
      ['Last refresh', /^\w+ \d+, 20(29|30), [\d:]+\s[AP]M · succeeded$/],
    ] as const) {
      const { editor, run } = accountsBench(adasSession({ lastRefresh: { at, outcome: 'refreshed' } }));
      editor.choices = [name];
      await run('showStatus');
      assert.match(editor.clipboard[0] ?? '', copied);
    }
  });

  it('keeps its times and accounts true while it stays open', async () => {
    const bench = accountsBench(adasSession());
    await bench.run('showStatus');
    await bench.clock.advance(29 * MINUTE + 50_000);
    await bench.editor.redraw();
    const [, list] = bench.editor.lists;
    assert.equal(list?.placeholder, 'Signed in 3 hours ago, next refresh in 10 seconds');
    assert.match(described(list).get('Access expires') ?? '', /^in 12 minutes \(/);
    bench.known.push(sessionOf('Grace', 'two'));
    await bench.editor.redraw();
    assert.equal(bench.editor.lists[2]?.title, 'Sign-In Status');
    assert.equal(bench.editor.lists[2].placeholder, 'Select an account to see its details');
  });

  it('shows who the service says is signed in, beside the account’s own name', async () => {
    const one = accountsBench(adasSession({ userName: '$(x) ada@example.com' }));
    await one.run('showStatus');
    assert.equal(described(one.editor.lists[0]).get('User'), '$ (x) ada@example.com');
    const two = accountsBench(adasSession({ userName: 'ada@example.com' }), sessionOf('Grace', 'two'));
    await two.run('showStatus');
    assert.deepEqual(two.editor.lists[0]?.descriptions.slice(0, 2), [
      'ada@example.com · https://service.example',
      'https://service.example',
    ]);
    const named = accountsBench(adasSession({ userName: 'Ada' }), sessionOf('Grace', 'two'));
    await named.run('showStatus');
    assert.equal(named.editor.lists[0]?.descriptions[0], 'https://service.example', 'Ada isn’t said twice');
  });

  it('shows no icon and no link if the client ID or the address holds what makes one; copied is what is set', async () => {
    const service = {
      ...SERVICE,
      baseUrl: 'https://service.example/$(alert)/[x](command:x)',
      clientId: '$(alert) \u202e[x](command:x)',
    };
    const one = accountsBench(adasSession({ service }));
    await one.run('showStatus');
    const shown = described(one.editor.lists[0]);
    assert.equal(shown.get('Client ID'), '$ (alert) [x] (command:x)');
    const several = accountsBench(adasSession({ service }), sessionOf('Grace', 'two'));
    several.hidden.push(sessionOf('Joan', 'three', { service }));
    await several.run('showStatus');
    const { descriptions = [], details = [] } = several.editor.lists[0] ?? {};
    for (const text of [shown.get('Service'), descriptions[0], details.at(-1)]) {
      assert.match(text ?? '', /https:\/\/service\.example\//);
      assert.doesNotMatch(text ?? '', /\$\(|\]\(/);
    }
    one.editor.choices = ['Client ID'];
    await one.run('showStatus');
    assert.deepEqual(one.editor.clipboard, [service.clientId]);
  });

  for (const [outcome, text] of [
    ['no response', 'the service didn’t respond'],
    ['not sent', 'the service didn’t respond'],
    ['incomplete', 'the service sent no usable tokens'],
  ] as const satisfies readonly (readonly [RefreshOutcome, string])[]) {
    it(`doesn’t call a refresh a success that ended with: ${outcome}`, async () => {
      const failed = adasSession({ lastRefresh: { at: new FakeClock().now() - MINUTE, outcome } });
      const one = accountsBench(failed);
      await one.run('showStatus');
      const summary = 'The last refresh failed. Next attempt in 30 minutes. Access expires in 42 minutes.';
      assert.equal(one.editor.lists[0]?.placeholder, summary);
      const lastRefresh = described(one.editor.lists[0]).get('Last refresh') ?? '';
      assert.ok(lastRefresh.startsWith('1 minute ago (') && lastRefresh.endsWith(`) · ${text}`), lastRefresh);
      const two = accountsBench(failed, sessionOf('Grace', 'two'));
      await two.run('showStatus');
      assert.equal(two.editor.lists[0]?.icons[0], 'warning');
      assert.equal(two.editor.lists[0].details[0], summary);
    });
  }

  it('says that access has expired if it has after a failed refresh', async () => {
    const now = new FakeClock().now();
    const lastRefresh = { at: now - MINUTE, outcome: 'refused' } as const;
    const one = accountsBench(adasSession({ lastRefresh, expiresAt: now }));
    await one.run('showStatus');
    assert.equal(
      one.editor.lists[0]?.placeholder,
      'The last refresh failed, and access has expired. Next attempt in 30 minutes.',
    );
  });

  it('shows what’s wrong in the settings of the only service, and leads to the setting', async () => {
    const bench = accountsBench(adasSession());
    bench.settings.current = configurationOf({ verificationUrl: 'x', notify: { path: 'no slash' } });
    bench.editor.choices = ['someBrand.services[0].verificationUrl'];
    await bench.run('showStatus');
    const [list] = bench.editor.lists;
    assert.deepEqual(list?.labels.slice(-2), [
      'someBrand.services[0].verificationUrl',
      'someBrand.services[0].notify.path',
    ]);
    assert.deepEqual(bench.editor.commands, ['workbench.action.openSettings @id:someBrand.services']);
  });

  describe('for a session that can’t be refreshed', () => {
    const withoutRefresh = { canRefresh: false, nextRefreshAt: Number.POSITIVE_INFINITY };

    it('says until when it lasts, and offers no refresh', async () => {
      const { run, editor } = accountsBench(adasSession(withoutRefresh));
      await run('showStatus');
      const [list] = editor.lists;
      assert.equal(list?.placeholder, 'Signed in 3 hours ago, access expires in 42 minutes');
      for (const label of ['Refresh Now', 'Next refresh', 'Ends unless refreshed']) {
        assert.ok(!list.labels.includes(label), label);
      }
    });

    it('asks for a sign-in once it has expired', async () => {
      const expired = adasSession({ ...withoutRefresh, needsUser: true });
      const { run, editor } = accountsBench(expired, sessionOf('Grace', 'two'));
      await run('showStatus');
      const { details = [], icons = [] } = editor.lists[0] ?? {};
      assert.deepEqual([icons[0], details[0]], ['warning', 'Sign in again to keep using this account.']);
    });
  });

  for (const [choice, did] of [
    ['Refresh Now', 'refresh one'],
    ['Sign In Again', 'sign in account of one'],
    ['Sign Out', 'remove one'],
    ['Sign In to Another Account', 'sign in to another account'],
    ['Configure Service', 'configure'],
    ['Show Log', 'showLog'],
  ] as const) {
    it(`does what is selected: ${choice}`, async () => {
      const { run, done, editor } = accountsBench(adasSession());
      editor.choices = [choice];
      await run('showStatus');
      assert.deepEqual(done, [did]);
    });
  }

  it('leads to VS Code’s own list of who uses an account, if VS Code has one', async () => {
    const { run, editor } = accountsBench(adasSession());
    editor.choices = ['Manage Trusted Extensions'];
    await run('showStatus');
    assert.deepEqual(editor.commands, ['manageTrust Ada']);
    editor.managesTrust = false;
    await run('showStatus');
    assert.ok(!editor.lists.at(-1)?.labels.includes('Manage Trusted Extensions'));
  });

  it('acts on the account that was selected among several, and shows it again', async () => {
    const { run, done, editor } = accountsBench(adasSession(), sessionOf('Grace', 'two'));
    editor.choices = ['Grace', 'Rename…'];
    editor.answers = [enter('Joan')];
    await run('showStatus');
    assert.deepEqual(done, ['rename two Joan']);
    const titles = editor.lists.map(({ title }) => title);
    assert.deepEqual(titles, ['Sign-In Status', 'Grace (My Service)', 'Grace (My Service)']);
    assert.equal(editor.questions[0]?.validate(' '), 'Enter a name.');
    assert.equal(
      editor.questions[0].validate('ada'),
      'Another account uses, or has used, this name. Enter a different name.',
    );
  });

  it('says that an account couldn’t be renamed, and leads to the log', async () => {
    const failing = accountsBench(adasSession());
    failing.fault = new Error('no disk');
    failing.editor.choices = ['Rename…'];
    failing.editor.answers = [enter('Joan')];
    await failing.run('showStatus');
    assert.equal(failing.editor.last.text, 'Couldn’t rename Ada (My Service). Try again, or see the log for details.');
    assert.deepEqual(failing.editor.last.buttons, ['Show Log']);
  });

  it('lets an account with two sessions keep its own name, or change only its case', async () => {
    const first = adasSession();
    const { run, done, editor } = accountsBench(first, sessionOf('Ada', 'two', { account: first.account }));
    editor.choices = ['Ada', 'Rename…'];
    editor.answers = [enter('ADA')];
    await run('showStatus');
    assert.deepEqual(done, ['rename one ADA']);
    assert.equal(editor.questions[0]?.validate('Ada'), undefined);
  });

  it('keeps the label of an account whose name is accepted as it is, if another service is the default by now', async () => {
    const { run, done, editor, settings } = accountsBench(adasSession());
    const own = { ...SERVICE, serviceName: 'My Service' };
    const newDefault = { protocol: 'rfc8628', baseUrl: 'https://gitlab.example', clientId: 'x', serviceName: 'GitLab' };
    settings.current = readConfiguration([newDefault, own], 'Some Brand');
    editor.choices = ['Ada', 'Rename…'];
    editor.answers = [enter('Ada')];
    await run('showStatus');
    assert.deepEqual(done, []);
    editor.choices = ['Ada', 'Rename…'];
    editor.answers = [enter('Joan')];
    await run('showStatus');
    assert.deepEqual(done, ['rename one Joan · My Service']);
  });

  it('finishes the renaming of an account with two sessions, one of which has the name already', async () => {
    const first = adasSession();
    const account = { ...first.account, label: 'Old' };
    const { run, done, editor } = accountsBench(first, sessionOf('Old', 'two', { account }));
    editor.choices = ['Ada', 'Rename…'];
    editor.answers = [enter('Ada')];
    await run('showStatus');
    assert.deepEqual(done, ['rename one Ada']);
  });

  it('reports a failed refresh', async () => {
    const failing = accountsBench(adasSession());
    failing.editor.choices = ['Refresh Now'];
    failing.fault = new Error('no response');
    await failing.run('showStatus');
    assert.match(failing.editor.last.text, /^Couldn’t refresh the session for Ada/);
    assert.equal(failing.editor.progresses[0]?.open, false);
    await failing.editor.press('Show Log');
    assert.deepEqual(failing.done, ['showLog']);
  });

  it('offers to try a failed refresh again', async () => {
    const failing = accountsBench(adasSession({ standing: 'retrying' }));
    failing.editor.choices = ['Refresh Now'];
    failing.fault = new Error('no response');
    await failing.run('showStatus');
    failing.fault = undefined;
    await failing.editor.press('Try Again');
    assert.deepEqual(failing.done, ['refresh one']);
  });

  it('refreshes nothing for an old button if the person has signed out since', async () => {
    const failing = accountsBench(adasSession({ standing: 'retrying' }));
    failing.editor.choices = ['Refresh Now'];
    failing.fault = new Error('no response');
    await failing.run('showStatus');
    failing.fault = undefined;
    failing.sessions.list = () => Promise.resolve([]);
    await failing.editor.press('Try Again');
    assert.deepEqual(failing.done, []);
    const gone = 'The session for Ada (My Service) can’t be used anymore. Sign in again.';
    assert.equal(failing.editor.remarks.at(-1), gone);
  });

  it('lets the person stop waiting for a refresh, which goes on, and says nothing of it then', async () => {
    for (const fault of [undefined, new SessionError('no response')]) {
      const bench = accountsBench(adasSession());
      let end: () => void = () => undefined;
      const refreshing = new Promise<void>((resolve, reject) => {
        end = () => {
          if (fault === undefined) resolve();
          else reject(fault);
        };
      });
      Object.assign(bench.sessions, { refreshNow: () => refreshing });
      bench.editor.choices = ['Refresh Now'];
      const shown = bench.run('showStatus');
      await settle();
      const [progress] = bench.editor.progresses;
      assert.equal(progress?.title, 'Refreshing the session for Ada (My Service)…');
      progress.cancel?.();
      await shown;
      end();
      await settle();
      assert.deepEqual([progress.open, bench.editor.messages, bench.editor.remarks], [false, [], []]);
      assert.equal(bench.editor.lists.length, 2, 'the page is back');
    }
  });

  it('leaves it to the notice to say that a refresh ended the session', async () => {
    const failing = accountsBench(adasSession());
    failing.editor.choices = ['Refresh Now'];
    failing.fault = new SessionError('over');
    const { account, id: sessionId, service } = adasSession();
    const { sessions } = failing;
    const refresh = sessions.refreshNow.bind(sessions);
    Object.assign(sessions, {
      refreshNow: (id: string) => {
        failing.notify({ kind: 'ended', sessionId, account, service, responseLost: false });
        return refresh(id);
      },
    });
    await failing.run('showStatus');
    assert.deepEqual(failing.editor.messages, []);
  });

  it('doesn’t lead back to itself if the service refused a refresh', async () => {
    const failing = accountsBench(adasSession());
    failing.editor.choices = ['Refresh Now'];
    failing.fault = new SessionError('needs user');
    await failing.run('showStatus');
    assert.equal(failing.editor.last.text, 'The session for Ada (My Service) can’t be used anymore. Sign in again.');
  });

  it('leads to a sign-in that is in progress', async () => {
    const bench = accountsBench();
    bench.editor.choices = ['Show Current Sign-In'];
    bench.signIn.isRunning = true;
    await bench.run('showStatus');
    assert.equal(bench.editor.lists[0]?.placeholder, 'A sign-in is in progress.');
    assert.deepEqual(bench.done, ['sign in ']);
  });
});

describe('hidden accounts', () => {
  const hidden = sessionOf('Grace', 'two', {
    service: { ...SERVICE, baseUrl: 'https://other.example', clientId: 'other client' },
  });
  const toShow =
    'To show this service’s accounts again, add a service with the base URL https://other.example, the client ID other client, and the protocol draft.';

  it('are listed as hidden in Show Status, with the settings that bring them back', async () => {
    for (const known of [[], [adasSession()], [adasSession(), sessionOf('Joan', 'three')]]) {
      const { run, editor, hidden: list } = accountsBench(...known);
      list.push(hidden);
      await run('showStatus');
      const { details = [], headings = [], labels = [] } = editor.lists[0] ?? {};
      assert.ok(headings.includes('Not configured'));
      assert.equal(details[labels.indexOf('Grace')], toShow);
    }
  });

  it('can be signed out of, or brought back in Configure Service', async () => {
    for (const [choice, did] of [
      ['Sign Out', 'remove two'],
      ['Configure Service', 'configure'],
    ] as const) {
      const { run, done, editor, hidden: list } = accountsBench();
      list.push(hidden);
      editor.choices = ['Grace', choice];
      await run('showStatus');
      assert.deepEqual(done, [did]);
      assert.equal(editor.lists[1]?.placeholder, toShow);
      assert.ok(!editor.lists[1].labels.includes('Refresh Now'), 'a hidden account’s token isn’t refreshed');
      assert.ok(!editor.lists[1].labels.includes('Next refresh'));
    }
  });

  it('aren’t said to be back after a sign-in, before or after a sign-out: it would be to another service', async () => {
    const { run, editor, hidden: list } = accountsBench(adasSession());
    list.push(hidden);
    editor.choices = ['Grace', 'Sign Out'];
    await run('showStatus');
    assert.doesNotMatch(editor.confirmations[0]?.[1] ?? 'sign in', /sign in/);
    assert.doesNotMatch(editor.confirmations[0]?.[1] ?? '', /Accounts menu/, 'it isn’t listed there');
    assert.match(editor.last.text, /^You signed out of Grace \(other\.example\)\. The tokens were deleted/);
    assert.deepEqual(editor.last.buttons, ['Configure Service', 'Troubleshoot']);
    await editor.press('Troubleshoot');
    assert.match(editor.commands.at(-1) ?? '', /#signing-out-and-uninstalling$/);
  });

  it('are no heading of their own if there are none', async () => {
    const { run, editor } = accountsBench(adasSession());
    await run('showStatus');
    assert.ok(!editor.lists[0]?.headings.includes('Not configured'));
  });

  describe('if there are several services', () => {
    const GITLAB = { baseUrl: 'https://gitlab.example', clientId: 'its', protocol: 'rfc8628' } as const;
    const inList = { ...GITLAB, serviceName: 'GitLab' };
    const atGitlab = sessionOf('ada · GitLab', 'two', { service: GITLAB, userName: 'ada' });

    it('shows the accounts of each, and those whose services aren’t configured', async () => {
      const bench = accountsBench(adasSession(), atGitlab);
      bench.settings.current = configurationOf({}, [inList]);
      bench.hidden.push(
        sessionOf('Joan', 'three', { service: { ...SERVICE, baseUrl: 'https://gone.example', clientId: 'x' } }),
      );
      await bench.run('showStatus');
      const [list] = bench.editor.lists;
      assert.deepEqual(list?.headings, ['My Service', 'GitLab', '', 'Not configured']);
      assert.deepEqual(list.labels.slice(0, 2), ['Ada', 'ada'], 'the heading names the service');
      assert.equal(list.descriptions[1], GITLAB.baseUrl, 'ada isn’t said twice');
      await bench.run('signOut');
      const described = [`My Service · ${SERVICE.baseUrl}`, `GitLab · ${GITLAB.baseUrl}`];
      assert.deepEqual(bench.editor.lists[1]?.descriptions, described);
    });

    it('says once where an account is that’s called as its service is, which is called as its host is', async () => {
      const bench = accountsBench(
        adasSession(),
        sessionOf('gitlab.example', 'two', { service: GITLAB }),
        sessionOf('ada · gitlab.example (2)', 'three', { service: GITLAB, userName: 'ada' }),
        sessionOf('work', 'four', { service: GITLAB, userName: 'ada' }),
      );
      bench.settings.current = configurationOf({}, [{ ...inList, serviceName: undefined }]);
      await bench.run('showStatus');
      const [page] = bench.editor.lists;
      assert.deepEqual(page?.labels.slice(0, 4), ['Ada', 'gitlab.example', 'ada (2)', 'work']);
      assert.deepEqual(page.descriptions.slice(0, 4), ['https://service.example', '', '', 'ada']);
      await bench.run('signOut');
      const own = 'My Service · https://service.example';
      assert.deepEqual(bench.editor.lists[1]?.descriptions, [own, '', 'gitlab.example', 'ada · gitlab.example']);
    });

    it('offers a sign-in to the one without an account, and asks which one is meant by another account', async () => {
      const bench = accountsBench(adasSession());
      bench.settings.current = configurationOf({}, [inList]);
      bench.editor.choices = ['Sign In to GitLab'];
      await bench.run('showStatus');
      assert.equal(bench.editor.lists[0]?.placeholder, 'Select an account, or a service to sign in to');
      bench.editor.choices = ['Sign In to Another Account'];
      await bench.run('showStatus');
      assert.deepEqual(bench.done, ['sign in  to https://gitlab.example', 'sign in to another account']);
    });

    it('offers a sign-in to each if nobody is signed in, and says which one is the default', async () => {
      const bench = accountsBench();
      bench.settings.current = configurationOf({}, [inList]);
      await bench.run('showStatus');
      const [list] = bench.editor.lists;
      const unnamed = accountsBench();
      unnamed.settings.current = configurationOf({ serviceName: undefined }, [{ ...inList, serviceName: undefined }]);
      await unnamed.run('showStatus');
      assert.deepEqual(unnamed.editor.lists[0]?.descriptions.slice(0, 2), ['Default', ''], 'the host isn’t said twice');
      const signIns = list?.labels.filter((label) => label.startsWith('Sign In'));
      assert.deepEqual(signIns, ['Sign In to My Service', 'Sign In to GitLab']);
      assert.deepEqual(list?.descriptions.slice(0, 2), ['https://service.example · Default', GITLAB.baseUrl]);
    });

    it('marks one that can’t be used, and offers a sign-in to the others', async () => {
      const bench = accountsBench();
      bench.settings.current = configurationOf({ verificationUrl: 'x' }, [inList]);
      bench.editor.choices = ['Sign In to GitLab'];
      await bench.run('showStatus');
      assert.deepEqual(bench.editor.lists[0]?.icons.slice(0, 2), ['warning', 'key']);
      assert.deepEqual(bench.done, ['sign in  to https://gitlab.example']);
    });

    it('names the service of an account in what it says of it', async () => {
      const bench = accountsBench(adasSession(), atGitlab);
      bench.settings.current = configurationOf({}, [inList]);
      bench.editor.choices = ['Ada', 'Refresh Now'];
      await bench.run('showStatus');
      assert.equal(bench.editor.remarks[0], 'The session for Ada (My Service) was refreshed.');
      bench.editor.choices = ['ada', 'Sign Out'];
      await bench.run('showStatus');
      assert.equal(bench.editor.confirmations[0]?.[0], 'Sign out of ada (GitLab)?');
      assert.match(bench.editor.last.text, /^You signed out of ada \(GitLab\)\./);
    });

    it('keeps the service in the name of an account that’s renamed, except one of the default service', async () => {
      const bench = accountsBench(adasSession(), atGitlab, sessionOf('grace · GitLab', 'three', { service: GITLAB }));
      bench.settings.current = configurationOf({}, [inList]);
      for (const [account, entered] of [
        ['ada', 'joan'],
        ['ada', 'joan · GitLab'],
        ['ada', ' ada'],
        ['Ada', 'joan'],
      ] as const) {
        bench.editor.choices = [account, 'Rename…'];
        bench.editor.answers = [enter(entered)];
        await bench.run('showStatus');
      }
      assert.deepEqual(bench.done, ['rename two joan · GitLab', 'rename two joan · GitLab', 'rename one joan']);
      assert.match(bench.editor.questions[0]?.validate('Grace') ?? '', /^Another account uses, or has used/);
      assert.equal(bench.editor.questions[0]?.validate('Ada'), undefined);
    });

    it('shows what’s wrong in the list of services, and leads to the setting', async () => {
      const bench = accountsBench(adasSession());
      bench.settings.current = configurationOf({}, [inList, { ...inList, baseUrl: 'http://x' }]);
      bench.editor.choices = ['someBrand.services[2].baseUrl'];
      await bench.run('showStatus');
      const [list] = bench.editor.lists;
      assert.ok(list !== undefined);
      assert.ok(list.headings.includes('Invalid settings'));
      assert.match(
        list.details[list.labels.indexOf('someBrand.services[2].baseUrl')] ?? '',
        /^Enter a web address that begins with https:/,
      );
      assert.deepEqual(bench.editor.commands, ['workbench.action.openSettings @id:someBrand.services']);
    });
  });
});
