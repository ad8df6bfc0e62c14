import assert from 'node:assert/strict';
import path from 'node:path';
import { createService, type EmbeddedService } from '../../../demo/service';
import { packExtension } from '../../../scripts/host/packExtension';
import { until } from '../../../scripts/host/until';
import { allowUse, giveConsent } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { tellAsOneStory } from '../../support/story';

const ALTERNATING = 'Alternating';
const FURTHER_ACCOUNT = 'Ada (Second)';

/** Guards that extensions get the sessions of the service that they mean, of two that are used at once, and no other. */
describe('two services at once, one of the draft and one of the standard', () => {
  tellAsOneStory();
  let second: EmbeddedService;
  const { scene, workbench } = useScene({
    surroundings: async (_service, _data, cleanUp) => {
      second = await createService({ clientName: 'Sample Client', interval: 1, protocol: 'rfc8628', clientSecret: '' });
      cleanUp.add(() => second.close());
      const { baseUrl, clientId } = second;
      const services = [
        { protocol: 'rfc8628', baseUrl, clientId, serviceName: 'Second', scopes: ['openid', 'profile'] },
      ];
      return {
        settings: { 'deviceFlow.services': services },
        extensions: [await packExtension(path.join('test', 'e2e', 'consumer'))],
      };
    },
  });
  const said = (by: string): Promise<string> => workbench().notifications.take(new RegExp(`^${by}: `));
  const screenshot = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/several-${name}`);
  const ask = async (baseUrl: string): Promise<void> => {
    await workbench().runCommand('Alternating: Ask');
    await workbench().quickInput.enter(baseUrl);
  };
  const approve = async (service: EmbeddedService, account?: string): Promise<void> => {
    assert.equal(service.approve(await until('a code', () => service.pending[0]), account), undefined);
  };

  it('are signed in to, each by the extension that means it', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await allowUse(workbench());
    await approve(scene().service);
    assert.match(await said('Sample'), /^Sample: session of Sample Service$/);
    await ask(second.baseUrl);
    await allowUse(workbench(), ALTERNATING);
    await screenshot('1-code');
    await approve(second, 'Ada');
    assert.equal(await said(ALTERNATING), `Alternating: ${FURTHER_ACCOUNT} 200`);
  });

  it('have their accounts in one menu, under the extension’s name', async () => {
    await workbench().accounts.waitFor(/^Sample Service \(Device Flow Authentication\)$/);
    await workbench().accounts.waitFor(/^Ada \(Second\) \(Device Flow Authentication\)$/);
    await workbench().accounts.open();
    await screenshot('2-accounts');
    await workbench().page.keyboard.press('Escape');
  });

  it('give an extension that may use one nothing of the other', async () => {
    await workbench().runCommand('Alternating: Unnamed');
    assert.equal(await said(ALTERNATING), 'Alternating: nobody');
    await workbench().runCommand('Sample: Ask Silently');
    assert.equal(await said('Sample'), 'Sample: session of Sample Service');
  });

  it('are used in turn by an extension that may use both and passes the account, without a question', async () => {
    await ask(scene().service.baseUrl);
    await allowUse(workbench(), ALTERNATING);
    await workbench().quickInput.pick('Sample Service');
    assert.equal(await said(ALTERNATING), 'Alternating: Sample Service 200');
    await workbench().runCommand('Alternating: By Account');
    assert.equal(await said(ALTERNATING), `Alternating: ${FURTHER_ACCOUNT} 200 x 25, Sample Service 200 x 25`);
  });

  it('are never mixed up if it only names them: older versions of VS Code give it the account alone that it used last', async () => {
    await workbench().runCommand('Alternating: By Name');
    const others = scene().server.host.version.name === 'newest' ? `${FURTHER_ACCOUNT} 200` : 'nobody';
    const expected = [`${others} x 25`, 'Sample Service 200 x 25'].sort().join(', ');
    const [, answers = ''] = (await said(ALTERNATING)).split(': ');
    assert.equal(answers.split(', ').sort().join(', '), expected);
  });

  it('are served while the other one is down', async () => {
    await scene().service.close();
    await workbench().runCommand('Alternating: Ask');
    await workbench().quickInput.enter(second.baseUrl);
    await giveConsent(workbench(), FURTHER_ACCOUNT, ALTERNATING);
    assert.equal(await said(ALTERNATING), `Alternating: ${FURTHER_ACCOUNT} 200`);
  });
});
