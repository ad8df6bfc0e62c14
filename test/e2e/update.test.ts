import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EditorWindow } from '../../scripts/host/browser';
import type { DataFolder } from '../../scripts/host/dataFolder';
import { packExtension } from '../../scripts/host/packExtension';
import { ROOT, VSIX } from '../../scripts/host/paths';
import type { Workbench } from '../../scripts/host/workbench';
import { packageForService } from '../../scripts/package/forService';
import { VSCE } from '../../scripts/package/packager';
import { confirmSignIn, giveConsent } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';
import { SERVICE_NAME } from '../../demo/configured';
import type { EmbeddedService } from '../../demo/service';
import { packEarlierExtension, packEarlierForService } from '../support/earlierVersion';
import { tellAsOneStory } from '../support/story';

/** Asks for sessions of the provider `acme`. */
const CALLER = path.join('test', 'embedder', 'caller');

/** A publisher's description of a build for this service. */
async function describeBuild(version: string, { baseUrl, clientId, clientSecret }: EmbeddedService, data: DataFolder) {
  const file = path.join(data.root, `acme-${version}.json`);
  const contents = {
    publisher: 'acme',
    name: 'acme-sign-in',
    displayName: 'Acme Sign-In',
    version,
    providerId: 'acme',
    prefix: 'acme',
    service: { baseUrl, clientId, clientSecret, serviceName: 'Acme' },
  };
  await writeFile(file, JSON.stringify(contents), { mode: 0o600 });
  return file;
}

/** Guards that an update signs nobody out, whoever published what they have, and that windows may run either version. */
describe('an update of the extension, and of a build for one service, from an earlier version', () => {
  tellAsOneStory();
  let updated: EditorWindow;
  const { scene, workbench } = useScene({
    withoutExtension: true,
    surroundings: async (service, data) => ({
      extensions: [
        await packEarlierExtension(),
        await packEarlierForService(await describeBuild('1.0.0', service, data)),
        await packExtension(CALLER),
      ],
    }),
  });

  /** Asks silently, as an extension that has access, and calls the service with the token. */
  async function call(window: Workbench): Promise<void> {
    await window.runCommand('Sample: Who Am I');
    assert.match(await window.notifications.take(/^Sample: /), /^Sample: whoami returned 200 /);
    await window.runCommand('Caller: Ask Silently');
    assert.equal(await window.notifications.take(/^Caller: /), 'Caller: Acme');
  }

  it('follows a sign-in to each, and access for other extensions', async () => {
    for (const command of ['Device Flow: Sign In', 'Acme Sign-In: Sign In']) {
      await workbench().runCommand(command);
      await confirmSignIn(workbench(), scene().service);
    }
    await workbench().runCommand('Sample: Ask for a Session');
    await giveConsent(workbench(), SERVICE_NAME);
    await workbench().notifications.take(/^Sample: session of /);
    await workbench().runCommand('Caller: Ask');
    await giveConsent(workbench(), 'Acme', 'Caller');
    await workbench().notifications.take(/^Caller: Acme$/);
  });

  it('keeps both signed in, in a window that opens then, and in the one of before', async () => {
    const { data, server, service } = scene();
    const build = await packageForService(await describeBuild('1.1.0', service, data), {
      into: data.root,
      parts: ROOT,
      vsce: VSCE,
    });
    await server.install(VSIX, build);
    updated = await scene().openWindow();
    await call(updated.workbench);
    await call(workbench());
  });

  it('lets a window of either version continue from the other one’s refresh', async () => {
    const { service } = scene();
    service.revoke(1, 'access token');
    await call(updated.workbench);
    await call(workbench());
    assert.equal(service.counts().requests.refresh, 1);
  });

  it('asks nobody to sign in again when the window of before is reloaded', async () => {
    await workbench().reload();
    await call(workbench());
    const counts = scene().service.counts();
    assert.deepEqual([counts.requests['device code'], counts.deadRefreshTokens], [2, 0]);
    for (const service of [SERVICE_NAME, 'Acme']) await workbench().accounts.waitForAccounts([service], service);
  });
});
