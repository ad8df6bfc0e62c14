import assert from 'node:assert/strict';
import type { CurrentSession } from '../../../../src/sessions/currentSession';
import { settle } from '../../../support/fakeClock';
import { FakeAuthentication } from '../fakeAuthentication';
import { sessionOf } from '../fakeSessions';
import { OWN, Window } from './providerBench';

const MINUTE = 60_000;

const offer = (label: string): string => `Sign in with ${label} to use ${FakeAuthentication.EXTENSION} (1)`;
const renamed = (session: CurrentSession, label: string): CurrentSession =>
  sessionOf(label, session.id, { account: { ...session.account, label } });

/** Guards that the Accounts menu shows who is signed in, or else one way to sign in. */
describe('the Accounts menu', () => {
  it('offers the sign-in once while nobody is signed in', async () => {
    const window = await Window.open();
    assert.deepEqual(window.authentication.menu(), [offer('First Cloud')]);
    window.provider.update();
    window.provider.update();
    await settle();
    assert.deepEqual(window.authentication.menu(), [offer('First Cloud')]);
  });

  it('offers no sign-in until there’s one to offer', async () => {
    const window = new Window();
    window.mayOffer = false;
    window.provider.update();
    await settle();
    assert.deepEqual(window.authentication.menu(), []);
    window.mayOffer = true;
    window.provider.update();
    await settle();
    assert.deepEqual(window.authentication.menu(), [offer('First Cloud')]);
  });

  it('offers the sign-in under the new name of the service, and shows no account that isn’t one', async () => {
    const window = await Window.open();
    for (const name of ['Second Cloud', 'Third Cloud']) {
      await window.rename(name);
      assert.deepEqual(window.authentication.menu(), [offer(name)]);
    }
  });

  it('has the account instead of the offer after a sign-in, and no offer after the sign-out, until the next window', async () => {
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
    assert.deepEqual(window.authentication.menu(), []);
    const next = await Window.open();
    assert.deepEqual(next.authentication.menu(), [offer('First Cloud')]);
  });

  it('has the offer again if the service ended the session', async () => {
    const window = await Window.open();
    const session = sessionOf('Ada');
    window.change({ added: [session] });
    await settle();
    window.rejected.add(session.id);
    window.change({ removed: [session] });
    await settle();
    assert.deepEqual(window.authentication.menu(), [offer('First Cloud')]);
  });

  for (const scopes of [[], ['read'], ['write', 'read'], ['write read']]) {
    it(`drops the offer of an extension that asked for ${JSON.stringify(scopes)} after a sign-in`, async () => {
      const window = await Window.open();
      await window.authentication.getSession(scopes);
      assert.equal(window.authentication.menu().length, 2);
      window.change({ added: [sessionOf('Ada')] });
      await settle();
      assert.deepEqual(window.authentication.menu(), ['Ada (First Cloud)']);
    });
  }

  it('has no offer if a session arrives as the offer is made, and none to give this extension access', async () => {
    const window = await Window.open();
    window.whenOffering = () => {
      window.whenOffering = () => undefined;
      window.change({ added: [sessionOf('Ada')] });
    };
    window.provider.update();
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

  it('shows a renamed account in Eclipse Theia, too, which handles removed sessions last, and no changed ones', async () => {
    const ada = sessionOf('Ada');
    const window = await Window.open(ada);
    window.change({ changed: [renamed(ada, 'Joan')] });
    const shown = new Map([[ada.id, ada.account.label]]);
    for (const { added = [], removed = [] } of window.events) {
      for (const { account, id } of added) if (!shown.has(id)) shown.set(id, account.label);
      for (const { id } of removed) shown.delete(id);
    }
    assert.deepEqual([...shown.values()], ['Joan']);
  });

  it('keeps an account whose session is replaced, in whichever order that’s announced', async () => {
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
    window.whenOffering = () => {
      throw new Error('No authentication provider is registered.');
    };
    window.provider.update();
    await settle();
    assert.match(window.log.text(), /can't be offered in the Accounts menu/);
    assert.deepEqual(window.authentication.menu(), [offer('First Cloud')]);
  });

  it('has no provider anymore that was disposed of while an update was queued, which would register it again', async () => {
    const window = await Window.open();
    window.signIn = () => Promise.resolve(sessionOf('Ada'));
    window.label = 'Second Cloud';
    window.provider.update();
    window.provider.dispose();
    await settle();
    assert.deepEqual(window.authentication.menu(), []);
    await assert.rejects(window.authentication.createSession(OWN), /No authentication provider is registered/);
  });

  it('isn’t asked for an offer of a provider that’s disposed of during an update', async () => {
    const window = await Window.open();
    let offers = 0;
    window.whenOffering = () => {
      offers++;
    };
    window.provider.update();
    await Promise.resolve();
    window.provider.dispose();
    await settle();
    assert.equal(offers, 0);
  });
});
