import assert from 'node:assert/strict';
import { SERVICE_NAME } from '../../../demo/configured';
import { takePicture } from '../../../host/picture';
import { until } from '../../../host/until';
import {
  CODE_MESSAGE,
  CODE_PROGRESS,
  FIRST_ACCOUNT,
  followLink,
  giveConsent,
  openBrowser,
  userCodeIn,
  UNNAMED,
  untilSignedIn,
} from '../../../scripts/scene/person';
import { tellAsOneStory } from '../../support/story';
import { useScene } from '../../../scripts/scene/useScene';

/** Lifetime of an access token in seconds: long enough to sign in and ask on a busy machine, short enough to wait for its refresh. */
const LIFETIME = 24;

/** Guards the main promise, in the real editor: from the sign-in by a refreshed token to the sign-out. */
describe('the whole path: sign in, ask, refresh, sign out', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({ service: { accessTokenTtl: LIFETIME } });
  const version = (): string => scene().server.host.version.name;
  const picture = (name: string): Promise<void> => workbench().screenshot(`${version()}/whole-path-${name}`);
  /** Runs a command of the sample extension, and resolves with what it says; a picture of that is kept under `name`. */
  const sample = async (command: string, expected: RegExp, name?: string): Promise<string> => {
    await workbench().runCommand(`Sample: ${command}`);
    const { text } = await workbench().notifications.waitFor(expected);
    if (name !== undefined) await picture(name);
    await workbench().notifications.take(expected);
    return text;
  };
  /** Of how many changes the sample extension was told. */
  const changesTold = async (): Promise<number> => {
    await workbench().statusBarItem(/^Sample: My account$/);
    const label = await workbench().page.locator('.statusbar-item a[aria-label^="Sample:"]').getAttribute('aria-label');
    return Number(/changed (\d+) times/.exec(label ?? '')?.[1]);
  };
  let firstGeneration = 0;

  it('offers the sign-in in the Accounts menu', async () => {
    await workbench().accounts.waitFor(/^Sign in with Demo Service to use Device Flow Authentication \(1\)$/);
    assert.equal(await workbench().accounts.badge(), 1);
    await workbench().accounts.open();
    await picture('1-accounts-menu');
    await workbench().page.keyboard.press('Escape');
    assert.equal(scene().service.requests.length, 0);
  });

  it('shows the code, where to enter it, and both buttons', async () => {
    await workbench().accounts.choose(/^Sign in with Demo Service /);
    const message = await workbench().notifications.waitFor(CODE_MESSAGE);
    assert.ok(message.text.includes(scene().service.verificationUrl), 'the message names the page');
    assert.deepEqual(message.buttons, ['Open browser', 'Copy code']);
    assert.ok(!(await workbench().notifications.list()).some(({ text }) => CODE_PROGRESS.test(text)));
    assert.equal(scene().service.stateOf(userCodeIn(message.text)), 'pending');
    await picture('2-code');
  });

  it('opens the page from the progress, too, which comes when the message is gone', async () => {
    const { page } = await followLink(workbench(), scene().profile.context);
    assert.ok(page.url().startsWith(scene().service.verificationUrl));
    await page.close();
  });

  it('opens the page with the code in the clipboard, and is signed in when the person has allowed it', async () => {
    await workbench().runCommand('Device Flow: Sign In');
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    const verification = await openBrowser(workbench(), scene().profile.context);
    assert.ok(verification.page.url().startsWith(scene().service.verificationUrl), 'the page is the service’s own');
    assert.equal(await workbench().clipboard(), userCodeIn(text));
    await verification.enter(await workbench().clipboard());
    await takePicture(verification.page, `${version()}/whole-path-3-page`);
    await verification.allow();
    await verification.page.close();
    await untilSignedIn(workbench(), SERVICE_NAME);
    await picture('4-signed-in');
    await workbench().accounts.waitFor(FIRST_ACCOUNT);
    await workbench().accounts.waitUntilGone(/^Sign in with /);
    assert.equal(await workbench().accounts.badge(), 0);
  });

  it('polls no sooner than allowed, and notifies the service of the device once, with the token', () => {
    const { notifications, record } = scene().service;
    const counts = scene().service.counts();
    assert.equal(counts.earlyPolls, 0);
    assert.equal(counts.requests['device code'], 1);
    const issued = record
      .of('poll')
      .map(({ result }) => result?.issued)
      .filter((name) => name !== undefined);
    assert.deepEqual(
      notifications.map(({ token }) => token),
      issued,
    );
    assert.equal(issued.length, 1);
  });

  it('gives another extension nothing without the person’s consent', async () => {
    assert.equal(await sample('Ask Silently', /^Sample: no session/), 'Sample: no session: My account (no access yet)');
  });

  it('serves the session to another extension after the consent', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await workbench().dialog.waitFor(/Sample Consumer/);
    await picture('5-consent');
    await giveConsent(workbench(), UNNAMED);
    await workbench().notifications.waitFor(/^Sample: session of My account$/);
    await picture('6-session');
    await workbench().notifications.take(/^Sample: session of/);
  });

  it('serves a token that the service accepts', async () => {
    const text = await sample('Who Am I', /^Sample: whoami returned/, '7-who-am-i');
    assert.match(text, /returned 200 /);
    firstGeneration = generationIn(text);
  });

  it('refreshes by timer before the token expires; the new one works, and the old one leads to it', async () => {
    const { record } = scene().service;
    const before = scene().service.counts().refreshed;
    const changes = await changesTold();
    await record.until(() => record.counts().refreshed > before);
    const signedIn = record.of('poll').find(({ result }) => result?.issued !== undefined);
    const refresh = record.of('refresh')[0];
    assert.ok(signedIn && refresh);
    assert.ok(refresh.at - signedIn.at < LIFETIME * 1_000, 'the refresh came while the token was still good');
    await until('the other extension to be told', async () => (await changesTold()) > changes);
    const renewed = await sample('Who Am I', /^Sample: whoami returned/, '8-refreshed');
    assert.match(renewed, /returned 200 /);
    assert.ok(generationIn(renewed) > firstGeneration, 'the token is a newer one');
    const old = await sample('Who Am I with the Previous Token', /^Sample: whoami returned/, '9-old-token');
    assert.match(old, /returned 401 /);
    const again = await sample('Call Again After a Rejected Token', /^Sample: whoami returned/);
    assert.match(again, /returned 200 /);
    const counts = scene().service.counts();
    assert.equal(counts.resentRefreshTokens, 0);
    assert.equal(counts.deadRefreshTokens, 0);
    assert.equal(counts.overlappingRefreshes, 0);
    assert.equal(counts.requests.refresh, counts.refreshed);
  });

  it('is signed in in the next window without asking the service for it, and nowhere after the sign-out', async () => {
    const codes = scene().service.counts().requests['device code'];
    const other = await scene().openWindow();
    await other.workbench.accounts.waitFor(FIRST_ACCOUNT);
    await other.workbench.runCommand('Sample: Who Am I');
    assert.match(await other.workbench.notifications.take(/^Sample: whoami returned/), /returned 200 /);
    assert.equal(scene().service.counts().requests['device code'], codes);
    await workbench().accounts.chooseFor(FIRST_ACCOUNT, /^Sign Out$/);
    await workbench().dialog.answer(/My account/, 'Sign Out');
    await other.workbench.accounts.waitUntilGone(FIRST_ACCOUNT);
    await other.close();
    await workbench().accounts.waitUntilGone(FIRST_ACCOUNT);
    await workbench().notifications.waitFor(
      /^You signed out of My account \(Demo Service\)\. The tokens were deleted from this machine\./,
    );
    await picture('10-signed-out');
    assert.equal(await sample('Ask Silently', /^Sample: (no session|session of)/), 'Sample: no session: not signed in');
    assert.equal(await workbench().accounts.badge(), 0, 'who signs out isn’t asked to sign in again');
    await workbench().statusBarItem(/^Sample: not signed in/);
  });
});

/** The generation of the token that `whoami` was asked with. */
function generationIn(text: string): number {
  return Number(/"generation":(\d+)/.exec(text)?.[1]);
}
