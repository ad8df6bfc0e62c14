import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import { SERVICE_NAME } from '../../demo/configured';
import { until } from '../../host/until';
import type { Workbench } from '../../host/workbench';
import type { EmbeddedService } from '../../demo/service';
import { VerificationPage } from './verificationPage';

/** The message that shows the user code. */
export const CODE_MESSAGE = /^Your code is /;

/** The progress that follows when the message is answered or hidden. VS Code shows it in the status bar if the person hides it. */
export const CODE_PROGRESS = /^[A-Z0-9]{4}-[A-Z0-9]{4}: /;

const CODE = new RegExp(`${CODE_MESSAGE.source}|${CODE_PROGRESS.source}`);

/** The first account, if nobody says who signed in. */
export const UNNAMED = 'My account';

/** How the Accounts menu shows it, if there's only one service. */
export const FIRST_ACCOUNT = new RegExp(`^${UNNAMED} \\(${SERVICE_NAME}\\)$`);

/** The page is opened by then, even if the button has to be looked for first. Milliseconds. */
export const OPENS_WITHIN = 150_000;

/** What VS Code calls the sample extension. */
const SAMPLE_NAME = 'Sample Consumer';

/** A user code as the demo service makes them. */
const USER_CODE = /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/;

/** The user code that a text shows. @throws Error if it shows none. */
export function userCodeIn(text: string): string {
  const match = USER_CODE.exec(text);
  // Not the text: it may be one with a code in another form.
  if (match === null) throw new Error('The text shows no user code.');
  return match[0];
}

/** Presses "Open browser" and resolves with the page that it opens. */
export async function openBrowser({ notifications }: Workbench, context: BrowserContext): Promise<VerificationPage> {
  return pageOpenedBy(context, notifications.click(CODE_MESSAGE, 'Open browser'));
}

/** Closes the message, follows the link in the progress that comes instead, and resolves with the page that it opens. */
export async function followLink(workbench: Workbench, context: BrowserContext): Promise<VerificationPage> {
  await takeCode(workbench);
  return pageOpenedBy(context, workbench.notifications.follow(CODE_PROGRESS, 'Open Browser'));
}

/** Waits for the code of a sign-in, closes the message if that shows it, so that only the progress is left, and resolves with it. */
export async function takeCode({ notifications }: Workbench): Promise<string> {
  const { text } = await notifications.waitFor(CODE);
  if (!CODE_PROGRESS.test(text)) await notifications.take(CODE_MESSAGE);
  return userCodeIn(text);
}

/** Waits until no sign-in is in progress whose message was closed. */
export async function untilNoSignIn(workbench: Workbench): Promise<void> {
  await until('no sign-in to be in progress', async () => {
    const shown = (await workbench.notifications.list()).map(({ text }) => text);
    return ![...shown, ...(await workbench.statusBar())].some((text) => CODE_PROGRESS.test(text));
  });
}

async function pageOpenedBy(context: BrowserContext, action: Promise<void>): Promise<VerificationPage> {
  const [page] = await Promise.all([context.waitForEvent('page', { timeout: OPENS_WITHIN }), action]);
  await page.waitForLoadState();
  return new VerificationPage(page);
}

/** Answers the questions of Configure Service, each recognized by a part of what it says. */
export async function answerQuestions(
  { quickInput }: Workbench,
  ...answers: readonly (readonly [question: string, text: string])[]
): Promise<void> {
  for (const [question, text] of answers) {
    await until(`the question "${question}"`, async () => (await quickInput.message()).includes(question));
    await quickInput.enter(text);
  }
}

/** Does all that a person does to sign in, from the Accounts menu to the message that says so. */
export async function signIn(workbench: Workbench, context: BrowserContext): Promise<void> {
  await workbench.accounts.choose(/^Sign in with /);
  const verification = await openBrowser(workbench, context);
  // The button has copied the code.
  await verification.enter(await workbench.clipboard());
  await verification.allow();
  await verification.page.close();
  await untilSignedIn(workbench);
}

/**
 * Confirms the sign-in whose code a window shows, as its person does in a browser.
 * @param account who that is at the service
 */
export async function approveSignIn(workbench: Workbench, service: EmbeddedService, account?: string): Promise<void> {
  assert.equal(service.approve(await takeCode(workbench), account), undefined);
}

/** The same, and waits until the window says that it's done. */
export async function confirmSignIn(workbench: Workbench, service: EmbeddedService, account?: string): Promise<void> {
  await approveSignIn(workbench, service, account);
  await untilSignedIn(workbench);
}

/** Waits until the window says who signed in, which it does for some seconds. Resolves with what it says. */
export async function untilSignedIn(workbench: Workbench, to = ''): Promise<string> {
  return until('the window to say that somebody signed in', async () => {
    const shown = (await workbench.notifications.list()).map(({ text }) => text);
    return [...shown, ...(await workbench.statusBar())].find((text) => text.startsWith(`Signed in to ${to}`));
  });
}

/** Allows an extension to use a session: VS Code asks that in a dialog, in one of several wordings. */
export async function allowUse(workbench: Workbench, extension: string = SAMPLE_NAME): Promise<void> {
  await workbench.dialog.answer(new RegExp(`${extension}.* wants (you )?to (sign in|access)`), 'Allow');
}

/** Allows an extension to use a session, and chooses this account for it. */
export async function giveConsent(workbench: Workbench, account: string, extension?: string): Promise<void> {
  await allowUse(workbench, extension);
  await workbench.quickInput.pick(account);
}

/** An account, as its entry in the Accounts menu begins, and an extension that may use it. */
interface Trust {
  readonly account: RegExp;
  readonly extension: string;
}

/**
 * Takes an extension's access to the only account away, by what Show Status leads to.
 * @param category of the command, which differs between builds
 */
export async function withdrawAccess(workbench: Workbench, category: string, extension: string): Promise<void> {
  await workbench.runCommand(`${category}: Show Status`);
  await workbench.quickInput.pick('Manage Trusted Extensions');
  await workbench.quickInput.uncheck(extension);
}

/** Chooses another account for an extension, by the button beside it in Manage Trusted Extensions. */
export async function changeAccount(workbench: Workbench, { account, extension }: Trust, to: string): Promise<void> {
  await workbench.accounts.chooseFor(account, /^Manage Trusted Extensions/);
  await workbench.quickInput.pressButtonOf(extension, 'Manage account preferences');
  await workbench.quickInput.pick(to);
}

/**
 * Refreshes the only account by Show Status, which is shown again after that, and closes it.
 * @param category of the command, which differs between builds
 */
export async function refreshNow(
  workbench: Workbench,
  { record }: EmbeddedService,
  category = 'Device Flow',
): Promise<void> {
  const { quickInput } = workbench;
  const before = record.counts().refreshed;
  await workbench.runCommand(`${category}: Show Status`);
  await quickInput.pick('Refresh Now');
  await record.until((now) => now.counts().refreshed > before);
  await until('the status to be shown again', async () => (await quickInput.labels()).includes('Refresh Now'));
  await quickInput.cancel();
  await quickInput.waitUntilClosed();
}

/**
 * Signs out by the command and its dialog.
 * @param category of the command, which differs between builds
 * @param account chosen first if there are several
 */
export async function signOut(workbench: Workbench, category = 'Device Flow', account?: string): Promise<void> {
  await workbench.runCommand(`${category}: Sign Out`);
  if (account !== undefined) await workbench.quickInput.enter(account);
  await workbench.dialog.answer(/^Sign out of /, 'Sign Out');
}

/** Signs out of all accounts, one after the other. */
export async function signOutOfAll(workbench: Workbench): Promise<void> {
  const { accounts, quickInput } = workbench;
  const count = async (): Promise<number> =>
    (await accounts.entries()).filter((entry) => entry.endsWith(` (${SERVICE_NAME})`)).length;
  for (let left = await count(); left > 0; left--) {
    await workbench.runCommand('Device Flow: Sign Out');
    if (left > 1) {
      // The first of them, whichever it is.
      await until('the accounts to be listed', async () => (await quickInput.title()) === 'Sign Out');
      await workbench.page.keyboard.press('Enter');
    }
    await workbench.dialog.answer(/^Sign out of /, 'Sign Out');
    await until('one account less', async () => (await count()) < left);
  }
}
