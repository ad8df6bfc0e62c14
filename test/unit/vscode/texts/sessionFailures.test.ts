import assert from 'node:assert/strict';
import { SessionError } from '../../../../src/sessions/sessions';
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
  [new SessionError('not stored: in use'), /Another program is using/],
  [new SessionError('not stored: other'), /storage folder can’t be used.*log/],
  [new SessionError('busy'), /Another window is using it/],
  [new SessionError('credentials'), /client secret is missing/],
  [new SessionError('needs user'), /Ada \(My Service\) can’t be used anymore/],
  [new SessionError('over'), /can’t be used anymore\. Sign in again/],
  [new StoreUnavailableError('reload'), /^This window was opened before/],
  [new StoreUnavailableError('folder'), /^The extension’s storage folder/],
  [new StoreUnavailableError('folder in use'), /^Another program is using or blocking the extension’s storage folder/],
  [new StoreUnavailableError('secret storage'), /secret storage/],
  [new StoreUnavailableError('no sqlite'), /Update the editor/],
  [new StoreUnavailableError('no file locks'), /without file locks/],
  [new SessionError('label taken'), /already has this name/],
  [new SessionError('not configured'), /isn’t configured\. Configure it again/],
];

/** Guards that people are told why a session can't be used, in our words. */
describe('what people are told when a session can’t be used', () => {
  const explain = createTexts(english, 'en').sessions.failure;

  it('names the reason', () => {
    for (const [error, text] of CASES) assert.match(explain(error, 'Ada (My Service)'), text);
  });

  it('quotes nothing of an error that isn’t ours', () => {
    assert.doesNotMatch(explain(new Error('not a real token'), 'Ada'), /token/);
  });
});
