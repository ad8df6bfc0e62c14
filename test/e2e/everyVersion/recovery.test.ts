import assert from 'node:assert/strict';
import path from 'node:path';
import { packExtension } from '../../../scripts/host/packExtension';
import { until } from '../../../scripts/host/until';
import { allowUse, approveSignIn } from '../../../scripts/scene/person';
import { useScene } from '../../../scripts/scene/useScene';
import { tellAsOneStory } from '../../support/story';

const ALTERNATING = 'Alternating';
/** How long an access token works. Seconds. */
const LIFETIME = 15;
/** What VS Code offers to people while an extension waits. */
const ENTRY = /^Sign in with .* to use Alternating \(1\)$/;

/** Guards that who waits for a session learns that one can be used again, which VS Code must be told as if it were new. */
describe('a session that needed its person', () => {
  tellAsOneStory();
  const { scene, workbench } = useScene({
    service: { accessTokenTtl: LIFETIME },
    surroundings: async () => ({ extensions: [await packExtension(path.join('test', 'e2e', 'consumer'))] }),
  });
  const said = (): Promise<string> => workbench().notifications.take(/^Alternating: /);

  it('isn’t handed out after its token has expired, so that VS Code offers another sign-in', async () => {
    await workbench().runCommand('Alternating: Ask');
    await workbench().quickInput.enter(scene().service.baseUrl);
    await allowUse(workbench(), ALTERNATING);
    await approveSignIn(workbench(), scene().service);
    assert.match(await said(), / 200$/);
    const body = JSON.stringify({ error: 'access_denied' });
    const refused = scene().service.faults.switchOn('refresh', { kind: 'respond', status: 403, body }, Infinity);
    await refused.reached();
    const expiresAt = Date.now() + LIFETIME * 1_000;
    await until('its token to have expired', () => Date.now() > expiresAt);
    await workbench().runCommand('Alternating: Wait');
    await workbench().accounts.waitFor(ENTRY);
    assert.equal(await workbench().accounts.badge(), 1);
  });

  it('ends the wait when it can be used again, and its offer and badge go away', async () => {
    scene().service.faults.clear();
    await workbench().notifications.click(/^Couldn’t refresh the session for /, 'Try Again');
    assert.match(await said(), /^Alternating: waited for /);
    await workbench().accounts.waitUntilGone(ENTRY);
    assert.equal(await workbench().accounts.badge(), 0);
    assert.equal(scene().service.counts().requests['device code'], 1);
  });
});
