import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { confirmed, pending, tokens } from '../../signin/scriptedClient';
import { SessionError } from '../../../../src/sessions/sessionError';
import { ExplainedError } from '../../../../src/vscode/failures/failure';
import { Cancellation, enter } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench } from './signInBench';

/** Guards that nobody is asked for a code, and no caller waits, when the person has signed in elsewhere meanwhile. */
describe('a sign-in whose person gets a session elsewhere', () => {
  it('ends with that session, and takes everything away that’s shown of its code', async () => {
    const b = bench({ responses: [pending, pending] });
    const result = b.signIn.signIn({ scopes: ['a'] });
    await b.clock.advance(5_000);
    const [code] = b.editor.messages;
    b.sessions.bring(sessionOf('Ada', 'narrow', { scopes: ['b'] }));
    b.sessions.bring(sessionOf('Bob', 'unusable', { scopes: ['a'], needsUser: true }));
    await settle();
    assert.equal(b.signIn.isRunning, true, 'these don’t answer the request');
    b.sessions.bring(sessionOf('Grace', 'wide', { scopes: ['a', 'b'] }));
    assert.equal((await result).id, 'wide');
    assert.deepEqual([b.editor.progresses, b.editor.context.get('waitingForUser')], [[], false]);
    assert.deepEqual([b.editor.messages.length, b.editor.remarks], [1, ['Signed in to My Service as Grace.']]);
    code?.close('Open browser');
    await settle();
    assert.equal(b.editor.remarks.at(-1), 'You’re already signed in.');
    await b.clock.advance(60_000);
    assert.deepEqual([b.client.polls.length, b.sessions.added, b.clock.sleeping], [1, [], 0]);
  });

  it('gives a session that’s served, and fails if it can’t be used right now', async () => {
    for (const isUsable of [true, false]) {
      const b = bench({ responses: [pending] });
      const result = b.signIn.signIn();
      await settle();
      b.sessions.serve = () =>
        isUsable ? Promise.resolve([sessionOf('Ada', 'served')]) : Promise.reject(new SessionError('no response'));
      b.sessions.bring(sessionOf('Ada', 'listed'));
      if (isUsable) assert.equal((await result).id, 'served');
      else await assert.rejects(result, ExplainedError);
    }
  });

  it('ends with one that comes while it still looks which ones are there, but not with one that was there', async () => {
    for (const [held, isRunning] of [
      [[], false],
      [[sessionOf('Ada', 'first', { isIdentified: true })], true],
    ] as const) {
      const b = bench({ responses: [pending] });
      b.sessions.held.push(...held);
      b.editor.answers = [enter('Bob')];
      const list = b.sessions.list.bind(b.sessions);
      b.sessions.list = async () => {
        await b.clock.sleep(100);
        return await list();
      };
      void b.signIn.start();
      await settle();
      b.sessions.bring(sessionOf('Grace', 'second'));
      await b.clock.advance(1_000);
      assert.equal(b.signIn.isRunning, isRunning);
      assert.equal(b.editor.messages.length, isRunning ? 1 : 0);
    }
  });

  it('goes on if the person chose another account than the one that gets a session', async () => {
    const b = bench({ responses: [pending, pending] });
    b.sessions.held.push(sessionOf('Ada', 'one', { needsUser: true }), sessionOf('Bob', 'two', { needsUser: true }));
    b.editor.choices = ['Ada'];
    const result = b.signIn.signIn();
    await settle();
    b.sessions.bring(sessionOf('Bob', 'two'));
    await settle();
    assert.equal(b.signIn.isRunning, true);
    b.sessions.bring(sessionOf('Ada', 'one'));
    assert.equal((await result).account.label, 'Ada');
  });

  for (const [what, since, expected] of [
    ['are left alone while anybody is signed in to the service', undefined, []],
    ['are revoked if nobody is signed in to the service anymore', 'signed out', [tokens]],
  ] as const) {
    it(`listens to a poll that’s on its way, whose tokens ${what}`, async () => {
      const b = bench({ responses: [{ ...confirmed, after: 3_000 }] });
      const revoked: unknown[] = [];
      Object.assign(b.client, { revoke: (_: unknown, given: unknown) => Promise.resolve(revoked.push(given)) });
      const result = b.signIn.signIn();
      await b.clock.advance(6_000);
      b.sessions.bring(sessionOf('Grace', 'elsewhere'));
      assert.equal((await result).id, 'elsewhere');
      if (since === 'signed out') b.sessions.held.splice(0);
      await b.clock.advance(60_000);
      assert.equal(b.client.polls.length, 1);
      assert.deepEqual([b.client.polls[0]?.aborted, b.sessions.added], [false, []]);
      assert.deepEqual(revoked, expected);
    });
  }

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
      assert.equal(b.signIn.isRunning, true);
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
});
