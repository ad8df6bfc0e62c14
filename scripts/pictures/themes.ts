import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { ARTIFACTS, ROOT } from '../host/paths';
import { until } from '../host/until';
import { giveExampleCode } from '../scene/exampleCode';
import { CODE_MESSAGE, userCodeIn } from '../scene/person';
import { useScene } from '../scene/useScene';

/** The themes of the editor by what the system asks for, and how the editor marks the pages of extensions in them. */
const THEMES = [
  { name: 'light', editorMark: 'vs', media: { colorScheme: 'light', forcedColors: 'none' }, pageMark: 'vscode-light' },
  {
    name: 'high-contrast-light',
    editorMark: 'hc-light',
    media: { colorScheme: 'light', forcedColors: 'active' },
    pageMark: 'vscode-high-contrast-light',
  },
  {
    name: 'high-contrast',
    editorMark: 'hc-black',
    media: { colorScheme: 'dark', forcedColors: 'active' },
    pageMark: 'vscode-high-contrast',
  },
  {
    name: 'dark',
    editorMark: 'vs-dark',
    media: { colorScheme: 'dark', forcedColors: 'none' },
    pageMark: 'vscode-dark',
  },
] as const;
const SETTINGS = {
  'window.autoDetectColorScheme': true,
  'workbench.preferredLightColorTheme': 'Visual Studio Light',
  'workbench.preferredDarkColorTheme': 'Visual Studio Dark',
};
const WINDOW = { width: 1280, height: 800 };
/** The editor shows the pictures of first steps if there is room beside them. */
const WIDE_WINDOW = { width: 1680, height: 900 };
/** The part of the window where lists open, which are drawn whole only in a high one. */
const AROUND_LIST = { x: 160, y: 0, width: 960, height: 420 };
/** What is remarked for some seconds when the sample extension has handed over the client secret. */
const REMARK = /^The client secret /;
const FOLDER = path.join(ARTIFACTS, 'pictures');

/** What's drawn by hand, and its size in pixels. The Marketplace requires the icon's, and shows no SVG. */
const DRAWINGS = { icon: { width: 128, height: 128 }, 'one-refresh': { width: 960, height: 360 } };

/** This asserts nothing, so it's no stage of `npm test`: `npm run pictures` takes pictures for people to look at. */
describe('pictures of the product in all kinds of themes', () => {
  const { scene, workbench } = useScene({ settings: SETTINGS });
  const pictures: string[] = [];
  before(() => mkdir(FOLDER, { recursive: true }));

  /** Takes pictures of the window, or a part of it, in each theme. */
  async function take(
    name: string,
    { clip, page }: { clip?: typeof AROUND_LIST; page?: FrameLocator } = {},
  ): Promise<void> {
    for (const theme of THEMES) {
      await workbench().page.emulateMedia(theme.media);
      await workbench().page.locator(`.monaco-workbench.${theme.editorMark}`).waitFor();
      await page?.locator(`body[data-vscode-theme-kind="${theme.pageMark}"]`).waitFor();
      const file = path.join(FOLDER, `${name}-${theme.name}.png`);
      const part = clip === undefined ? {} : { clip };
      await workbench().page.screenshot({ path: file, animations: 'disabled', ...part });
      pictures.push(file);
    }
  }

  before(() => workbench().page.setViewportSize(WINDOW));

  it('are taken of a code, and what can be done with it', async () => {
    await workbench().waitUntilStatusBarItemGone(REMARK);
    giveExampleCode(scene().service);
    await workbench().runCommand('Device Flow: Sign In');
    await workbench().notifications.waitFor(CODE_MESSAGE);
    await workbench().notifications.waitFor(/^Signing in to .* left\./);
    await take('sign-in');
    await workbench().clickStatusBarItem(/-.* · /);
    await workbench().quickInput.waitUntilOpen();
    await take('menu');
    await workbench().quickInput.cancel();
    await workbench().runCommand('Device Flow: Show QR Code');
    await workbench().webview().getByRole('img').waitFor();
    await take('qr-code', { page: workbench().webview() });
    await workbench().runCommand('Device Flow: Cancel Sign In');
    await workbench().clearNotifications();
  });

  it('are taken of a sign-in that is done, and of the status', async () => {
    await workbench().runCommand('Device Flow: Sign In');
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.equal(scene().service.approve(userCodeIn(text)), undefined);
    await workbench().notifications.waitFor(/^Signed in to /);
    await take('signed-in');
    await workbench().clearNotifications();
    await workbench().runCommand('Device Flow: Show Status');
    await until('the facts', async () => (await workbench().quickInput.labels()).length > 10);
    await take('status', { clip: AROUND_LIST });
    await workbench().quickInput.cancel();
  });

  it('are taken of the first steps', async () => {
    await workbench().runCommand('Welcome: Open Walkthrough...');
    await workbench().quickInput.enter('Get started with Device Flow Authentication');
    await workbench().page.getByText('See how extensions use it').first().waitFor();
    await workbench().page.setViewportSize(WIDE_WINDOW);
    const ticked = workbench().page.locator('.codicon-getting-started-step-checked');
    await until('the sign-in to be ticked', async () => (await ticked.count()) > 0);
    await workbench().webview().locator('svg').waitFor();
    await take('first-steps', { page: workbench().webview() });
  });

  it('make one sheet', async () => {
    const sheet = await scene().profile.context.newPage();
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
    await sheet.close();
  });

  it('renew the drawings in media', async () => {
    const media = path.join(ROOT, 'media');
    for (const [name, size] of Object.entries(DRAWINGS)) {
      const page = await scene().profile.context.newPage();
      await page.setViewportSize(size);
      const drawing = await readFile(path.join(media, `${name}.svg`), 'utf8');
      await page.setContent(`<style>body { margin: 0; } svg { display: block; }</style>${drawing}`);
      await page.screenshot({ path: path.join(media, `${name}.png`), omitBackground: true });
      await page.close();
    }
  });
});
