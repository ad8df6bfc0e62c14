import assert from 'node:assert/strict';
import type { AccountInfo } from '../../../src/oauth/types';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { NetworkError } from '../../../src/oauth/errors';
import { inNewerFormat } from '../../support/newerFormat';
import { OWNERS } from '../../../src/sessions/sessionOwner';
import { CLIENT_SECRET, Machine, SERVICE, type SignInOptions, STANDARD_SERVICE, type TestWindow } from './machine';

const user = (name: string | undefined, id?: string): AccountInfo => ({ name, id });
/** How long a sign-in has to give its session an account. Milliseconds. */
const TO_ASSIGN = 60_000;
const UNKNOWN_USER = { user: undefined, mustShowUser: false, accountId: undefined };

/** Guards that every account has one name, one user, and one session, whoever signs in again. */
describe('accounts', () => {
  let machine: Machine;
  let windows: readonly [TestWindow, TestWindow];
  let ada: CurrentSession;

  beforeEach(async () => {
    machine = new Machine();
    const { window, session } = await machine.openSignedIn();
    ada = session;
    windows = [window, machine.open()];
    for (const { sessions } of windows) await machine.finish(sessions.list());
  });

  const labels = async ({ sessions }: TestWindow): Promise<string[]> =>
    (await machine.finish(sessions.list())).map(({ account }) => account.label);

  it('have one name each, also if two windows give the same at once', async () => {
    const [one, two] = windows;
    const added = windows.map((window) => window.signIn(machine.service.grant(), { label: 'Grace' }));
    const results = await machine.finish(Promise.all(added));
    assert.deepEqual(results.map(({ session }) => session.account.label).sort(), ['Grace', 'Grace (2)']);
    assert.equal((await machine.signIn(one, { label: 'GRACE' })).account.label, 'GRACE (3)');
    await assert.rejects(machine.finish(two.sessions.rename(ada.id, 'grace')), { fault: 'label taken' });
    for (const window of windows) assert.equal(new Set(await labels(window)).size, 4);
  });

  it('aren’t listed before their sign-in is finished, or a minute has passed', async () => {
    const [one, two] = windows;
    const id = await machine.finish(
      one.sessions.add({ service: ada.service, tokens: machine.service.grant(), label: 'Grace' }),
    );
    await machine.advance(1_000);
    for (const window of windows) {
      assert.deepEqual(await labels(window), ['Ada']);
      assert.deepEqual((await machine.serve(window)).length, 1);
      assert.ok(window.changes.every(({ added }) => added.every((session) => session.id !== id)));
    }
    assert.equal(machine.namesAfter('session/').length, 2, 'its tokens are on the disk');
    void two.sessions.run();
    machine.kill(one);
    await machine.advance(TO_ASSIGN - 2_000);
    assert.deepEqual(await labels(two), ['Ada'], 'the service may be asked for the user');
    await machine.advance(30_000);
    assert.deepEqual(await labels(two), ['Ada', 'Grace'], 'nobody finishes it');
  });

  it('are listed and announced with a token that has to be refreshed first, for which only callers wait', async () => {
    const [one, two] = windows;
    machine.service.nextFail(new NetworkError('refresh', 'unreachable', false));
    const tokens = { ...machine.service.grant(), accessToken: undefined };
    const { session } = await machine.finish(one.signIn(tokens, { label: 'Grace' }), 0);
    assert.equal(machine.service.asked, 0);
    for (const window of windows) assert.deepEqual(await labels(window), ['Ada', 'Grace']);
    await assert.rejects(machine.finish(two.serve(session.account.id)), { fault: 'not sent' });
    await machine.advance(5_000);
    const [served] = await machine.finish(two.serve(session.account.id));
    assert.deepEqual([served?.id, served?.accessToken], [session.id, machine.service.accessToken(2)]);
  });

  it('are listed after a minute, and get the name with which their sign-in is finished later', async () => {
    const [one, two] = windows;
    const tokens = machine.service.grant();
    const id = await machine.finish(one.sessions.add({ service: ada.service, tokens, label: 'Ada' }));
    void two.sessions.run();
    await machine.advance(TO_ASSIGN + 30_000);
    assert.deepEqual(await labels(one), ['Ada', 'Ada (2)']);
    const named = await machine.finish(one.sessions.assignAccount(id, { ...UNKNOWN_USER, label: 'Grace' }));
    assert.deepEqual([named.session.account.label, named.outcome], ['Grace', 'added']);
    await machine.advance(1_000);
    for (const window of windows) assert.deepEqual(await labels(window), ['Ada', 'Grace']);
    assert.equal(two.changes.at(-1)?.changed[0]?.id, id);
  });

  it('that were listed after a minute become those of the account that the person signed in to again', async () => {
    const [one, two] = windows;
    const tokens = machine.service.grant();
    const id = await machine.finish(one.sessions.add({ service: ada.service, tokens, label: 'Ada' }));
    void two.sessions.run();
    await machine.advance(TO_ASSIGN + 30_000);
    const assignment = { ...UNKNOWN_USER, label: 'Ada', accountId: ada.account.id };
    const { outcome, session } = await machine.finish(one.sessions.assignAccount(id, assignment));
    assert.deepEqual([outcome, session.account], ['replaced', ada.account]);
    await machine.advance(1_000);
    for (const window of windows)
      assert.deepEqual(
        (await machine.serve(window)).map((each) => each.id),
        [id],
      );
    const { added, changed, removed } = two.changes.at(-1) ?? assert.fail();
    assert.deepEqual(
      [added, changed, removed].map((all) => all.map((each) => each.id)),
      [[], [id], [ada.id]],
    );
  });

  it('are named by a window that’s closing', async () => {
    const [one, two] = windows;
    const tokens = machine.service.grant();
    const id = await machine.finish(one.sessions.add({ service: ada.service, tokens, label: 'Grace' }));
    one.sessions.stop();
    await machine.finish(one.sessions.assignAccount(id, { ...UNKNOWN_USER, label: 'Grace' }));
    assert.deepEqual(await labels(two), ['Ada', 'Grace']);
  });

  it('aren’t listed again and again if a newer version has taken over a sign-in that nobody finishes', async () => {
    const [one, two] = windows;
    const tokens = machine.service.grant();
    const id = await machine.finish(one.sessions.add({ service: ada.service, tokens, label: 'Grace' }));
    void two.sessions.run();
    await machine.advance(TO_ASSIGN - 2_000);
    machine.store.tamper(`session/${id}`, inNewerFormat);
    machine.kill(one);
    await machine.advance(TO_ASSIGN);
    const { stores } = two;
    await machine.advance(10 * TO_ASSIGN);
    assert.deepEqual(await labels(two), ['Ada']);
    assert.equal(two.stores, stores);
    assert.doesNotMatch(two.log.text(), /A session is listed/);
  });

  it('are named without the labels of a newer version, which stay as they are', async () => {
    const [one] = windows;
    const user = { id: '1', name: 'Grace' };
    await machine.signIn(one, { label: 'Grace', user, mustShowUser: true });
    const [row = assert.fail('no labels')] = machine.store.names.filter((name) => name.startsWith('labels/'));
    machine.store.tamper(row, inNewerFormat);
    const before = machine.store.peek(row);
    await machine.signIn(one, { label: 'Edsger', user: { id: '2', name: 'Edsger' }, mustShowUser: true });
    assert.deepEqual((await labels(one)).sort(), ['Ada', 'Edsger', 'Grace']);
    assert.deepEqual(machine.store.peek(row), before);
  });

  it('never get the name of another user, even after the keyring was reset', async () => {
    const as = (id: string): SignInOptions => ({ label: 'Grace', user: user('Grace', id), mustShowUser: true });
    await machine.signIn(windows[0], as('1'));
    const one = machine.open(machine.newShelf('desktop'));
    const { account, id } = await machine.signIn(one, as('2'));
    await machine.finish(one.sessions.remove(id));
    const other = await machine.signIn(one, as('3'));
    assert.deepEqual([account.label, other.account.label], ['Grace', 'Grace (2)']);
  });

  it('get the session of a sign-in whose window died, if its ID token says that it’s theirs', async () => {
    const [one, two] = windows;
    const grace = user('Grace', '["i","1"]');
    const signedIn = await machine.signIn(one, { label: 'Grace', user: grace, mustShowUser: true });
    const tokens = { ...machine.service.grant(), user: grace };
    const id = await machine.finish(one.sessions.add({ service: ada.service, tokens, label: 'Somebody' }));
    void two.sessions.run();
    machine.kill(one);
    await machine.advance(TO_ASSIGN + 30_000);
    const sessions = await machine.finish(two.sessions.list());
    assert.deepEqual(
      sessions.map((session) => [session.id, session.account]),
      [
        [ada.id, ada.account],
        [id, signedIn.account],
      ],
    );
    assert.equal(machine.namesAfter('session/').length, 3, 'the earlier session is over');
  });

  it('know their user if the tokens said it, even if the window dies before it names them', async () => {
    const [one, two] = windows;
    const tokens = { ...machine.service.grant(), user: user('Grace', '["i","1"]') };
    await machine.finish(one.sessions.add({ service: ada.service, tokens, label: 'Grace' }));
    void two.sessions.run();
    machine.kill(one);
    await machine.advance(TO_ASSIGN + 30_000);
    const again = { label: 'Grace', user: tokens.user, mustShowUser: true };
    const { outcome, session } = await machine.finish(two.signIn(machine.service.grant(), again));
    assert.deepEqual([outcome, session.account.label], ['replaced', 'Grace']);
  });

  it('never have another’s name, even if a window dies before it names them', async () => {
    const [one, two] = windows;
    const tokens = machine.service.grant();
    const id = await machine.finish(one.sessions.add({ service: ada.service, tokens, label: 'Ada' }));
    void two.sessions.run();
    machine.kill(one);
    await machine.advance(TO_ASSIGN + 30_000);
    assert.deepEqual(await labels(two), ['Ada', 'Ada (2)']);
    assert.ok((await machine.serve(two)).some((session) => session.id === id));
  });

  it('are renamed in all windows, once, and keep session and token', async () => {
    const [one, two] = windows;
    for (let again = 0; again < 2; again++) await machine.finish(one.sessions.rename(ada.id, 'Countess'));
    for (const window of windows) assert.deepEqual(await labels(window), ['Countess']);
    const told = two.changes.flatMap(({ changed }) => changed.map(({ account }) => account.label));
    assert.deepEqual([...new Set(told)], ['Countess']);
    const [served] = await machine.serve(two);
    assert.deepEqual([served?.id, served?.accessToken, served?.account.id], [ada.id, ada.accessToken, ada.account.id]);
    await machine.finish(one.sessions.refreshNow(ada.id));
    for (const window of windows) assert.deepEqual(await labels(window), ['Countess'], 'a refresh keeps the name');
  });

  for (const label of ['grace', 'constructor', '__proto__', 'toString']) {
    it(`never get the name ${label} that an account of another service had`, async () => {
      const [one] = windows;
      const first = await machine.signIn(one, { label });
      await machine.finish(one.sessions.remove(first.id));
      one.configure(STANDARD_SERVICE);
      const other = await machine.signIn(one, { service: STANDARD_SERVICE, label });
      assert.deepEqual([first.account.label, other.account.label], [label, `${label} (2)`]);
    });
  }

  it('get their own earlier name back, though the service identifies their user in one session only', async () => {
    const [one] = windows;
    one.configure(STANDARD_SERVICE);
    const signIn = (scopes: readonly string[], identity: AccountInfo | undefined, accountId?: string) => {
      const tokens = { ...machine.service.grant(), scopes };
      const options = { label: 'Grace', user: identity, mustShowUser: false, accountId };
      return machine.signIn(one, { service: STANDARD_SERVICE, tokens, ...options });
    };
    const { account, id } = await signIn(['c'], undefined);
    await signIn(['a', 'b'], user('Grace', '1'), account.id);
    for (const label of ['Admiral', 'Grace']) await machine.finish(one.sessions.rename(id, label));
    assert.deepEqual(new Set(await labels(one)), new Set(['Grace']));
    await assert.rejects(
      machine.finish(one.sessions.rename((await signIn(['a'], user('Ada', '2'))).id, 'Admiral')),
      { fault: 'label taken' },
      'nobody else gets it',
    );
  });

  it('have their new name in all of their sessions, or in none if the disk refuses', async () => {
    const [one] = windows;
    for (const scope of ['a', 'b']) {
      const tokens = { ...machine.service.grant(), scopes: [scope] };
      await machine.signIn(one, { tokens, accountId: ada.account.id });
    }
    const [first, ...others] = await machine.finish(one.sessions.list());
    assert.equal(others.length, 1, 'neither has the scopes of the other');
    one.rows.trouble = (transaction) => (transaction === 'write' ? 'EIO' : undefined);
    await assert.rejects(machine.finish(one.sessions.rename(first?.id ?? '', 'Countess')), { reason: 'folder' });
    for (const window of windows) assert.deepEqual(await labels(window), ['Ada', 'Ada']);
    one.rows.trouble = () => undefined;
    await machine.finish(one.sessions.rename(first?.id ?? '', 'Countess'));
    for (const window of windows) assert.deepEqual(await labels(window), ['Countess', 'Countess']);
  });

  it('keep a name that’s given while another window refreshes the session', async () => {
    const [one, two] = windows;
    const respond = machine.service.hold();
    const refreshed = one.sessions.refreshNow(ada.id);
    await machine.settle();
    await machine.finish(two.sessions.rename(ada.id, 'Countess'), 0);
    respond();
    await machine.finish(refreshed);
    for (const window of windows) assert.deepEqual(await labels(window), ['Countess']);
    assert.equal(await machine.token(two), machine.service.accessToken());
  });

  it('keep who they are when someone signs in again', async () => {
    const [one, two] = windows;
    const signedIn = two.signIn(machine.service.grant(), { label: 'ignored', accountId: ada.account.id });
    const { outcome, session: again } = await machine.finish(signedIn);
    assert.equal(outcome, 'replaced');
    assert.notEqual(again.id, ada.id);
    assert.deepEqual(again.account, ada.account);
    for (const window of windows) {
      const [served, ...others] = await machine.serve(window);
      assert.deepEqual([served?.id, served?.accessToken, others], [again.id, machine.service.accessToken(2), []]);
    }
    const removed = one.changes.flatMap((change) => change.removed.map(({ id }) => id));
    assert.deepEqual(removed, [ada.id]);
    const helps = await machine.finish(one.sessions.reportRejected(ada.accessToken));
    assert.equal(helps, true, 'to ask again for the account whose token that was');
    assert.equal(machine.service.asked, 0);
  });

  it('have the session of the sign-in that was finished last, also if the clock was set back meanwhile', async () => {
    const [one, two] = windows;
    machine.timeline.jump(-5 * 3_600_000);
    const again = await machine.signIn(one, { accountId: ada.account.id });
    for (const { sessions } of windows) void sessions.run();
    await machine.advance(60_000);
    for (const window of windows) assert.equal((await machine.serve(window)).map(({ id }) => id).join(), again.id);
    await machine.finish(two.sessions.remove(again.id));
    await machine.advance(60_000);
    for (const window of windows) assert.deepEqual(await labels(window), []);
  });

  it('have one session if people sign in again in two windows at a time', async () => {
    for (const window of windows) await machine.signIn(window, { accountId: ada.account.id });
    for (const window of windows) assert.deepEqual(await labels(window), ['Ada']);
  });

  it('are signed out of as a whole, even if a session that was replaced could not be ended', async () => {
    const [one, two] = windows;
    // A window that stands still has begun to refresh the new session before it can end the earlier one.
    one.rows.trouble = (_, written) => (written.includes(`session/${ada.id}`) ? 'EIO' : undefined);
    const again = await machine.signIn(one, { accountId: ada.account.id });
    void one.sessions.run();
    await machine.advance(1_000);
    const stored = one.stores;
    await machine.advance(600_000);
    assert.equal(one.stores, stored, 'the copies aren’t stored again as long as nothing has changed');
    for (const window of windows) assert.deepEqual(await labels(window), ['Ada']);
    await machine.finish(two.sessions.remove(again.id));
    assert.deepEqual(await labels(machine.open()), []);
  });

  it('are signed out of one by one, as often as one likes', async () => {
    const [one, two] = windows;
    await machine.signIn(one, { label: 'Grace' });
    for (let again = 0; again < 3; again++) await machine.finish(two.sessions.remove(ada.id));
    await machine.finish(two.sessions.remove('never there'));
    for (const window of windows) assert.deepEqual(await labels(window), ['Grace']);
    for (const gone of [one.sessions.refreshNow(ada.id), one.sessions.rename(ada.id, 'Somebody')]) {
      await assert.rejects(machine.finish(gone), { name: 'SessionError', fault: 'over' });
    }
    for (const window of windows) assert.deepEqual(await labels(window), ['Grace']);
  });
});

const NAMED = [user('Ada'), user('Grace')] as const;
const KNOWN = [user('Ada', '1'), user('Grace', '2')] as const;

/** Who the service said that Ada and Grace are, who it says somebody is now, and whose session goes. */
type Case = readonly [
  what: string,
  before: readonly [AccountInfo | undefined, AccountInfo | undefined],
  now: AccountInfo | undefined | 'not asked',
  how: 'again as Ada' | 'as a new account',
  outcome: 'added' | 'replaced' | 'other user',
  goes: 'Ada' | 'Grace' | 'nobody',
];
const CASES: readonly Case[] = [
  ['the same user by ID', KNOWN, user('Ada Lovelace', '1'), 'again as Ada', 'replaced', 'Ada'],
  ['the same user by name, without IDs', NAMED, user('Ada'), 'again as Ada', 'replaced', 'Ada'],
  ['a name that the account has', [undefined, undefined], user('Ada', '1'), 'again as Ada', 'replaced', 'Ada'],
  ['nobody, as it isn’t asked', [undefined, undefined], 'not asked', 'again as Ada', 'replaced', 'Ada'],
  ['nobody this time, by ID before', KNOWN, 'not asked', 'again as Ada', 'other user', 'nobody'],
  ['nobody this time, by name before', NAMED, 'not asked', 'again as Ada', 'other user', 'nobody'],
  ['only the name, by ID before', KNOWN, user('Ada'), 'again as Ada', 'other user', 'nobody'],
  ['another user by name', NAMED, user('Alan'), 'again as Ada', 'other user', 'nobody'],
  ['another user by ID, of the same name', KNOWN, user('Ada', '3'), 'again as Ada', 'other user', 'nobody'],
  ['nobody, although it’s asked', NAMED, undefined, 'again as Ada', 'other user', 'nobody'],
  ['the user of another account', KNOWN, user('Grace', '2'), 'again as Ada', 'other user', 'Grace'],
  ['a user who’s there already, by ID', KNOWN, user('Countess', '1'), 'as a new account', 'replaced', 'Ada'],
  ['the name of one who’s there', NAMED, user('Ada'), 'as a new account', 'added', 'nobody'],
  ['the name of one who’s there, and another ID', KNOWN, user('Ada', '3'), 'as a new account', 'added', 'nobody'],
];

describe('a sign-in for which the service names', () => {
  for (const [what, before, now, how, outcome, goes] of CASES) {
    it(`${what}, ${how}: ${outcome}`, async () => {
      const machine = new Machine();
      const window = await openWithUsers(machine, before);
      const known = await machine.finish(window.sessions.list());
      const result = await machine.finish(
        window.signIn(machine.service.grant(), {
          label: 'Ada',
          user: now === 'not asked' ? undefined : now,
          mustShowUser: now !== 'not asked',
          accountId: how === 'again as Ada' ? known[0]?.account.id : undefined,
        }),
      );
      assert.equal(result.outcome, outcome);
      const replaced = known.find(({ account }) => account.label === goes);
      const served = (await machine.serve(machine.open())).map(({ account, accessToken }) => [account, accessToken]);
      assert.deepEqual(
        served,
        [
          ...known.filter((old) => old !== replaced).map(({ account, accessToken }) => [account, accessToken]),
          [replaced?.account ?? result.session.account, machine.service.accessToken(3)],
        ],
        'nobody is served under another’s name',
      );
      assert.equal(result.session.account.label, replaced?.account.label ?? 'Ada (2)');
    });
  }

  it('another user than an account that was signed out of meanwhile, is an account as any other', async () => {
    const machine = new Machine();
    const window = await openWithUsers(machine, KNOWN);
    const [ada] = await machine.finish(window.sessions.list());
    await machine.finish(window.sessions.remove(ada?.id ?? ''));
    const options: SignInOptions = {
      label: 'Alan',
      user: user('Alan', '3'),
      mustShowUser: true,
      accountId: ada?.account.id,
    };
    assert.equal((await machine.finish(window.signIn(machine.service.grant(), options))).outcome, 'added');
  });

  it('a user of another service with the same ID: both stay', async () => {
    const machine = new Machine();
    const window = await openWithUsers(machine, KNOWN);
    const service = { baseUrl: 'https://other.example', clientId: 'client', protocol: 'draft' } as const;
    window.configure(service);
    const options: SignInOptions = { label: 'Ada', user: user('Ada', '1'), mustShowUser: true, service };
    assert.equal((await machine.finish(window.signIn(machine.service.grant(), options))).outcome, 'added');
    assert.equal((await machine.finish(window.sessions.listHidden())).length, 2);
  });
});

/** What a sign-in shows in each column of the table. */
const SHOWN = {
  'not asked': { user: undefined, mustShowUser: false },
  nobody: { user: undefined, mustShowUser: true },
  'its user': { user: user('Ada', '1'), mustShowUser: true },
  'user with account': { user: user('Grace', '2'), mustShowUser: true },
  'new user': { user: user('Alan', '3'), mustShowUser: true },
} as const;

/** The account that the person chose in each row. */
const CHOSEN = {
  'none chosen': { ada: KNOWN[0], isChosen: false },
  'user unknown': { ada: undefined, isChosen: true },
  'user known': { ada: KNOWN[0], isChosen: true },
} as const;

describe('the table of owners', () => {
  for (const [chosen, owners] of Object.entries(OWNERS) as [keyof typeof OWNERS, (typeof OWNERS)['user known']][]) {
    for (const [shown, { account, outcome }] of Object.entries(owners) as [
      keyof typeof SHOWN,
      (typeof OWNERS)['user known']['nobody'],
    ][]) {
      it(`is what happens: ${chosen}, ${shown}: ${account}, ${outcome}`, async () => {
        const machine = new Machine();
        const { ada: known, isChosen } = CHOSEN[chosen];
        const window = await openWithUsers(machine, [known, KNOWN[1]]);
        const [ada, grace] = await machine.finish(window.sessions.list());
        const accountId = isChosen ? ada?.account.id : undefined;
        const signedIn = window.signIn(machine.service.grant(), { label: 'Ada', ...SHOWN[shown], accountId });
        const result = await machine.finish(signedIn);
        assert.equal(result.outcome, outcome);
        const id = result.session.account.id;
        const isNew = id !== ada?.account.id && id !== grace?.account.id;
        const expected = { chosen: ada?.account.id, 'of user': grace?.account.id, new: isNew ? id : 'a new one' };
        assert.equal(id, expected[account]);
      });
    }
  }

  it('gives no session to the account of a user whom the service has named, unless it names them again', () => {
    const { 'its user': same, ...others } = OWNERS['user known'];
    assert.equal(same.account, 'chosen');
    for (const { account, outcome } of Object.values(others)) {
      assert.notEqual(account, 'chosen');
      assert.equal(outcome, 'other user');
    }
  });
});

/** A window with two accounts, of whom the service said that they're these users. */
async function openWithUsers(machine: Machine, [ada, grace]: Case[1]): Promise<TestWindow> {
  const window = machine.open();
  await machine.finish(window.clientSecrets.set(SERVICE, CLIENT_SECRET));
  for (const [label, user] of [
    ['Ada', ada],
    ['Grace', grace],
  ] as const) {
    await machine.signIn(window, { label, user, mustShowUser: true });
    await machine.advance(1_000);
  }
  return window;
}
