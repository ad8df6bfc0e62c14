import assert from 'node:assert/strict';
import path from 'node:path';
import { createService, type EmbeddedService } from '../../../demo/service';
import { allowUse, confirmSignIn } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { packServersEmbedder, PUBLIC_CLIENT } from '../../support/embedder';
import { tellAsOneStory } from '../../support/story';

const CALLER = path.join('test', 'embedder', 'caller');
const WRONG_ENTRY = /^Entry 1 of the setting acme\.servers can’t be used: baseUrl is wrong\. Enter a web address/;
/** Who the person is at each of the servers. */
const ADA = 'Ada';

/**
 * Guards that an extension whose users list servers of their own, written as the page for authors says, signs them in to each, and
 * sends each its own token, without a question once the person has allowed it; and that a wrong entry harms no other.
 */
describe('an extension whose users list three servers in a setting of its own', () => {
  tellAsOneStory();
  const services: EmbeddedService[] = [];
  const addresses = (): readonly string[] => services.map(({ baseUrl }) => baseUrl);
  const { workbench } = useScene({
    unconfigured: true,
    withoutExtension: true,
    consumer: CALLER,
    service: PUBLIC_CLIENT,
    surroundings: async (service, data, cleanUp) => {
      const others = await Promise.all([1, 2].map(() => createService({ interval: 1, ...PUBLIC_CLIENT })));
      for (const other of others) cleanUp.add(() => other.close());
      services.push(service, ...others);
      const settings = { 'acme.servers': ['acme.example', ...addresses()] };
      return { settings, extensions: [await packServersEmbedder(data, service)] };
    },
  });
  const call = async ({ baseUrl }: EmbeddedService): Promise<void> => {
    await workbench().runCommand('Acme: Who Am I');
    await workbench().quickInput.pick(baseUrl);
  };
  const said = (): Promise<string> => workbench().notifications.take(/^Acme says: /);

  it('says which entry of the setting can’t be used, and offers the others', async () => {
    await workbench().runCommand('Acme: Who Am I');
    await workbench().quickInput.waitUntilOpen();
    assert.deepEqual(await workbench().quickInput.labels(), addresses());
    await workbench().quickInput.cancel();
    assert.match(await workbench().notifications.take(/^Entry /), WRONG_ENTRY);
  });

  it('signs in to each, the first time it calls it', async () => {
    for (const service of services) {
      await call(service);
      await allowUse(workbench(), 'Acme Servers');
      await confirmSignIn(workbench(), service, ADA);
      assert.match(await said(), /"name":"Ada"/);
    }
  });

  it('shows them in one menu, each with a name of its own', async () => {
    // The first entry can't be used, so none of them is the default one, whose accounts have plain names.
    for (const { baseUrl } of services) {
      const { port } = new URL(baseUrl);
      await workbench().accounts.waitFor(new RegExp(`^Ada \\(127\\.0\\.0\\.1:${port}\\) \\(Acme\\)$`));
    }
  });

  it('sends each its own token from then on, in any order, and asks nothing', async () => {
    for (const service of [...services, ...services].reverse()) {
      await call(service);
      assert.match(await said(), /"name":"Ada"/);
      const { token } = service.record.of('whoami').at(-1) ?? assert.fail('the service was not called');
      assert.equal(token?.state, 'current');
    }
    for (const service of services) assert.equal(service.counts().requests['device code'], 1);
  });
});
