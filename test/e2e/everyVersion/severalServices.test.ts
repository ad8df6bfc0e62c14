import assert from 'node:assert/strict';
import path from 'node:path';
import { SERVICE_NAME, WHO_SIGNED_IN } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { packExtension } from '../../../scripts/host/packExtension';
import { until } from '../../../scripts/host/until';
import { allowUse, giveConsent } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { tellAsOneStory } from '../../support/story';

const ALTERNATING = 'Alternating';
/** The names of the further services. */
const [SECOND, THIRD] = ['Second', 'Third'] as const;
const FURTHER: readonly string[] = [SECOND, THIRD];
/** Who signs in to each of them. */
const USER = 'Ada';
/** What VS Code offers to people while an extension waits. */
const WAITS = /^Sign in with .* to use Alternating \(1\)$/;
/** How long an access token works that's soon to expire. Seconds. */
const LIFETIME = 15;

/**
 * Guards that extensions get the sessions of the service that they mean, of three that are used at once, and no other, although the
 * same user is signed in to each; that those who wait for the default one learn of another, and
 * that a session which needed its person can be used again, which VS Code must be told as if it were new.
 */
describe('three services at once, one of the draft and two of the standard', () => {
  tellAsOneStory();
  const further: EmbeddedService[] = [];
  const { scene, workbench } = useScene({
    fields: WHO_SIGNED_IN,
    surroundings: async (_service, _data, cleanUp) => {
      const standard = { clientName: 'Sample Client', interval: 1, protocol: 'rfc8628', clientSecret: '' } as const;
      further.push(...(await Promise.all([createService(standard), createService(standard)])));
      for (const service of further) cleanUp.add(() => service.close());
      const services = further.map(({ baseUrl, clientId }, index) => ({
        protocol: 'rfc8628',
        baseUrl,
        clientId,
        serviceName: FURTHER[index],
        scopes: ['openid', 'profile'],
      }));
      return { services, extensions: [await packExtension(path.join('test', 'e2e', 'consumer'))] };
    },
  });
  const said = (by: string): Promise<string> => workbench().notifications.take(new RegExp(`^${by}: `));
  const screenshot = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/several-${name}`);
  const ask = async ({ baseUrl }: Pick<EmbeddedService, 'baseUrl'>): Promise<void> => {
    await workbench().runCommand('Alternating: Ask');
    await workbench().quickInput.enter(baseUrl);
  };
  const approve = async (service: EmbeddedService): Promise<void> => {
    assert.equal(service.approve(await until('a code', () => service.pending[0]), USER), undefined);
  };
  const inMenu = (): Promise<void> =>
    workbench().accounts.waitForAccounts([USER, ...FURTHER.map(labelAt)], 'Device Flow');

  const listed = async (...labels: readonly string[]): Promise<void> => {
    await until(`the list to have ${labels.join(', ')}`, async () => {
      const drawn = await workbench().quickInput.labels();
      return labels.every((label) => drawn.some((text) => text.startsWith(label)));
    });
  };
  const configure = async (name: string, choice: string): Promise<void> => {
    await workbench().runCommand('Device Flow: Configure Service');
    await listed(name, 'Add Service…');
    await workbench().quickInput.enter(name);
    await listed(choice);
    await workbench().quickInput.pick(choice);
  };
  const makeDefault = async (name: string): Promise<void> => {
    await configure(name, 'Set as Default');
    await workbench().statusBarItem(new RegExp(`^${name} is now the default service`));
  };
  const elements = async (): Promise<readonly { readonly baseUrl: string; readonly clientId: string }[]> => {
    const { 'deviceFlow.services': services } = await scene().data.settings();
    return services as Awaited<ReturnType<typeof elements>>;
  };
  const addresses = async (): Promise<readonly string[]> => (await elements()).map(({ baseUrl }) => baseUrl);
  const nth = (index: number): EmbeddedService => further[index] ?? assert.fail('There is no such service.');

  it('have a default one that callers wait for, who learn of it when another one becomes that', async () => {
    await ask(nth(0));
    await allowUse(workbench(), ALTERNATING);
    await screenshot('1-code-0');
    await approve(nth(0));
    assert.equal(await said(ALTERNATING), `Alternating: ${labelAt(SECOND)} 200`);
    await workbench().runCommand('Alternating: Wait');
    await workbench().accounts.waitFor(WAITS);
    assert.equal(await workbench().accounts.badge(), 1);
    const before = [scene().service, ...further].map(({ baseUrl }) => baseUrl);
    await makeDefault(SECOND);
    assert.deepEqual(await addresses(), [nth(0).baseUrl, scene().service.baseUrl, nth(1).baseUrl]);
    assert.equal(await said(ALTERNATING), `Alternating: waited for ${labelAt(SECOND)}`);
    await workbench().accounts.waitUntilGone(/^Sign in with /);
    assert.equal(await workbench().accounts.badge(), 0);
    await makeDefault(SERVICE_NAME);
    assert.deepEqual(await addresses(), before);
  });

  it('are signed in to, each by the extension that means it', async () => {
    await workbench().runCommand('Sample: Ask for a Session');
    await allowUse(workbench());
    await approve(scene().service);
    assert.equal(await said('Sample'), `Sample: session of ${USER}`);
    await ask(nth(1));
    await allowUse(workbench(), ALTERNATING);
    await screenshot('1-code-1');
    await approve(nth(1));
    assert.equal(await said(ALTERNATING), `Alternating: ${labelAt(THIRD)} 200`);
  });

  it('have their accounts in one menu, under the extension’s name', async () => {
    await inMenu();
    await workbench().accounts.open();
    await screenshot('2-accounts');
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
    await allowUse(workbench(), ALTERNATING);
    await workbench().quickInput.pick(USER);
    assert.equal(await said(ALTERNATING), `Alternating: ${USER} 200`);
    await workbench().runCommand('Alternating: By Account');
    const answers = [USER, ...FURTHER.map(labelAt)].map((account) => `${account} 200 x 20`).sort();
    assert.equal(await said(ALTERNATING), `Alternating: ${answers.join(', ')}`);
  });

  it('are never mixed up if it only names them: older versions of VS Code give it the account alone that it used last', async () => {
    await workbench().runCommand('Alternating: By Name');
    const isNewest = scene().server.host.version.name === 'newest';
    const others = isNewest ? FURTHER.map((name) => `${labelAt(name)} 200 x 20`) : ['nobody x 40'];
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

  it('keep their accounts, with their names, when another one becomes the default, which extensions get that name none', async () => {
    await makeDefault(SECOND);
    await inMenu();
    await workbench().runCommand('Sample: Ask Silently');
    assert.match(
      await said('Sample'),
      /^Sample: no session: .* \(no access yet\)$/,
      'it may not use the account of the new one',
    );
    await workbench().runCommand('Sample: Ask for a Session');
    await giveConsent(workbench(), labelAt(SECOND));
    assert.equal(await said('Sample'), `Sample: session of ${labelAt(SECOND)}`);
    for (const service of [scene().service, ...further]) assert.equal(service.pending.length, 0);
  });

  it('are served while another one is down', async () => {
    await scene().service.close();
    for (const [index, service] of further.entries()) {
      await ask(service);
      await giveConsent(workbench(), labelAt(FURTHER[index]), ALTERNATING);
      assert.equal(await said(ALTERNATING), `Alternating: ${labelAt(FURTHER[index])} 200`);
    }
  });
});

/** What the user's account is called at a further service. */
function labelAt(service = ''): string {
  return `${USER} (${service})`;
}
