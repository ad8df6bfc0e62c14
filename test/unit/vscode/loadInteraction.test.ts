import assert from 'node:assert/strict';
import { openWindow, signIn, type WindowAndService, ExtensionInMemory } from '../../support/extensionInMemory';

/** What Node.js says if a file isn't there. */
function missingModule(): Error {
  return Object.assign(new Error("Cannot find module './somewhere/private.js'"), { code: 'MODULE_NOT_FOUND' });
}

const SECOND = 1_000;

const TEXT =
  'A file of this extension is missing, probably because the extension was just updated. Reload the window, and then try again.';

/** Guards that a window whose files an update has removed keeps its sessions, and says why it can't do anything else. */
describe('a window that can’t load what is needed once a person does something', () => {
  let opened: WindowAndService;
  let window: ExtensionInMemory;

  beforeEach(async () => {
    opened = await openWindow();
    window = opened.window;
    await signIn(opened);
    window.editor.messages.length = 0;
    window.interactionFault = missingModule();
  });
  afterEach(() => window.close());

  const checkTold = async (): Promise<void> => {
    const [message, ...others] = window.editor.messages;
    assert.equal(message?.text, TEXT);
    assert.deepEqual(others, []);
    await window.editor.press('Reload Window');
    assert.deepEqual(window.editor.commands, ['workbench.action.reloadWindow']);
    assert.match(window.log.text(), /A part of the extension can't be loaded \(MODULE_NOT_FOUND\)/);
    assert.doesNotMatch(window.log.text(), /private/);
  };

  it('still serves its session, and refreshes it', async () => {
    const [before] = await window.serve();
    await window.clock.advance(24 * 60 * 60 * 1000);
    const [after] = await window.serve();
    assert.ok(before !== undefined && after !== undefined && before.accessToken !== after.accessToken);
    assert.deepEqual(window.editor.messages, []);
  });

  it('tells the person and whoever asked for a sign-in, which works once the files are back', async () => {
    await assert.rejects(window.signIn(), { message: TEXT });
    await checkTold();
    window.interactionFault = undefined;
    await signIn(opened, 'Grace');
    assert.equal((await window.list()).length, 2);
  });

  for (const command of ['signIn', 'signOut', 'showStatus'])
    it(`tells the person who runs ${command}`, async () => {
      await window.command(command);
      await checkTold();
    });

  it('tells whoever configures it, and stores nothing', async () => {
    await assert.rejects(async () => await window.command('setClientSecret', 'another secret'), { message: TEXT });
    await checkTold();
  });

  it('leaves the sign-in of an earlier window to the next one', async () => {
    window.interactionFault = undefined;
    opened.service.activated = false;
    void window.command('signIn');
    await window.clock.advance(SECOND);
    const closing = window.close();
    await window.clock.advance(SECOND);
    await closing;
    const open = async (before: ExtensionInMemory, fault?: Error): Promise<ExtensionInMemory> => {
      const next = new ExtensionInMemory(opened.service.fetch, { before, clock: window.clock });
      next.interactionFault = fault;
      await window.clock.advance(10 * SECOND);
      return next;
    };
    const unable = await open(window, missingModule());
    assert.equal(unable.editor.last.text, TEXT);
    await unable.close();
    const able = await open(unable);
    assert.match(able.editor.last.text, /^Your sign-in to My Service continues .* ABCD-1234/);
    await able.close();
  });
});

describe('a window that closes while a sign-in is loaded', () => {
  it('requests no code', async () => {
    const { window, service } = await openWindow();
    const begun = assert.rejects(window.signIn(), { name: 'AbortError' });
    const closing = window.close();
    await window.clock.advance(20 * SECOND);
    await Promise.all([begun, closing]);
    assert.equal(service.counts.get('device_code'), undefined);
  });
});

describe('what sends requests', () => {
  it('is loaded as soon as a window has a session, and not before: later, an update may have removed the files', async () => {
    const { window, service } = await openWindow();
    const other = new ExtensionInMemory(service.fetch, { before: window, clock: window.clock });
    await window.clock.advance(20 * SECOND);
    assert.deepEqual([window.preparedFetch, other.preparedFetch], [0, 0]);
    await signIn({ window, service });
    await window.clock.advance(20 * SECOND);
    assert.ok(window.preparedFetch > 0 && other.preparedFetch > 0, 'both learned of the session');
    const next = new ExtensionInMemory(service.fetch, { before: window, clock: window.clock });
    await window.clock.advance(20 * SECOND);
    assert.ok(next.preparedFetch > 0, 'it was there already');
    for (const each of [window, other, next]) await each.close();
  });
});
