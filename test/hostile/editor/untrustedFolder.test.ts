import assert from 'node:assert/strict';
import path from 'node:path';
import { SERVICE_NAME } from '../../host/configured';
import { createService, type EmbeddedService } from '../../service';
import { giveConsent, signIn } from '../../e2e/person';
import { useScene } from '../../e2e/scene';
import { makeStrangersFolder } from './strangersFolder';

/** Lifetime of access tokens in seconds, so that several are refreshed in a test. */
const LIFETIME = 4;

describe('an untrusted folder', () => {
  const scene = useScene({
    service: { accessTokenTtl: LIFETIME },
    workspaceTrust: true,
    windowless: true,
    // Older versions ask with a dialog, newer ones with a banner.
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
  });
  let other: EmbeddedService | undefined;
  const otherService = (): EmbeddedService => {
    assert.ok(other !== undefined);
    return other;
  };

  before('start the other service', async () => {
    other = await createService({ clientName: 'Other Client' });
  });
  after('stop the other service', () => other?.close());

  it('is opened in restricted mode: the sign-in works, and leads to the service that the person set', async () => {
    const { data, profile, service } = scene();
    const { folder } = await makeStrangersFolder(path.join(data.root, 'stranger'), otherService());
    const { workbench } = await scene().openWindow({ folder });
    await workbench.statusBarItem(/^Restricted Mode$/);
    await signIn(workbench, profile.context);
    await workbench.runCommand('Sample: Ask for a Session');
    await giveConsent(workbench, SERVICE_NAME);
    await workbench.notifications.waitFor(/^Sample: session of /);
    await workbench.screenshot('hostile/untrusted-folder');
    await service.record.until(({ counts }) => counts.refreshed > 0);
    assert.equal(otherService().requests.length, 0, 'nothing reaches the stranger’s service');
    assert.deepEqual(
      service.notifications.map((notification) => notification.method),
      ['POST'],
      'the service is told of the device once, in the way that the person set',
    );
  });
});
