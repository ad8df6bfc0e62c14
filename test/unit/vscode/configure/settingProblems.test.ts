import assert from 'node:assert/strict';
import { CountingService } from '../../../support/countingService';
import { ExtensionInMemory } from '../../../support/extensionInMemory';

const GOOD = { protocol: 'draft', baseUrl: 'https://good.example', clientId: 'its' };
const MINUTE = 60_000;
const FIXED = 'This problem has already been fixed in your settings.';

function open(services: unknown): ExtensionInMemory {
  return new ExtensionInMemory(new CountingService().fetch, { services });
}

/** Guards that people learn of each setting that can't be used, once and in the window that they're in. */
describe('a wrong setting in the list of services', () => {
  it('is told once, in a message that leads to the setting, and in the log', async () => {
    const { clock, editor, log } = open([GOOD, { ...GOOD, baseUrl: 'http://bad.example', clientSecret: 'hush' }]);
    await clock.advance(MINUTE);
    assert.match(editor.last.text, /^The deviceFlow\.services\[1\]\.baseUrl setting is invalid/);
    assert.match(editor.last.text, /2 service settings are invalid\.$/);
    assert.deepEqual(editor.last.buttons, ['Open Settings', 'Show Status']);
    await editor.press('Open Settings');
    assert.deepEqual(editor.commands, ['workbench.action.openSettings @id:deviceFlow.services']);
    assert.match(log.text(), /services\[1\]\.clientSecret/);
    assert.ok(!log.text().includes('hush') && !editor.last.text.includes('hush'));
    editor.change({ notify: { on: 'signIn' } });
    await clock.advance(MINUTE);
    assert.equal(editor.messages.length, 1);
  });

  it('is led to by an old message, too, as long as one of those that it’s about is left', async () => {
    const wrong = { ...GOOD, baseUrl: 'http://bad.example' };
    const { clock, editor } = open([wrong, { ...GOOD, notify: { method: 'DELETE' } }]);
    await clock.advance(MINUTE);
    editor.set([
      { ...wrong, baseUrl: 'https://other.example' },
      { ...GOOD, notify: { method: 'DELETE' } },
    ]);
    await editor.press('Open Settings');
    assert.deepEqual([editor.commands.length, editor.remarks], [1, []]);
  });

  for (const button of ['Open Settings', 'Show Status']) {
    it(`isn’t led to anymore when nothing is wrong, which “${button}” says instead`, async () => {
      const { clock, editor } = open([GOOD, GOOD]);
      await clock.advance(MINUTE);
      editor.set([GOOD]);
      await editor.press(button);
      assert.deepEqual([editor.commands, editor.remarks], [[], [FIXED]]);
    });
  }

  it('isn’t led to anymore by the message about the sign-in that it stopped, either', async () => {
    const window = open([{ ...GOOD, protocol: undefined }]);
    await window.command('signIn');
    assert.match(window.editor.last.text, /^The deviceFlow\.services\[0\]\.protocol setting is missing/);
    window.editor.set([GOOD]);
    await window.editor.press('Open Settings');
    assert.deepEqual([window.editor.commands, window.editor.remarks], [[], [FIXED]]);
  });

  it('is told when the person comes to the window, and not if it’s right again in a moment', async () => {
    const { clock, editor } = open([GOOD]);
    editor.focus(false);
    editor.set([GOOD, GOOD]);
    await clock.advance(MINUTE);
    assert.deepEqual(editor.messages, []);
    editor.focus(true);
    editor.set([GOOD]);
    await clock.advance(MINUTE);
    assert.deepEqual(editor.messages, []);
    editor.set('no list');
    await clock.advance(MINUTE);
    assert.match(editor.last.text, /^The deviceFlow\.services setting is invalid.* Enter a list/);
  });

  it('is said to be missing if it isn’t there, with the values that it can have', async () => {
    const { clock, editor } = open([{ ...GOOD, protocol: undefined }]);
    await clock.advance(MINUTE);
    assert.equal(
      editor.last.text,
      'The deviceFlow.services[0].protocol setting is missing. Set it to rfc8628 or draft.',
    );
    editor.set([{ ...GOOD, clientId: undefined }]);
    await clock.advance(MINUTE);
    assert.equal(editor.last.text, 'The deviceFlow.services[0].clientId setting is missing. Enter a value.');
  });
});

describe('a wrong setting of the default service', () => {
  it('is told even if nothing but the device notification depends on it', async () => {
    const fields = { notify: { method: 'DELETE' } };
    const { clock, editor } = new ExtensionInMemory(new CountingService().fetch, { fields });
    await clock.advance(MINUTE);
    assert.equal(
      editor.last.text,
      'The deviceFlow.services[0].notify.method setting is invalid. Set it to POST, PUT, or GET.',
    );
  });

  it('is told once, with what’s wrong in the list', async () => {
    const wrong = { ...GOOD, baseUrl: 'nonsense' };
    const { clock, editor } = open([wrong]);
    await clock.advance(MINUTE);
    assert.match(editor.last.text, /^The deviceFlow\.services\[0\]\.baseUrl setting is invalid\. Enter a web address/);
    await editor.press('Open Settings');
    assert.deepEqual(editor.commands, ['workbench.action.openSettings @id:deviceFlow.services']);
    editor.set([wrong, { ...GOOD, baseUrl: 'http://bad.example' }]);
    await clock.advance(MINUTE);
    assert.match(editor.last.text, /services\[1\]\.baseUrl setting is invalid.* 2 service settings are invalid\.$/);
    assert.equal(editor.messages.length, 2);
  });
});
