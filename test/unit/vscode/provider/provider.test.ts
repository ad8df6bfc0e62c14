import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { currentSession } from '../../../../src/sessions/currentSession';
import { SessionError } from '../../../../src/sessions/sessionError';

import { settle } from '../../../support/fakeClock';
import { SERVICE, sessionOf } from '../fakeSessions';
import { OWN, Window } from './providerBench';

const MINUTE = 60_000;

/** Guards that VS Code gets the sessions that it asks for, with the right scopes and events. */
describe('what is served', () => {
  it('has exactly the requested scopes, whichever they are', async () => {
    const { provider } = await Window.open(sessionOf('Ada'));
    for (const scopes of [[], ['read'], ['write', 'read']]) {
      const [session] = await provider.getSessions(scopes, {});
      assert.deepEqual(session?.scopes, scopes);
      assert.equal(session.accessToken, 'not a real access token');
      assert.deepEqual(session.account, { id: 'account of Ada', label: 'Ada' });
    }
  });

  it('is the requested account', async () => {
    const { provider } = await Window.open(sessionOf('Ada'), sessionOf('Grace'));
    const account = { id: 'account of Grace', label: 'Grace' };
    const ids = (await provider.getSessions(['read'], { account })).map(({ id }) => id);
    assert.deepEqual(ids, ['Grace']);
  });

  it('is listed for menus even if tokens can’t be refreshed, which others are told', async () => {
    const window = await Window.open(sessionOf('Ada'));
    window.fault = new SessionError('not sent');
    // Eclipse Theia takes back our offer if somebody is signed in with the scopes of that.
    const [listed, ...others] = await window.provider.getSessions(undefined, {});
    assert.deepEqual([listed?.scopes, others], [['own.scope'], []]);
    await assert.rejects(window.provider.getSessions(['read'], {}), /The service didn’t respond\./);
    assert.doesNotMatch(window.log.text(), /can't be served/);
    window.fault = Object.assign(new Error('with a path'), { code: 'EACCES' });
    await assert.rejects(
      window.provider.getSessions(['read'], {}),
      /^Error: Couldn’t refresh the session for Ada \(.*\)\. Try again, or see the log/,
    );
    assert.match(window.log.text(), /can't be served \(EACCES\)/);
    assert.doesNotMatch(window.log.text(), /with a path/);
  });

  it('can be removed, and a failure of that is explained', async () => {
    const window = await Window.open(sessionOf('Ada'));
    const signedOut: string[] = [];
    window.provider.onDidSignOut(({ session }) => signedOut.push(session.id));
    await window.provider.removeSession('Ada');
    await window.provider.removeSession('Ada');
    assert.deepEqual([window.sessions, signedOut], [[], ['Ada']]);
    window.fault = new Error('no disk');
    await assert.rejects(window.provider.removeSession('Ada'), /^Error: Couldn’t finish signing out of .*\. Try again/);
    assert.match(window.log.text(), /Session Ada can't be signed out of/);
    assert.doesNotMatch(window.log.text(), /no disk/);
  });
});

describe('the ID token of a session', () => {
  it('is handed out beside the access token, and is in no printed session', async () => {
    const { ...info } = sessionOf('Ada');
    const session = currentSession(info, 'not a real access token', 'not a real ID token');
    const window = await Window.open(session);
    const [served] = await window.provider.getSessions(['read'], {});
    assert.equal(Reflect.get(served ?? {}, 'idToken'), 'not a real ID token');
    assert.doesNotMatch(inspect(session, { showHidden: true }) + JSON.stringify(session), /not a real/);
  });

  it('isn’t there if the service gave none', async () => {
    const window = await Window.open(sessionOf('Ada'));
    const [served] = await window.provider.getSessions(['read'], {});
    assert.ok(served !== undefined && !('idToken' in served));
  });
});

describe('a session of the service that a caller means', () => {
  const OURS = `DEVICE_FLOW_SERVICE:${SERVICE.baseUrl}/`;
  const OTHER = 'DEVICE_FLOW_SERVICE:https://other.example';

  it('is served with exactly the scopes that were asked for, to nobody who means another service', async () => {
    const window = await Window.open(sessionOf('Ada'));
    for (const scopes of [[OURS], ['read', OURS], [`read ${OURS}`]]) {
      const [session] = await window.provider.getSessions(scopes, {});
      assert.deepEqual(session?.scopes, scopes);
    }
    for (const scopes of [[OTHER], ['read', OTHER], [OURS, OTHER], [`read ${OTHER}`]]) {
      assert.deepEqual(await window.provider.getSessions(scopes, {}), [], String(scopes));
    }
  });

  for (const name of [
    '',
    'login.acme.example',
    'http://acme.example',
    'https://acme.example/?tenant=1',
    'https://ada@acme.example',
  ]) {
    it(`isn’t there for a name that’s no base URL, of which the extension’s author is told: “${name}”`, async () => {
      const window = await Window.open(sessionOf('Ada'));
      const message = `An extension asked for a session of “${name}”, which isn’t the base URL of a service, such as https://example.com. Contact the publisher of the extension.`;
      const scopes = [`DEVICE_FLOW_SERVICE:${name}`];
      await assert.rejects(window.provider.getSessions(scopes, {}), { message });
      await assert.rejects(window.provider.createSession(scopes, {}), { message });
      assert.deepEqual(window.signIns, [], 'nothing opens');
    });
  }

  it('is announced to those who mean it, and to no others', async () => {
    const window = await Window.open();
    for (const scopes of [[OURS], [OTHER]]) await window.provider.getSessions(scopes, {});
    window.change({ added: [sessionOf('Ada')] });
    assert.deepEqual(window.announced, [OWN, [OURS]]);
  });

  it('is signed in to without sending which service it is', async () => {
    const window = await Window.open();
    window.signIn = () => Promise.resolve(sessionOf('Ada'));
    const { scopes } = await window.provider.createSession(['read', OURS], {});
    assert.deepEqual(scopes, ['read', OURS]);
    assert.deepEqual(window.signIns, [
      { accountId: undefined, awaitedByEditorUntil: 300_000, scopes: ['read'], services: [SERVICE.baseUrl] },
    ]);
  });

  it('isn’t a session that a sign-in for another service brought', async () => {
    const window = await Window.open();
    window.signIn = () => Promise.resolve(sessionOf('Ada'));
    await assert.rejects(window.provider.createSession([OTHER], {}), /didn’t grant the requested access/);
  });
});

describe('a session that is created', () => {
  it('has the requested scopes', async () => {
    const window = await Window.open();
    window.signIn = () => Promise.resolve(sessionOf('Ada'));
    const session = await window.provider.createSession(['read'], {});
    assert.deepEqual(session.scopes, ['read']);
    assert.deepEqual(window.signIns, [
      { accountId: undefined, awaitedByEditorUntil: 300_000, scopes: ['read'], services: [] },
    ]);
  });

  it('is of the service that the person selects, if they came by our own entry in the Accounts menu', async () => {
    const window = await Window.open();
    window.signIn = () =>
      Promise.resolve(sessionOf('Ada', 'other', { service: { ...SERVICE, baseUrl: 'https://other.example' } }));
    const session = await window.provider.createSession(OWN, {});
    assert.deepEqual([session.id, session.scopes], ['other', OWN]);
    assert.equal(window.signIns[0]?.accountLabel, 'as the person says');
  });

  it('is one of the requested account', async () => {
    const window = await Window.open(sessionOf('Ada', 'first'));
    window.signIn = () => Promise.resolve(sessionOf('Ada', 'second'));
    const { account } = sessionOf('Ada', 'first');
    await window.provider.createSession(['read'], { account });
    assert.equal(window.signIns[0]?.accountId, account.id);
  });

  it('is waited for 5 minutes at most; the sign-in continues, and its session is announced', async () => {
    const window = await Window.open();
    const created = window.provider.createSession(['read'], {});
    let waits = true;
    created.catch(() => (waits = false));
    await window.clock.advance(5 * MINUTE - 1);
    assert.ok(waits);
    await window.clock.advance(1);
    await assert.rejects(created, /took longer than 5 minutes/);
    window.change({ added: [sessionOf('Ada')] });
    assert.deepEqual(window.announced, [OWN, ['read']]);
  });

  it('passes a cancellation on as it is', async () => {
    const window = await Window.open();
    const cancellation = new Error('Canceled');
    window.signIn = () => Promise.reject(cancellation);
    await assert.rejects(window.provider.createSession([], {}), cancellation);
    assert.equal(window.clock.sleeping, 0, 'nothing is left waiting');
  });

  it('satisfies each list of scopes once, and our own', async () => {
    const window = await Window.open();
    for (const scope of ['read', 'write', 'read']) await window.provider.getSessions([scope], {});
    void window.provider.createSession(OWN, {});
    window.change({ added: [sessionOf('Ada')] });
    assert.deepEqual(window.announced, [OWN, ['write'], ['read']]);
  });

  it('satisfies the latest 100 lists only, because a server may ask for other scopes in each response', async () => {
    const window = await Window.open();
    for (let index = 0; index < 150; index++) await window.provider.getSessions([`scope${index}`], {});
    window.change({ added: [sessionOf('Ada', 'one')] });
    const announced = (window.announced ?? []).flat();
    assert.equal(announced.length, 1 + 100);
    assert.deepEqual([announced[1], announced.at(-1)], ['scope50', 'scope149']);
  });
});

describe('a change', () => {
  it('is announced in one event, and not after the end', async () => {
    const ada = sessionOf('Ada');
    const window = await Window.open(ada);
    const events = window.events.length;
    window.change({ changed: [ada] });
    const { added, changed, removed } = window.events.at(-1) ?? {};
    assert.deepEqual([added?.length, changed?.length, removed?.length], [0, 1, 0]);
    window.provider.dispose();
    window.change({ changed: [ada] });
    assert.equal(window.events.length, events + 1);
  });
});

describe('the scopes of a session', () => {
  it('are all that were asked for and that it has, when it’s announced', async () => {
    const window = await Window.open();
    for (const scopes of [['a'], ['b'], ['b', 'a']]) await window.provider.getSessions(scopes, {});
    window.change({ added: [sessionOf('Ada', 'Ada', { scopes: ['a'] })] });
    await settle();
    assert.deepEqual(window.announced, [OWN, ['a']]);
  });

  it('that it got by another sign-in are announced to those who wait for them, with one change', async () => {
    const window = await Window.open();
    for (const scopes of [['a'], ['b', 'a'], ['c']]) await window.provider.getSessions(scopes, {});
    window.change({ added: [sessionOf('Ada', 'Ada', { scopes: ['a'] })] });
    const before = window.events.length;
    window.change({ changed: [sessionOf('Ada', 'Ada', { scopes: ['a', 'b'] })] });
    const [event, ...others] = window.events.slice(before);
    assert.deepEqual(others, []);
    assert.deepEqual(event?.changed?.length, 1);
    assert.ok(event.added?.some(({ scopes }) => scopes.join() === 'b,a'));
    assert.ok(event.added?.every(({ scopes }) => !scopes.includes('c')));
  });

  it('are those that another sign-in in progress was for, which is no session for others', async () => {
    const window = await Window.open();
    window.signIn = () => Promise.resolve(sessionOf('Ada', 'Ada', { scopes: ['a'] }));
    const { scopes } = await window.provider.createSession(['a'], {});
    assert.deepEqual(scopes, ['a']);
    await assert.rejects(window.provider.createSession(['b'], {}), /didn’t grant the requested access/);
  });
});
