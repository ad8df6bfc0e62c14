import assert from 'node:assert/strict';
import manifest from '../../../package.json';
import { CountingService, LIFETIME } from '../../support/countingService';
import { ExtensionInMemory, openWindow, signIn } from '../../support/extensionInMemory';
import { FakeAuthentication } from './fakeAuthentication';
import { enter } from './fakeEditor';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const OTHER = 'https://other.example';

/** What the person was told, as often as it was said. */
const told = (window: ExtensionInMemory, text: RegExp): number =>
  window.editor.messages.filter((message) => text.test(message.text)).length;

describe('the extension, when it is activated', () => {
  it('registers its provider and all commands before anything is awaited', () => {
    const window = new ExtensionInMemory(new CountingService().fetch);
    const promised = manifest.contributes.commands.map(({ command }) => command.replace('deviceFlow.', ''));
    assert.deepEqual([...window.commands].sort(), [...promised, 'reportRejectedToken', 'signInMenu'].sort());
    assert.ok(window.provider);
  });

  it('offers the sign-in in the Accounts menu, stores nothing and asks the service nothing', async () => {
    const service = new CountingService();
    const window = new ExtensionInMemory(service.fetch);
    await window.clock.advance(MINUTE);
    assert.deepEqual(window.authentication.menu(), [
      `Sign in with My Service to use ${FakeAuthentication.EXTENSION} (1)`,
    ]);
    assert.deepEqual([...service.counts], []);
    assert.equal(window.secretStorage.stored, 0);
  });

  it('removes everything from the editor when the window closes', async () => {
    const { window } = await openWindow();
    await window.close();
    assert.deepEqual(window.commands, []);
    await assert.rejects(window.authentication.getSession(['a scope']), /No authentication provider/);
  });
});

describe('another extension', () => {
  it('is served after a sign-in, and VS Code announces the account', async () => {
    const scene = await openWindow();
    await signIn(scene);
    const { window } = scene;
    assert.deepEqual(window.authentication.menu(), ['Ada (My Service)']);
    assert.deepEqual(
      (await window.serve()).map(({ accessToken }) => accessToken),
      ['access-0-Ada'],
    );
  });

  it('is served every account, if one of them can’t be renewed: that one comes last', async () => {
    const scene = await openWindow();
    await signIn(scene, 'Ada');
    await signIn(scene, 'Grace');
    const { window, service } = scene;
    for (const user of ['Ada', 'Grace']) {
      service.refusal = { status: 503, error: 'busy', of: user };
      await window.clock.advance((LIFETIME + 1) * SECOND);
      const all = window.serve();
      await window.clock.advance(MINUTE);
      const labels = (await all).map(({ account }) => account.label);
      assert.equal(labels.at(-1), user);
      assert.equal(labels.length, 2);
      const account = (await window.list()).find(({ account: { label } }) => label === user)?.account;
      await assert.rejects(window.serve(account), /can’t do that right now/);
    }
  });
});

describe('what people do with accounts', () => {
  it('is in the log: sign-outs and renames, which leave the user at the service, and which service is configured', async () => {
    const scene = await openWindow();
    await signIn(scene);
    const { window } = scene;
    window.editor.answers = [enter('Joan')];
    await window.chooseInStatus('Rename');
    assert.deepEqual(window.authentication.menu(), ['Joan (My Service)']);
    const { descriptions = [], labels = [], title } = window.editor.lists.at(-1) ?? {};
    assert.deepEqual([title, descriptions[labels.indexOf('User at the service')]], ['Joan', 'Ada']);
    assert.match(window.log.text(), /Session [\w-]+ was renamed\./);
    await window.command('signOut');
    assert.match(window.log.text(), /Session [\w-]+ was signed out\./);
    window.editor.set({ baseUrl: OTHER });
    assert.match(
      window.log.text(),
      /The configuration changed\. Base URL https:\/\/other\.example, client ID editor\./,
    );
  });

  it('hides an account when another service is configured, says so where the person is, and lists it as hidden', async () => {
    const scene = await openWindow();
    await signIn(scene);
    const { window } = scene;
    window.editor.isFocused = false;
    window.editor.set({ baseUrl: OTHER });
    await window.clock.advance(SECOND);
    assert.equal(told(window, /is hidden/), 0);
    window.editor.set({ baseUrl: 'https://service.example/v1' });
    await window.clock.advance(SECOND);
    assert.deepEqual(window.authentication.menu(), ['Ada (My Service)']);
    window.editor.isFocused = true;
    window.editor.set({ baseUrl: OTHER });
    await window.clock.advance(SECOND);
    assert.equal(told(window, /^The account Ada is hidden/), 1);
    assert.deepEqual(window.authentication.menu(), [
      `Sign in with My Service to use ${FakeAuthentication.EXTENSION} (1)`,
    ]);
    window.editor.choices = ['Ada', 'Sign Out'];
    await window.command('showStatus');
    assert.ok(window.editor.lists[0]?.headings.includes('Hidden accounts'));
    window.editor.set({ baseUrl: 'https://service.example/v1' });
    await window.clock.advance(SECOND);
    assert.deepEqual(await window.list(), []);
  });
});

describe('a client secret that is refused', () => {
  it('is reported once, until something changes', async () => {
    const scene = await openWindow();
    await signIn(scene);
    const { window, service } = scene;
    service.refusal = { status: 401, error: 'invalid_client' };
    for (let minutes = 0; minutes < 120; minutes += 5) await window.clock.advance(5 * MINUTE);
    assert.ok((service.counts.get('refresh_token') ?? 0) > 1, 'it was sent more than once');
    assert.equal(told(window, /^The service refused the client ID or the client secret/), 1);
    const stored = window.command('setClientSecret', 'another secret');
    await window.clock.advance(MINUTE);
    await stored;
    for (let minutes = 0; minutes < 60; minutes += 5) await window.clock.advance(5 * MINUTE);
    assert.equal(told(window, /^The service refused the client ID or the client secret/), 2);
  });
});

describe('a sign-in that waits for the person', () => {
  it('is continued by the next window', async () => {
    const { window, service } = await openWindow();
    service.activated = false;
    const begun = window.signIn();
    begun.catch(() => undefined);
    await window.clock.advance(10 * SECOND);
    await window.close();
    const next = new ExtensionInMemory(service.fetch, { before: window });
    service.activated = true;
    await next.clock.advance(10 * SECOND);
    assert.deepEqual(next.authentication.menu(), ['Ada (My Service)']);
  });

  it('costs other windows nothing when they get the focus: they wait for no lock', async () => {
    const { window, service } = await openWindow();
    const other = new ExtensionInMemory(service.fetch, { before: window });
    await other.clock.advance(10 * SECOND);
    service.activated = false;
    const begun = window.signIn();
    begun.catch(() => undefined);
    await window.clock.advance(10 * SECOND);
    const { waits } = window.locks;
    for (let times = 0; times < 10; times++) {
      other.editor.listeners?.focus();
      await other.clock.advance(3 * SECOND);
    }
    assert.equal(window.locks.waits, waits);
  });
});

describe('the walkthrough', () => {
  it('is checked off only while its page may be shown', async () => {
    const scene = await openWindow();
    const { window } = scene;
    assert.equal(window.editor.context.get('deviceFlow.configured'), false);
    window.editor.showsPage = true;
    window.editor.listeners?.pages();
    await window.clock.advance(SECOND);
    assert.equal(window.editor.context.get('deviceFlow.configured'), true);
    assert.equal(window.editor.context.get('deviceFlow.signedIn'), false);
    await signIn(scene);
    assert.equal(window.editor.context.get('deviceFlow.signedIn'), true);
  });
});
