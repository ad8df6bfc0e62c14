import assert from 'node:assert/strict';
import { LIFETIME } from '../../../support/countingService';
import { type ExtensionInMemory, openWindow } from '../../../support/extensionInMemory';
import { type Element, enter } from '../fakeEditor';

/** The whole extension, configured, and its service. */
async function open(fields: Element = {}) {
  const { window, service } = await openWindow({ fields });
  /** Somebody signs in, in the place of an account if one is named. */
  const signIn = async (user: string, id?: string, label?: string): Promise<string> => {
    Object.assign(service, { user, userId: id });
    const account = (await window.list()).find((session) => session.account.label === label)?.account;
    const session = window.signIn(account);
    await window.clock.advance(20_000);
    return (await session).account.label;
  };
  /** The accounts, and whose tokens other extensions get for them. */
  const served = async (): Promise<Readonly<Record<string, string>>> => {
    const accounts = await Promise.all((await window.list()).map(({ account }) => window.serve(account)));
    return Object.fromEntries(accounts.flat().map(({ account, accessToken }) => [account.label, accessToken]));
  };
  return { window, service, signIn, served };
}

/** Guards that nobody is ever served under another's name. */
describe('who is signed in, by the service’s word', () => {
  it('is never served under another’s name: another user who signs in for an account gets one of their own', async () => {
    const { window, signIn, served } = await open();
    await signIn('Ada');
    assert.equal(await signIn('Grace', undefined, 'Ada'), 'Grace');
    assert.deepEqual(await served(), { Ada: 'access-0-Ada', Grace: 'access-1-Grace' });
    assert.match(
      window.editor.last.text,
      /^You signed in to My Service as a different user than Ada, so Grace was added/,
    );
  });

  it('is not guessed: if the service doesn’t say who it is, they get an account of their own', async () => {
    const { service, signIn, served } = await open();
    service.silentOn = 'other';
    await signIn('Ada');
    assert.equal(await signIn('Grace', undefined, 'My account'), 'My account (2)');
    assert.deepEqual(await served(), { 'My account': 'access-0-Ada', 'My account (2)': 'access-1-Grace' });
  });

  it('is the person who signed in first, if the settings don’t say how to ask', async () => {
    const { signIn, served } = await open({ account: {} });
    await signIn('Ada');
    await signIn('Grace', undefined, 'My account');
    assert.deepEqual(await served(), { 'My account': 'access-1-Grace' });
  });

  for (const [whose, begin] of [
    ['Show Status', (window: ExtensionInMemory) => window.command('showStatus')],
    ['the list before a sign-in for VS Code', (window: ExtensionInMemory) => window.signIn()],
  ] as const) {
    it(`isn’t the only account, which needs its person, if another one is chosen, in ${whose}`, async () => {
      const { window, service, signIn } = await open({ account: {} });
      await signIn('Ada');
      service.refusal = { status: 400, error: 'some_trouble' };
      await window.clock.advance(LIFETIME * 1000 - 1000);
      assert.match(window.editor.last.text, /^Couldn’t refresh the session for My account \(My Service\)\. Try again/);
      service.refusal = undefined;
      service.user = 'Eve';
      window.editor.choices = ['Sign In to Another Account'];
      window.editor.answers = [enter('Eve')];
      void begin(window);
      await window.clock.advance(20_000);
      const accounts = (await window.list()).map(({ account, accessToken }) => [account.label, accessToken]);
      assert.deepEqual(accounts, [
        ['My account', 'access-0-Ada'],
        ['Eve', 'access-1-Eve'],
      ]);
    });
  }

  it('is one account however often the same user signs in, if the service identifies them', async () => {
    const { signIn, served } = await open({ account: { path: '/who', field: 'name', idField: 'id' } });
    await signIn('Ada', '17');
    assert.equal(await signIn('Augusta', '17'), 'Ada');
    assert.deepEqual(await served(), { Ada: 'access-1-Augusta' });
  });
});

/** Guards that every account has a name of its own, which says as much as is known, and that nobody is asked for it needlessly. */
describe('an account whose user the service doesn’t name', () => {
  const OTHER = { protocol: 'draft', baseUrl: 'https://other.example', clientId: 'its', serviceName: 'My Service' };

  it('isn’t called as its service is if VS Code shows that name beside it, but messages say both', async () => {
    const { window, service, signIn } = await open({ account: {} });
    assert.equal(await signIn('Ada'), 'My account');
    service.refusal = { status: 400, error: 'some_trouble' };
    await window.clock.advance(LIFETIME * 1000);
    assert.match(window.editor.last.text, / for My account \(My Service\)\. /);
  });

  it('never has the label that an account of another service had, because VS Code’s permissions go by it', async () => {
    const { window, signIn } = await open({ account: {} });
    const signOut = async (): Promise<void> => {
      for (const { id } of await window.list()) await window.provider.removeSession(id);
    };
    assert.equal(await signIn('Ada'), 'My account');
    const own = window.editor.elements;
    await signOut();
    window.editor.set([OTHER]);
    await window.command('setClientSecret', 'another secret');
    assert.equal(await signIn('Grace'), 'My account (2)');
    await signOut();
    window.editor.set(own);
    assert.equal(await signIn('Ada'), 'My account', 'its own service has it again');
  });

  it('is called as its service is if there are several, and has a number if the account of another service is called so', async () => {
    const { window, service, signIn } = await open({ account: {} });
    window.editor.set([...window.editor.elements, OTHER]);
    await window.command('setClientSecret', 'another secret', OTHER.baseUrl);
    assert.equal(await signIn('Ada'), 'My Service');
    service.user = 'Grace';
    const other = Promise.resolve(window.provider.createSession([`DEVICE_FLOW_SERVICE:${OTHER.baseUrl}`], {}));
    await window.clock.advance(20_000);
    assert.equal((await other).account.label, 'My Service (2)');
    assert.deepEqual(window.editor.questions, [], 'nobody was asked');
    const [, further] = await window.list();
    await window.provider.removeSession(further?.id ?? '');
    await window.clock.advance(1_000);
    assert.match(window.editor.last.text, /^You signed out of My Service \(2\)\. /);
  });
});

describe('a wrong optional setting', () => {
  it('signs nobody out, and refreshing goes on', async () => {
    const { window, service, signIn } = await open();
    await signIn('Ada');
    window.editor.change({
      serviceName: '$(key)',
      verificationUrl: 'example.com',
      notify: { path: 'device/notify', parameters: { title: 5 } },
      account: { path: 'who' },
    });
    await window.clock.advance(10_000);
    const labels = (await window.list()).map(({ account }) => account.label);
    assert.deepEqual(labels, ['Ada']);
    await window.clock.advance(3_600_000);
    assert.ok((service.counts.get('refresh_token') ?? 0) > 0);
    assert.match(window.log.text(), /The setting services\[0\]\.notify\.path can't be used: not a path\./);
  });
});

/** Guards that VS Code's permissions, which depend on the label, outlive changes of the default service. */
describe('the label of an account, after another service became the default one,', () => {
  const OTHER = { protocol: 'draft', baseUrl: 'https://other.example', clientId: 'its', serviceName: 'Other' };

  it('stays as it was, even if its person signs out and in again', async () => {
    const { window, signIn } = await open({ account: { path: '/who', field: 'name', idField: 'id' } });
    assert.equal(await signIn('Ada', '1'), 'Ada');
    const [own] = window.editor.elements;
    window.editor.set([OTHER, own]);
    const account = (await window.list()).find(({ account: one }) => one.label === 'Ada')?.account;
    assert.equal(await signIn('Ada', '1', account?.label), 'Ada', 'signed in again');
    const [session] = await window.list();
    await window.provider.removeSession(session?.id ?? '');
    const again = Promise.resolve(
      window.provider.createSession(['a scope', 'DEVICE_FLOW_SERVICE:https://service.example/v1'], {}),
    );
    await window.clock.advance(20_000);
    assert.equal((await again).account.label, 'Ada', 'after a sign-out');
  });
});
