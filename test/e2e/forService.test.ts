import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DataFolder } from '../../scripts/host/dataFolder';
import { until } from '../../scripts/host/until';
import { ROOT } from '../../scripts/host/paths';
import { VSCE } from '../../scripts/package/packager';
import { packageForService } from '../../scripts/package/forService';
import { createService, type EmbeddedService } from '../../demo/service';
import { confirmSignIn, signOut } from '../../scripts/scene/person';
import { useScene } from '../../scripts/scene/useScene';

/** Builds a package for this service, under the name of a company. */
async function build(company: string, { baseUrl, clientId, clientSecret }: EmbeddedService, data: DataFolder) {
  const id = company.toLowerCase();
  const file = path.join(data.root, `${id}.json`);
  const contents = {
    publisher: id,
    name: `${id}-sign-in`,
    displayName: `${company} Sign-In`,
    version: '1.0.0',
    providerId: id,
    prefix: id,
    service: { protocol: 'draft', baseUrl, clientId, clientSecret, serviceName: company },
  };
  await writeFile(file, JSON.stringify(contents), { mode: 0o600 });
  return await packageForService(file, { into: data.root, parts: ROOT, vsce: VSCE });
}

/** Guards that packages for single services work side by side, without any configuration. */
describe('two packages, each for one service', () => {
  let second: EmbeddedService;
  const { scene, workbench } = useScene({
    unconfigured: true,
    surroundings: async (first, data, cleanUp) => {
      second = await createService({ clientName: 'Globex', interval: 1 });
      cleanUp.add(() => second.close());
      return { extensions: [await build('Acme', first, data), await build('Globex', second, data)] };
    },
  });

  it('sign in without any configuration, each at its own service', async () => {
    await workbench().runCommand('Acme Sign-In: Sign In');
    await confirmSignIn(workbench(), scene().service);
    await workbench().accounts.waitForAccounts(['Acme'], 'Acme');
    assert.ok(scene().service.requests.length > 0);
    assert.deepEqual(second.requests, []);
    await workbench().runCommand('Globex Sign-In: Sign In');
    await confirmSignIn(workbench(), second);
    await workbench().accounts.waitForAccounts(['Globex'], 'Globex');
    await workbench().accounts.waitForAccounts(['Acme'], 'Acme');
    await workbench().accounts.open();
    await workbench().screenshot(`${scene().server.host.version.name}/two-packages`);
    await workbench().page.keyboard.press('Escape');
  });

  it('offer nothing that would configure them', async () => {
    await workbench().runCommand('Acme Sign-In: Show Status');
    const labels = await until('the status to be drawn', async () => {
      const drawn = await workbench().quickInput.labels();
      return drawn.includes('Refresh Now') ? drawn : undefined;
    });
    assert.ok(!labels.includes('Configure Service'));
    await workbench().quickInput.cancel();
  });

  it('keep their sessions when the other one signs out', async () => {
    await signOut(workbench(), 'Acme Sign-In');
    await workbench().notifications.waitFor(/^Signed out of Acme/);
    await workbench().accounts.waitForAccounts([], 'Acme');
    await workbench().accounts.waitForAccounts(['Globex'], 'Globex');
  });
});
