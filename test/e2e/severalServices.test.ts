import assert from 'node:assert/strict';
import { SERVICE_NAME } from '../../demo/configured';
import { createService, type EmbeddedService } from '../../demo/service';
import { until } from '../../scripts/host/until';
import { allowUse, answerQuestions, approveSignIn, untilSignedIn } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';
import { tellAsOneStory } from '../support/story';

const CATEGORY = 'Device Flow';

/**
 * Guards that a person can use several services at once in VS Code: add one, or let an extension ask for it, sign in to each, see
 * them, and remove one.
 */
describe('several services', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({});
  let second: EmbeddedService;
  let third: EmbeddedService;
  /** What they're called: by their hosts. */
  let SECOND: string;
  let THIRD: string;
  before(async () => {
    const standard = { interval: 1, protocol: 'rfc8628', clientSecret: '' } as const;
    second = await createService({ ...standard, clientId: 'second-client' });
    third = await createService({ ...standard, clientId: 'third-client' });
    SECOND = new URL(second.baseUrl).host;
    THIRD = new URL(third.baseUrl).host;
  });
  after(() => Promise.all([second.close(), third.close()]));

  const picture = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/services-${name}`);
  const listed = async (...labels: readonly string[]): Promise<void> => {
    await until(`the list to have ${labels.join(', ')}`, async () => {
      const drawn = await workbench().quickInput.labels();
      return labels.every((label) => drawn.some((text) => text.startsWith(label)));
    });
  };

  it('are there after the second one was added, which asks for as much as the first did', async () => {
    await workbench().runCommand('Device Flow: Configure Service');
    await listed('Change…', 'Remove Service…', 'Add Service…');
    await picture('1-one');
    await workbench().quickInput.pick('Add Service…');
    await listed('GitHub App', 'Other…');
    await picture('1-presets');
    await workbench().quickInput.enter('Other…');
    await answerQuestions(workbench(), ['the base URL', second.baseUrl], ['the client ID', second.clientId]);
    const { buttons } = await workbench().notifications.waitFor(
      new RegExp(`^${SECOND} is configured\\. If the client has a`),
    );
    assert.deepEqual(buttons, ['Sign In', 'Set Client Secret']);
    await workbench().runCommand('Device Flow: Configure Service');
    await listed(SERVICE_NAME, SECOND, 'Add Service…');
    await picture('2-both');
    await workbench().quickInput.cancel();
    await workbench().clearNotifications();
  });

  it('are both signed in to, each by itself', async () => {
    const signIn = async (name: string): Promise<void> => {
      await workbench().runCommand('Device Flow: Sign In');
      await listed(SERVICE_NAME, SECOND);
      await picture(`3-sign-in-to-${name.split(' ')[0] ?? ''}`);
      await workbench().quickInput.enter(name);
    };
    await signIn(SERVICE_NAME);
    await approveSignIn(workbench(), scene().service);
    await untilSignedIn(workbench(), SERVICE_NAME);
    await signIn(SECOND);
    await approveSignIn(workbench(), second);
    await untilSignedIn(workbench(), SECOND);
    const counts = [scene().service, second].map((service) => service.counts().requests['device code']);
    assert.deepEqual(counts, [1, 1]);
  });

  it('are both in Show Status, each with its account', async () => {
    await workbench().runCommand('Device Flow: Show Status');
    await listed('Sign In to Another Account');
    const headings = await workbench().page.locator('.quick-input-list .quick-input-list-separator').allInnerTexts();
    assert.deepEqual(headings.filter((text) => text !== '').slice(0, 2), [SERVICE_NAME, SECOND]);
    await picture('4-status');
    await workbench().quickInput.cancel();
    await workbench().accounts.open();
    await picture('5-accounts');
    await workbench().page.keyboard.press('Escape');
  });

  it('are joined by one that an extension asks for, unless the person cancels', async () => {
    const ask = async (): Promise<void> => {
      await workbench().runCommand('Sample: Ask for the Session of a Service');
      await workbench().quickInput.enter(third.baseUrl);
      await allowUse(workbench());
      // The sample's own box, which is closed by now, has the address, too.
      await until('the box for the address', async () =>
        (await workbench().quickInput.title()).startsWith('Add Service'),
      );
      assert.equal(await workbench().quickInput.value(), third.baseUrl);
    };
    const before = await scene().data.settings();
    await ask();
    await picture('6-asked-for');
    await workbench().quickInput.cancel();
    await workbench().quickInput.waitUntilClosed();
    assert.deepEqual(await scene().data.settings(), before);
    await ask();
    await answerQuestions(workbench(), ['at this address', third.baseUrl], ['the client ID', third.clientId]);
    await approveSignIn(workbench(), third);
    assert.equal(await workbench().notifications.take(/^Sample: /), `Sample: session of demo (${THIRD})`);
  });

  it('are all but one still there after it was signed out of and removed', async () => {
    const accounts = [SERVICE_NAME, `demo (${SECOND})`, `demo (${THIRD})`];
    await workbench().accounts.waitForAccounts(accounts, CATEGORY);
    await workbench().runCommand('Device Flow: Configure Service');
    await listed(SECOND, 'Add Service…');
    await workbench().quickInput.enter(SECOND);
    await listed('Set as Default', 'Remove Service…');
    await picture('7-second');
    await workbench().quickInput.pick('Remove Service…');
    const text = await workbench().dialog.waitFor(new RegExp(`^Remove ${SECOND}\\?`));
    assert.match(text, /You’ll be signed out of /);
    await picture('8-removal');
    await workbench().dialog.answer(new RegExp(`^Remove ${SECOND}\\?`), 'Remove');
    await workbench().notifications.waitFor(new RegExp(`^${SECOND} was removed, and you were signed out of .*\\.$`));
    await picture('9-removed');
    assert.deepEqual(
      second.record.of('revocation').map(({ result }) => result?.status),
      [200],
    );
    const { 'deviceFlow.services': services } = await scene().data.settings();
    assert.deepEqual(
      (services as readonly { baseUrl: string }[]).map(({ baseUrl }) => baseUrl),
      [scene().service.baseUrl, third.baseUrl],
    );
    await workbench().accounts.waitForAccounts([SERVICE_NAME, `demo (${THIRD})`], CATEGORY);
    await workbench().clearNotifications();
  });
});
