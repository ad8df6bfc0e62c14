import assert from 'node:assert/strict';
import { LabelTakenError, OtherServiceError, RefreshError, SecretLabelError } from '../../../../src/sessions/errors';
import { StoreUnavailableError } from '../../../../src/storage/devices';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { english } from '../english';

const CASES: readonly (readonly [error: Error, text: RegExp])[] = [
  [new RefreshError('not sent'), /can’t be reached/],
  [new RefreshError('no response'), /didn’t respond/],
  [new RefreshError('refused'), /can’t do that right now/],
  [new RefreshError('invalid response'), /can’t do that right now/],
  [new RefreshError('not stored'), /couldn’t be saved/],
  [new RefreshError('busy'), /is being renewed/],
  [new RefreshError('credentials'), /without a client secret/],
  [new RefreshError('needs user'), /refused to renew/],
  [new RefreshError('over'), /has ended/],
  [new StoreUnavailableError('reload'), /^Reload this window/],
  [new StoreUnavailableError('folder'), /^The folder for sign-ins/],
  [new StoreUnavailableError('secret storage'), /secret storage/],
  [new StoreUnavailableError('no sqlite'), /Update the editor/],
  [new StoreUnavailableError('no file locks'), /without file locks/],
  [new LabelTakenError(), /already has this name/],
  [new SecretLabelError(), /contains a secret/],
  [new OtherServiceError(), /different service/],
];

describe('what people are told when a session can’t be used', () => {
  const explain = createTexts(english, 'en').sessions.failure;

  it('names the reason', () => {
    for (const [error, text] of CASES) assert.match(explain(error), text);
  });

  it('quotes nothing of an error that isn’t ours', () => {
    assert.doesNotMatch(explain(new Error('not a real token')), /token/);
  });
});
