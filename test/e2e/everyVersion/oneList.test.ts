import assert from 'node:assert/strict';
import path from 'node:path';
import { elementFor, WHO_SIGNED_IN } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { packExtension } from '../../../scripts/host/packExtension';
import { until } from '../../../scripts/host/until';
import { allowUse } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { tellAsOneStory } from '../../support/story';

const ALTERNATING = 'Alternating';
const SECOND = 'Second';

/** Guards that changes of the list of services are about the element that's meant, and that those who wait learn of them. */
describe('the list of services', () => {
  tellAsOneStory();
  let second: EmbeddedService;
  const { scene, workbench } = useScene({
    fields: WHO_SIGNED_IN,
    surroundings: async (_service, _data, cleanUp) => {
      second = await createService({
        clientName: 'Sample Client',
        interval: 1,
        protocol: 'rfc8628',
        clientSecret: '',
      });
      cleanUp.add(() => second.close());
      return {
        services: [elementFor(second, { serviceName: SECOND, scopes: ['openid', 'profile'] })],
        extensions: [await packExtension(path.join('test', 'e2e', 'consumer'))],
      };
    },
  });
  const said = (by: string): Promise<string> => workbench().notifications.take(new RegExp(`^${by}: `));
  const listed = async (...labels: readonly string[]): Promise<void> => {
    await until(`the list to have ${labels.join(', ')}`, async () => {
      const drawn = await workbench().quickInput.labels();
      return labels.every((label) => drawn.some((text) => text.startsWith(label)));
    });
  };
  const approve = async (service: EmbeddedService): Promise<void> => {
    assert.equal(service.approve(await until('a code', () => service.pending[0]), 'Ada'), undefined);
  };
  const configure = async (name: string, ...choices: readonly string[]): Promise<void> => {
    await workbench().runCommand('Device Flow: Configure Service');
    await listed(name, 'Add Service…');
    await workbench().quickInput.enter(name);
    for (const choice of choices) {
      await listed(choice);
      await workbench().quickInput.pick(choice);
    }
  };
  const clientIds = async (): Promise<readonly unknown[]> => {
    const { 'deviceFlow.services': services } = await scene().data.settings();
    return (services as readonly { clientId: string }[]).map(({ clientId }) => clientId);
  };

  it('has a default that callers wait for, who learn of it when another one becomes that', async () => {
    await workbench().runCommand('Alternating: Ask');
    await workbench().quickInput.enter(second.baseUrl);
    await allowUse(workbench(), ALTERNATING);
    await approve(second);
    assert.equal(await said(ALTERNATING), `Alternating: Ada (${SECOND}) 200`);
    await workbench().runCommand('Alternating: Wait');
    await workbench().accounts.waitFor(/^Sign in with .* to use Alternating \(1\)$/);
    assert.equal(await workbench().accounts.badge(), 1);
    await configure(SECOND, 'Set as Default');
    await workbench().notifications.take(new RegExp(`^${SECOND} is now the default service`));
    assert.deepEqual(await clientIds(), [second.clientId, scene().service.clientId]);
    assert.equal(await said(ALTERNATING), `Alternating: waited for Ada (${SECOND})`);
    await workbench().accounts.waitUntilGone(/^Sign in with /);
    assert.equal(await workbench().accounts.badge(), 0);
  });

  it('keeps a second element of an address when the one in use is removed, and says so', async () => {
    const twin = elementFor({ ...second, clientId: 'a-twin' }, { serviceName: 'Twin' });
    const { 'deviceFlow.services': services } = await scene().data.settings();
    await scene().data.writeSettings({ 'deviceFlow.services': [...(services as readonly object[]), twin] });
    await workbench().reload();
    await workbench().notifications.take(/deviceFlow\.services\[2\]\.baseUrl is invalid\. Another service/);
    await configure(SECOND, 'Remove Service…');
    await workbench().dialog.answer(new RegExp(`^Remove ${SECOND}\\?`), 'Remove');
    await workbench().notifications.take(new RegExp(`^${SECOND} was removed\\. .*which is used now: Twin\\.`));
    assert.deepEqual(await clientIds(), [scene().service.clientId, 'a-twin']);
  });
});
