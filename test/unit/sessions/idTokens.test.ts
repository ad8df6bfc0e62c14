import assert from 'node:assert/strict';
import { FreshnessPolicy } from '../../../src/sessions/freshness';
import { toSession } from '../../../src/sessions/currentSession';
import { tokenFields } from '../../../src/sessions/tokenFields';
import type { JournalEntry } from '../../../src/storage/record';
import { idToken } from '../oauth/standardHarness';
import { entryWith } from './entries';

/** Guards that a session carries the last ID token of its service as long as that's valid, and no longer. */
describe('the ID token of a session', () => {
  const token = idToken({ exp: 1_000 });
  const tokens = { accessToken: 'not a real access token', refreshToken: undefined, requestedAt: 0, expiresIn: 60 };

  /** The ID token that's handed out at this time. */
  function handedOut(entry: JournalEntry, now: number): string | undefined {
    const clock = { now: () => now, monotonic: () => 0, sleep: () => Promise.resolve() };
    return toSession(entry, new FreshnessPolicy(clock), now).idToken;
  }

  it('is handed out until it expires', () => {
    const entry = entryWith({ idToken: token });
    assert.equal(handedOut(entry, 999_999), token);
    assert.equal(handedOut(entry, 1_000_000), undefined);
  });

  it('isn’t handed out if it doesn’t say how long it’s valid, or there is none', () => {
    assert.equal(handedOut(entryWith({ idToken: idToken({}) }), 0), undefined);
    assert.equal(handedOut(entryWith(), 0), undefined);
  });

  it('stays through a refresh that brings no other one', () => {
    const { record } = entryWith({ idToken: token });
    assert.equal(tokenFields(tokens, record).idToken, token);
    assert.equal(tokenFields({ ...tokens, idToken: 'another' }, record).idToken, 'another');
  });
});
