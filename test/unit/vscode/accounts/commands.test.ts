import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { sessionOf } from '../fakeSessions';
import { accountsBench, adasSession } from './accountsBench';

/** Guards that a sign-out does what it says, and that reports of rejected tokens can't do harm. */
describe('Sign Out', () => {
  it('asks before it signs out of the only account, and says what that means', async () => {
    const bench = accountsBench(adasSession());
    bench.editor.confirms = false;
    await bench.run('signOut');
    assert.deepEqual(bench.done, []);
    bench.editor.confirms = true;
    await bench.run('signOut');
    assert.deepEqual(bench.done, ['remove one']);
    const [title, detail, button] = bench.editor.confirmations[0] ?? [];
    assert.deepEqual([title, button], ['Sign out of Ada (My Service)?', 'Sign Out']);
    assert.match(detail ?? '', /^Extensions can’t use this account until you sign in again\..*in the Accounts menu/);
    assert.deepEqual(bench.editor.lists, []);
    assert.match(
      bench.editor.last.text,
      /^Signed out of Ada \(My Service\)\. Its tokens were deleted from this machine.*until it expires, within 30 days\.$/,
    );
    await bench.editor.press('Sign In');
    assert.deepEqual(bench.done, ['remove one', 'sign in Ada']);
  });

  it('says what becomes of the access at a standard service', async () => {
    const endpoints = {
      issuer: 'https://service.example',
      deviceAuthorization: 'https://service.example/device',
      token: 'https://service.example/token',
      authentication: 'basic' as const,
    };
    const standard = { baseUrl: 'https://service.example', clientId: 'client', protocol: 'rfc8628' as const };
    for (const [further, text] of [
      [
        { revocation: 'https://service.example/revoke' },
        'Signed out of Ada (service.example). The service revoked its tokens.',
      ],
      [{}, /^Signed out of Ada \(service\.example\)\. .* until it expires, or until you remove the access/],
    ] as const) {
      const bench = accountsBench(adasSession({ service: { ...standard, endpoints: { ...endpoints, ...further } } }));
      await bench.run('signOut');
      if (typeof text === 'string') assert.equal(bench.editor.last.text, text);
      else assert.match(bench.editor.last.text, text);
      assert.deepEqual(bench.editor.last.buttons, ['Sign In'], 'the message isn’t cut off');
    }
  });

  for (const [what, revoked] of [
    ['refuses', Promise.resolve(false)],
    ['doesn’t answer', new Promise<boolean>(() => undefined)],
  ] as const) {
    it(`says after 3 s at most that the tokens may not have ended if the service ${what}`, async () => {
      const endpoints = {
        issuer: 'https://service.example',
        deviceAuthorization: 'https://service.example/device',
        token: 'https://service.example/token',
        revocation: 'https://service.example/revoke',
        authentication: 'basic' as const,
      };
      const service = { baseUrl: endpoints.issuer, clientId: 'client', protocol: 'rfc8628' as const, endpoints };
      const bench = accountsBench(adasSession({ service }));
      bench.revoked = revoked;
      await Promise.all([bench.run('signOut'), bench.clock.advance(3_000)]);
      assert.match(
        bench.editor.last.text,
        /^Signed out of Ada \(service\.example\)\. .* hasn’t confirmed that it revoked them\./,
      );
      assert.deepEqual(bench.editor.last.buttons, ['Sign In']);
    });
  }

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
    assert.equal(bench.editor.last.text, 'You aren’t signed in.');
  });

  it('says why it failed, and leads to the log', async () => {
    const bench = accountsBench(adasSession());
    bench.fault = new Error('not a real token');
    await bench.run('signOut');
    await settle();
    assert.match(bench.editor.last.text, /^Couldn’t finish signing out, so you may still be signed in\./);
    assert.match(bench.log.text(), /An action on the sessions failed/);
    assert.doesNotMatch(bench.log.text(), /not a real token/);
    await bench.editor.press('Show Log');
    assert.deepEqual(bench.done, ['showLog']);
  });
});

describe('a token that another extension reports as rejected', () => {
  it('is passed on', async () => {
    const bench = accountsBench();
    assert.equal(await bench.run('reportRejectedToken', 'a token'), true);
    assert.deepEqual(bench.done, ['report a token']);
  });

  it('is ignored if it isn’t text, and causes no error', async () => {
    const bench = accountsBench();
    for (const token of ['', undefined, 7, { token: 'a token' }])
      assert.equal(await bench.run('reportRejectedToken', token), false);
    bench.fault = new Error('no disk');
    assert.equal(await bench.run('reportRejectedToken', 'a token'), false);
    assert.deepEqual(bench.done, []);
  });
});
