import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { confirmed } from '../../signin/scriptedClient';
import { sessionOf } from '../fakeSessions';
import { bench, begun, signedIn } from './signInBench';

/** Guards which requests join the sign-in in progress, and what old messages lead to. */
describe('a request while a sign-in is in progress', () => {
  it('joins one for the same account that was begun by an old button', async () => {
    const b = bench();
    b.sessions.held.push(sessionOf('Ada', 'one', { needsUser: true }));
    await b.begin({ accountId: 'account of one' });
    const [first] = b.editor.messages;
    await b.run('cancelSignIn');
    await settle();
    await b.begin({ accountId: 'account of one' });
    first?.close('Copy code');
    await settle();
    assert.deepEqual([b.editor.lists, b.client.codeRequests.length], [[], 2]);
    assert.equal(b.editor.messages.length, 2, 'its code is shown');
  });

  it('doesn’t join one for a new account of another name', async () => {
    const b = await begun();
    b.sessions.held.push(sessionOf('Ada', 'one'));
    await b.run('cancelSignIn');
    await b.begin({ accountLabel: 'Bob' });
    await b.begin({ accountLabel: 'Carl' });
    assert.match(b.editor.lists[0]?.placeholder ?? '', /already in progress/);
    await b.begin({ accountLabel: 'Bob' });
    assert.equal(b.editor.lists.length, 1);
  });
});

describe('a message with a code that’s left after a sign-in', () => {
  it('leads to another sign-in if nobody is signed in anymore', async () => {
    const b = bench({ responses: [confirmed] });
    await signedIn(b);
    const [left] = b.editor.messages;
    b.sessions.held.splice(0);
    left?.close('Open browser');
    await settle();
    assert.deepEqual([b.signIn.isRunning, b.editor.opened], [true, []]);
  });

  it('offers no used-up code while the account is found out', async () => {
    const b = bench({ responses: [confirmed] });
    b.sessions.storing = Promise.resolve();
    b.sessions.assignAccount = () => new Promise(() => undefined);
    void b.signIn.start();
    await b.clock.advance(5_000);
    await b.run('openVerificationPage');
    await b.run('copyUserCode');
    assert.deepEqual([b.editor.opened, b.editor.clipboard], [[], []]);
    assert.equal(b.editor.remarks.at(-1), 'You’re already signed in.');
  });
});
