import assert from 'node:assert/strict';
import { SessionError } from '../../../../src/sessions/sessionError';
import { StoreUnavailableError } from '../../../../src/storage/storeUnavailable';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { english } from '../english';

/** Guards that people are told why a session can't be used, in our words. */
describe('what people are told when a session can’t be used', () => {
  const explain = createTexts(english, 'en').sessions.failure;

  it('names the reason, which has a text of its own', () => {
    const text = (error: Error): string => explain(error, 'Ada (My Service)', 'refresh');
    assert.match(text(new SessionError('needs user')), /Ada \(My Service\) can’t be used anymore/);
    assert.match(text(new SessionError('label taken')), /Another account uses, or has used/);
    assert.match(text(new StoreUnavailableError('reload')), /^This window can’t share sign-ins/);
  });

  it('says what failed, which is a refresh only if one was tried', () => {
    for (const [tried, what] of [
      ['refresh', 'Couldn’t refresh the session for Ada.'],
      ['rename', 'Couldn’t rename Ada.'],
      ['signIn', 'Couldn’t finish signing in to Ada.'],
      ['signOut', 'Couldn’t finish signing out of Ada.'],
    ] as const) {
      const text = `${what} Another window was using this session. Try again in a moment.`;
      assert.equal(explain(new SessionError('busy'), 'Ada', tried), text);
    }
    const next = 'Try again, or see the log for details.';
    assert.equal(explain(new Error('x'), 'Ada', 'refresh'), `Couldn’t refresh the session for Ada. ${next}`);
    assert.equal(explain(new Error('x'), 'Ada', 'setClientSecret'), `Couldn’t save the client secret. ${next}`);
    assert.equal(
      explain(new SessionError('folder full'), 'Ada', 'refresh'),
      'Couldn’t refresh the session for Ada. The disk was full. Free up disk space.',
    );
    const noStore = explain(new StoreUnavailableError('folder'), 'Ada', 'signOut');
    assert.match(noStore, /signing out of Ada\. The extension’s storage folder/);
  });

  it('quotes nothing of an error that isn’t ours', () => {
    assert.doesNotMatch(explain(new Error('not a real token'), 'Ada', 'refresh'), /token/);
  });
});
