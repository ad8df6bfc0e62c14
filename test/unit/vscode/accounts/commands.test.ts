import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { SERVICE, sessionOf } from '../fakeSessions';
import { accountsBench, adasSession, configurationOf } from './accountsBench';

const endpoints = {
  issuer: SERVICE.baseUrl,
  deviceAuthorization: `${SERVICE.baseUrl}/device`,
  token: `${SERVICE.baseUrl}/token`,
  authentication: 'post',
} as const;
/** A standard service that can revoke tokens. */
const revocable = {
  ...SERVICE,
  protocol: 'rfc8628',
  endpoints: { ...endpoints, revocation: `${SERVICE.baseUrl}/revoke` },
} as const;

/** Guards that a sign-out does what it says, and that reports of rejected tokens can't do harm. */
describe('Sign Out', () => {
  it('asks before it signs out of the only account, and says what that means', async () => {
    const bench = accountsBench(adasSession());
    bench.editor.confirms = false;
    await bench.run('signOut');
    assert.deepEqual(bench.done, []);
    bench.editor.confirms = true;
    bench.revoked = Promise.resolve(false);
    await bench.run('signOut');
    assert.deepEqual(bench.done, ['remove one']);
    const [title, detail, button] = bench.editor.confirmations[0] ?? [];
    assert.deepEqual([title, button], ['Sign out of Ada (My Service)?', 'Sign Out']);
    assert.match(
      detail ?? '',
      /^Extensions won’t be able to use this account, but any permissions are kept for the next time you sign in\.$/,
    );
    assert.deepEqual(bench.editor.lists, []);
    assert.match(
      bench.editor.last.text,
      /^You signed out of Ada \(My Service\)\. The tokens were deleted from this machine\..* they expire within 30 days\.$/,
    );
    await bench.editor.press('Sign In');
    assert.deepEqual(bench.done, ['remove one', 'sign in Ada']);
  });

  it('says that the service revoked the tokens', async () => {
    const bench = accountsBench(adasSession({ service: revocable }));
    bench.settings.current = configurationOf({ protocol: 'rfc8628' });
    await bench.run('signOut');
    assert.equal(bench.editor.last.text, 'You signed out of Ada (My Service). The service revoked the tokens.');
    assert.deepEqual(bench.editor.last.buttons, ['Sign In'], 'the message isn’t cut off');
  });

  it('says that tokens can’t be revoked if the service was never asked, and where to remove the access', async () => {
    const bench = accountsBench(adasSession({ service: { ...revocable, endpoints } }));
    bench.settings.current = configurationOf({ protocol: 'rfc8628' });
    bench.revoked = Promise.resolve(false);
    await bench.run('signOut');
    assert.match(
      bench.editor.last.text,
      /they can’t be revoked from here\. .* remove the app’s access in your account on the service’s website\.$/,
    );
  });

  it('says nothing of tokens if another window has signed out meanwhile, before or after it looked', async () => {
    const gone = accountsBench(adasSession());
    gone.revoked = undefined;
    await gone.run('signOut');
    assert.equal(gone.editor.last.text, 'You signed out of Ada (My Service).');
    const bench = accountsBench(adasSession());
    let answer: (yes: boolean) => void = () => undefined;
    bench.editor.confirms = new Promise((resolve) => (answer = resolve));
    const done = bench.run('signOut');
    await settle();
    bench.known.splice(0);
    answer(true);
    await done;
    assert.deepEqual(bench.done, []);
    assert.equal(bench.editor.last.text, 'You signed out of Ada (My Service).');
  });

  for (const [what, revoked] of [
    ['refuses', Promise.resolve(false)],
    ['doesn’t answer', new Promise<boolean>(() => undefined)],
  ] as const) {
    it(`says after 3 s at most that the tokens may not have ended if the service ${what}`, async () => {
      const bench = accountsBench(adasSession({ service: revocable }));
      bench.settings.current = configurationOf({ protocol: 'rfc8628' });
      bench.revoked = revoked;
      await Promise.all([bench.run('signOut'), bench.clock.advance(3_000)]);
      assert.match(
        bench.editor.last.text,
        /^You signed out of Ada \(My Service\)\. .* hasn’t confirmed that it revoked them\./,
      );
      assert.deepEqual(bench.editor.last.buttons, ['Sign In']);
    });
  }

  it('says the same once if the person signs out in VS Code’s menu, when the last session of the account is over', async () => {
    const ada = adasSession({ service: revocable });
    const bench = accountsBench(ada, adasSession({ id: 'further', account: ada.account, service: revocable }));
    bench.settings.current = configurationOf({ protocol: 'rfc8628' });
    const actions = bench.actions();
    bench.known.splice(1);
    await actions.signedOutInMenu(ada, Promise.resolve(true));
    assert.deepEqual(bench.editor.messages, []);
    bench.known.splice(0);
    const told = actions.signedOutInMenu(ada, Promise.resolve(true));
    await settle();
    assert.equal(bench.editor.last.text, 'You signed out of Ada (My Service). The service revoked the tokens.');
    assert.equal(bench.editor.messages.length, 1);
    await told;
  });

  it('doesn’t say in VS Code’s menu that all tokens were revoked if those of an earlier session weren’t', async () => {
    const ada = adasSession({ service: revocable });
    const bench = accountsBench(ada, adasSession({ id: 'further', account: ada.account, service: revocable }));
    bench.settings.current = configurationOf({ protocol: 'rfc8628' });
    const actions = bench.actions();
    bench.known.splice(1);
    await actions.signedOutInMenu(ada, Promise.resolve(false));
    bench.known.splice(0);
    await actions.signedOutInMenu(ada, Promise.resolve(true));
    assert.match(bench.editor.last.text, / hasn’t confirmed that it revoked them\./);
  });

  it('asks which of several accounts to sign out of, and can be canceled', async () => {
    const bench = accountsBench(adasSession(), sessionOf('Grace', 'two'));
    await bench.run('signOut');
    assert.deepEqual(bench.done, []);
    bench.editor.choices = ['Grace'];
    await bench.run('signOut');
    assert.deepEqual(bench.done, ['remove two']);
  });

  it('ends all sessions of an account, which is listed once', async () => {
    const ada = adasSession();
    const further = adasSession({ id: 'further', account: ada.account });
    const alone = accountsBench(ada, further);
    await alone.run('signOut');
    assert.deepEqual(alone.done, ['remove one', 'remove further']);
    const bench = accountsBench(ada, sessionOf('Grace', 'two'), further);
    bench.editor.choices = ['Ada'];
    await bench.run('signOut');
    assert.deepEqual(bench.editor.lists[0]?.labels, ['Ada', 'Grace']);
    assert.deepEqual(bench.done, ['remove one', 'remove further']);
  });

  it('says that nobody is signed in', async () => {
    const bench = accountsBench();
    await bench.run('signOut');
    assert.deepEqual([bench.editor.lastToast.text, bench.editor.messages], ['You aren’t signed in.', []]);
  });

  it('says why it failed, and leads to the log', async () => {
    const bench = accountsBench(adasSession());
    bench.fault = new Error('not a real token');
    await bench.run('signOut');
    await settle();
    assert.match(bench.editor.last.text, /^Couldn’t finish signing out of Ada \(My Service\)\. Try again/);
    assert.match(bench.log.text(), /An action on the sessions failed/);
    assert.doesNotMatch(bench.log.text(), /not a real token/);
    await bench.editor.press('Show Log');
    assert.deepEqual(bench.done, ['showLog']);
  });
});
