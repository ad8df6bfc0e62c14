import assert from 'node:assert/strict';
import path from 'node:path';
import { settingsFor } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { packExtension } from '../../../host/packExtension';
import { until } from '../../../host/until';
import { allowUse, FIRST_ACCOUNT } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { tellAsOneStory } from '../../support/story';

const ALTERNATING = 'Alternating';
const SECOND = 'Second';
/** Seconds that a token of the second service lives: it's refreshed soon. */
const LIFETIME = 16;
/** Longer than the test. Milliseconds. */
const HANG = 10 * 60 * 1000;

/**
 * Guards that a person with one service notices nothing of others that come and go, not even if they hang or can't be used.
 */
describe('one service among several', () => {
  tellAsOneStory();
  let second: EmbeddedService;
  const { scene, workbench } = useScene({
    surroundings: async (_service, _data, cleanUp) => {
      second = await createService({
        accessTokenTtl: LIFETIME,
        clientName: 'Sample Client',
        interval: 1,
        protocol: 'rfc8628',
        clientSecret: '',
      });
      cleanUp.add(() => second.close());
      return { extensions: [await packExtension(path.join('test', 'e2e', 'consumer'))] };
    },
  });
  const said = (by: string): Promise<string> => workbench().notifications.take(new RegExp(`^${by}: `));
  const approve = async (service: EmbeddedService): Promise<void> => {
    assert.equal(service.approve(await until('a code', () => service.pending[0])), undefined);
  };
  const isServed = async (): Promise<void> => {
    await workbench().runCommand('Sample: Who Am I');
    assert.match(await said('Sample'), /^Sample: whoami returned 200 /);
  };
  const ask = async (): Promise<void> => {
    await workbench().runCommand('Alternating: Ask');
    await workbench().quickInput.enter(second.baseUrl);
  };

  it('keeps its account, the account’s name, and who may use it when others are added', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await allowUse(workbench());
    await approve(scene().service);
    assert.equal(await said('Sample'), 'Sample: session of My account');
    await workbench().accounts.waitFor(FIRST_ACCOUNT);
    const { baseUrl, clientId } = second;
    const usable = { protocol: 'rfc8628', baseUrl, clientId, serviceName: SECOND };
    const others = [
      { ...usable, clientId: '' },
      { clientId, protocol: 'draft', baseUrl: 'http://x.example' },
    ];
    await scene().configure({}, [usable, ...others]);
    await workbench().accounts.waitFor(/^My account \(Device Flow\)$/);
    await isServed();
  });

  it('is served while others can’t be used, which are named in Show Status', async () => {
    await workbench().notifications.take(/deviceFlow\.services\[2\]\.clientId/);
    await isServed();
    await workbench().runCommand('Device Flow: Show Status');
    const problems = ['deviceFlow.services[2].clientId', 'deviceFlow.services[3].baseUrl'];
    await until('both problems to be listed', async () => {
      const drawn = await workbench().quickInput.labels();
      return problems.every((problem) => drawn.includes(problem));
    });
    await workbench().screenshot(`${scene().server.host.version.name}/services-10-problems`);
    await workbench().quickInput.cancel();
  });

  it('is served while another one hangs, even if VS Code lets it wait until a caller of that gives up', async () => {
    await ask();
    await allowUse(workbench(), ALTERNATING);
    await approve(second);
    assert.equal(await said(ALTERNATING), `Alternating: demo · ${SECOND} 200`);
    const hangs = second.faults.switchOn('refresh', { kind: 'delay', when: 'before', milliseconds: HANG }, Infinity);
    await hangs.reached();
    // It's due at 70 percent of its life, at the earliest.
    const expiresAt = Date.now() + 0.3 * LIFETIME * 1_000;
    await until('its token to have expired', () => Date.now() > expiresAt);
    await ask();
    await isServed();
    assert.equal(second.record.of('refresh').at(-1)?.result, undefined, 'it still hangs');
    assert.match(await said(ALTERNATING), /^Alternating: Error: /);
    await isServed();
  });

  it('still has them in the next window, after the others were removed', async () => {
    // Otherwise, the window waits for the response that may bring new tokens.
    await second.close();
    await scene().closeWindow();
    await scene().data.writeSettings(settingsFor(scene().service));
    await scene().openWindow();
    await workbench().accounts.waitForAccounts(['My account'], 'Demo Service');
    await isServed();
    assert.equal(scene().service.counts().requests['device code'], 1);
    assert.equal(scene().service.counts().requests.refresh, 0);
  });
});
