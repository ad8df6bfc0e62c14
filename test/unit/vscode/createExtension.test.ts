import assert from 'node:assert/strict';
import manifest from '../../../package.json';
import { CODE_ACTIONS } from '../../../src/vscode/signin/signInView';
import { CountingService, LIFETIME } from '../../support/countingService';
import { ExtensionInMemory, openWindow, signIn } from '../../support/extensionInMemory';
import { settle } from '../../support/fakeClock';
import { FakeAuthentication } from './fakeAuthentication';
import { enter } from './fakeEditor';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const OTHER = 'https://other.example';

/** What the person was told, as often as it was said. */
const told = (window: ExtensionInMemory, text: RegExp): number =>
  [...window.editor.messages.map((message) => message.text), ...window.editor.remarks].filter((one) => text.test(one))
    .length;

/** A window in which a sign-in waits for the person, and another one beside it. */
async function openBesideSignIn() {
  const { window, service } = await openWindow();
  const other = new ExtensionInMemory(service.fetch, { before: window });
  await other.clock.advance(10 * SECOND);
  service.activated = false;
  const begun = window.signIn();
  begun.catch(() => undefined);
  await window.clock.advance(10 * SECOND);
  return { window, other, service };
}

/** Guards that the parts work together: the activation, a window's end, and changes of the service. */
describe('the extension, when it is activated', () => {
  it('registers its provider and all commands before anything is awaited', () => {
    const window = new ExtensionInMemory(new CountingService().fetch);
    const promised = manifest.contributes.commands.map(({ command }) => command.replace('deviceFlow.', ''));
    const all = new Set([...promised, ...CODE_ACTIONS, 'reportRejectedToken', 'showScopes']);
    assert.deepEqual([...window.commands].sort(), [...all].sort());
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

  it('looks at nothing until its activation is done, because callers wait for that', async () => {
    const window = new ExtensionInMemory(new CountingService().fetch);
    await settle();
    assert.deepEqual(window.authentication.menu(), []);
    await window.clock.advance(0);
    assert.equal(window.authentication.menu().length, 1);
  });

  it('begins nothing if the window is closed right after its activation', async () => {
    const window = new ExtensionInMemory(new CountingService().fetch);
    await window.close();
    await window.clock.advance(MINUTE);
    assert.equal(window.rows.written(), '');
  });

  it('removes everything from the editor when the window closes', async () => {
    const { window } = await openWindow();
    await window.close();
    assert.deepEqual(window.commands, []);
    await assert.rejects(window.authentication.getSession(['a scope']), /No authentication provider/);
  });
});

describe('a window that begins to close', () => {
  it('requests no code for a sign-in that has just begun', async () => {
    const { window, service } = await openWindow();
    const begun = assert.rejects(window.signIn(), { name: 'Canceled' });
    const closing = window.close();
    await window.clock.advance(20 * SECOND);
    await Promise.all([begun, closing]);
    assert.equal(service.counts.get('device_code'), undefined);
  });

  it('sends no refresh, however long a sign-in takes to end', async () => {
    const scene = await openWindow();
    const { service, window } = scene;
    service.userId = 'ada';
    await signIn(scene);
    const release = await window.locks.of(window.clock).acquire('accounts', 0);
    service.user = 'Grace';
    service.userId = 'grace';
    const naming = window.signIn();
    naming.catch(() => undefined);
    await window.clock.advance(10 * SECOND);
    const sent = service.counts.get('refresh_token');
    const closed = window.close();
    await window.clock.advance(LIFETIME * SECOND);
    release?.();
    await window.clock.advance(10 * SECOND);
    await closed;
    assert.equal(service.counts.get('refresh_token'), sent);
  });
});

describe('a sign-in whose tokens the disk would refuse', () => {
  it('requests no code, although the store is open, and says why', async () => {
    const { service, window } = await openWindow();
    window.rows.fault = 'EROFS';
    const refused = assert.rejects(window.signIn(), { message: /^The extension’s storage folder was read-only/ });
    await window.clock.advance(MINUTE);
    await refused;
    assert.deepEqual([...service.counts], []);
  });
});

describe('what people do with accounts', () => {
  it('is in the log: sign-outs and renames, which leave the user at the service, and which service is configured', async () => {
    const scene = await openWindow();
    await signIn(scene);
    const { window } = scene;
    window.editor.answers = [enter('Joan')];
    await window.chooseInStatus('Rename…');
    assert.deepEqual(window.authentication.menu(), ['Joan (My Service)']);
    const { descriptions = [], labels = [], title } = window.editor.lists.at(-1) ?? {};
    assert.deepEqual([title, descriptions[labels.indexOf('User')]], ['Joan (My Service)', 'Ada']);
    assert.match(window.log.text(), /Session [\w-]+ was renamed\./);
    await window.command('signOut');
    assert.match(window.log.text(), /Session [\w-]+ was signed out\./);
    window.editor.change({ baseUrl: OTHER });
    assert.match(
      window.log.text(),
      /The configuration changed\. Base URL https:\/\/other\.example, client ID editor\./,
    );
  });

  it('knows which sessions it serves, and no others', async () => {
    const scene = await openWindow();
    await signIn(scene);
    const { window } = scene;
    const [served] = await window.serve();
    assert.ok(served);
    assert.equal(await window.has(served.id), true);
    assert.equal(await window.has('of another extension'), false);
    window.editor.change({ baseUrl: OTHER });
    await window.clock.advance(SECOND);
    assert.equal(await window.has(served.id), false, 'the token isn’t for this service');
  });

  it('keeps its session if another service is configured while it’s refreshed, and then the first one again', async () => {
    const scene = await openWindow();
    await signIn(scene);
    const { service, window } = scene;
    let respond = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      respond = resolve;
    });
    service.beforeRefreshed = () => asked;
    const [before] = await window.list();
    const reported = window.command('reportRejectedToken', before?.accessToken);
    await window.clock.advance(SECOND);
    window.editor.change({ baseUrl: OTHER });
    await window.clock.advance(SECOND);
    respond();
    await window.clock.advance(SECOND);
    await reported;
    assert.deepEqual(await window.serve(), [], 'the other service has no session');
    window.editor.change({ baseUrl: 'https://service.example/v1' });
    await window.clock.advance(SECOND);
    const [served] = await window.serve();
    assert.ok(served && served.accessToken !== before?.accessToken, 'it’s served with the next token');
    assert.equal(service.counts.get('refresh_token'), 1);
  });

  it('hides an account when another service is configured, says so where the person is, and lists it as hidden', async () => {
    const scene = await openWindow();
    await signIn(scene);
    const { window } = scene;
    window.editor.isFocused = false;
    window.editor.change({ baseUrl: OTHER });
    await window.clock.advance(SECOND);
    assert.equal(told(window, /are hidden/), 0);
    window.editor.change({ baseUrl: 'https://service.example/v1' });
    await window.clock.advance(SECOND);
    assert.deepEqual(window.authentication.menu(), ['Ada (My Service)']);
    window.editor.isFocused = true;
    window.editor.change({ baseUrl: OTHER });
    await window.clock.advance(SECOND);
    assert.equal(told(window, /^These accounts were hidden .*: Ada\./), 1);
    assert.deepEqual(window.authentication.menu(), [
      `Sign in with My Service to use ${FakeAuthentication.EXTENSION} (1)`,
    ]);
    window.editor.choices = ['Ada', 'Sign Out'];
    await window.command('showStatus');
    assert.ok(window.editor.lists[0]?.headings.includes('Not configured'));
    window.editor.change({ baseUrl: 'https://service.example/v1' });
    await window.clock.advance(SECOND);
    assert.deepEqual(await window.list(), []);
  });
});

describe('a sign-in that waits for the person', () => {
  it('runs in two windows at once, each with a code of its own, and each ends with an account', async () => {
    const { window, service } = await openWindow();
    const other = new ExtensionInMemory(service.fetch, { before: window, clock: window.clock });
    await window.clock.advance(10 * SECOND);
    service.activated = false;
    const both = [window.signIn(), other.signIn()];
    await window.clock.advance(10 * SECOND);
    assert.equal(service.counts.get('device_code'), 2);
    service.activated = true;
    await window.clock.advance(10 * SECOND);
    const labels = (await Promise.all(both)).map(({ account }) => account.label);
    assert.deepEqual(labels.sort(), ['Ada', 'Ada (2)']);
    await window.clock.advance(20 * SECOND);
    for (const { authentication } of [window, other]) {
      assert.deepEqual([...authentication.menu()].sort(), ['Ada (2) (My Service)', 'Ada (My Service)']);
    }
  });

  it('costs other windows nothing when they get the focus: they wait for no lock', async () => {
    const { other, window } = await openBesideSignIn();
    const { waits } = window.locks;
    for (let times = 0; times < 10; times++) {
      other.editor.focus(false);
      other.editor.focus(true);
      await other.clock.advance(3 * SECOND);
    }
    assert.equal(window.locks.waits, waits);
  });
});

describe('a window that the person comes back to', () => {
  it('notices a client secret that was stored in another one while it asked for it', async () => {
    const service = new CountingService();
    const window = new ExtensionInMemory(service.fetch);
    window.editor.answers = [() => new Promise(() => undefined)];
    const session = window.signIn();
    await window.clock.advance(SECOND);
    assert.equal(window.editor.questions.length, 1);
    const other = new ExtensionInMemory(service.fetch, { before: window, clock: window.clock });
    const stored = other.command('setClientSecret', 'not a real secret');
    await window.clock.advance(SECOND);
    await stored;
    window.editor.focus(false);
    window.editor.focus(true);
    await window.clock.advance(10 * SECOND);
    assert.equal((await session).account.label, 'Ada');
  });
});
