import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SERVICE_NAME, WHO_SIGNED_IN } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { packExtension } from '../../../host/packExtension';
import { until } from '../../../host/until';
import { hostVersion, NEWEST } from '../../../host/versions';
import type { Workbench } from '../../../host/workbench';
import { allowUse, answerQuestions, approveSignIn, giveConsent, untilSignedIn } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { type Repository, withRepository } from '../../support/repository';
import { tellAsOneStory } from '../../support/story';
import { makeProfile } from './profile';

const ALTERNATING = 'Alternating';
/** Who signs in to each service. */
const USER = 'Ada';
/** What VS Code offers to people while an extension waits. */
const WAITS = /^Sign in with .* to use Alternating \(1\)$/;
/** How long an access token works that's soon to expire. Seconds. */
const LIFETIME = 6;
/** By then, a step of a walkthrough has taken the focus back, if it does. Milliseconds. */
const FOCUS_TAKEN_BACK = 900;
/** A profile of VS Code, by its name. */
const STRAY = 'Stray';

/**
 * Guards that a person can use several services at once in VS Code: add one, or let an extension ask for it, sign in to each, see
 * them, make one the default, and remove one, in a profile of VS Code that has another key of the extension's, too.
 *
 * Guards that extensions get the sessions of the service that they mean, of three that are used at once, and no other, although the
 * same user is signed in to each; that those who wait for the default one learn of another, and
 * that a session which needed its person can be used again, which VS Code must be told as if it were new.
 *
 * Guards what VS Code itself passes on: to extensions, a session for the challenge of a server, and for how long a token may be
 * kept; to its git, the token for the host that a service's settings name.
 */
describe('three services at once, one of the draft and two of the standard', () => {
  tellAsOneStory();
  let second: EmbeddedService;
  let third: EmbeddedService;
  let repository: Repository;
  const { scene, workbench } = useScene({
    fields: WHO_SIGNED_IN,
    surroundings: async (service, data, cleanUp) => {
      const standard = { clientName: 'Sample Client', interval: 1, protocol: 'rfc8628', clientSecret: '' } as const;
      [second, third] = await Promise.all([createService(standard), createService(standard)]);
      for (const service of [second, third]) cleanUp.add(() => service.close());
      const git = await withRepository(service, data, cleanUp);
      repository = git.repository;
      return { ...git.surroundings, extensions: [await packExtension(path.join('test', 'e2e', 'consumer'))] };
    },
  });
  const said = (by: string, window = workbench()): Promise<string> => window.notifications.take(new RegExp(`^${by}: `));
  const screenshot = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/services-${name}`);
  const ask = async ({ baseUrl }: Pick<EmbeddedService, 'baseUrl'>, window = workbench()): Promise<void> => {
    await window.runCommand('Alternating: Ask');
    await window.quickInput.enter(baseUrl);
  };
  const challenge = async (options: object): Promise<void> => {
    await workbench().runCommand('Alternating: Challenge');
    await workbench().quickInput.enter(JSON.stringify([second.baseUrl, options]));
  };
  const pendingCode = (service: EmbeddedService): Promise<string> => until('a code', () => service.pending[0]);
  const approve = async (service: EmbeddedService): Promise<void> => {
    assert.equal(service.approve(await pendingCode(service), USER), undefined);
  };
  const inMenu = (): Promise<void> =>
    workbench().accounts.waitForAccounts([USER, labelAt(second), labelAt(third)], 'Device Flow');
  const elements = async (): Promise<readonly { readonly baseUrl: string; readonly clientId: string }[]> => {
    const { 'deviceFlow.services': services } = await scene().data.settings();
    return services as Awaited<ReturnType<typeof elements>>;
  };
  const addresses = async (): Promise<readonly string[]> => (await elements()).map(({ baseUrl }) => baseUrl);

  /** Adds a service by the command, and waits until VS Code says so. */
  async function add(service: EmbeddedService, window = workbench()): Promise<void> {
    await window.runCommand('Device Flow: Configure Service');
    await listed(window, 'Add Service…');
    await window.quickInput.pick('Add Service…');
    await listed(window, 'GitHub App', 'Other…');
    await window.quickInput.enter('Other…');
    await answerQuestions(window, ['the base URL', service.baseUrl], ['the client ID', service.clientId]);
    const says = new RegExp(`^${nameOf(service)} is configured\\. Sign In · Set Client Secret$`);
    await window.notifications.waitFor(says);
    await window.clearNotifications();
  }

  /** Chooses a service, by its name, and what to do with it. */
  async function configure(name: string, choice: string): Promise<void> {
    await workbench().runCommand('Device Flow: Configure Service');
    await listed(workbench(), name, 'Add Service…');
    await screenshot('list');
    await workbench().quickInput.enter(name);
    await listed(workbench(), choice);
    await workbench().quickInput.pick(choice);
  }

  async function makeDefault(name: string): Promise<void> {
    await configure(name, 'Set as Default');
    await workbench().statusBarItem(new RegExp(`^${name} was set as the default service`));
  }

  it('are two after the person added one, which asks for as much as the first did', async () => {
    await add(second);
    assert.deepEqual(await addresses(), [scene().service.baseUrl, second.baseUrl]);
  });

  it('are listed for a person who came from a step of a walkthrough, and what they type goes to the list or the box', async () => {
    const { page, quickInput } = workbench();
    const byMouse = (title: string): Promise<void> => workbench().runCommand(title);
    const byKeyboard = async (title: string): Promise<void> => {
      await page.keyboard.press('F1');
      await quickInput.type(`>${title}`);
      await until(`${title} to be the first`, async () => (await quickInput.labels())[0] === title);
      await page.keyboard.press('Enter');
    };
    const step = page.locator('.getting-started-step.expanded:focus');
    // Only if things move does a step take the focus back after a while.
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await workbench().runCommand('Welcome: Open Walkthrough...');
    await quickInput.enter('Use the session from an extension');
    for (const run of [byMouse, byKeyboard]) {
      for (const [command, title, ...lines] of [
        ['Sign In', 'Sign In', SERVICE_NAME, nameOf(second)],
        ['Configure Service', 'Configure Service', SERVICE_NAME, nameOf(second), 'Add Service…'],
        ['Show Status', 'Sign-In Status', `Sign In to ${SERVICE_NAME}`, `Sign In to ${nameOf(second)}`, 'Show Log'],
        ['Set Client Secret', 'Set Client Secret', SERVICE_NAME, nameOf(second)],
      ] as const) {
        await step.waitFor();
        await run(`Device Flow: ${command}`);
        await until(`the list of ${command}`, async () => (await quickInput.title()) === title);
        await page.waitForTimeout(FOCUS_TAKEN_BACK);
        await listed(workbench(), ...lines);
        await screenshot(`walkthrough-${command}`);
        await page.keyboard.type(nameOf(second));
        assert.equal(await quickInput.value(), nameOf(second));
        await quickInput.cancel();
        await quickInput.waitUntilClosed();
      }
      // A box follows the list, and the step has the focus in between.
      await run('Device Flow: Set Client Secret');
      await listed(workbench(), SERVICE_NAME);
      await page.waitForTimeout(FOCUS_TAKEN_BACK);
      await page.keyboard.press('Enter');
      await until('the box', () => quickInput.isPassword());
      await page.waitForTimeout(FOCUS_TAKEN_BACK);
      await page.keyboard.type('typed');
      assert.equal(await quickInput.value(), 'typed');
      await quickInput.cancel();
      await quickInput.waitUntilClosed();
    }
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Control+W');
    await page.locator('.tab').first().waitFor({ state: 'hidden' });
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  it('are signed in to each by itself: by the command, at the one that the person chooses', async () => {
    await workbench().runCommand('Device Flow: Sign In');
    await listed(workbench(), SERVICE_NAME, nameOf(second));
    await screenshot('1-sign-in');
    await workbench().quickInput.enter(nameOf(second));
    await approveSignIn(workbench(), second, USER);
    await untilSignedIn(workbench(), nameOf(second));
    const counts = [scene().service, second].map((service) => service.counts().requests['device code']);
    assert.deepEqual(counts, [0, 1]);
    // It needs another scope.
    await ask(second);
    await allowUse(workbench(), ALTERNATING);
    await approve(second);
    assert.equal(await said(ALTERNATING), `Alternating: ${labelAt(second)} 200`);
  });

  // VS Code 1.103 has no challenges.
  if (hostVersion() === NEWEST) {
    it('give an extension the scopes that the challenge of a server names, unless the person cancels', async () => {
      const scopes = ['sample', 'write', `DEVICE_FLOW_SERVICE:${second.baseUrl}`];
      const widened = `Alternating: ${labelAt(second)} with ${scopes.join(' and ')}`;
      await challenge({ silent: true });
      assert.equal(await said(ALTERNATING), 'Alternating: nobody');
      await challenge({});
      assert.equal(await said(ALTERNATING), 'Alternating: nobody');
      await until('the badge of the entry', async () => (await workbench().accounts.badge()) === 1);
      await challenge({ createIfNone: true });
      await allowUse(workbench(), ALTERNATING);
      const canceled = await pendingCode(second);
      await workbench().runCommand('Device Flow: Cancel Sign In');
      assert.match(await said(ALTERNATING), /cancel/i);
      assert.equal(second.approve(canceled, USER), undefined, 'too late');
      await challenge({ createIfNone: true });
      await allowUse(workbench(), ALTERNATING);
      await approve(second);
      assert.equal(await said(ALTERNATING), widened);
      await challenge({ silent: true });
      assert.equal(await said(ALTERNATING), widened);
      await until('no badge', async () => (await workbench().accounts.badge()) === 0);
    });
  }

  it('have a default one that callers wait for, who learn of it when another one becomes that', async () => {
    await workbench().runCommand('Alternating: Wait');
    await workbench().accounts.waitFor(WAITS);
    assert.equal(await workbench().accounts.badge(), 1);
    await makeDefault(nameOf(second));
    assert.deepEqual(await addresses(), [second.baseUrl, scene().service.baseUrl]);
    assert.equal(await said(ALTERNATING), `Alternating: waited for ${labelAt(second)}`);
    await workbench().accounts.waitUntilGone(/^Sign in with /);
    assert.equal(await workbench().accounts.badge(), 0);
    await makeDefault(SERVICE_NAME);
    assert.deepEqual(await addresses(), [scene().service.baseUrl, second.baseUrl]);
  });

  it('are signed in to, each by the extension that means it, which can ask for one more, unless the person cancels', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await allowUse(workbench());
    await approve(scene().service);
    assert.equal(await said('Sample'), `Sample: session of ${USER}`);

    const askToAdd = async (): Promise<void> => {
      await ask(third);
      await allowUse(workbench(), ALTERNATING);
      // The extension's own box, which is closed by now, has the address, too.
      await until('the box for the address', async () =>
        (await workbench().quickInput.title()).startsWith('Add Service'),
      );
      assert.equal(await workbench().quickInput.value(), third.baseUrl);
    };
    const before = await scene().data.settings();
    await askToAdd();
    await screenshot('2-asked-for');
    await workbench().quickInput.cancel();
    await workbench().quickInput.waitUntilClosed();
    assert.deepEqual(await scene().data.settings(), before);
    await said(ALTERNATING);
    await askToAdd();
    await answerQuestions(workbench(), ['to this address', third.baseUrl], ['the client ID', third.clientId]);
    await approve(third);
    assert.equal(await said(ALTERNATING), `Alternating: ${labelAt(third)} 200`);
  });

  it('are in Show Status, each with its account, and their accounts in one menu, under the extension’s name', async () => {
    await workbench().runCommand('Device Flow: Show Status');
    await listed(workbench(), 'Sign In to Another Account');
    const headings = await workbench().page.locator('.quick-input-list .quick-input-list-separator').allInnerTexts();
    assert.deepEqual(headings.filter((text) => text !== '').slice(0, 2), [SERVICE_NAME, nameOf(second)]);
    await screenshot('3-status');
    await workbench().quickInput.cancel();
    await inMenu();
    await workbench().accounts.open();
    await screenshot('3-accounts');
    await workbench().page.keyboard.press('Escape');
  });

  it('give an extension that may use some nothing of the others', async () => {
    await workbench().runCommand('Alternating: Unnamed');
    assert.equal(await said(ALTERNATING), 'Alternating: nobody');
    await workbench().runCommand('Sample: Ask Silently');
    assert.equal(await said('Sample'), `Sample: session of ${USER}`);
  });

  it('are used in turn by an extension that may use all and passes the account, without a question', async () => {
    await ask(scene().service);
    await giveConsent(workbench(), USER, ALTERNATING);
    assert.equal(await said(ALTERNATING), `Alternating: ${USER} 200`);
    await workbench().runCommand('Alternating: By Account');
    const answers = [USER, labelAt(second), labelAt(third)].map((account) => `${account} 200 x 20`).sort();
    assert.equal(await said(ALTERNATING), `Alternating: ${answers.join(', ')}`);
  });

  it('are never mixed up if it only names them: older versions of VS Code give it the account alone that it used last', async () => {
    await workbench().runCommand('Alternating: By Name');
    const isNewest = scene().server.host.version.name === 'newest';
    const others = isNewest ? [second, third].map((service) => `${labelAt(service)} 200 x 20`) : ['nobody x 40'];
    const [, answers = ''] = (await said(ALTERNATING)).split(': ');
    assert.deepEqual(answers.split(', ').sort(), [`${USER} 200 x 20`, ...others].sort());
  });

  it('hand out no session whose token has expired because no refresh works, so that VS Code offers another sign-in', async () => {
    const { service } = scene();
    service.setAccessTokenTtl(LIFETIME);
    service.revoke(1, 'access token');
    await workbench().runCommand('Sample: Call Again After a Rejected Token');
    assert.match(await said('Sample'), /^Sample: whoami returned 200 /);
    const body = JSON.stringify({ error: 'access_denied' });
    await service.faults.switchOn('refresh', { kind: 'respond', status: 403, body }, Infinity).reached();
    const expiresAt = Date.now() + LIFETIME * 1_000;
    await until('its token to have expired', () => Date.now() > expiresAt);
    await workbench().runCommand('Alternating: Wait');
    await workbench().accounts.waitFor(WAITS);
    assert.equal(await workbench().accounts.badge(), 1);
  });

  it('end the wait when the session can be used again, and its offer and badge go away', async () => {
    const { service } = scene();
    const codes = service.counts().requests['device code'];
    service.setAccessTokenTtl(3_600);
    service.faults.clear();
    await workbench().notifications.click(/^Couldn’t refresh the session for /, 'Try Again');
    assert.equal(await said(ALTERNATING), `Alternating: waited for ${USER}`);
    await workbench().accounts.waitUntilGone(WAITS);
    assert.equal(await workbench().accounts.badge(), 0);
    assert.equal(service.counts().requests['device code'], codes);
  });

  it('tell an extension for how long it may keep a token, and give git the refreshed one for the host that the settings name', async () => {
    const { record } = scene().service;
    await workbench().runCommand('Alternating: Validity');
    const [, validity] = (await said(ALTERNATING)).split(': ');
    assert.ok(Number(validity) > 0 && Number(validity) <= 3_600_000, validity);
    await repository.commit('second');
    await workbench().runCommand('Git: Pull');
    await until('the second file', () => existsSync(path.join(scene().data.workspace, 'second')));
    assert.match(repository.sent.at(-1) ?? '', /^oauth2 ./);
    const { token } = record.of('whoami').at(-1) ?? assert.fail('the service was not called');
    assert.equal(token?.state, 'current');
    assert.ok(record.counts().refreshed > 0);
  });

  it('keep their accounts, with their names, when another one becomes the default, which extensions get that name none', async () => {
    await makeDefault(nameOf(second));
    await inMenu();
    await workbench().runCommand('Sample: Ask Silently');
    assert.match(
      await said('Sample'),
      /^Sample: no session: .* \(no access yet\)$/,
      'it may not use the account of the new one',
    );
    await workbench().runCommand('Sample: Ask for a Session');
    await giveConsent(workbench(), labelAt(second));
    assert.equal(await said('Sample'), `Sample: session of ${labelAt(second)}`);
    for (const service of [scene().service, second, third]) assert.equal(service.pending.length, 0);
  });

  it('are served while another one is down', async () => {
    await scene().service.close();
    for (const service of [second, third]) {
      await ask(service);
      await giveConsent(workbench(), labelAt(service), ALTERNATING);
      assert.equal(await said(ALTERNATING), `Alternating: ${labelAt(service)} 200`);
    }
  });

  it('are all but one still there after it was signed out of and removed', async () => {
    const name = nameOf(third);
    await configure(name, 'Remove Service…');
    const text = await workbench().dialog.waitFor(new RegExp(`^Remove ${name}\\?`));
    assert.match(text, /You’ll be signed out of /);
    await screenshot('4-removal');
    await workbench().dialog.answer(new RegExp(`^Remove ${name}\\?`), 'Remove');
    await workbench().notifications.waitFor(new RegExp(`^${name} was removed, and you were signed out\\.`));
    assert.deepEqual(
      third.record.of('revocation').map(({ result }) => result?.status),
      [200],
    );
    assert.deepEqual(await addresses(), [second.baseUrl, scene().service.baseUrl]);
    await workbench().accounts.waitForAccounts([USER, labelAt(second)], 'Device Flow');
    await workbench().clearNotifications();
  });

  it('are those of the application in a profile that has another key of the extension’s, and can be configured there', async () => {
    await makeProfile(scene(), STRAY, { 'deviceFlow.clientId': 'stray' });
    const { workbench: inProfile } = await scene().openWindow({ payload: [['profile', STRAY]] });
    await until('a window of the profile', async () => (await inProfile.page.title()).startsWith(STRAY));
    await add(third, inProfile);
    assert.deepEqual(await addresses(), [second.baseUrl, scene().service.baseUrl, third.baseUrl]);
    await ask(third, inProfile);
    await allowUse(inProfile, ALTERNATING);
    await approve(third);
    assert.equal(await said(ALTERNATING, inProfile), `Alternating: ${labelAt(third)} 200`);
    await inProfile.runCommand('Sample: Ask for a Session');
    assert.equal(await said('Sample', inProfile), `Sample: session of ${labelAt(second)}`);
  });
});

/** What a service is called that nobody gave a name: by its host. */
function nameOf({ baseUrl }: EmbeddedService): string {
  return new URL(baseUrl).host;
}

/** What the user's account is called at a further service. */
function labelAt(service: EmbeddedService): string {
  return `${USER} · ${nameOf(service)}`;
}

/** Waits until entries of the list begin with these labels. */
async function listed({ quickInput }: Workbench, ...labels: readonly string[]): Promise<void> {
  await until(`the list to have ${labels.join(', ')}`, async () => {
    const drawn = await quickInput.labels();
    return labels.every((label) => drawn.some((text) => text.startsWith(label)));
  });
}
