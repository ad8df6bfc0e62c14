import assert from 'node:assert/strict';
import {
  LabelTakenError,
  OtherServiceError,
  RefreshError,
  type RefreshFault,
  SecretLabelError,
} from '../../../../src/sessions/errors';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { english } from '../english';
import { StoreUnavailableError, type StoreUnavailableReason } from '../../../../src/storage/devices';

const FAULTS: Readonly<Record<RefreshFault, RegExp>> = {
  'not sent': /can’t be reached/,
  'no response': /didn’t respond/,
  refused: /can’t do that right now/,
  'invalid response': /can’t do that right now/,
  'not stored': /couldn’t be saved/,
  busy: /is being renewed/,
  credentials: /without a client secret/,
  'needs user': /refused to renew/,
  over: /has ended/,
};

const REASONS: Readonly<Record<StoreUnavailableReason, RegExp>> = {
  reload: /^Reload this window/,
  folder: /^The folder for sign-ins/,
  'secret storage': /secret storage/,
  'no sqlite': /Update the editor/,
  'no file locks': /without file locks/,
};

describe('what people are told when a session can’t be used', () => {
  const explain = createTexts(english, 'en').sessions.failure;

  it('names the reason', () => {
    for (const [fault, text] of Object.entries(FAULTS))
      assert.match(explain(new RefreshError(fault as RefreshFault)), text);
    for (const [reason, text] of Object.entries(REASONS))
      assert.match(explain(new StoreUnavailableError(reason as StoreUnavailableReason)), text);
    assert.match(explain(new LabelTakenError()), /already has this name/);
    assert.match(explain(new SecretLabelError()), /contains a secret/);
    assert.match(explain(new OtherServiceError()), /different service/);
  });

  it('quotes nothing of an error that isn’t ours', () => {
    assert.doesNotMatch(explain(new Error('not a real token')), /token/);
  });
});
