import assert from 'node:assert/strict';
import type { CurrentSession } from '../../../../src/sessions/currentSession';
import { settle } from '../../../support/fakeClock';
import { sessionOf } from '../fakeSessions';
import { OWN, Window } from './providerBench';

const STANDARD = { protocol: 'rfc8628', baseUrl: 'https://standard.example', clientId: 'its client' } as const;
const MEANT = 'DEVICE_FLOW_SERVICE:https://standard.example';

/** A session of the standard service with these scopes. */
function standardSession(...scopes: readonly string[]): CurrentSession {
  return sessionOf('Ada', 'one', { service: { ...STANDARD }, scopes });
}

/** A challenge as VS Code hands it over. */
function bearer(params: Readonly<Record<string, string>>, scheme = 'Bearer') {
  return { scheme, params };
}

const NEEDS_WRITE = bearer({ error: 'insufficient_scope', scope: 'read write' });

async function opened(...sessions: readonly CurrentSession[]): Promise<Window> {
  const window = await Window.open(...sessions);
  window.set([STANDARD]);
  return window;
}

/** Guards what an extension gets that hands on the challenge of a server: a session with the scopes that the server needs. */
describe('a challenge', () => {
  it('is answered by a session that has the scopes which the server needs', async () => {
    const window = await opened(standardSession('read', 'write', 'admin'));
    const challenges = [bearer({ realm: 'x' }, 'Basic'), NEEDS_WRITE];
    const [session, ...others] = await window.provider.getSessionsFromChallenges({ challenges }, {});
    assert.deepEqual([session?.id, session?.scopes, others], ['one', ['read', 'write'], []]);
  });

  it('isn’t answered by one that lacks them, and leads to a sign-in for them', async () => {
    const window = await opened(standardSession('read'));
    assert.deepEqual(await window.provider.getSessionsFromChallenges({ challenges: [NEEDS_WRITE] }, {}), []);
    window.signIn = () => Promise.resolve(standardSession('read', 'write'));
    const session = await window.provider.createSessionFromChallenges({ challenges: [NEEDS_WRITE] }, {});
    assert.deepEqual(
      [window.signIns[0]?.scopes, session.scopes],
      [
        ['read', 'write'],
        ['read', 'write'],
      ],
    );
  });

  for (const [what, challenges] of [
    ['without scopes', [bearer({ error: 'insufficient_scope' })]],
    ['with another error', [bearer({ error: 'invalid_token', scope: 'write' })]],
    ['that wants claims', [bearer({ error: 'insufficient_scope', scope: 'write', claims: 'e30=' })]],
    ['of another scheme', [bearer({ error: 'insufficient_scope', scope: 'write' }, 'DPoP')]],
    ['with what are no scopes', [bearer({ error: 'insufficient_scope', scope: '"\\' })]],
    ['with the scopes of our own offer', [bearer({ error: 'insufficient_scope', scope: OWN.join(' ') })]],
    ['that VS Code couldn’t read', []],
    ['with a scheme that has a space', [bearer({}, 'NTLM abc')]],
  ] as const) {
    it(`${what} gets nothing silently, and otherwise a sign-in with the fallback scopes`, async () => {
      const window = await opened(standardSession('read', 'write'));
      const constraint = { challenges, fallbackScopes: ['fallback'] };
      assert.deepEqual(await window.provider.getSessionsFromChallenges(constraint, {}), []);
      void window.provider.createSessionFromChallenges(constraint, {}).catch(() => undefined);
      await settle();
      assert.deepEqual(window.signIns[0]?.scopes, ['fallback']);
    });
  }

  it('is answered by any session of a service that has no scopes', async () => {
    const window = await Window.open(sessionOf('Ada', 'one'));
    for (const challenges of [[NEEDS_WRITE], [bearer({ error: 'invalid_token' })], []]) {
      const [session] = await window.provider.getSessionsFromChallenges({ challenges }, {});
      assert.equal(session?.id, 'one');
    }
  });

  it('is for the service that the fallback scopes name', async () => {
    const window = await Window.open(sessionOf('Bob', 'two'), standardSession('read', 'write'));
    window.further = [STANDARD];
    for (const fallbackScopes of [[MEANT, 'else'], [`else ${MEANT}`]]) {
      const meant = { challenges: [NEEDS_WRITE], fallbackScopes };
      const [session] = await window.provider.getSessionsFromChallenges(meant, {});
      assert.equal(session?.id, 'one');
    }
    const wrong = { challenges: [NEEDS_WRITE], fallbackScopes: ['DEVICE_FLOW_SERVICE:standard.example'] };
    await assert.rejects(window.provider.getSessionsFromChallenges(wrong, {}), /isn’t the base URL of a service/);
    await assert.rejects(window.provider.createSessionFromChallenges(wrong, {}), /isn’t the base URL of a service/);
    assert.deepEqual(window.signIns, []);
  });

  it('whose caller waits is satisfied by an event in the words that VS Code compares', async () => {
    const window = await opened();
    const constraint = { challenges: [NEEDS_WRITE], fallbackScopes: ['a', 'b'] };
    await window.provider.getSessionsFromChallenges(constraint, {});
    window.change({ added: [standardSession('read')] });
    const words = 'Bearer error="insufficient_scope", scope="read write":a b'.split(' ');
    const isTold = () => window.announced?.some((scopes) => JSON.stringify(scopes) === JSON.stringify(words));
    assert.equal(isTold(), false, 'it lacks a scope');
    window.change({ changed: [standardSession('read', 'write')] });
    assert.equal(isTold(), true);
  });

  it('is in no log', async () => {
    const window = await opened(standardSession('read'));
    await window.provider.getSessionsFromChallenges(
      { challenges: [bearer({ error: 'insufficient_scope', scope: 'sealed-words', realm: 'sealed-words' })] },
      {},
    );
    assert.doesNotMatch(window.log.text(), /sealed-words/);
  });
});

/** Guards that callers who keep a token learn for how long they may. */
describe('how long a token may be kept', () => {
  for (const [what, times, expected] of [
    ['ends when the next refresh is planned', { expiresAt: 60_000.9, nextRefreshAt: 45_000.9 }, 45_000],
    ['ends when it expires, if no refresh comes first', { expiresAt: 30_000, nextRefreshAt: Infinity }, 30_000],
    [
      'isn’t said if a refresh is due: the token may be replaced at any moment',
      { expiresAt: 30_000, nextRefreshAt: 0 },
      undefined,
    ],
    ['isn’t said if nobody knows', { expiresAt: Infinity, nextRefreshAt: Infinity }, undefined],
  ] as const) {
    it(what, async () => {
      const now = 1_000_000;
      const at = (time: number): number => time + now;
      const { expiresAt, nextRefreshAt } = times;
      const session = sessionOf('Ada', 'one', { expiresAt: at(expiresAt), nextRefreshAt: at(nextRefreshAt) });
      const window = await Window.open(session);
      window.clock.jump(now - window.clock.now());
      const [served] = await window.provider.getSessions(['any'], {});
      assert.ok(served !== undefined);
      assert.equal('expiresAfter' in served ? served.expiresAfter : undefined, expected);
    });
  }
});
