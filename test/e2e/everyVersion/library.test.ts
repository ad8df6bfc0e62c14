import assert from 'node:assert/strict';
import path from 'node:path';
import type { EditorWindow } from '../../../scripts/host/browser';
import type { DataFolder } from '../../../scripts/host/dataFolder';
import { until } from '../../../scripts/host/until';
import type { Workbench } from '../../../scripts/host/workbench';
import { approveSignIn, confirmSignIn, STATUS } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { SERVICE_NAME, settingsFor } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import { packEmbedder } from '../../support/embedder';
import { tellAsOneStory } from '../../support/story';

/** A standard service that wants no secret, which nobody could keep. */
const PUBLIC_CLIENT = { protocol: 'rfc8628', clientSecret: '' } as const;

const CALLER = path.join('test', 'embedder', 'caller');

/** The sample as it is for these services, under this name. */
async function embedder(data: DataFolder, company: string, first: EmbeddedService, second = first): Promise<string> {
  const id = company.toLowerCase();
  return await packEmbedder(path.join(data.root, id), {
    ...{ 'https://login.acme.example': first.baseUrl, 'https://staging.acme.example': second.baseUrl },
    ...{ 'https://api.acme.example/me': `${first.baseUrl}/api/whoami`, "'tools'": `'${first.clientId}'` },
    ...{ acme: id, Acme: company },
  });
}

/** Has the extension call its API until the service accepts its token: one that's just arrived isn't replaced at once. */
async function call(workbench: Workbench): Promise<void> {
  await until('the service to accept the token', async () => {
    await workbench.runCommand('Acme: Who Am I');
    return (await workbench.notifications.take(/^Acme says: /)).includes('"name":"demo"');
  });
}

const accountOf = (service: string): RegExp => new RegExp(` \\(${service}\\)$`);

/**
 * Guards that an extension signs people in on its own with the npm package, exactly as its author installs, bundles, and
 * packages it.
 */
describe('an extension that embeds the library, alone', () => {
  tellAsOneStory();
  let staging: EmbeddedService;
  let second: EditorWindow;
  const { scene, workbench } = useScene({
    ...{ unconfigured: true, withoutExtension: true, consumer: CALLER },
    service: PUBLIC_CLIENT,
    surroundings: async (service, data, cleanUp) => {
      staging = await createService({ interval: 1, ...PUBLIC_CLIENT });
      cleanUp.add(() => staging.close());
      return { extensions: [await embedder(data, 'Acme', service, staging)] };
    },
  });

  it('offers both of its services in the Accounts menu, and signs in to one from there', async () => {
    await workbench().accounts.waitFor(/^Sign in with Acme Staging to use Acme Tools/);
    await workbench().accounts.choose(/^Sign in with Acme to use Acme Tools/);
    await confirmSignIn(workbench(), scene().service);
    await workbench().accounts.waitFor(accountOf('Acme'));
    assert.deepEqual(staging.requests, []);
    await workbench().screenshot(`${scene().server.host.version.name}/library-1-signed-in`);
    await call(workbench());
  });

  it('serves another extension after the person’s consent, and not before', async () => {
    await workbench().runCommand('Caller: Ask Silently');
    assert.equal(await workbench().notifications.take(/^Caller: /), 'Caller: nobody');
    await workbench().runCommand('Caller: Ask');
    await workbench().dialog.answer(/Caller.* wants to (sign in|access)/, 'Allow');
    await workbench().quickInput.pick('demo');
    assert.equal(await workbench().notifications.take(/^Caller: /), 'Caller: demo');
  });

  it('replaces a token that the service rejects, once for all windows', async () => {
    const { counts } = scene().service;
    scene().service.revoke(1, 'access token');
    await call(workbench());
    assert.equal(counts.requests.refresh, 1);
    second = await scene().openWindow();
    scene().service.revoke(1, 'access token');
    await call(second.workbench);
    await call(workbench());
    assert.equal(counts.requests.refresh, 2);
  });

  it('goes on when a window is killed while it refreshes', async () => {
    const { faults } = scene().service;
    scene().service.revoke(1, 'access token');
    const dropped = faults.switchOn('refresh', { kind: 'drop', when: 'before' });
    await second.workbench.runCommand('Acme: Who Am I');
    await dropped.reached();
    process.kill(second.extensionHost, 'SIGKILL');
    await call(workbench());
    await second.workbench.page.close();
  });

  it('signs out, and continues a sign-in by its own command after a reload of the window', async () => {
    await workbench().runCommand('Acme: Sign Out');
    await workbench().notifications.take(/^Signed out of /);
    await workbench().accounts.waitUntilGone(accountOf('Acme'));
    await workbench().runCommand('Acme: Sign In');
    await workbench().statusBarItem(STATUS);
    await workbench().reload();
    await approveSignIn(workbench(), scene().service);
    await workbench().accounts.waitFor(accountOf('Acme'));
    await call(workbench());
  });

  it('signs in to its second service, which shares nothing with the first', async () => {
    await workbench().accounts.choose(/^Sign in with Acme Staging/);
    await confirmSignIn(workbench(), staging);
    await workbench().accounts.waitFor(accountOf('Acme Staging'));
    await workbench().runCommand('Acme: Sign Out');
    await workbench().accounts.waitUntilGone(accountOf('Acme'));
    await workbench().accounts.waitFor(accountOf('Acme Staging'));
  });
});

/** Guards that whoever embeds the library disturbs nobody else who does, nor the extension. */
describe('two extensions that embed the library, beside each other and the extension', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({
    ...{ unconfigured: true, consumer: CALLER },
    service: PUBLIC_CLIENT,
    surroundings: async (service, data) => ({
      settings: settingsFor(service),
      extensions: [await embedder(data, 'Acme', service), await embedder(data, 'Initech', service)],
    }),
  });

  it('each sign in for themselves at the same service, and out for themselves', async () => {
    for (const [command, name] of [
      ['Acme: Sign In', 'Acme'],
      ['Initech: Sign In', 'Initech'],
      ['Device Flow: Sign In', SERVICE_NAME],
    ] as const) {
      await workbench().runCommand(command);
      await confirmSignIn(workbench(), scene().service);
      await workbench().accounts.waitFor(accountOf(name));
    }
    await workbench().screenshot(`${scene().server.host.version.name}/library-2-side-by-side`);
    await workbench().runCommand('Acme: Sign Out');
    await workbench().accounts.waitUntilGone(accountOf('Acme'));
    await workbench().accounts.waitFor(accountOf('Initech'));
    await workbench().accounts.waitFor(accountOf(SERVICE_NAME));
  });
});
