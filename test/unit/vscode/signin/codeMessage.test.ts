import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { confirmed, credentials, deviceCode, pending } from '../../signin/scriptedClient';
import { type Bench, bench, begun, LINKS, withAddress } from './signInBench';

/** Of the message, if a phone can open the page. */
const BUTTONS = ['Open browser', 'Copy code', 'Show QR code'];

const NO_BROWSER = /^ABCD-1234: The browser didn’t open\. Enter this code at https:\S+ to sign in to My/;

/** Guards that the code can be copied, opened, and found again while its sign-in runs. */
describe('the message with the code', () => {
  it('copies the code and opens the page as the service sent it', async () => {
    const uri = 'https://service.example/device?a=%2B&b=%26#x';
    const b = await begun(withAddress(uri));
    await b.editor.press('Open browser');
    assert.deepEqual([b.editor.clipboard, b.editor.opened], [['ABCD-1234'], [uri]]);
    assert.equal(b.editor.messages.length, 1);
  });

  it('names the host of the service if the code is entered at another one', async () => {
    const own = await begun();
    assert.match(own.editor.last.text, /^Your code is ABCD-1234\. Enter it at https:\S+ to sign in to My Service\.$/);
    const b = await begun(withAddress('https://other.example/device'));
    assert.match(b.editor.last.text, / to sign in to My Service \(service\.example\)\.$/);
  });

  it('doesn’t name the host of a service on this machine, wherever the code is entered', async () => {
    const b = bench({
      ...withAddress('https://other.example/device'),
      services: [
        { protocol: 'draft', baseUrl: 'http://127.0.0.1:8080', clientId: 'the client', serviceName: 'My Service' },
      ],
    });
    b.secrets.get = () => Promise.resolve('the secret');
    void b.signIn.start();
    await settle();
    assert.match(b.editor.last.text, / to sign in to My Service\.$/);
  });

  for (const [what, copy, isCopied] of [
    ['never answers', () => new Promise<void>(() => undefined), false],
    ['answers after 5 s', (b: Bench) => b.clock.sleep(5_000), false],
    ['fails after 5 s', (b: Bench) => b.clock.sleep(5_000).then(() => Promise.reject(new Error('no'))), false],
    ['fails', () => Promise.reject(new Error('no clipboard')), false],
    ['answers after half a second', (b: Bench) => b.clock.sleep(500), true],
  ] as const) {
    it(`opens the page even if the clipboard ${what}`, async () => {
      const b = await begun({ responses: [pending] });
      b.editor.copy = () => copy(b);
      const pressed = b.editor.press('Open browser');
      await b.clock.advance(1_000);
      assert.equal(b.editor.opened.length, 1);
      await pressed;
      assert.match(b.progress ?? '', isCopied ? /^ABCD-1234: Paste this code/ : /^ABCD-1234: Confirm this code/);
    });
  }

  it('says that a clipboard that never answers has nothing', async () => {
    const b = await begun({ responses: [pending] });
    b.editor.copy = () => new Promise(() => undefined);
    const pressed = b.editor.press('Copy code');
    await b.clock.advance(1_000);
    await pressed;
    assert.deepEqual(b.editor.remarks, ['Couldn’t copy to the clipboard.']);
    assert.match(b.progress ?? '', /^ABCD-1234: Enter this code at /);
  });

  it('has the buttons of the list, in its order', async () => {
    const b = await begun();
    assert.deepEqual(b.editor.last.buttons, BUTTONS);
    assert.deepEqual(BUTTONS, ['Open browser', 'Copy code', 'Show QR code']);
  });

  it('is answered by Copy code, too: the progress follows, and says that it’s copied', async () => {
    const b = await begun();
    await b.editor.press('Copy code');
    assert.deepEqual([b.editor.clipboard, b.editor.opened, b.editor.messages.length], [['ABCD-1234'], [], 1]);
    assert.deepEqual(b.editor.remarks, ['Copied to the clipboard.']);
    assert.match(b.progress ?? '', /^ABCD-1234: Code copied\. Paste it at https:\S+ to sign in to My/);
  });

  it('always looks the same, so that a new one replaces one that’s still there', async () => {
    const b = await begun();
    await b.begin();
    await b.setOff('openVerificationPage');
    await b.begin();
    const looks = b.editor.messages.map(({ buttons, text }) => [text, ...buttons].join());
    assert.deepEqual([looks.length, new Set(looks).size], [3, 1]);
  });

  it('that was replaced doesn’t count as answered when VS Code closes it', async () => {
    const b = await begun();
    await b.begin();
    b.editor.messages[0]?.close(undefined);
    await settle();
    assert.equal(b.progress, undefined, 'the new one is in view');
  });

  for (const mayOpen of [false, new Error('no browser')]) {
    it(`is followed by a progress that says so if no browser was opened (${String(mayOpen)})`, async () => {
      const b = await begun();
      b.editor.mayOpen = mayOpen;
      await b.editor.press('Open browser');
      assert.match(b.progress ?? '', NO_BROWSER);
      assert.deepEqual([b.editor.remarks, b.editor.messages.length], [[], 1]);
      b.editor.mayOpen = true;
      await b.setOff('openVerificationPage');
      assert.match(b.progress ?? '', /^ABCD-1234: Paste this code/);
    });
  }

  it('is followed by a progress at once, which says after 5 s that no browser was opened if VS Code doesn’t answer', async () => {
    const b = await begun();
    let answer: (isOpened: boolean) => void = () => undefined;
    b.editor.openExternal = () => new Promise((resolve) => (answer = resolve));
    await b.editor.press('Open browser');
    assert.match(b.progress ?? '', /^ABCD-1234: /);
    await b.clock.advance(4_000);
    assert.match(b.progress ?? '', /^ABCD-1234: Enter this code/);
    await b.clock.advance(2_000);
    assert.match(b.progress ?? '', NO_BROWSER);
    answer(true);
    await settle();
    assert.match(b.progress ?? '', /^ABCD-1234: Paste this code/, 'it answered after all');
  });

  it('doesn’t claim that it copied if the clipboard can’t be used, and opens the page anyway', async () => {
    const b = await begun();
    b.editor.clipboardFault = new Error('no clipboard');
    await b.editor.press('Open browser');
    assert.equal(b.editor.opened.length, 1);
    assert.match(b.progress ?? '', /^ABCD-1234: Confirm this code in the browser/);
    await b.setOff('copyUserCode');
    assert.deepEqual(b.editor.remarks, ['Couldn’t copy to the clipboard.']);
    assert.match(b.progress ?? '', /^ABCD-1234: /, 'the person needs the code');
  });

  it('may be closed without ending the sign-in; the commands still use the code', async () => {
    const b = await begun();
    await b.editor.press(undefined);
    assert.equal(b.editor.context.get('signInRunning'), true);
    await b.setOff('copyUserCode');
    assert.deepEqual(b.editor.clipboard, ['ABCD-1234']);
    assert.deepEqual(b.editor.remarks, ['Copied to the clipboard.']);
    await b.setOff('openVerificationPage');
    assert.equal(b.editor.opened.length, 1);
  });

  it('begins the same sign-in again when its own is over without a session', async () => {
    const b = await begun({ codes: [{ response: deviceCode() }, { response: deviceCode({ userCode: 'NEW-1' }) }] });
    const old = b.editor.last;
    await b.setOff('cancelSignIn');
    old.close('Open browser');
    await settle();
    assert.deepEqual([b.editor.opened, b.editor.clipboard, b.client.codeRequests.length], [[], [], 2]);
    assert.equal(b.editor.remarks.at(-1), 'That code is no longer valid.');
    assert.match(b.editor.last.text, /^Your code is NEW-1\./);
    const { baseUrl } = credentials;
    assert.deepEqual(b.signIn.current?.request.services, [baseUrl], 'whichever service is the default by then');
  });

  it('says that it isn’t needed anymore when the person is signed in', async () => {
    const b = await begun({ responses: [confirmed] });
    const code = b.editor.last;
    await b.clock.advance(10_000);
    code.close('Open browser');
    await settle();
    assert.deepEqual([b.editor.clipboard, b.editor.opened], [[], []]);
    assert.deepEqual(b.editor.messages.length, 1, 'none above one that still shows the code');
    assert.deepEqual(b.editor.remarks, ['Signed in to My Service.', 'You’re already signed in.']);
  });

  it('isn’t shown again if the sign-in ends while VS Code asks about the address', async () => {
    const b = await begun({ responses: [confirmed] });
    let answer: (isOpened: boolean) => void = () => undefined;
    b.editor.openExternal = () => new Promise((resolve) => (answer = resolve));
    await b.editor.press('Open browser');
    await b.clock.advance(5_000);
    answer(false);
    await settle();
    assert.deepEqual([b.editor.messages.length, b.progress], [1, undefined]);
    assert.deepEqual(
      b.editor.toasts.map(({ text }) => text),
      ['Signed in to My Service.'],
    );
  });

  it('can’t be made to hold a link, and only ours are in the progress', async () => {
    const b = await begun(withAddress('https://service.example/[Click](command:workbench.action.quit)'));
    assert.ok(!b.editor.last.text.includes(']('));
    await b.editor.press(undefined);
    assert.deepEqual(b.progress?.match(/\]\(.*?\)/g), LINKS.match(/\]\(.*?\)/g));
  });

  it('begins in the progress, too, with the code', async () => {
    const b = await begun();
    await b.editor.press(undefined);
    assert.match(b.progress ?? '', /^ABCD-1234: /);
    assert.ok(b.progress?.endsWith(` left. ${LINKS}`));
  });
});

/** Guards that there's never more than one message with a code: VS Code keeps each until it's answered. */
describe('the codes of two sign-ins, one after the other,', () => {
  const codes = ['ABCD-1234', 'NEW-1', 'NEW-2'].map((userCode) => ({ response: deviceCode({ userCode }) }));
  const shownCodes = (b: Bench) => b.editor.messages.map(({ text }) => /^Your code is ([\w-]+)\./.exec(text)?.[1]);

  it('are never in two messages: while the first one isn’t answered, the second code is in the progress only', async () => {
    const b = await begun({ codes });
    const [first] = b.editor.messages;
    await b.setOff('cancelSignIn');
    await b.begin();
    assert.deepEqual([shownCodes(b), b.progress?.startsWith('NEW-1: ')], [['ABCD-1234'], true]);
    await b.begin();
    assert.deepEqual(shownCodes(b), ['ABCD-1234'], 'who joins sees the progress');
    first?.close('Open browser');
    await settle();
    assert.equal(b.editor.remarks.at(-1), 'That code is no longer valid.');
    assert.deepEqual([b.editor.opened, shownCodes(b), b.progress], [[], ['ABCD-1234', 'NEW-1'], undefined]);
  });

  it('are both in messages if the first one was answered', async () => {
    const b = await begun({ codes });
    await b.editor.press(undefined);
    await b.setOff('cancelSignIn');
    await b.begin();
    assert.deepEqual(shownCodes(b), ['ABCD-1234', 'NEW-1']);
  });

  it('are never in two messages, nor is the third, while the first one is still there', async () => {
    const b = await begun({ codes });
    for (const code of ['NEW-1', 'NEW-2']) {
      await b.setOff('cancelSignIn');
      await b.begin();
      assert.deepEqual([shownCodes(b), b.progress?.startsWith(`${code}: `)], [['ABCD-1234'], true]);
    }
  });
});

describe('the commands of a sign-in', () => {
  it('say that there’s no code, and not that one was requested, while the person is asked for the service', async () => {
    const b = bench({ services: [], withSecret: false });
    b.editor.leavesListsOpen = true;
    await b.begin();
    for (const command of ['copyUserCode', 'openVerificationPage', 'showQrCode']) await b.run(command);
    assert.deepEqual(new Set(b.editor.remarks), new Set(['There’s no code yet.']));
  });

  it('say so while the code is requested', async () => {
    const b = await begun({ codes: [{ response: deviceCode(), after: 1_000 }] });
    await b.setOff('copyUserCode');
    assert.deepEqual(b.editor.remarks, ['There’s no code yet.']);
  });

  for (const command of ['copyUserCode', 'openVerificationPage', 'showQrCode', 'cancelSignIn']) {
    it(`${command} says so if no sign-in runs, and offers one`, async () => {
      const b = bench();
      await b.setOff(command);
      assert.equal(b.editor.lastToast.text, 'There’s no sign-in in progress.');
      await b.follow('Sign In');
      assert.equal(b.client.codeRequests.length, 1);
    });
  }
});
