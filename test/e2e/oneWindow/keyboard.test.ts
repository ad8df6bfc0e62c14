import assert from 'node:assert/strict';
import { ACCOUNT_ACTIONS } from '../../../src/vscode/accounts/statusPage';
import { createTexts } from '../../../src/vscode/texts/texts';
import { english } from '../../unit/vscode/english';
import { SERVICE_NAME } from '../../../demo/configured';
import { until } from '../../../host/until';
import type { Workbench } from '../../../host/workbench';
import { heardInFocus, heardOn } from './accessibility';
import { EXAMPLE_CODE, EXAMPLE_PAGE, giveExampleCode } from '../../../scripts/scene/exampleCode';
import { Keyboard } from './keyboard';
import { CODE_MESSAGE, OPENS_WITHIN, userCodeIn, untilSignedIn } from '../../../scripts/scene/person';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../../../scripts/scene/useScene';

/** Icons of the editor are letters of a font, in this range. */
const GLYPH = /[\ue000-\uf8ff]|\$\(/;

/** Guards that people without a mouse, or with a screen reader, can do everything. */
describe('without a mouse and by what a screen reader says', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene();
  const page = (): Workbench['page'] => workbench().page;
  let keyboard: Keyboard;
  let code = '';
  before(async () => {
    keyboard = await Keyboard.only(page());
  });

  it('each step of Configure Service has a name, says what’s wrong, and has a way back', async () => {
    const { baseUrl, clientId } = scene().service;
    await keyboard.run('Device Flow: Configure Service');
    await keyboard.choose(/^Add Service…$/);
    await keyboard.box(/^Select the service that you want to sign in to - Add Service$/);
    await keyboard.choose(/^Other…$/);
    const first = await keyboard.box(/^Base URL, .* - Add Service$/);
    assert.match(first.description, /^Enter the base URL that the service’s operator/);
    await keyboard.enter('service');
    await until('the address to be refused', async () => {
      const { description } = await heardInFocus(page());
      return description === 'Enter a web address, such as https://api.example.com.';
    });
    await keyboard.run('Device Flow: Configure Service');
    await keyboard.choose(/^Change…$/);
    await keyboard.box(new RegExp(`^Base URL, .* - Configure ${SERVICE_NAME}$`));
    await keyboard.press('Enter');
    await keyboard.box(/^Client ID - /);
    await keyboard.go('Shift+Tab', /^Back\b/);
    await keyboard.press('Enter');
    await keyboard.box(/^Base URL, /);
    assert.equal(await workbench().quickInput.value(), baseUrl);
    await keyboard.press('Enter');
    await keyboard.box(/^Client ID - /);
    await keyboard.enter(clientId);
    await workbench().notifications.waitFor(new RegExp(`^${SERVICE_NAME} is configured\\. Sign In$`));
    await keyboard.run('Device Flow: Sign In');
  });

  it('the code’s message says everything in words, and all of its buttons have names', async () => {
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    code = userCodeIn(text);
    const heard = await heardOn(page());
    const message = heard.find(({ role, name }) => role === 'dialog' && name.includes(code));
    const { verificationUrl } = scene().service;
    assert.match(message?.name ?? '', /^Info: Your code is /);
    assert.ok(message?.name.includes(`Enter it at ${verificationUrl} to sign in to ${SERVICE_NAME}.`));
    const buttons = heard.filter(({ role }) => role === 'button');
    assert.deepEqual(
      buttons.filter(({ name }) => name === '' || (name !== 'remote' && GLYPH.test(name))),
      [],
    );
    for (const wanted of ['Open browser', 'Copy code']) {
      assert.ok(
        buttons.some(({ name }) => name === wanted),
        wanted,
      );
    }
  });

  it('the code can be copied, and the progress that follows says so, with links that have names', async () => {
    await keyboard.pressInNotifications('Copy code');
    await until('the code in the clipboard', async () => (await workbench().clipboard()) === code);
    await workbench().notifications.waitFor(new RegExp(`^${code}: Code copied\\.`));
    const links = (await heardOn(page())).filter(({ role }) => role === 'link').map(({ name }) => name);
    for (const wanted of ['Open Browser', 'Copy Code']) assert.ok(links.includes(wanted), links.join());
  });

  it('the browser opens, and the sign-in ends with words', async () => {
    const [verification] = await Promise.all([
      scene().profile.context.waitForEvent('page', { timeout: OPENS_WITHIN }),
      keyboard.pressInNotifications('Open Browser'),
    ]);
    await verification.waitForLoadState();
    await until('the field to have the focus', async () => (await heardInFocus(verification)).role === 'textbox');
    await verification.keyboard.press('ControlOrMeta+V');
    await verification.getByRole('button', { name: 'Allow' }).waitFor();
    await (await Keyboard.only(verification)).go('Tab', /^Allow$/);
    await verification.keyboard.press('Enter');
    await verification.getByRole('heading', { name: 'Allowed' }).waitFor();
    await verification.close();
    assert.equal(await untilSignedIn(workbench()), `Signed in to ${SERVICE_NAME}.`);
  });

  it('Show Status says everything in words, including what’s wrong, and does what it offers', async () => {
    scene().service.faults.switchOn('refresh', { kind: 'respond', status: 503 });
    await keyboard.run('Device Flow: Show Status');
    await keyboard.box(new RegExp(`^Signed in (now|.* ago), next refresh in .* - My account \\(${SERVICE_NAME}\\)$`));
    await until('the facts', async () => (await heardOn(page())).some(({ name }) => name.startsWith('Client ID, ')));
    const options = (await heardOn(page())).filter(({ role }) => role === 'option').map(({ name }) => name);
    const { sessions } = createTexts(english, 'en');
    const actions = ACCOUNT_ACTIONS.map(({ name }) => sessions[name]);
    const first = options.indexOf(sessions.refreshNow);
    assert.deepEqual(options.slice(first, first + actions.length + 3), [
      ...actions,
      'Sign In to Another Account',
      'Configure Service',
      'Show Log',
    ]);
    assert.ok(
      options.findIndex((name) => name.startsWith('Client ID, ')) < first,
      'what is comes before what can be done',
    );
    assert.ok(!options.some((name) => GLYPH.test(name)), options.join('\n'));
    await keyboard.choose(/^Rename…$/);
    await keyboard.box(/^Account name - Rename Account$/);
    await keyboard.enter('Ada');
    await keyboard.box(new RegExp(` - Ada \\(${SERVICE_NAME}\\)$`));
    await keyboard.choose(/^Refresh Now$/);
    await keyboard.box(/^The last refresh failed\. Next attempt .*\. Access expires in .*\. - Ada \(/);
    await keyboard.choose(/^Sign Out$/);
    await workbench().dialog.waitFor(/^Sign out of Ada \(/);
    await keyboard.press('Enter');
    await workbench().notifications.waitFor(/^You signed out of Ada \(/);
  });

  it('the page with the QR code has a heading, a description of the picture, and the code letter by letter', async () => {
    giveExampleCode(scene().service);
    await keyboard.run('Device Flow: Sign In');
    await workbench().notifications.waitFor(CODE_MESSAGE);
    await keyboard.run('Device Flow: Show QR Code');
    const shown = workbench().webview();
    await shown.getByRole('img').waitFor();
    const snapshot = await shown.locator('body').ariaSnapshot();
    assert.ok(snapshot.includes(`- heading "Sign in to ${SERVICE_NAME} with your phone" [level=1]`), snapshot);
    assert.ok(snapshot.includes(`- img "QR code for ${EXAMPLE_PAGE}"`), snapshot);
    assert.ok(snapshot.includes(spelledOut(EXAMPLE_CODE)) && !snapshot.includes(EXAMPLE_CODE), snapshot);
    await keyboard.run('Device Flow: Cancel Sign In');
    // Its page closes by itself, and would take the focus from a list that opens before.
    await page().locator('.tab').first().waitFor({ state: 'hidden' });
    assert.equal(await keyboard.mouseUsed(), 0);
  });
});

/** A code as a screen reader says it. */
function spelledOut(code: string): string {
  return Array.from(code, (letter) => (letter === '-' ? 'dash' : letter)).join(', ');
}
