import assert from 'node:assert/strict';
import { SessionError } from '../../../../src/sessions/sessions';
import { StoreUnavailableError } from '../../../../src/storage/storeUnavailable';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { english } from '../english';

const CASES: readonly (readonly [error: Error, text: RegExp])[] = [
  [new SessionError('not sent'), /the session for Ada \(My Service\) because the service can’t be reached/],
  [new SessionError('no response'), /didn’t respond/],
  [new SessionError('refused'), /^The service can’t refresh the session for .* right now\./],
  [new SessionError('invalid response'), /^The service can’t refresh the session for .* right now\./],
  [new SessionError('not stored: full'), /the disk is full.*Free up disk space/],
  [new SessionError('not stored: read-only'), /is read-only/],
  [new SessionError('not stored: in use'), /another program .* Retrying automatically/],
  [new SessionError('not stored: other'), /disk error.*log/],
  [new SessionError('busy'), /is in use right now/],
  [new SessionError('credentials'), /without the client secret/],
  [new SessionError('needs user'), /refused to refresh/],
  [new SessionError('over'), /has ended/],
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
