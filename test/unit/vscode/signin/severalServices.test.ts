import assert from 'node:assert/strict';
import { NetworkError } from '../../../../src/oauth/errors';
import { settle } from '../../../support/fakeClock';
import { confirmed, credentials, pending } from '../../signin/scriptedClient';
import { ExplainedError } from '../../../../src/vscode/failures/failure';
import { Cancellation, enter } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, type Bench, type BenchOptions, nameOf, signedIn } from './signInBench';

const { baseUrl, clientId } = credentials;
const GITLAB = { protocol: 'draft', baseUrl: 'https://gitlab.example', clientId: 'tools' } as const;
const ACCOUNT = { path: '/user', field: 'name', idField: 'id' };
const LISTED = { ...GITLAB, serviceName: 'GitLab', account: ACCOUNT };
const DEFAULT = {
  protocol: 'draft',
  baseUrl,
  clientId,
  serviceName: 'My Service',
  account: { path: '/user', field: 'name' },
};
const MEANT = { services: [GITLAB.baseUrl] };

function severalBench(options: BenchOptions = {}): Bench {
  const b = bench({ responses: [confirmed], services: [DEFAULT, LISTED], ...options });
  b.secrets.kept.set(nameOf(GITLAB), 'another secret');
  b.user = () => Promise.resolve({ name: 'ada', id: '1' });
  return b;
}

function ofGitLab(label: string, id: string): ReturnType<typeof sessionOf> {
  return sessionOf(label, id, { service: GITLAB });
}

/** Guards that a sign-in is for the service that's meant, and for no other, however many there are. */
describe('a sign-in, if several services are configured,', () => {
  it('is to none for who names none if an extension’s first one is wrong, and asks nobody for a secret', async () => {
    const brand = { commands: ['setClientSecret'], configuredBy: 'extension' as const };
    const b = severalBench({ brand, services: [{ ...DEFAULT, clientId: '' }, LISTED], withSecret: false });
    b.secrets.kept.clear();
    const message = 'Some Brand isn’t set up yet. Check the extension’s settings.';
    await assert.rejects(b.signIn.signIn({ awaitedByEditorUntil: 1 }), { name: 'ExplainedError', message });
    assert.deepEqual([b.editor.questions, b.editor.lists], [[], []]);
  });

  it('is to the one that’s named, whose accounts say so in their names', async () => {
    const b = severalBench();
    const session = await signedIn(b, MEANT);
    assert.deepEqual(
      b.sessions.added.map(({ service }) => service),
      [GITLAB],
    );
    assert.equal(session.account.label, 'ada · GitLab');
    assert.equal(b.client.notifications[0]?.baseUrl, GITLAB.baseUrl);
    assert.equal(b.editor.remarks.at(-1), 'Signed in to GitLab as ada.');
  });

  it('asks for nothing if an old button is about a service that was removed: the secret would be another one’s', async () => {
    const b = severalBench({ responses: [pending] });
    await b.begin(MEANT);
    const code = b.editor.last;
    b.editor.list = [DEFAULT];
    await b.settingsChanged();
    code.close('Open browser');
    await settle();
    assert.deepEqual([b.editor.questions, b.editor.lists, b.signIn.isRunning], [[], [], false]);
    assert.match(
      b.editor.last.text,
      /^Couldn’t sign in to https:\/\/gitlab\.example because it was no longer configured/,
    );
  });

  it('is to the default one if nobody says which, whose accounts keep plain names', async () => {
    const b = severalBench();
    const session = await signedIn(b);
    assert.deepEqual(
      b.sessions.added.map(({ service }) => service),
      [{ protocol: 'draft', baseUrl, clientId }],
    );
    assert.equal(session.account.label, 'ada');
  });

  it('gives an account that’s named by its person its name of before, whichever service is the default one', async () => {
    const b = severalBench({ services: [LISTED, { ...DEFAULT, account: undefined }] });
    const session = await signedIn(b, { services: [baseUrl], accountLabel: 'ada' });
    assert.equal(session.account.label, 'ada');
  });

  it('gives no account a longer name than fits', async () => {
    const b = severalBench({ services: [DEFAULT, { ...LISTED, serviceName: 'S'.repeat(60) }] });
    b.user = () => Promise.resolve({ name: 'x'.repeat(60), id: '1' });
    const { label } = (await signedIn(b, MEANT)).account;
    assert.ok(label.length <= 58 && /^x+… · S+…$/.test(label), label);
  });

  it('says once which service it was to, whoever signed in', async () => {
    for (const [label, name, says] of [
      ['ada · GitLab', 'ada', /^You signed in to ada \(GitLab\) again, so no account was added\./],
      ['GitLab', undefined, /^You signed in to GitLab again, so no account was added\./],
    ] as const) {
      const b = severalBench();
      b.sessions.held.push(ofGitLab(label, 'gitlab'));
      b.sessions.namesKnown = true;
      b.user = () => Promise.resolve({ name, id: '1' });
      await signedIn(b, { ...MEANT, isForAnother: true });
      assert.match(b.editor.last.text, says);
    }
  });

  it('names the first account of each after its service, if nobody says who it is', async () => {
    const b = severalBench({ services: [DEFAULT, { ...LISTED, account: undefined }] });
    b.sessions.held.push(sessionOf('ada'));
    assert.equal((await signedIn(b, MEANT)).account.label, 'GitLab');
  });

  it('says the service in the name that the person gives a further account, too, and in no name twice', async () => {
    const b = severalBench({ services: [DEFAULT, { ...LISTED, account: undefined }] });
    b.sessions.held.push(ofGitLab('GitLab', 'gitlab'), sessionOf('work', 'default'), ofGitLab('play · GitLab', 'play'));
    b.editor.answers = [enter('work')];
    const another = { ...MEANT, isForAnother: true };
    assert.equal((await signedIn(b, another)).account.label, 'work · GitLab');
    assert.equal(b.editor.questions[0]?.title, 'Sign In to Another GitLab Account');
    assert.match(b.editor.questions[0].validate('play') ?? '', /^Another account uses, or has used/);
    const again = severalBench({ services: [DEFAULT, { ...LISTED, account: undefined }] });
    assert.equal((await signedIn(again, { ...MEANT, accountLabel: 'work · GitLab' })).account.label, 'work · GitLab');
  });

  it('keeps the name of an account that’s asked for, and asks about accounts of its service only', async () => {
    const b = severalBench();
    b.sessions.held.push(ofGitLab('grace', 'gitlab'), sessionOf('My Service', 'unusable', { needsUser: true }));
    const { account } = ofGitLab('grace', 'gitlab');
    await signedIn(b, { accountId: account.id });
    assert.equal(b.sessions.added[0]?.service.baseUrl, GITLAB.baseUrl);
    assert.deepEqual([b.sessions.assigned[0]?.accountId, b.editor.lists.length], [account.id, 0]);
  });

  it('is refused if the account that’s asked for is another service’s', async () => {
    const b = severalBench();
    b.sessions.held.push(sessionOf('ada', 'ada'));
    const request = { ...MEANT, accountId: 'account of ada' };
    await assert.rejects(b.signIn.signIn(request), ExplainedError);
    assert.equal(b.client.codeRequests.length, 0);
  });

  it('is refused if nobody knows which service the account is of that’s asked for', async () => {
    const b = severalBench();
    b.sessions.held.push(sessionOf('ada', 'ada'));
    const gone = { accountId: 'account of somebody whose session has ended' };
    await assert.rejects(b.signIn.signIn(gone), /an account that’s no longer listed\. Sign in, and then/);
    assert.equal(b.client.codeRequests.length, 0);
    await signedIn(b, { ...MEANT, ...gone });
    assert.equal(b.sessions.added[0]?.service.baseUrl, GITLAB.baseUrl);
    const one = severalBench({ services: [DEFAULT] });
    await signedIn(one, gone);
    assert.equal(one.sessions.added[0]?.service.baseUrl, baseUrl);
  });

  it('is refused if different ones are named', async () => {
    const b = severalBench();
    await assert.rejects(b.signIn.signIn({ services: [GITLAB.baseUrl, baseUrl] }), ExplainedError);
    assert.equal(b.client.codeRequests.length, 0);
  });

  it('is possible to each if the settings of another one are wrong, and to none whose own are', async () => {
    const b = severalBench({ services: [{ ...DEFAULT, verificationUrl: 'x' }, LISTED] });
    await assert.rejects(b.signIn.signIn(), /verificationUrl/);
    assert.equal((await signedIn(b, MEANT)).account.label, 'ada · GitLab');
    const other = severalBench({ services: [DEFAULT, { ...LISTED, verificationUrl: 'x' }] });
    await assert.rejects(other.signIn.signIn(MEANT), /services\[1\]\.verificationUrl/);
    assert.equal((await signedIn(other)).account.label, 'ada');
  });

  it('leads to the list of services if what’s set there can’t be reached', async () => {
    const response = new NetworkError('device authorization', 'host not found', false, { systemCode: 'ENOTFOUND' });
    response.endpointAddress = 'https://login.example/device';
    const b = severalBench({ codes: [{ response }] });
    await assert.rejects(b.signIn.signIn(MEANT), ExplainedError);
    assert.match(b.editor.last.text, /^Couldn’t find login\.example \(ENOTFOUND\)/);
  });

  it('ends if its service is removed, and goes on if another one is', async () => {
    const b = severalBench({ responses: [pending, pending, pending] });
    await b.begin(MEANT);
    b.editor.list = [LISTED];
    await b.settingsChanged();
    assert.equal(b.signIn.isRunning, true);
    b.editor.list = [];
    await b.settingsChanged();
    await settle();
    assert.equal(b.signIn.isRunning, false);
  });
});

describe('a sign-in to one service while one to another is in progress', () => {
  /** A sign-in to the default service waits for its person. */
  async function waiting(): Promise<Bench> {
    const b = severalBench({ responses: [pending, confirmed, confirmed] });
    await b.begin();
    return b;
  }

  it('asks the person, who can go on with the one in progress and see its code', async () => {
    const b = await waiting();
    b.editor.choices = ['Show Code'];
    const shown = b.editor.messages.length;
    await assert.rejects(b.signIn.signIn(MEANT), Cancellation);
    const [list] = b.editor.lists;
    assert.equal(list?.title, 'Signing In to GitLab');
    assert.match(list.placeholder, /^A sign-in to My Service is already in progress\./);
    assert.deepEqual(list.labels, ['Show Code', 'Cancel Current Sign-In and Sign In to GitLab']);
    assert.deepEqual([b.signIn.isRunning, b.editor.messages.length], [true, shown + 1]);
    assert.match(b.editor.last.text, /ABCD-1234/);
  });

  it('ends if the person chooses nothing', async () => {
    const b = await waiting();
    await assert.rejects(b.signIn.signIn(MEANT), Cancellation);
    assert.equal(b.signIn.isRunning, true);
  });

  it('begins at once if the person cancels the one in progress', async () => {
    const b = await waiting();
    b.editor.choices = ['Cancel Current Sign-In and Sign In to GitLab'];
    const session = b.signIn.signIn(MEANT);
    await b.clock.advance(20_000);
    assert.equal((await session).account.label, 'ada · GitLab');
    assert.deepEqual(
      b.sessions.added.map(({ service }) => service),
      [GITLAB],
    );
  });

  it('begins when the one in progress has ended, without an answer', async () => {
    const b = await waiting();
    b.editor.leavesListsOpen = true;
    const session = b.signIn.signIn(MEANT);
    await b.clock.advance(30_000);
    assert.equal((await session).account.label, 'ada · GitLab');
    assert.deepEqual(
      b.sessions.added.map(({ service }) => service.baseUrl),
      [baseUrl, GITLAB.baseUrl],
    );
  });

  it('joins it if it’s to the same service, or a person doesn’t say which', async () => {
    const b = severalBench({ responses: [pending, confirmed] });
    await b.begin(MEANT);
    const joined = [b.signIn.signIn(MEANT), b.signIn.signIn()];
    await b.clock.advance(15_000);
    const labels = (await Promise.all(joined)).map(({ account }) => account.label);
    assert.deepEqual([labels, b.editor.lists], [['ada · GitLab', 'ada · GitLab'], []]);
  });

  it('isn’t what a caller gets who names none: that one means the default service', async () => {
    const b = severalBench({ responses: [pending, pending] });
    await b.begin(MEANT);
    await assert.rejects(b.signIn.signIn({ awaitedByEditorUntil: 300_000 }), Cancellation);
    assert.equal(b.editor.lists[0]?.labels[1], 'Cancel Current Sign-In and Sign In to My Service');
  });
});
