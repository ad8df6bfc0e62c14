import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { ROOT } from '../../host/paths';
import { until } from '../../host/until';
import type { Workbench } from '../../host/workbench';
import { CODE_MESSAGE, OPENS_WITHIN, userCodeIn, untilSignedIn } from '../scene/person';
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

/** It asks for a session as the README says: with the service that it means. */
const CODE = `import { authentication } from 'vscode';

const SCOPES = ['DEVICE_FLOW_SERVICE:${ACME}'];
const REPORTS = 'https://api.acme.example/reports';

/** The reports of whoever is signed in. */
export async function fetchReports(): Promise<Report[]> {
  const options = { createIfNone: true };
  const session = await authentication.getSession('device-flow', SCOPES, options);
  const response = await fetch(REPORTS, {
    headers: { Authorization: \`Bearer \${session.accessToken}\` },
  });
  return (await response.json()) as Report[];
}

interface Report {
  readonly title: string;
  readonly createdAt: string;
  readonly author: string;
}
`;

/** The service is the one of \`npm start\`, so that whoever tries it sees the same. */
const FIELDS = {
  serviceName: 'Acme',
  verificationUrl: ACME,
  account: { path: '/api/whoami', field: 'name' },
};

/** Takes the moving picture of a sign-in. It's no stage of \`npm test\`: it's run by \`npm run pictures\`. */
describe('the moving picture of a sign-in', () => {
  const { scene } = useScene({
    service: { clientName: 'Visual Studio Code', verificationUrl: `${ACME}/activate` },
    windowless: true,
    fields: FIELDS,
    settings: EXAMPLE_SETTINGS,
  });

  it('is taken', async () => {
    const { context } = scene().profile;
    await serveAtAcme(context, scene().service.baseUrl);
    await writeFile(path.join(scene().data.workspace, 'reports.ts'), CODE);
    const { workbench } = await scene().openWindow();
    await tidyWindow(workbench, SIZE, 'reports.ts');
    const recording = { context, film: await Film.begin(context, SIZE), workbench };

    await chooseSignIn(recording);
    await confirmCode(recording, await openPage(recording));
    await showAccount(recording);

    const file = path.join(ROOT, 'media', 'sign-in.gif');
    const milliseconds = await recording.film.save(file);
    assert.ok(milliseconds <= LONGEST, `It takes ${milliseconds} ms.`);
    const { size } = await stat(file);
    assert.ok(size <= LARGEST, `It has ${size} bytes.`);
    console.log(`      ${milliseconds / 1000} s, ${size} bytes`);
  });
});

/** A film that's being taken, and what's in it. */
interface Recording {
  readonly context: BrowserContext;
  readonly film: Film;
  readonly workbench: Workbench;
}

/** The service's page in the browser, in front of the window. */
interface OpenedPage {
  readonly tab: Page;
  readonly window: View;
  readonly userCode: string;
}

/** Lets the browser find the service at the address that people see. */
async function serveAtAcme(context: BrowserContext, baseUrl: string): Promise<void> {
  await context.route(`${ACME}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: baseUrl + pathname + search }) });
  });
}

/** The person chooses the entry in the Accounts menu. */
async function chooseSignIn({ film, workbench }: Recording): Promise<void> {
  const { accounts, page } = workbench;
  await accounts.waitFor(/^Sign in with /);
  const before = await look(workbench);
  await film.show(before, 500);
  await film.point(before, await middleOf(accountsIcon(workbench)));
  await accounts.open();
  const entry = page.locator('.monaco-menu .action-label:visible', { hasText: 'Sign in with' }).first();
  const menu = await look(workbench);
  await film.show(menu, 600);
  await film.point(menu, await middleOf(entry));
  await entry.hover();
  await film.show(await look(workbench), 600);
  await entry.click();
}

/** The code is shown, and the person opens the page, which copies the code. */
async function openPage({ context, film, workbench }: Recording): Promise<OpenedPage> {
  const { dialog, notifications, page } = workbench;
  const { text } = await notifications.waitFor(CODE_MESSAGE);
  await page.mouse.move(SIZE.width / 2, 5);
  const window = await look(workbench);
  await film.show(window, 1_400);
  const open = page.locator('.notification-list-item:visible .monaco-button', { hasText: 'Open browser' }).first();
  await film.point(window, await middleOf(open));
  await film.show(window, 300);
  const [tab] = await Promise.all([
    context.waitForEvent('page', { timeout: OPENS_WITHIN }),
    open.click().then(() => dialog.answer(/external website/, 'Open')),
  ]);
  await tab.setViewportSize(PAGE_SIZE);
  await tab.emulateMedia({ colorScheme: 'light' });
  return { tab, window, userCode: userCodeIn(text) };
}

/** The person enters the code, and allows the sign-in. */
async function confirmCode({ film }: Recording, opened: OpenedPage): Promise<void> {
  const { tab, userCode } = opened;
  const code = tab.getByLabel('Code');
  await code.waitFor();
  await film.show(await lookAtPage(opened), 500);
  await code.fill(userCode);
  await press(film, opened, 'Continue');
  await tab.getByLabel('Account').fill('alex');
  await press(film, opened, 'Allow');
  await tab.getByRole('heading', { name: 'Allowed' }).waitFor();
  await film.show(await lookAtPage(opened), 700);
  await tab.close();
}

async function press(film: Film, opened: OpenedPage, name: string): Promise<void> {
  const view = await lookAtPage(opened);
  await film.show(view, 600);
  const button = opened.tab.getByRole('button', { name });
  await film.point(view, inBrowser(SIZE, PAGE_SIZE, await middleOf(button)));
  await film.show(view, 300);
  await button.click();
}

/** The account is in the menu. */
async function showAccount({ film, workbench }: Recording): Promise<void> {
  const { accounts } = workbench;
  await untilSignedIn(workbench);
  const after = await look(workbench);
  await film.show(after, 1_200);
  await film.point(after, await middleOf(accountsIcon(workbench)));
  await accounts.waitFor(/^alex/);
  await accounts.open();
  await film.show(await look(workbench), 1_500);
}

/** What's seen of the window. */
async function look({ page }: Workbench): Promise<View> {
  return { window: await page.screenshot({ animations: 'disabled' }) };
}

/** What's seen if the browser is in front. */
async function lookAtPage({ tab, window }: OpenedPage): Promise<View> {
  // So that all of the page is seen.
  await tab.evaluate("document.body.style.zoom = '0.8'");
  return { ...window, browser: { address: `${ACME.slice('https://'.length)}/activate`, page: await tab.screenshot() } };
}

function accountsIcon({ page }: Workbench): Locator {
  return page.locator('.activitybar .codicon-accounts-view-bar-icon');
}

/** Where a person points to click something. */
async function middleOf(found: Locator): Promise<Point> {
  return until('it to be drawn', async () => {
    const box = await found.boundingBox();
    return box === null ? undefined : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
}
