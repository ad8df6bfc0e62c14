import assert from 'node:assert/strict';
import type { EditorWindow } from '../../scripts/host/browser';
import { VSIX } from '../../scripts/host/paths';
import { approveSignIn, CODE_STATUS, confirmSignIn, signOut } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';
import { SERVICE_NAME, settingsFor } from '../../demo/configured';
import { createService, type EmbeddedService } from '../../demo/service';
import { accountOf, callApi, folderOf, packEmbedderFor, packNextVersion, PUBLIC_CLIENT } from '../support/embedder';
import { tellAsOneStory } from '../support/story';

/**
 * Guards that an extension that embeds the library gets along with its own next version, with a change of its service, with
 * others who embed it, and with the extension.
 */
describe('an extension that embeds the library, beside others', () => {
  tellAsOneStory();
  let staging: EmbeddedService;
  let later: EditorWindow;
  const { scene, workbench } = useScene({
    unconfigured: true,
    withoutExtension: true,
    service: PUBLIC_CLIENT,
    surroundings: async (service, data, cleanUp) => {
      staging = await createService({ interval: 1, ...PUBLIC_CLIENT });
      cleanUp.add(() => staging.close());
      return { extensions: [await packEmbedderFor(data, 'Acme', service, staging)] };
    },
  });
  const refreshes = (): number => scene().service.counts().requests.refresh;
  const screenshot = (name: string): Promise<void> =>
    workbench().screenshot(`${scene().server.host.version.name}/embedder-${name}`);

  it('shares its session with a window that runs its next version, and replaces a rejected token once', async () => {
    await workbench().accounts.choose(/^Sign in with Acme to use Acme Tools/);
    await confirmSignIn(workbench(), scene().service);
    await scene().server.install(await packNextVersion(folderOf(scene().data, 'Acme')));
    later = await scene().openWindow();
    await callApi(later.workbench);
    scene().service.revoke(1, 'access token');
    await Promise.all([callApi(workbench()), callApi(later.workbench)]);
    assert.equal(refreshes(), 1);
    await later.workbench.page.close();
  });

  it('cancels a sign-in when it changes the service, and can register the service again', async () => {
    await workbench().accounts.choose(/^Sign in with Acme Staging/);
    await workbench().statusBarItem(CODE_STATUS);
    await workbench().runCommand('Acme: Change Service');
    await workbench().waitUntilStatusBarItemGone(CODE_STATUS);
    await workbench().runCommand('Acme: Register Again');
  });

  it('continues a sign-in after a reload of the window', async () => {
    await workbench().accounts.choose(/^Sign in with Acme Staging/);
    await workbench().statusBarItem(CODE_STATUS);
    await workbench().reload();
    await approveSignIn(workbench(), staging);
    await workbench().accounts.waitFor(accountOf('Acme Staging'));
    assert.equal(staging.counts().requests['device code'], 2);
  });

  it('signs in and out for itself, beside another one and the extension, at the same service', async () => {
    const { data, server, service } = scene();
    await data.writeSettings(settingsFor(service));
    await server.install(VSIX, await packEmbedderFor(data, 'Initech', service));
    await workbench().reload();
    for (const [command, name] of [
      ['Initech: Sign In', 'Initech'],
      ['Device Flow: Sign In', SERVICE_NAME],
    ] as const) {
      await workbench().runCommand(command);
      await confirmSignIn(workbench(), service);
      await workbench().accounts.waitFor(accountOf(name));
    }
    await screenshot('2-side-by-side');
    await signOut(workbench(), 'Acme');
    await workbench().accounts.waitUntilGone(accountOf('Acme'));
    for (const name of ['Acme Staging', 'Initech', SERVICE_NAME]) await workbench().accounts.waitFor(accountOf(name));
  });
});
