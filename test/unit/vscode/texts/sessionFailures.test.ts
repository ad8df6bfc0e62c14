import assert from 'node:assert/strict';
import { SessionError } from '../../../../src/sessions/sessionError';
import { StoreUnavailableError } from '../../../../src/storage/storeUnavailable';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { english } from '../english';

const CASES: readonly (readonly [error: Error, text: RegExp])[] = [
  [
    new SessionError('not sent'),
    /^Couldn’t refresh the session for Ada \(My Service\)\. You’re still signed in\. The service didn’t respond/,
  ],
  [new SessionError('no response'), /didn’t respond/],
  [new SessionError('refused'), /The service can’t refresh it right now\./],
  [new SessionError('invalid response'), /The service can’t refresh it right now\./],
  [new SessionError('not stored: full'), /The disk is full.*Free up disk space/],
  [new SessionError('not stored: read-only'), /is read-only/],
  [new SessionError('not stored: not allowed'), /don’t have permission/],
  [new SessionError('not stored: in use'), /Another program is using/],
  [new SessionError('not stored: other'), /storage folder can’t be used.*log/],
  [new SessionError('busy'), /Another window is using this session\. Try again in a moment\.$/],
  [new SessionError('credentials'), /The client secret is missing\. To enter it, sign in again\.$/],
  [new SessionError('needs user'), /Ada \(My Service\) can’t be used anymore/],
  [new SessionError('over'), /can’t be used anymore\. Sign in again/],
  [new StoreUnavailableError('reload'), /^This window was opened before/],
  [new StoreUnavailableError('folder'), /^The extension’s storage folder/],
  [new StoreUnavailableError('folder full'), /^The disk is full/],
  [new StoreUnavailableError('folder read-only'), /is read-only/],
  [new StoreUnavailableError('folder not allowed'), /^You don’t have permission .* Change the owner/],
  [new StoreUnavailableError('folder in use'), /^Another program is using or blocking the extension’s storage folder/],
  [new StoreUnavailableError('secret storage'), /secret storage/],
  [new StoreUnavailableError('no sqlite'), /Update the editor/],
  [new StoreUnavailableError('no file locks'), /without file locks/],
  [new SessionError('label taken'), /has this name, or had it/],
  [new SessionError('not configured'), /isn’t configured\. Configure it again/],
];

/** Guards that people are told why a session can't be used, in our words. */
describe('what people are told when a session can’t be used', () => {
  const explain = createTexts(english, 'en').sessions.failure;

  it('names the reason', () => {
    for (const [error, text] of CASES) assert.match(explain(error, 'Ada (My Service)', 'refresh'), text);
  });

  it('says what failed, which is a refresh only if one was tried', () => {
    for (const [tried, what] of [
      ['refresh', 'Couldn’t refresh the session for Ada. You’re still signed in.'],
      ['rename', 'Couldn’t rename Ada.'],
      ['signIn', 'Couldn’t finish signing in to Ada.'],
      ['signOut', 'Couldn’t finish signing out of Ada, so you may still be signed in.'],
    ] as const) {
      const text = `${what} Another window is using this session. Try again in a moment.`;
      assert.equal(explain(new SessionError('busy'), 'Ada', tried), text);
    }
    const next = 'Try again, or see the log for details.';
    assert.equal(explain(new Error('x'), 'Ada', 'refresh'), `Couldn’t refresh the session for Ada. ${next}`);
    assert.equal(explain(new Error('x'), 'Ada', 'setClientSecret'), `Couldn’t save the client secret. ${next}`);
    const noStore = explain(new StoreUnavailableError('folder'), 'Ada', 'signOut');
    assert.match(noStore, /signing out of Ada, so you may still be signed in\. The extension’s storage folder/);
  });

  it('quotes nothing of an error that isn’t ours', () => {
    assert.doesNotMatch(explain(new Error('not a real token'), 'Ada', 'refresh'), /token/);
  });
});
