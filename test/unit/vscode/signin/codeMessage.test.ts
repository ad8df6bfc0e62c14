import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { confirmed, credentials, deviceCode, pending } from '../../signin/scriptedClient';
import { codeButtons } from '../../../../src/vscode/signin/codeMessage';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { english } from '../english';
import { type Bench, bench, begun, withAddress } from './signInBench';

/** Of the message, if a phone can open the page. */
const BUTTONS = codeButtons(createTexts(english, 'en'), true);

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

  for (const [what, copy, isSaid] of [
    ['never answers', () => new Promise<void>(() => undefined), true],
    ['answers after 5 s', (b: Bench) => b.clock.sleep(5_000), true],
    ['fails after 5 s', (b: Bench) => b.clock.sleep(5_000).then(() => Promise.reject(new Error('no'))), true],
    ['fails', () => Promise.reject(new Error('no clipboard')), true],
    ['answers after half a second', (b: Bench) => b.clock.sleep(500), false],
  ] as const) {
    it(`opens the page even if the clipboard ${what}`, async () => {
      const b = await begun({ responses: [pending] });
      b.editor.copy = () => copy(b);
      const pressed = b.editor.press('Open browser');
      await b.clock.advance(1_000);
      assert.equal(b.editor.opened.length, 1);
      await pressed;
      assert.deepEqual(b.editor.remarks, isSaid ? ['Couldn’t copy to the clipboard.'] : []);
    });
  }

  it('says that a clipboard that never answers has nothing', async () => {
    const b = await begun({ responses: [pending] });
    b.editor.copy = () => new Promise(() => undefined);
    const pressed = b.editor.press('Copy code');
    await b.clock.advance(1_000);
    await pressed;
    assert.deepEqual(b.editor.remarks, ['Couldn’t copy to the clipboard.']);
  });

  it('has the buttons of the list, in its order', async () => {
    const b = await begun();
    assert.deepEqual(b.editor.last.buttons, BUTTONS);
    assert.deepEqual(BUTTONS, ['Open browser', 'Copy code', 'Show QR code']);
  });

  it('copies the code and stays, and says so in the status bar', async () => {
    const b = await begun();
    const { text } = b.editor.last;
    await b.editor.press('Copy code');
    assert.deepEqual([b.editor.clipboard, b.editor.opened], [['ABCD-1234'], []]);
    assert.deepEqual([b.editor.messages.length, b.editor.last.text, b.editor.last.buttons], [2, text, BUTTONS]);
    assert.deepEqual(b.editor.remarks, ['Copied to the clipboard.']);
  });

  it('always looks the same, so that a new one replaces one that’s still there', async () => {
    const b = await begun();
    await b.editor.press('Copy code');
    await b.begin();
    b.editor.mayOpen = false;
    await b.editor.press('Open browser');
    await b.setOff('openVerificationPage');
    const looks = b.editor.messages.map(({ buttons, text }) => [text, ...buttons].join());
    assert.deepEqual([looks.length, new Set(looks).size], [5, 1]);
  });

  for (const mayOpen of [false, new Error('no browser')]) {
    it(`stays, and says that any browser will do, if none was opened (${String(mayOpen)})`, async () => {
      const b = await begun();
      b.editor.mayOpen = mayOpen;
      await b.editor.press('Open browser');
      assert.deepEqual(b.editor.remarks, ['The browser didn’t open. Open the address in any browser, on any device.']);
      assert.deepEqual([b.editor.messages.length, b.editor.last.buttons], [2, BUTTONS]);
      assert.equal(b.editor.context.get('signInRunning'), true);
    });
  }

  it('doesn’t claim that it copied if the clipboard can’t be used, and opens the page anyway', async () => {
    const b = await begun();
    b.editor.clipboardFault = new Error('no clipboard');
    await b.editor.press('Open browser');
    assert.equal(b.editor.opened.length, 1);
    await b.setOff('copyUserCode');
    assert.deepEqual(new Set(b.editor.remarks), new Set(['Couldn’t copy to the clipboard.']));
    assert.equal(b.editor.messages.length, 2, 'the person needs the code');
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
    assert.equal(b.editor.remarks.at(-1), 'That code is no longer valid. Use the new one.');
    assert.match(b.editor.last.text, /^Your code is NEW-1\./);
    const { baseUrl } = credentials;
    assert.deepEqual(b.signIn.attempt?.request.services, [baseUrl], 'whichever service is the default by then');
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
    assert.equal(b.editor.messages.length, 1);
    assert.deepEqual(b.editor.remarks, ['Signed in to My Service.']);
  });

  it('can’t be made to hold a link, and only ours is in the progress', async () => {
    const b = await begun(withAddress('https://service.example/[Click](command:workbench.action.quit)'));
    assert.ok(!b.editor.last.text.includes(']('));
    assert.ok(b.editor.faces.every((face) => !face.tooltip.includes('](')));
    await b.editor.press(undefined);
    assert.deepEqual(b.editor.progresses[0]?.texts.at(-1)?.match(/\]\(.*?\)/g), [
      '](command:someBrand.openVerificationPage)',
    ]);
  });
});

describe('the menu behind the status bar', () => {
  it('offers everything that can be done', async () => {
    const b = await begun();
    b.editor.choices = ['Copy Address', 'Cancel Sign In'];
    await b.setOff('signInMenu');
    assert.deepEqual(b.editor.clipboard, ['https://service.example/device']);
    assert.deepEqual(b.editor.lists[0]?.descriptions, [
      undefined,
      'ABCD-1234',
      undefined,
      'https://service.example/device',
      undefined,
    ]);
    assert.deepEqual(b.editor.lists[0].labels, [
      'Open Browser',
      'Copy Code',
      'Show QR Code',
      'Copy Address',
      'Cancel Sign In',
    ]);
    await b.setOff('signInMenu');
    assert.equal(b.editor.context.get('signInRunning'), false);
  });

  it('closes when the sign-in ends', async () => {
    const b = await begun({ responses: [confirmed] });
    b.editor.leavesListsOpen = true;
    let isOpen = true;
    const menu = b.run('signInMenu').then(() => (isOpen = false));
    await b.clock.advance(4_000);
    assert.equal(isOpen, true);
    await b.clock.advance(1_000);
    await menu;
  });

  it('offers to cancel while there is no code yet', async () => {
    const b = await begun({ codes: [{ response: deviceCode(), after: 1_000 }] });
    await b.setOff('signInMenu');
    assert.deepEqual(b.editor.lists[0]?.labels, ['Cancel Sign In']);
    await b.setOff('copyUserCode');
    assert.deepEqual(b.editor.remarks, ['There’s no code yet.']);
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

  for (const command of ['copyUserCode', 'openVerificationPage', 'cancelSignIn', 'signInMenu']) {
    it(`${command} says so if no sign-in runs, and offers one`, async () => {
      const b = bench();
      await b.setOff(command);
      assert.equal(b.editor.last.text, 'No sign-in is in progress.');
      await b.editor.press('Sign In');
      assert.equal(b.client.codeRequests.length, 1);
    });
  }
});
