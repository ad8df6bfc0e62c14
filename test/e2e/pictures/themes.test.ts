import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, launchBrowser } from '../../host/browser';
import { ARTIFACTS } from '../../host/paths';
import { until } from '../../host/until';
import type { Workbench } from '../../host/workbench';
import { giveExampleCode } from '../exampleCode';
import { CODE_MESSAGE, userCodeIn } from '../person';
import { useScene } from '../scene';
import { secretStored } from '../secretStored';

/** Themes that every supported version has, one of each kind. */
const THEMES = {
  light: 'Visual Studio Light',
  dark: 'Visual Studio Dark',
  'high-contrast': 'Default High Contrast',
  'high-contrast-light': 'Default High Contrast Light',
} as const;
const WINDOW = { width: 1280, height: 800 };
/** The README shows its pictures in a column of text. */
const README_WINDOW = { width: 960, height: 540 };
/** The editor shows the pictures of first steps where there is room beside them. */
const WIDE_WINDOW = { width: 1680, height: 900 };
/** The part of the window where lists open, which are drawn whole only in a high one. */
const AROUND_LIST = { x: 160, y: 0, width: 960, height: 420 };
/** What is remarked for some seconds when the sample extension has handed over the client secret. */
const REMARK = 'The client secret ';
const FOLDER = path.join(ARTIFACTS, 'pictures');
const pictures: string[] = [];

for (const [kind, theme] of Object.entries(THEMES)) {
  describe(`pictures of the product in the theme ${theme}, to be looked at`, () => {
    const scene = useScene({ settings: { 'workbench.colorTheme': theme } });
    const workbench = (): Workbench => scene().window.workbench;
    before(async () => {
      await mkdir(FOLDER, { recursive: true });
      await secretStored(scene().data);
    });

    async function picture(name: string, clip?: typeof AROUND_LIST): Promise<void> {
      const file = path.join(FOLDER, `${name}-${kind}.png`);
      const part = clip === undefined ? {} : { clip };
      await workbench().page.screenshot({ path: file, animations: 'disabled', ...part });
      pictures.push(file);
    }

    async function openFirstSteps(): Promise<void> {
      await workbench().runCommand('Welcome: Open Walkthrough...');
      await workbench().quickInput.enter('Sign in with Device Flow Authentication');
      await workbench().page.getByText('Use it from other extensions').first().waitFor();
    }

    it('are taken of the sign-in, the QR code, the first steps and the status', async () => {
      await workbench().page.setViewportSize(README_WINDOW);
      giveExampleCode(scene().service);
      await workbench().runCommand('Device Flow: Sign In');
      await workbench().notifications.waitFor(CODE_MESSAGE);
      await workbench().notifications.waitFor(/^Signing in to .* left\. /);
      await until(
        'remarks to be gone',
        async () => !(await workbench().statusBar()).some((item) => item.startsWith(REMARK)),
      );
      await picture('sign-in');
      await workbench().page.setViewportSize(WINDOW);
      await workbench().clickStatusBarItem(/-.* · /);
      await workbench().quickInput.waitUntilOpen();
      await picture('menu');
      await workbench().quickInput.cancel();
      await workbench().runCommand('Device Flow: Show QR Code');
      const page = workbench().page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
      await page.getByRole('img').waitFor();
      await picture('qr-code');
      await workbench().runCommand('Device Flow: Cancel Sign In');
      await workbench().runCommand('Notifications: Clear All Notifications');
      await workbench().runCommand('Device Flow: Sign In');
      const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
      assert.equal(scene().service.approve(userCodeIn(text)), undefined);
      await workbench().notifications.waitFor(/^Signed in to /);
      await picture('signed-in');
      await workbench().runCommand('Notifications: Clear All Notifications');
      await workbench().runCommand('Device Flow: Show Status');
      await until('the facts', async () => (await workbench().quickInput.labels()).length > 10);
      await picture('status', AROUND_LIST);
      await workbench().quickInput.cancel();
      await openFirstSteps();
      await workbench().page.setViewportSize(WIDE_WINDOW);
      const ticked = workbench().page.locator('.codicon-getting-started-step-checked');
      await until('the sign-in to be ticked', async () => (await ticked.count()) > 0);
      await workbench()
        .page.frameLocator('iframe.webview.ready')
        .frameLocator('#active-frame')
        .locator('svg')
        .waitFor();
      await picture('first-steps');
    });
  });
}

describe('the pictures of the product', () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('make one sheet', async () => {
    const sheet = await (await browser.newProfile()).context.newPage();
    await sheet.setViewportSize({ width: 1320, height: 200 });
    const images = await Promise.all(
      pictures.map(async (file) => {
        const data = (await readFile(file)).toString('base64');
        const name = path.basename(file, '.png');
        return `<figure><img width="640" src="data:image/png;base64,${data}"><figcaption>${name}</figcaption></figure>`;
      }),
    );
    await sheet.setContent(`<style>body{display:flex;flex-wrap:wrap}figure{margin:5px}</style>${images.join('')}`);
    await sheet.screenshot({ path: path.join(FOLDER, 'contact-sheet.png'), fullPage: true });
  });
});
