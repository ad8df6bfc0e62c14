import assert from 'node:assert/strict';
import { OtherServiceError } from '../../../../src/sessions/ofService';
import { sessionFailureInWords } from '../../../../src/vscode/accounts/sessionWords';
import { english } from '../english';

describe('what people are told when a session can’t be used', () => {
  it('names the reason where it belongs to another service', () => {
    assert.match(sessionFailureInWords(english, new OtherServiceError()), /belongs to another service/);
  });
});
