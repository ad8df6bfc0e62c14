import assert from 'node:assert/strict';
import { SERVICE_NAME } from '../../demo/configured';
import { createService, type EmbeddedService } from '../../demo/service';
import { until } from '../../scripts/host/until';
import { answerQuestions, approveSignIn } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';
import { tellAsOneStory } from '../support/story';

const SECOND = 'Second Cloud';

/** Guards that a person can use two services at once in VS Code: add one, sign in to both, see both, and remove one. */
describe('two services', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({});
  let second: EmbeddedService;
  before(async () => {
    second = await createService({ interval: 1, clientId: 'second-client' });
  });
  after(() => second.close());

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
    await listed('Base URL', 'Remove Service…', 'Add Service…');
    await picture('1-one');
    await workbench().quickInput.pick('Add Service…');
    const { baseUrl, clientId, clientSecret } = second;
    await answerQuestions(
      workbench(),
      ['the base URL', baseUrl],
      ['the client ID', clientId],
      ['the client secret', clientSecret],
      ['a name for the service', SECOND],
    );
    const { buttons } = await workbench().notifications.waitFor(new RegExp(`^${SECOND} is configured\\.$`));
    assert.deepEqual(buttons, ['Sign In']);
    await workbench().runCommand('Device Flow: Configure Service');
    await listed(SERVICE_NAME, SECOND, 'Add Service…');
    await picture('2-both');
    await workbench().quickInput.cancel();
    await workbench().clearNotifications();
  });

  it('are both signed in to, each by itself', async () => {
    for (const [name, service] of [
      [SERVICE_NAME, scene().service],
      [SECOND, second],
    ] as const) {
      await workbench().runCommand('Device Flow: Sign In');
      await listed(SERVICE_NAME, SECOND);
      await picture(`3-sign-in-to-${name.split(' ')[0] ?? ''}`);
      await workbench().quickInput.enter(name);
      await approveSignIn(workbench(), service);
      await workbench().notifications.take(new RegExp(`^Signed in to ${name}`));
    }
    const counts = [scene().service, second].map((service) => service.counts().requests['device code']);
    // Configure Service recognized the second one by such a request, too.
    assert.deepEqual(counts, [1, 2]);
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

  it('are one again after the second one was removed, and signed out of', async () => {
    await workbench().runCommand('Device Flow: Configure Service');
    await listed(SECOND, 'Add Service…');
    await workbench().quickInput.enter(SECOND);
    await listed('Set as Default', 'Remove Service…');
    await picture('6-second');
    await workbench().quickInput.pick('Remove Service…');
    const text = await workbench().dialog.waitFor(new RegExp(`^Remove ${SECOND}\\?`));
    assert.match(text, /You’ll be signed out of /);
    await picture('7-removal');
    await workbench().dialog.answer(new RegExp(`^Remove ${SECOND}\\?`), 'Remove');
    await workbench().notifications.waitFor(new RegExp(`^${SECOND} was removed, and you’ve been signed out of `));
    await picture('8-removed');
    await workbench().accounts.waitForAccounts([SERVICE_NAME], SERVICE_NAME);
    await workbench().clearNotifications();
  });
});
