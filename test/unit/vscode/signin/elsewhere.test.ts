import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import type { CurrentSession } from '../../../../src/sessions/currentSession';
import { deviceCode, pending } from '../../signin/scriptedClient';
import { Cancellation } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, type Bench, begun } from './signInBench';

/** Guards that nobody is asked for a code, and no caller waits, when the person has signed in elsewhere meanwhile. */
describe('a sign-in whose person gets a session elsewhere', () => {
  it('ends with that session, and takes everything away that’s shown of its code', async () => {
    const b = bench({ responses: [pending, pending] });
    const result = b.signIn.signIn({ scopes: 'a' });
    await b.clock.advance(5_000);
    const [code] = b.editor.messages;
    b.sessions.bring(sessionOf('Ada', 'narrow', { scopes: ['b'] }));
    b.sessions.bring(sessionOf('Bob', 'unusable', { scopes: ['a'], needsUser: true }));
    await settle();
    assert.equal(b.signIn.running, true, 'these don’t answer the request');
    b.sessions.bring(sessionOf('Grace', 'wide', { scopes: ['a', 'b'] }));
    assert.equal((await result).id, 'wide');
    assert.deepEqual(
      [b.editor.progresses, b.editor.statusItems, b.editor.context.get('waitingForUser')],
      [[], 0, false],
    );
    assert.deepEqual([b.editor.messages.length, b.editor.remarks], [1, ['Signed in to My Service as Grace.']]);
    await settle();
    assert.equal(await b.place.content(), undefined);
    code?.close('Open browser');
    await settle();
    assert.equal(b.editor.remarks.at(-1), 'You’re already signed in.');
    await b.clock.advance(60_000);
    assert.deepEqual([b.client.polls.length, b.sessions.added, b.clock.sleeping], [1, [], 0]);
  });

  it('stays canceled if the person canceled it just before', async () => {
    const b = bench();
    const result = b.signIn.signIn();
    await settle();
    void b.run('cancelSignIn');
    b.sessions.bring(sessionOf('Grace', 'second'));
    await assert.rejects(result, Cancellation);
  });

  for (const [why, request, before] of [
    ['a certain account is wanted', { accountId: 'account of Ada' }, []],
    ['an account is named', { accountLabel: 'Bob' }, []],
    ['another account is wanted', { isForAnother: true, accountLabel: 'Bob' }, []],
    [
      'such a session was there before',
      { accountLabel: undefined },
      [sessionOf('Ada', 'first', { isIdentified: true })],
    ],
  ] as const) {
    it(`continues if ${why}`, async () => {
      const b = bench();
      b.sessions.held.push(...before);
      b.editor.answers = [() => ({ kind: 'entered', value: 'Bob' })];
      const result = b.signIn.signIn(request);
      await settle();
      b.sessions.bring(sessionOf('Grace', 'second'));
      await settle();
      assert.equal(b.signIn.running, true);
      void b.run('cancelSignIn');
      await assert.rejects(result, Cancellation);
    });
  }

  for (const [button, request, isNeeded] of [
    ['for this account', { services: ['https://service.example'] }, false],
    ['for any account of the only service', {}, false],
    ['for another account', { isForAnother: true, services: ['https://service.example'] }, true],
  ] as const) {
    it(`is begun again by an old button ${button} only if that’s still needed`, async () => {
      const b = bench();
      const since = b.clock.now();
      await b.clock.advance(1_000);
      b.sessions.bring(sessionOf('Ada', 'one', { signedInAt: b.clock.now() }));
      void b.signIn.startIfNeeded(request, since);
      await settle();
      assert.equal(b.editor.questions.length, isNeeded ? 1 : 0);
    });
  }

  it('is begun again by an old button that leaves open to which of several services', async () => {
    const services = ['https://service.example', 'https://other.example'];
    const b = bench({ services: services.map((baseUrl) => ({ protocol: 'draft', baseUrl, clientId: 'the client' })) });
    const since = b.clock.now();
    await b.clock.advance(1_000);
    b.sessions.bring(sessionOf('Ada', 'one', { signedInAt: b.clock.now() }));
    void b.signIn.startIfNeeded({}, since);
    await settle();
    assert.equal(b.editor.lists.length, 1);
  });

  describe('after its window is reloaded', () => {
    /** The next window, which continues the sign-in, if a session came before it did. */
    async function next(before: Bench, came: readonly CurrentSession[] = []): Promise<Bench> {
      await before.close();
      await settle();
      came.forEach((session) => {
        before.sessions.bring(session);
      });
      const b = bench({ after: before });
      void b.signIn.resume({ waitForClosingWindow: true });
      await settle();
      return b;
    }

    async function assertEnded(b: Bench, account: string): Promise<void> {
      await settle();
      assert.equal(b.signIn.running, false);
      assert.deepEqual(b.editor.remarks, [`Signed in to My Service as ${account}.`]);
      assert.equal(await b.place.content(), undefined);
      await b.clock.advance(60_000);
      assert.deepEqual([b.client.polls.length, b.sessions.added], [0, []]);
    }

    it('ends with a session that came when no window was there', async () => {
      const before = await begun();
      const came = sessionOf('Grace', 'second', { signedInAt: before.clock.now() });
      await assertEnded(await next(before, [came]), 'Grace');
    });

    it('ends with a session that comes later, after a second reload as well', async () => {
      const b = await next(await next(await bench().begin({ scopes: 'a' })));
      b.sessions.bring(sessionOf('Ada', 'narrow', { scopes: ['b'] }));
      b.sessions.bring(sessionOf('Bob', 'unusable', { scopes: ['a'], needsUser: true }));
      await settle();
      assert.equal(b.signIn.running, true, 'these don’t answer the request');
      b.sessions.bring(sessionOf('Grace', 'wide', { scopes: ['a'] }));
      await assertEnded(b, 'Grace');
    });

    it('begins anew for who wants a new code, though there’s a session by now', async () => {
      const b = await next(
        await begun({ codes: [{ response: deviceCode({ expiresIn: 30 }) }, { response: deviceCode() }] }),
      );
      await b.clock.advance(40_000);
      b.sessions.bring(sessionOf('Grace', 'second'));
      await b.editor.press('Get a new code');
      assert.deepEqual([b.signIn.running, b.client.codeRequests.length], [true, 2]);
    });

    for (const [why, request, held] of [
      ['a certain account is wanted', { accountId: 'account of Ada' }, [sessionOf('Ada', 'Ada', { needsUser: true })]],
      ['the person chose an account', {}, [sessionOf('Ada', 'Ada', { needsUser: true })]],
      ['another account is wanted', { isForAnother: true, accountLabel: 'Bob' }, []],
      ['such a session was there before', {}, [sessionOf('Ada', 'first', { isIdentified: true })]],
    ] as const) {
      it(`continues if ${why}`, async () => {
        const before = bench();
        before.sessions.held.push(...held);
        before.editor.choices = ['Ada'];
        before.editor.answers = [() => ({ kind: 'entered', value: 'Bob' })];
        const b = await next(await before.begin(request), [sessionOf('Grace', 'second')]);
        b.sessions.bring(sessionOf('Eve', 'third'));
        await settle();
        assert.deepEqual([b.signIn.running, b.editor.remarks], [true, []]);
      });
    }
  });
});
