import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { ROOT } from '../host/paths';
import { until } from '../host/until';
import { CODE_MESSAGE, OPENS_WITHIN, userCodeIn } from '../scene/person';
import { useScene } from '../scene/useScene';
import { Film, inBrowser, type Point, type View } from './film';
import { EXAMPLE_SETTINGS, tidyWindow } from './window';

/** The address that people see instead of one of this machine. */
const ACME = 'https://login.acme.example';

const SIZE = { width: 880, height: 540 };
/** The page in the browser. */
const PAGE_SIZE = { width: 540, height: 440 };

/** What the README and the stores show at most. */
const LARGEST = 1_500_000;
const LONGEST = 12_000;

const CODE = `import * as vscode from 'vscode';

const REPORTS = 'https://api.acme.example/reports';

/** The reports of whoever is signed in. */
export async function fetchReports(): Promise<Report[]> {
  const options = { createIfNone: true };
  const session = await vscode.authentication.getSession('device-flow', [], options);
  const response = await fetch(REPORTS, {
    headers: { authorization: \`Bearer \${session.accessToken}\` },
  });
  return (await response.json()) as Report[];
}

interface Report {
  readonly title: string;
  readonly createdAt: string;
  readonly author: string;
}
`;

/** Takes the moving picture of a sign-in. It's no stage of \`npm test\`: it's run by \`npm run pictures\`. */
describe('the moving picture of a sign-in', () => {
  const { scene } = useScene({
    service: {
      protocol: 'rfc8628',
      clientName: 'Visual Studio Code',
      clientSecret: '',
      verificationUrl: `${ACME}/activate`,
    },
    windowless: true,
    settings: { ...EXAMPLE_SETTINGS, 'deviceFlow.serviceName': 'Acme', 'deviceFlow.verificationUrl': ACME },
  });

  it('is taken', async () => {
    const { context } = scene().profile;
    await context.route(`${ACME}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      await route.fulfill({ response: await route.fetch({ url: scene().service.baseUrl + pathname + search }) });
    });
    await writeFile(path.join(scene().data.workspace, 'reports.ts'), CODE);
    const { workbench } = await scene().openWindow();
    const { accounts, dialog, notifications, page } = workbench;
    await tidyWindow(workbench, SIZE, 'reports.ts');
    const film = await Film.begin(context, SIZE);
    const look = async (): Promise<View> => ({
      window: await page.screenshot({ animations: 'disabled' }),
    });

    await accounts.waitFor(/^Sign in with /);
    const before = await look();
    await film.show(before, 500);
    await film.point(before, await middleOf(page.locator('.activitybar .codicon-accounts-view-bar-icon')));
    await accounts.open();
    const entry = page.locator('.monaco-menu .action-label:visible', { hasText: 'Sign in with' }).first();
    const menu = await look();
    await film.show(menu, 600);
    await film.point(menu, await middleOf(entry));
    await entry.hover();
    await film.show(await look(), 600);
    await entry.click();

    const { text } = await notifications.waitFor(CODE_MESSAGE);
    await page.mouse.move(SIZE.width / 2, 5);
    const code = await look();
    await film.show(code, 1_400);
    const open = page.locator('.notification-list-item:visible .monaco-button', { hasText: 'Open browser' }).first();
    await film.point(code, await middleOf(open));
    await film.show(code, 300);
    const [tab] = await Promise.all([
      context.waitForEvent('page', { timeout: OPENS_WITHIN }),
      open.click().then(() => dialog.answer(/external website/, 'Open')),
    ]);

    await tab.setViewportSize(PAGE_SIZE);
    await tab.emulateMedia({ colorScheme: 'light' });
    const address = `${ACME.slice('https://'.length)}/activate`;
    const inTab = async (): Promise<View> => {
      // So that all of the page is seen.
      await tab.evaluate("document.body.style.zoom = '0.8'");
      return { ...code, browser: { address, page: await tab.screenshot() } };
    };
    const press = async (button: string): Promise<void> => {
      const view = await inTab();
      await film.show(view, 700);
      const found = tab.getByRole('button', { name: button });
      await film.point(view, inBrowser(SIZE, PAGE_SIZE, await middleOf(found)));
      await film.show(view, 300);
      await found.click();
    };
    await tab.getByText(userCodeIn(text)).or(tab.getByLabel('Code')).waitFor();
    await press('Continue');
    await tab.getByLabel('Account').fill('alex');
    await press('Allow');
    await tab.getByRole('heading', { name: 'Allowed' }).waitFor();
    await film.show(await inTab(), 700);
    await tab.close();

    await notifications.waitFor(/^Signed in to /);
    const after = await look();
    await film.show(after, 1_200);
    await film.point(after, await middleOf(page.locator('.activitybar .codicon-accounts-view-bar-icon')));
    await accounts.waitFor(/^alex/);
    await accounts.open();
    await film.show(await look(), 1_500);

    const file = path.join(ROOT, 'media', 'sign-in.gif');
    const milliseconds = await film.save(file);
    assert.ok(milliseconds <= LONGEST, `It takes ${milliseconds} ms.`);
    const { size } = await stat(file);
    assert.ok(size <= LARGEST, `It has ${size} bytes.`);
    console.log(`      ${milliseconds / 1000} s, ${size} bytes`);
  });
});

/** Where a person points to click something. */
async function middleOf(found: Locator): Promise<Point> {
  return until('it to be drawn', async () => {
    const box = await found.boundingBox();
    return box === null ? undefined : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
}
