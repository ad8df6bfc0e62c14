import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { readQrCode } from '../../../support/readQrCode';
import { confirmed, credentials, deviceCode } from '../../signin/scriptedClient';
import type { Element } from '../fakeEditor';
import { type Bench, begun, withAddress } from './signInBench';

const PAGE = 'https://service.example/device';
const BUTTON = 'Show QR code';

const html = ({ editor }: Bench): string => editor.pages.at(-1)?.html ?? '';

/** A sign-in with this address whose QR code is shown. */
async function shown(verificationUri: string, service?: Element): Promise<Bench> {
  const b = await begun({
    ...withAddress(verificationUri),
    responses: [confirmed],
    ...(service && { services: [service] }),
  });
  await b.run('showQrCode');
  return b;
}

/** Guards that a phone gets the address and nothing else. */
describe('the QR code for a phone', () => {
  for (const address of [
    'https://service.example/device',
    'https://service.example:8080/activate?a=%2B&b=c#d',
    `https://service.example/${'long/'.repeat(40)}`,
  ]) {
    it(`is the address and nothing else: ${address.slice(0, 50)}`, async () => {
      assert.equal(readQrCode(html(await shown(address))), address);
    });
  }

  it('has the code filled in if the service says where', async () => {
    const verificationUriComplete = `${PAGE}?user_code=ABCD-1234`;
    const code = { response: deviceCode({ verificationUri: PAGE, verificationUriComplete }) };
    const b = await begun({ codes: [code], responses: [confirmed] });
    await b.run('showQrCode');
    assert.equal(readQrCode(html(b)), verificationUriComplete);
  });

  it('comes with the address and the code in words, also for those who can’t see it', async () => {
    const page = html(await shown(PAGE));
    assert.match(page, /role="img" aria-label="QR code for https:\/\/service\.example\/device"/);
    assert.match(page, /<span aria-hidden="true">ABCD-1234<\/span>/);
    assert.match(page, />A, B, C, D, dash, 1, 2, 3, 4</);
  });

  it('is on a page that runs no script, loads nothing, and can’t be written into', async () => {
    const { baseUrl, clientId } = credentials;
    const b = await shown("https://service.example/'&lt;x", {
      protocol: 'draft',
      baseUrl,
      clientId,
      serviceName: '<img src=x>"',
    });
    const page = html(b);
    assert.match(page, /content="default-src 'none'; style-src 'nonce-nonce'"/);
    assert.doesNotMatch(page, /<script|<img|https:\/\/service\.example\/'/);
    assert.match(page, /https:\/\/service\.example\/&#39;&#38;lt;x/);
  });

  it('isn’t offered for a page on this machine, and says so if it’s requested anyway', async () => {
    const b = await begun(withAddress('http://localhost:8080/activate'));
    assert.ok(!b.editor.last.buttons.includes(BUTTON));
    await b.editor.press(undefined);
    assert.doesNotMatch(b.progress ?? '', /QR/);
    assert.equal(b.editor.context.get('phoneCanOpenPage'), false, 'the Command Palette doesn’t offer it');
    await b.setOff('showQrCode');
    assert.deepEqual(b.editor.remarks, ['A phone can’t reach this address because it’s on this machine.']);
    assert.deepEqual(b.editor.pages, []);
  });

  it('goes when the sign-in is over', async () => {
    const b = await shown(PAGE);
    assert.equal(b.editor.pages.at(0)?.open, true);
    await b.clock.advance(5_000);
    assert.equal(b.editor.pages.at(0)?.open, false);
  });

  it('doesn’t come anymore if the sign-in ends while it’s being made', async () => {
    const b = await begun();
    const making = b.run('showQrCode');
    await b.run('cancelSignIn');
    await making;
    await settle();
    assert.deepEqual(b.editor.pages, []);
  });

  it('is offered by the message, unless the page is on this machine, which no phone can open', async () => {
    const b = await begun();
    await b.editor.press(BUTTON);
    assert.equal(b.editor.pages.length, 1);
    const here = await begun(withAddress('http://127.0.0.1:4000/activate'));
    assert.ok(!here.editor.last.buttons.includes(BUTTON));
  });
});
