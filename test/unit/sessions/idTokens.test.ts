import assert from 'node:assert/strict';
import { toCurrent } from '../../../src/sessions/sessions';
import { tokenFields } from '../../../src/sessions/tokenFields';
import { idToken } from '../oauth/standardHarness';
import { entryWith } from './entries';

/** Guards that a session carries the last ID token of its service as long as that's valid, and no longer. */
describe('the ID token of a session', () => {
  const token = idToken({ exp: 1_000 });
  const tokens = { accessToken: 'not a real access token', refreshToken: undefined, expiresIn: 60 };

  it('is handed out until it expires', () => {
    const entry = entryWith({ idToken: token });
    assert.equal(toCurrent(entry, 0, 999_999).idToken, token);
    assert.equal(toCurrent(entry, 0, 1_000_000).idToken, undefined);
  });

  it('isn’t handed out if it doesn’t say how long it’s valid, or there is none', () => {
    assert.equal(toCurrent(entryWith({ idToken: idToken({}) }), 0, 0).idToken, undefined);
    assert.equal(toCurrent(entryWith(), 0, 0).idToken, undefined);
  });

  it('stays through a refresh that brings no other one', () => {
    const { record } = entryWith({ idToken: token });
    assert.equal(tokenFields(tokens, 0, record).idToken, token);
    assert.equal(tokenFields({ ...tokens, idToken: 'another' }, 0, record).idToken, 'another');
  });
});
