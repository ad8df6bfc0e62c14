import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { ROOT } from '../../host/paths';
import type { Workbench } from '../../host/workbench';
import { packageForService } from '../package/forService';
import { VSCE } from '../package/packager';
import { useScene } from '../scene/useScene';

/** Settings of a window that's shown to people: nothing in it that has nothing to do with signing in. */
const TIDY_SETTINGS = {
  'workbench.colorTheme': 'Visual Studio Light',
  'workbench.layoutControl.enabled': false,
  'window.commandCenter': false,
  'window.menuBarVisibility': 'hidden',
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.lightbulb.enabled': 'off',
  'workbench.editor.editorActionsLocation': 'hidden',
};

/** What's left of the status bar: nothing that only VS Code's server shows, and nothing of the sample extension. */
const OTHER_ITEMS = '.statusbar-item:not([id^="device-flow.device-flow-authentication"], [id="status.notifications"])';

const WINDOW = { width: 900, height: 600 };
/** The part of the window with the menu. */
const MENU = { x: 0, y: 402, width: 400, height: 198 };
/** There's room for any drawing in it; what's in the picture is as wide as its contents. */
const ROOM = { width: 1600, height: 400 };

const CAPTION = 30;

const STYLE = `
  body { margin: 0; }
  main { display: inline-flex; align-items: center; gap: 18px; padding: 19px 18px; background: #eef1f5;
    font: 13px system-ui, sans-serif; color: #3b434b; }
  svg { flex: none; }
  figure { flex: none; margin: 0; border-radius: 8px; overflow: hidden; background: #fff; box-shadow: 0 2px 10px rgb(0 0 0 / 0.25); }
  figcaption { box-sizing: border-box; height: ${CAPTION}px; padding: 7px 14px; background: #dfe3e8; }
  pre { margin: 0; padding: 14px 18px; font: 13px/1.42 ui-monospace, monospace; color: #1f1f1f; height: ${MENU.height - CAPTION}px; box-sizing: border-box; }
  b { font-weight: normal; color: #0451a5; } i { font-style: normal; color: #a31515; }
  img { display: block; }
`;

/** Takes the picture of a build: its description, and what people then see. It's run by `npm run pictures`. */
describe('the picture of a build for one service', () => {
  const { scene } = useScene({
    unconfigured: true,
    windowless: true,
    withoutExtension: true,
    settings: TIDY_SETTINGS,
    surroundings: async (_service, { root }) => {
      const file = path.join(root, 'service.json');
      await writeFile(file, await exampleInReadme());
      return { extensions: [await packageForService(file, { into: root, parts: ROOT, vsce: VSCE })] };
    },
  });

  it('is taken', async () => {
    await writeFile(path.join(scene().data.workspace, 'notes.md'), '# Notes\n');
    const { workbench } = await scene().openWindow();
    await tidyWindow(workbench, 'notes.md');
    await draw(scene().profile.context, await exampleInReadme(), await pictureOfMenu(workbench));
  });
});

/** Makes a window small, with this file of its workspace in it. */
async function tidyWindow({ page, quickInput }: Workbench, file: string): Promise<void> {
  await page.setViewportSize(WINDOW);
  await page.keyboard.press('Control+P');
  await quickInput.type(file);
  await quickInput.pick(file);
  await page.locator('.tab', { hasText: file }).waitFor();
  await page.keyboard.press('Control+B');
  await page.addStyleTag({ content: `${OTHER_ITEMS} { display: none !important; }` });
}

/** The description of a whole build that the README shows beside the picture. */
async function exampleInReadme(): Promise<string> {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const [, example = assert.fail('The README has no service.json.')] = /^```json\n(\{\n[^]*?)^```/m.exec(readme) ?? [];
  return example;
}

/** The Accounts menu, with the entry of the build. */
async function pictureOfMenu({ accounts, page }: Workbench): Promise<Buffer> {
  await accounts.waitForAll(['Sign in with Acme to use Acme Sign-In (1)']);
  await accounts.open();
  await page.locator('.monaco-menu .action-label:visible', { hasText: 'Sign in with Acme' }).first().hover();
  return await page.screenshot({ animations: 'disabled', clip: MENU });
}

/** Draws the description and the menu side by side. */
async function draw(context: BrowserContext, example: string, menu: Buffer): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize(ROOM);
  await page.setContent(`<style>${STYLE}</style><main>
    <figure><figcaption>service.json</figcaption><pre>${colored(example.trim())}</pre></figure>
    <svg width="34" height="34" viewBox="0 0 34 34"><path d="M3 17h24m-9-10l10 10-10 10" fill="none"
      stroke="#0b4f8a" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>
    <figure><img src="data:image/png;base64,${menu.toString('base64')}"></figure></main>`);
  await page.locator('main').screenshot({ path: path.join(ROOT, 'media', 'service-json.png') });
  await page.close();
}

/** JSON as HTML in which names and texts have different colors. */
function colored(json: string): string {
  return json.replace(/("[^"]*")(:?)/g, (_, text: string, colon: string) =>
    colon === '' ? `<i>${text}</i>` : `<b>${text}</b>${colon}`,
  );
}
