import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import bundle from '../../l10n/bundle.l10n.json';
import manifestTexts from '../../package.nls.json';
import { until } from '../../host/until';
import type { Workbench } from '../../host/workbench';
import { isWhole, translated } from '../unit/l10n/pseudo';
import { EXAMPLE_CODE, EXAMPLE_PAGE, giveExampleCode } from '../../scripts/scene/exampleCode';
import { userCodeIn } from '../../scripts/scene/person';
import { tellAsOneStory } from '../support/story';
import { useScene } from '../../scripts/scene/useScene';

/** The editor’s name for a language that is made up. */
const LANGUAGE = 'qps-ploc';
/** How the message and the progress show the user code in it. */
const CODE = /^⟦.*[A-Z0-9]{4}-[A-Z0-9]{4}/;
/** What is no text of ours: names, addresses, the code. */
const VALUES =
  /^(?:Demo Service|demo-client|http:\/\/127\.0\.0\.1:\d+\S*|https:\/\/service\.example\S*|[A-Z0-9]{4}-[A-Z0-9]{4}|)$/;

const titles = translated(manifestTexts);

/** A text, and whether its end does not fit into its element. */
interface Drawn {
  readonly text: string;
  readonly cut: boolean;
}

function drawn(page: Page, selector: string): Promise<readonly Drawn[]> {
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter(one => one.checkVisibility())
    .map(one => {
      let cut = false;
      for (let box = one; box && !box.matches('.monaco-list-row, .getting-started-category, .getting-started-step, body'); box = box.parentElement) {
        cut ||= getComputedStyle(box).overflowX === 'hidden' && box.scrollWidth > box.clientWidth + 1;
      }
      return { text: one.textContent.replace(/\\s+/g, ' ').trim(), cut };
    })`);
}

/** Guards that VS Code shows every text translated and whole. */
describe('in a language that nobody speaks, whose texts are much longer', () => {
  tellAsOneStory();
  const { scene } = useScene({ windowless: true });
  let workbench: Workbench;
  const page = (): Page => workbench.page;
  const picture = (name: string): Promise<void> => workbench.screenshot(`language/${name}`);

  before('add a translation, and open a window in its language', async () => {
    const { data, profile } = scene();
    const folders = await readdir(data.extensions);
    const folder = folders.find((name) => name.startsWith('device-flow.'));
    assert.ok(folder !== undefined);
    const files = {
      [`package.nls.${LANGUAGE}.json`]: titles,
      [`l10n/bundle.l10n.${LANGUAGE}.json`]: translated(bundle),
    };
    for (const [name, texts] of Object.entries(files)) {
      await writeFile(path.join(data.extensions, folder, name), JSON.stringify(texts));
    }
    await profile.context.addInitScript(
      `Object.defineProperty(globalThis, '_VSCODE_NLS_LANGUAGE', { value: '${LANGUAGE}', writable: false })`,
    );
    ({ workbench } = await scene().openWindow());
    await data.secretStored();
  });

  async function run(key: keyof typeof manifestTexts): Promise<void> {
    await workbench.runCommand(`${titles['category'] ?? ''}: ${titles[key] ?? ''}`);
  }

  /** Everything in these elements is a translated text or a value, and nothing is cut off. */
  async function assertWhole(...selectors: readonly string[]): Promise<void> {
    for (const selector of selectors) {
      const found = await drawn(page(), selector);
      assert.ok(found.length > 0, `nothing is drawn in ${selector}`);
      assert.deepEqual(
        found.filter(({ text, cut }) => cut || !(isWhole(text) || VALUES.test(text))),
        [],
        selector,
      );
    }
  }

  async function assertListWhole(): Promise<void> {
    await assertWhole('.quick-input-title', '.quick-input-list .label-name');
    const placeholder = await page().locator('.quick-input-box input').getAttribute('placeholder');
    assert.ok(isWhole(placeholder ?? ''), placeholder ?? 'no placeholder');
  }

  it('commands and messages are translated and whole', async () => {
    giveExampleCode(scene().service);
    await run('command.signIn');
    await workbench.notifications.waitFor(CODE);
    // The progress comes when the editor has hidden the message. Its button is the editor's own.
    for (const [what, count] of [
      ['message', 3],
      ['progress', 1],
    ] as const) {
      // The editor shortens buttons that don't fit beside each other, as three of them don't in this language.
      const buttons = await until(`the buttons of the ${what}`, async () => {
        const found = await drawn(page(), '.notification-list-item-buttons-container .monaco-button');
        return found.length === count && found;
      });
      const messages = await drawn(page(), '.notification-list-item-message');
      await picture(`sign-in-${what}`);
      assert.ok(messages.length === 1 && messages.every(({ text, cut }) => !cut && isWhole(text)), what);
      assert.deepEqual(
        buttons.filter(({ text }) => !(isWhole(text) || text === 'Cancel')),
        [],
      );
    }
  });

  it('the page with the QR code is translated and whole', async () => {
    await run('command.showQrCode');
    const body = workbench.webview().locator('body');
    await body.locator('svg').waitFor();
    await picture('qr-code');
    const texts = await body.locator('h1, li').allTextContents();
    assert.equal(texts.length, 4);
    for (const text of texts) {
      const [first = '', ...rest] = text.trim().split(/(?<=⟧)/);
      const values = rest.join('').replace(EXAMPLE_CODE, '').replace(EXAMPLE_PAGE, '').trim();
      // Beside values there is the spelled code, with the dash in words.
      assert.ok(isWhole(first) && /^(?:[A-Z0-9], |⟦[^⟧]+⟧, |[A-Z0-9]$)*$/.test(values), text);
    }
  });

  it('the status is translated and whole', async () => {
    await run('command.cancelSignIn');
    // The message would keep the next code in the progress.
    await workbench.clearNotifications();
    await run('command.signIn');
    const { text } = await workbench.notifications.waitFor(CODE);
    assert.equal(scene().service.approve(userCodeIn(text)), undefined);
    await workbench.accounts.waitFor(/Demo Service/);
    await run('command.showStatus');
    await until('the facts', async () => (await workbench.quickInput.labels()).length > 10);
    await picture('status');
    await assertListWhole();
    await assertWhole('.quick-input-list .label-description');
    await workbench.quickInput.cancel();
  });

  it('the steps of Configure Service are translated and whole', async () => {
    await run('command.configure');
    await until('the list', async () => (await workbench.quickInput.labels()).length === 6);
    await picture('configure');
    await assertListWhole();
    let shown = await workbench.quickInput.placeholder();
    // Somebody is signed in, so the first line leads through the boxes.
    for (let box = 1; box <= 2; box++) {
      await page().keyboard.press('Enter');
      const before = shown;
      shown = await until(`box ${box}`, async () => {
        const placeholder = await workbench.quickInput.placeholder();
        return placeholder !== before && placeholder;
      });
      assert.ok(isWhole(shown), shown);
      assert.ok(isWhole(await page().locator('.quick-input-title').innerText()));
      // The editor itself adds what the keys do.
      assert.ok(isWhole((await workbench.quickInput.message()).replace(/ \(Press .*\)$/, '')));
    }
    await workbench.quickInput.cancel();
  });
});
