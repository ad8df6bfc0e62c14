import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { RefreshError } from '../../../../src/sessions/errors';
import type { CurrentSession, SessionsChange } from '../../../../src/sessions/sessions';
import { Provider } from '../../../../src/vscode/provider/provider';
import { Registration } from '../../../../src/vscode/provider/registration';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock, settle } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { sessionOf } from '../fakeSessions';
import { english } from '../english';
import { FakeAuthentication } from '../fakeAuthentication';

const MINUTE = 60_000;
const OWN = ['own scope'];

/** A provider as VS Code has it, with its sessions in the hands of the test. */
class Window {
  readonly clock = new FakeClock();
  readonly log = new RecordingLog();
  readonly authentication = new FakeAuthentication();
  readonly events: vscode.AuthenticationProviderAuthenticationSessionsChangeEvent[] = [];
  readonly signIns: { readonly replaces?: string }[] = [];
  sessions: readonly CurrentSession[] = [];
  label = 'First Cloud';
  fault: Error | undefined;
  signIn: () => Promise<CurrentSession> = () => new Promise(() => undefined);
  readonly #listeners = new Set<(change: SessionsChange) => void>();

  readonly provider = new Provider({
    sessions: {
      list: () => Promise.resolve(this.sessions),
      serve: (accountId) =>
        this.fault === undefined
          ? Promise.resolve(this.sessions.filter(({ account }) => accountId === undefined || account.id === accountId))
          : Promise.reject(this.fault),
      remove: (id) => {
        const removed = this.sessions.filter((session) => session.id === id);
        this.change({ removed });
        return this.fault === undefined ? Promise.resolve() : Promise.reject(this.fault);
      },
      onDidChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    },
    signIn: (request) => {
      this.signIns.push(request);
      return this.signIn();
    },
    clock: this.clock,
    log: this.log,
    texts: createTexts(english, 'en'),
    ownScopes: OWN,
    onIdle: () => {
      this.registration.update();
    },
  });
  readonly registration = new Registration({
    provider: this.provider,
    label: () => this.label,
    register: (label) => this.authentication.register(label, this.provider),
    requestOffer: () => this.authentication.getSession(OWN, {}),
    sessions: { list: () => Promise.resolve(this.sessions) },
    log: this.log,
  });

  /** The provider is registered, and tells `events` of changes. */
  static async open(...sessions: readonly CurrentSession[]): Promise<Window> {
    const window = new Window();
    window.sessions = sessions;
    window.provider.onDidChangeSessions((event) => window.events.push(event));
    window.registration.update();
    await settle();
    return window;
  }

  /** Another window, or a sign-in of this one, changed the sessions. */
  change({ added = [], changed = [], removed = [] }: Partial<SessionsChange>): void {
    const gone = new Set([...changed, ...removed].map(({ id }) => id));
    this.sessions = [...this.sessions.filter(({ id }) => !gone.has(id)), ...changed, ...added];
    for (const listener of this.#listeners) listener({ added, changed, removed });
    this.registration.update();
  }

  async rename(label: string): Promise<void> {
    this.label = label;
    this.registration.update();
    await settle();
  }
}

const offer = (label: string): string => `Sign in with ${label} to use ${FakeAuthentication.EXTENSION} (1)`;
const renamed = (session: CurrentSession, label: string): CurrentSession =>
  sessionOf(label, session.id, { account: { ...session.account, label } });

describe('the Accounts menu', () => {
  it('offers the sign-in once while nobody is signed in', async () => {
    const window = await Window.open();
    assert.deepEqual(window.authentication.menu(), [offer('First Cloud')]);
    window.registration.update();
    window.registration.update();
    await settle();
    assert.deepEqual(window.authentication.menu(), [offer('First Cloud')]);
  });

  it('offers it under the new name of the service, and shows no account that isn’t one', async () => {
    const window = await Window.open();
    for (const name of ['Second Cloud', 'Third Cloud']) {
      await window.rename(name);
      assert.deepEqual(window.authentication.menu(), [offer(name)]);
    }
  });

  it('has the account instead of the offer after a sign-in, and the offer again after the sign-out', async () => {
    const window = await Window.open();
    await window.rename('Second Cloud');
    const ada = sessionOf('Ada');
    window.change({ added: [ada] });
    await settle();
    assert.deepEqual(window.authentication.menu(), ['Ada (Second Cloud)']);
    await window.rename('Third Cloud');
    assert.deepEqual(window.authentication.menu(), ['Ada (Third Cloud)']);
    await window.provider.removeSession(ada.id);
    await settle();
    assert.deepEqual(window.authentication.menu(), [offer('Third Cloud')]);
  });

  it('has no offer if a session arrives as the offer is made, and none to give this extension access', async () => {
    const window = await Window.open(sessionOf('Ada'));
    assert.deepEqual(window.authentication.menu(), ['Ada (First Cloud)']);
    await window.authentication.getSession(OWN, {});
    assert.deepEqual(window.authentication.menu(), ['Ada (First Cloud)', offer('First Cloud')]);
    window.provider.settleOffer();
    await settle();
    assert.deepEqual(window.authentication.menu(), ['Ada (First Cloud)']);
  });

  it('keeps the name of the service while VS Code waits for a sign-in, and changes it after that', async () => {
    const window = await Window.open();
    const created = window.authentication.createSession(OWN);
    await settle();
    await window.rename('Second Cloud');
    assert.deepEqual(window.authentication.menu(), [offer('First Cloud')]);
    await window.clock.advance(5 * MINUTE);
    await assert.rejects(created, /took longer than 5 minutes/);
    await settle();
    assert.deepEqual(window.authentication.menu(), [offer('Second Cloud')]);
  });

  it('shows a renamed account once', async () => {
    const ada = sessionOf('Ada');
    const window = await Window.open(ada, sessionOf('Grace'));
    window.change({ changed: [renamed(ada, 'Joan')] });
    await settle();
    assert.deepEqual([...window.authentication.menu()].sort(), ['Grace (First Cloud)', 'Joan (First Cloud)']);
    window.change({ changed: [renamed(ada, 'Joan')] });
    await settle();
    assert.equal(window.authentication.menu().length, 2);
  });

  it('keeps an account whose session is replaced, in whichever order that is told', async () => {
    const first = sessionOf('Ada', 'first');
    const second = sessionOf('Ada', 'second', { account: first.account });
    const together = await Window.open(first);
    together.change({ added: [second], removed: [first] });
    const apart = await Window.open(first);
    apart.change({ added: [second] });
    apart.change({ removed: [first] });
    await settle();
    for (const { authentication } of [together, apart]) assert.deepEqual(authentication.menu(), ['Ada (First Cloud)']);
  });

  it('is left alone by a failure, which is logged', async () => {
    const window = await Window.open();
    window.registration.dispose();
    await settle();
    window.registration.update();
    await settle();
    assert.match(window.log.text(), /can't be offered in the Accounts menu/);
  });
});

describe('what is served', () => {
  it('has exactly the scopes that were asked for, whichever they are', async () => {
    const { provider } = await Window.open(sessionOf('Ada'));
    for (const scopes of [[], ['read'], ['write', 'read']]) {
      const [session] = await provider.getSessions(scopes, {});
      assert.deepEqual(session?.scopes, scopes);
      assert.equal(session.accessToken, 'not a real access token');
      assert.deepEqual(session.account, { id: 'account of Ada', label: 'Ada' });
    }
  });

  it('is the account that was asked for', async () => {
    const { provider } = await Window.open(sessionOf('Ada'), sessionOf('Grace'));
    const account = { id: 'account of Grace', label: 'Grace' };
    assert.deepEqual(
      (await provider.getSessions(['read'], { account })).map(({ id }) => id),
      ['Grace'],
    );
  });

  it('is listed for menus even if tokens can’t be refreshed, which others are told', async () => {
    const window = await Window.open(sessionOf('Ada'));
    window.fault = new RefreshError('not sent');
    assert.equal((await window.provider.getSessions(undefined, {})).length, 1);
    await assert.rejects(window.provider.getSessions(['read'], {}), /the service can’t be reached/);
    assert.doesNotMatch(window.log.text(), /can't be served/);
    window.fault = Object.assign(new Error('with a path'), { code: 'EACCES' });
    await assert.rejects(window.provider.getSessions(['read'], {}), /can’t be used right now/);
    assert.match(window.log.text(), /can't be served \(EACCES\)/);
    assert.doesNotMatch(window.log.text(), /with a path/);
  });

  it('can be removed, and a failure of that is explained', async () => {
    const window = await Window.open(sessionOf('Ada'));
    await window.provider.removeSession('Ada');
    assert.deepEqual(window.sessions, []);
    window.fault = new Error('no disk');
    await assert.rejects(window.provider.removeSession('Ada'), /can’t be used right now/);
  });
});

describe('a session that is created', () => {
  it('has the scopes that were asked for', async () => {
    const window = await Window.open();
    window.signIn = () => Promise.resolve(sessionOf('Ada'));
    const session = await window.provider.createSession(['read'], {});
    assert.deepEqual(session.scopes, ['read']);
    assert.deepEqual(window.signIns, [{}]);
  });

  it('takes the place of the session of an account that is named, if there is one', async () => {
    const window = await Window.open(sessionOf('Ada', 'first'));
    window.signIn = () => Promise.resolve(sessionOf('Ada', 'second'));
    const { account } = sessionOf('Ada', 'first');
    await window.provider.createSession(['read'], { account });
    await window.provider.createSession(['read'], { account: { id: 'gone', label: 'gone' } });
    assert.deepEqual(window.signIns, [{ replaces: 'first' }, {}]);
  });

  it('is waited for 5 minutes at most; the sign-in continues, and its session is announced', async () => {
    const window = await Window.open();
    const created = window.provider.createSession(['read'], {});
    created.catch(() => undefined);
    await window.clock.advance(5 * MINUTE - 1);
    assert.equal(window.provider.busy, true);
    await window.clock.advance(1);
    await assert.rejects(created, /took longer than 5 minutes/);
    assert.equal(window.provider.busy, false);
    window.change({ added: [sessionOf('Ada')] });
    assert.deepEqual(
      window.events.at(-1)?.added?.map(({ scopes }) => scopes),
      [OWN, ['read']],
    );
  });

  it('passes a cancellation on as it is', async () => {
    const window = await Window.open();
    const cancellation = new Error('Canceled');
    window.signIn = () => Promise.reject(cancellation);
    await assert.rejects(window.provider.createSession([], {}), cancellation);
    assert.equal(window.clock.sleeping, 0, 'nothing is left waiting');
  });

  it('answers the newest 100 lists of scopes and our own', async () => {
    const window = await Window.open();
    for (let i = 0; i < 150; i++) await window.provider.getSessions([`scope ${i}`], {});
    await window.provider.getSessions(['scope 149'], {});
    window.change({ added: [sessionOf('Ada')] });
    const lists = window.events.at(-1)?.added?.map(({ scopes }) => scopes.join(' ')) ?? [];
    assert.equal(lists.length, 101);
    assert.equal(new Set(lists).size, 101);
    for (const list of [...OWN, 'scope 50', 'scope 149']) assert.ok(lists.includes(list), list);
  });
});

describe('a change', () => {
  it('is told in one event, and not after the end', async () => {
    const ada = sessionOf('Ada');
    const window = await Window.open(ada);
    const events = window.events.length;
    window.change({ changed: [ada] });
    assert.deepEqual(
      window.events
        .slice(events)
        .map(({ added, changed, removed }) => [added?.length, changed?.length, removed?.length]),
      [[0, 1, 0]],
    );
    window.provider.dispose();
    window.change({ changed: [ada] });
    assert.equal(window.events.length, events + 1);
  });
});
